//! T47: every image of PngSuite in `tests/data/pngsuite`. Names of corrupt files begin with `x`.

use std::path::PathBuf;

use super::tests::{made, open, same};
use super::*;

fn directory() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/pngsuite")
}

/// The decoded content of a valid image.
#[derive(Debug, PartialEq, Eq)]
struct Content {
    width: u32,
    height: u32,
    /// Checksum of the pixels as RGBA with 16 bits per sample, big-endian.
    crc: u32,
}

impl Content {
    fn of(image: &DynamicImage) -> Self {
        let mut crc = flate2::Crc::new();
        image.to_rgba16().iter().for_each(|sample| crc.update(&sample.to_be_bytes()));
        Self { width: image.width(), height: image.height(), crc: crc.sum() }
    }
}

/// The valid images and their content, as an independent decoder computed it.
fn valid_images() -> Vec<(String, Content)> {
    let text = std::fs::read_to_string(directory().join("expected.txt")).unwrap();
    let parse = |line: &str| {
        let [name, width, height, crc] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("invalid line: {line}")
        };
        let (width, height) = (width.parse().unwrap(), height.parse().unwrap());
        (name.to_owned(), Content { width, height, crc: u32::from_str_radix(crc, 16).unwrap() })
    };
    text.lines().filter(|line| !line.starts_with('#')).map(parse).collect()
}

fn corrupt_images() -> Vec<String> {
    let names = std::fs::read_dir(directory()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with('x')).collect()
}

#[test]
fn t47_every_valid_image_of_pngsuite_is_decoded_exactly() {
    let images = valid_images();
    assert_eq!(images.len(), 161);
    for (name, expected) in images {
        let bytes = std::fs::read(directory().join(&name)).unwrap();
        let (image, orientation, _) =
            decode(&bytes, ImageFormat::Png).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((Content::of(&image), orientation), (expected, Orientation::NoTransforms), "{name}");
    }
}

/// Images with transparent pixels are stored without loss, all others as JPEG.
#[tokio::test]
async fn t47_every_valid_image_of_pngsuite_is_stored() {
    for (name, expected) in valid_images() {
        let bytes = std::fs::read(directory().join(&name)).unwrap();
        let (image, _, profile) = decode(&bytes, ImageFormat::Png).unwrap();
        let original = profile.map_or(image.clone(), |profile| color::to_srgb(image, &profile)).to_rgba8();
        let picture =
            made(bytes, same(expected.width, expected.height)).await.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((picture.width, picture.height), (expected.width, expected.height), "{name}");
        let has_transparency = original.pixels().any(|pixel| pixel.0[3] < 255);
        let kind = if has_transparency { PictureKind::Webp } else { PictureKind::Jpeg };
        assert_eq!(picture.kind, kind, "{name}");
        if has_transparency {
            let stored = open(&picture).to_rgba8();
            let is_equal = |(a, b): (&image::Rgba<u8>, &image::Rgba<u8>)| a == b || a.0[3] == 0 && b.0[3] == 0;
            assert!(stored.pixels().zip(original.pixels()).all(is_equal), "{name}");
        }
    }
}

#[tokio::test]
async fn t47_every_corrupt_image_of_pngsuite_is_rejected() {
    let names = corrupt_images();
    assert_eq!(names.len(), 14);
    for name in names {
        let outcome = made(std::fs::read(directory().join(&name)).unwrap(), Fit::PROFILE).await;
        let error = outcome.expect_err(&name);
        assert!(matches!(error, PictureError::Unreadable | PictureError::UnsupportedType { .. }), "{name}: {error:?}");
        let sentence = error.to_string();
        let is_known =
            sentence == "the picture is damaged or truncated" || sentence.starts_with("only PNG, JPG, and WebP files");
        assert!(is_known, "{name}: {sentence}");
    }
}
