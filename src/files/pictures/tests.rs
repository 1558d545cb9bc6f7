use std::pin::pin;
use std::time::Instant;

use image::{Rgb, RgbImage, Rgba, RgbaImage};

use super::*;

const LIMIT: usize = 15 * 1024 * 1024;

fn bytes_of(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    image.write_to(&mut out, format).unwrap();
    out.into_inner()
}

/// Left half red, right half green, with a blue top left corner: every turn of it looks different.
fn flag(width: u32, height: u32) -> DynamicImage {
    RgbImage::from_fn(width, height, |x, y| match (x < width / 2, x < width / 4 && y < height / 4) {
        (_, true) => Rgb([20, 20, 220]),
        (true, _) => Rgb([220, 20, 20]),
        (false, _) => Rgb([20, 220, 20]),
    })
    .into()
}

pub async fn made(bytes: Vec<u8>, fit: Fit) -> Result<Picture, PictureError> {
    PictureProcessor::new(2).re_encode(bytes.into(), LIMIT, fit).await
}

pub fn open(picture: &Picture) -> DynamicImage {
    image::load_from_memory(&picture.bytes).unwrap()
}

fn near(image: &DynamicImage, (x, y): (u32, u32), color: [u8; 3]) -> bool {
    let pixel = image.to_rgb8().get_pixel(x, y).0;
    pixel.iter().zip(color).all(|(a, b)| a.abs_diff(b) < 30)
}

/// Keeps the whole picture.
pub fn same(width: u32, height: u32) -> Fit {
    Fit { width, height }
}

#[tokio::test]
async fn pictures_of_the_three_types_look_the_same_after_encoding() {
    let flag = flag(320, 200);
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
        let picture = made(bytes_of(&flag, format), same(320, 200)).await.unwrap();
        assert_eq!((picture.kind, picture.width, picture.height), (PictureKind::Jpeg, 320, 200), "{format:?}");
        let out = open(&picture);
        assert!(
            near(&out, (10, 10), [20, 20, 220])
                && near(&out, (100, 190), [220, 20, 20])
                && near(&out, (300, 10), [20, 220, 20])
        );
    }
    // 16-bit, grey and alpha sources become 8-bit RGB.
    for image in [
        DynamicImage::ImageRgb16(flag.to_rgb16()),
        DynamicImage::ImageLuma8(flag.to_luma8()),
        DynamicImage::ImageLumaA16(flag.to_luma_alpha16()),
        DynamicImage::ImageRgba16(flag.to_rgba16()),
    ] {
        let picture = made(bytes_of(&image, ImageFormat::Png), Fit::PROFILE).await.unwrap();
        assert_eq!((picture.width, picture.height, picture.kind), (200, 200, PictureKind::Jpeg));
    }
}

#[tokio::test]
async fn transparency_is_preserved_pixel_for_pixel() {
    let logo = RgbaImage::from_fn(64, 64, |x, y| {
        Rgba([(x * 4) as u8, (y * 4) as u8, 90, if x < 32 { 0 } else { 255 - y as u8 }])
    });
    let picture = made(bytes_of(&logo.clone().into(), ImageFormat::Png), same(64, 64)).await.unwrap();
    assert_eq!(picture.kind, PictureKind::Webp);
    assert_eq!(open(&picture).to_rgba8().get_pixel(50, 9), logo.get_pixel(50, 9));
    assert_eq!(open(&picture).to_rgba8().get_pixel(3, 9).0[3], 0);
}

#[tokio::test]
async fn sizes_follow_the_target_and_are_never_enlarged() {
    let size = async |width, height, fit| {
        let picture = made(bytes_of(&flag(width, height), ImageFormat::Jpeg), fit).await.unwrap();
        assert_eq!((open(&picture).width(), open(&picture).height()), (picture.width, picture.height));
        (picture.width, picture.height)
    };
    assert_eq!(size(1000, 800, Fit::PROFILE).await, (400, 400));
    assert_eq!(size(300, 200, Fit::PROFILE).await, (200, 200));
    assert_eq!(size(2000, 2000, Fit::BANNER).await, (1200, 300));
    assert_eq!(size(800, 800, Fit::BANNER).await, (800, 200));
    assert_eq!(size(1, 1, Fit::PROFILE).await, (1, 1));
    assert_eq!(size(3000, 1, Fit::BANNER).await, (4, 1));
}

/// A picture of one color with this color profile.
fn with_profile(image: &DynamicImage, format: ImageFormat, profile: &ColorProfile) -> Vec<u8> {
    fn written(image: &DynamicImage, mut encoder: impl image::ImageEncoder, icc: Vec<u8>) {
        encoder.set_icc_profile(icc).unwrap();
        image.write_with_encoder(encoder).unwrap();
    }
    let (mut out, icc) = (Vec::new(), profile.encode().unwrap());
    match format {
        ImageFormat::Png => written(image, image::codecs::png::PngEncoder::new(&mut out), icc),
        ImageFormat::Jpeg => written(image, JpegEncoder::new_with_quality(&mut out, 100), icc),
        _ => written(image, WebPEncoder::new_lossless(&mut out), icc),
    }
    out
}

/// A PNG with another chunk behind its header.
fn with_chunk(png: &[u8], name: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let header_end = 8 + 25;
    let mut crc = flate2::Crc::new();
    crc.update(name);
    crc.update(data);
    let length = (data.len() as u32).to_be_bytes();
    [&png[..header_end], &length, name, data, &crc.sum().to_be_bytes(), &png[header_end..]].concat()
}

fn flat(color: [u8; 3]) -> DynamicImage {
    RgbImage::from_pixel(16, 16, Rgb(color)).into()
}

/// Requires that the stored picture has this color, within 3 per channel.
async fn assert_stored(upload: Vec<u8>, color: [u8; 3], what: &str) {
    let stored = open(&made(upload, Fit::PROFILE).await.unwrap()).to_rgb8().get_pixel(8, 8).0;
    assert!(stored.iter().zip(color).all(|(a, b)| a.abs_diff(b) <= 3), "{what}: {stored:?} instead of {color:?}");
}

#[tokio::test]
async fn colors_of_a_profile_become_those_of_srgb() {
    let p3 = ColorProfile::new_display_p3();
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
        for (stored, shown) in [([200, 50, 50], [218, 24, 40]), ([180, 120, 90], [190, 117, 84])] {
            assert_stored(with_profile(&flat(stored), format, &p3), shown, &format!("{format:?}")).await;
        }
        let srgb = with_profile(&flat([200, 50, 50]), format, &ColorProfile::new_srgb());
        assert_stored(srgb, [200, 50, 50], "sRGB").await;
    }
    // 16 bits, gray, and transparency, which is unchanged.
    let deep = DynamicImage::ImageRgb16(flat([200, 50, 50]).to_rgb16());
    assert_stored(with_profile(&deep, ImageFormat::Png, &p3), [218, 24, 40], "16 bits").await;
    assert_stored(bytes_of(&deep, ImageFormat::Png), [200, 50, 50], "16 bits without a profile").await;
    let gray = DynamicImage::ImageLuma8(flat([128; 3]).to_luma8());
    let linear = ColorProfile::new_gray_with_gamma(1.0);
    assert_stored(with_profile(&gray, ImageFormat::Png, &linear), [188; 3], "gray").await;
    let glass: DynamicImage = RgbaImage::from_pixel(16, 16, Rgba([200, 50, 50, 77])).into();
    let glass = open(&made(with_profile(&glass, ImageFormat::Png, &p3), Fit::PROFILE).await.unwrap());
    let stored = glass.to_rgba8().get_pixel(8, 8).0;
    assert!(stored.iter().zip([218, 24, 40, 77]).all(|(a, b)| a.abs_diff(b) <= 3), "{stored:?}");
}

#[tokio::test]
async fn the_gamma_of_a_png_is_applied() {
    let gray = |value: u8| bytes_of(&flat([value; 3]), ImageFormat::Png);
    let with_gamma = |gamma: u32| with_chunk(&gray(128), b"gAMA", &gamma.to_be_bytes());
    assert_stored(with_gamma(100_000), [188; 3], "linear").await;
    for unchanged in [45_455, 45_000, 0] {
        assert_stored(with_gamma(unchanged), [128; 3], &unchanged.to_string()).await;
    }
    assert_stored(with_chunk(&with_gamma(100_000), b"sRGB", &[0]), [128; 3], "declared as sRGB").await;
    for damaged in [b"x\0\0not compressed".as_slice(), b"", b"x"] {
        assert_stored(with_chunk(&with_gamma(100_000), b"iCCP", damaged), [128; 3], "a damaged profile").await;
    }
}

/// A JPEG with an EXIF block: orientation, a GPS word and a script.
fn with_exif(jpeg: &[u8], orientation: u8) -> Vec<u8> {
    let mut exif = b"Exif\0\0MM\0\x2a\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".to_vec();
    exif.extend([orientation, 0, 0, 0, 0, 0, 0]);
    exif.extend(b"GPSLatitude 51.5<script>alert(1)</script>");
    let length = (exif.len() + 2) as u16;
    [&jpeg[..2], &[0xff, 0xe1], &length.to_be_bytes(), &exif, &jpeg[2..]].concat()
}

#[tokio::test]
async fn every_orientation_is_applied_before_the_crop() {
    let upright = flag(480, 320);
    let expected = upright.to_rgb8();
    for exif in 1..=8u8 {
        let orientation = Orientation::from_exif(exif).unwrap();
        // Store the picture turned the other way, so that applying the orientation gives the upright one.
        let mut stored = upright.clone();
        stored.apply_orientation(match orientation {
            Orientation::Rotate90 => Orientation::Rotate270,
            Orientation::Rotate270 => Orientation::Rotate90,
            other => other,
        });
        let file = with_exif(&bytes_of(&stored, ImageFormat::Jpeg), exif);
        let whole = made(file.clone(), same(480, 320)).await.unwrap();
        assert_eq!((whole.width, whole.height), (480, 320), "orientation {exif}");
        let cut = made(file, same(320, 320)).await.unwrap();
        assert_eq!((cut.width, cut.height), (320, 320), "orientation {exif}");
        for (picture, left) in [(whole, 0), (cut, 80)] {
            let off = open(&picture).into_rgb8().enumerate_pixels().any(|(x, y, pixel)| {
                let x = x + left;
                let edge = x.abs_diff(240) < 8 || x.abs_diff(120) < 8 || y.abs_diff(80) < 8;
                !edge && !near_pixel(pixel.0, expected.get_pixel(x, y).0)
            });
            assert!(!off, "orientation {exif}");
        }
    }
}

fn near_pixel(a: [u8; 3], b: [u8; 3]) -> bool {
    a.iter().zip(b).all(|(a, b)| a.abs_diff(b) < 30)
}

fn holds(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|window| window == text.as_bytes())
}

#[tokio::test]
async fn no_byte_of_the_upload_is_stored() {
    let jpeg = bytes_of(&flag(64, 64), ImageFormat::Jpeg);
    let png = bytes_of(&flag(64, 64), ImageFormat::Png);
    let archive = [b"PK\x03\x04".as_slice(), b"evil.php<?php system($_GET[1]);"].concat();
    for (what, file) in [
        ("PNG and ZIP", [png.clone(), archive].concat()),
        ("JPEG and HTML", [jpeg.clone(), b"<html><script>alert(1)</script>".to_vec()].concat()),
        ("script and place in EXIF", with_exif(&jpeg, 1)),
        ("comment in PNG", [&png[..33], &png_chunk(b"tEXt", b"Comment\0<script>"), &png[33..]].concat()),
    ] {
        let picture = made(file, same(64, 64)).await.unwrap_or_else(|error| panic!("{what}: {error}"));
        for trace in ["PK\x03\x04", "<script", "<html", "GPS", "Exif", "php", "Comment"] {
            assert!(!holds(&picture.bytes, trace), "{what}: {trace}");
        }
    }
}

fn png_chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let checked = [kind.as_slice(), data].concat();
    let mut crc = flate2::Crc::new();
    crc.update(&checked);
    [&(data.len() as u32).to_be_bytes(), checked.as_slice(), &crc.sum().to_be_bytes()].concat()
}

/// A PNG with this size in its header and hardly any data.
fn png_of_size(width: u32, height: u32) -> Vec<u8> {
    let mut header = [width.to_be_bytes(), height.to_be_bytes()].concat();
    header.extend([8, 6, 0, 0, 0]);
    [
        b"\x89PNG\r\n\x1a\n".to_vec(),
        png_chunk(b"IHDR", &header),
        png_chunk(b"IDAT", &[0x78, 0x9c, 3, 0]),
        png_chunk(b"IEND", b""),
    ]
    .concat()
}

/// A lossless WebP head of the largest size the format has.
fn webp_head() -> Vec<u8> {
    let mut file = b"RIFF\x4e\0\0\0WEBPVP8L\x42\0\0\0\x2f".to_vec();
    file.extend((0x3fffu32 | (0x3fff << 14)).to_le_bytes());
    file.resize(86, 0);
    file
}

fn gif() -> Vec<u8> {
    bytes_of(&flag(8, 8), ImageFormat::Gif)
}

async fn rejected(what: &str, file: Vec<u8>) -> PictureError {
    match made(file, Fit::PROFILE).await {
        Ok(_) => panic!("{what} was accepted"),
        Err(error) => error,
    }
}

/// A JPEG whose head declares the largest size.
fn jpeg_head() -> Vec<u8> {
    let mut jpeg = bytes_of(&flag(16, 16), ImageFormat::Jpeg);
    let frame = jpeg.windows(2).position(|w| w == [0xff, 0xc0]).unwrap();
    jpeg[frame + 5..frame + 9].copy_from_slice(&[0xff, 0xff, 0xff, 0xff]);
    jpeg
}

/// A PNG with a color profile that expands to 300 MB.
fn packed_profile() -> Vec<u8> {
    let packed = {
        use std::io::Write as _;
        let mut packer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        let zeros = vec![0u8; 1 << 20];
        (0..300).for_each(|_| packer.write_all(&zeros).unwrap());
        packer.finish().unwrap()
    };
    let png = bytes_of(&flag(8, 8), ImageFormat::Png);
    let profile = [b"icc\0\0".as_slice(), &packed].concat();
    [&png[..33], &png_chunk(b"iCCP", &profile), &png[33..]].concat()
}

/// A JPEG with hundreds of scans.
fn many_scans() -> Vec<u8> {
    let jpeg = bytes_of(&flag(16, 16), ImageFormat::Jpeg);
    let scan = jpeg.windows(2).position(|w| w == [0xff, 0xda]).unwrap();
    let scans = jpeg[scan..jpeg.len() - 2].repeat(200);
    [&jpeg[..scan], &scans, &[0xff, 0xd9]].concat()
}

/// A picture of some noise.
fn noise(format: ImageFormat) -> Vec<u8> {
    let noise = RgbImage::from_fn(120, 90, |x, y| Rgb([(x * 7 + y * 13) as u8, (x * y) as u8, (x ^ y) as u8]));
    bytes_of(&noise.into(), format)
}

/// Copies of a file, each with another byte changed.
fn damaged(whole: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    (0..whole.len()).step_by(whole.len() / 60).map(|at| {
        let mut changed = whole.to_vec();
        changed[at] ^= 0x5a;
        changed
    })
}

#[tokio::test]
#[ignore = "daily: depends on the clock"]
async fn bombs_and_damaged_files_take_less_than_a_second() {
    let bombs = [
        png_of_size(100_000, 100_000),
        png_of_size(0x7fff_ffff, 0x7fff_ffff),
        png_of_size(20_000, 1),
        png_of_size(7000, 7000),
        png_of_size(0, 0),
        webp_head(),
        jpeg_head(),
        packed_profile(),
        many_scans(),
    ];
    let files = [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP].map(noise);
    for (nth, file) in bombs.into_iter().chain(files.iter().flat_map(|file| damaged(file))).enumerate() {
        let begin = Instant::now();
        let _ = made(file, Fit::PROFILE).await;
        assert!(begin.elapsed().as_millis() < 1000, "file {nth} took {:?}", begin.elapsed());
    }
}

#[tokio::test]
async fn bombs_are_rejected() {
    let huge = rejected("100,000 x 100,000 PNG", png_of_size(100_000, 100_000)).await;
    assert_eq!(
        huge.to_string(),
        "the picture is 100000x100000 pixels; the limits are 50 megapixels and 16384 pixels per side"
    );
    rejected("largest PNG", png_of_size(0x7fff_ffff, 0x7fff_ffff)).await;
    rejected("long thin PNG", png_of_size(20_000, 1)).await;
    rejected("PNG without data", png_of_size(7000, 7000)).await;
    rejected("PNG without size", png_of_size(0, 0)).await;
    rejected("86-byte WebP", webp_head()).await;
    let error = rejected("65,535 x 65,535 JPEG", jpeg_head()).await;
    assert!(matches!(error, PictureError::TooManyPixels { width: 65_535, height: 65_535 }), "{error:?}");
    // A picture or an error, never a panic or a hang.
    let _ = made(packed_profile(), Fit::PROFILE).await;
    let error = rejected("200 scans", many_scans()).await;
    assert!(matches!(error, PictureError::TooManyScans { limit: 64 }), "{error:?}");
    let error = PictureProcessor::new(1).re_encode(vec![0; 11].into(), 10, Fit::PROFILE).await.unwrap_err();
    assert_eq!(error.to_string(), "the file has 11 bytes; the limit is 10");
}

#[tokio::test]
async fn other_types_are_rejected_by_content() {
    for (what, file, found) in [
        ("GIF", gif(), Some("a GIF")),
        ("TIFF", b"II*\0\x08\0\0\0".to_vec(), Some("a TIFF")),
        (
            "SVG",
            b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>".to_vec(),
            Some("text, perhaps SVG or HTML"),
        ),
        ("AVIF", b"\0\0\0\x20ftypavif".to_vec(), Some("an AVIF, HEIC or video file")),
        ("HDR", b"#?RADIANCE\n".to_vec(), Some("an HDR picture")),
        ("nothing", Vec::new(), None),
        ("noise", vec![7; 4096], None),
    ] {
        match rejected(what, file).await {
            PictureError::UnsupportedType { found: seen } => assert_eq!(seen, found, "{what}"),
            other => panic!("{what}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn damaged_and_truncated_files_are_rejected() {
    for format in [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP] {
        let whole = noise(format);
        for part in [12, whole.len() / 4, whole.len() / 2, whole.len() * 9 / 10] {
            let error = rejected("a cut-off file", whole[..part].to_vec()).await;
            assert!(matches!(error, PictureError::Unreadable), "{format:?} {part}: {error:?}");
        }
        // Any single changed byte: a picture or an error, never a panic or a hang.
        for changed in damaged(&whole) {
            let _ = made(changed, Fit::PROFILE).await;
        }
    }
}

#[tokio::test]
async fn a_third_picture_waits_until_one_of_two_is_processed() {
    let pictures = PictureProcessor::new(2);
    let file: Bytes = bytes_of(&flag(9, 9), ImageFormat::Png).into();
    let slot = || Arc::clone(&pictures.slots).try_acquire_owned().unwrap();
    let (first, _second) = (slot(), slot());
    let mut third = pin!(pictures.re_encode(file, LIMIT, Fit::PROFILE));
    tokio::select! {
        biased;
        _ = &mut third => panic!("a third picture is processed beside two"),
        () = std::future::ready(()) => {}
    }
    drop(first);
    assert!(third.await.is_ok());
    assert_eq!(pictures.slots.available_permits(), 1);
}

#[tokio::test]
async fn t19_a_panicking_decoder_means_an_unreadable_file() {
    let outcome = run_blocking(|| panic!("on purpose")).await;
    assert!(matches!(outcome, Err(PictureError::Unreadable)), "{outcome:?}");
}
