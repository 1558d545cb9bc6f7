//! T47: generated PNG files of every color type, bit depth, interlacing and filter, and damaged ones, modeled on PngSuite.

use std::io::Write;

use flate2::Compression;
use flate2::write::ZlibEncoder;

use super::tests::{SAME, made, open};
use super::*;

const GREY: u8 = 0;
const COLOUR: u8 = 2;
const PALETTE: u8 = 3;
const GREY_ALPHA: u8 = 4;
const COLOUR_ALPHA: u8 = 6;

/// Properties of a PNG file.
#[derive(Debug, Clone, Copy)]
struct Kind {
    colour: u8,
    depth: u8,
    is_interlaced: bool,
    filter: u8,
    compression: u32,
    /// Maximum size of an IDAT chunk.
    max_chunk_bytes: usize,
}

const PLAIN: Kind =
    Kind { colour: COLOUR, depth: 8, is_interlaced: false, filter: 0, compression: 6, max_chunk_bytes: usize::MAX };

impl Kind {
    fn channels(self) -> usize {
        match self.colour {
            GREY | PALETTE => 1,
            GREY_ALPHA => 2,
            COLOUR => 3,
            _ => 4,
        }
    }

    fn max_sample(self) -> u32 {
        (1 << self.depth) - 1
    }

    /// The samples of a pixel. All values occur, and the first pixel has the transparent color of a tRNS chunk.
    fn samples(self, x: u32, y: u32) -> Vec<u32> {
        (0..self.channels() as u32)
            .map(|channel| ((x * 37 + y * 101 + x * y * 7 + channel * 53) * 251) & self.max_sample())
            .collect()
    }

    /// The expected 8-bit color of a pixel.
    fn expected_color(self, x: u32, y: u32) -> [u8; 4] {
        let samples = self.samples(x, y);
        let eight = |sample: u32| match self.depth {
            // The upper byte; decoders round differently.
            16 => (sample >> 8) as u8,
            _ => (sample * 255 / self.max_sample()) as u8,
        };
        match self.colour {
            PALETTE => palette_color(samples[0]),
            GREY => [eight(samples[0]), eight(samples[0]), eight(samples[0]), self.keyed(&samples)],
            GREY_ALPHA => [eight(samples[0]), eight(samples[0]), eight(samples[0]), eight(samples[1])],
            COLOUR => [eight(samples[0]), eight(samples[1]), eight(samples[2]), self.keyed(&samples)],
            _ => [eight(samples[0]), eight(samples[1]), eight(samples[2]), eight(samples[3])],
        }
    }

    /// The color of the first pixel is transparent.
    fn keyed(self, samples: &[u32]) -> u8 {
        if samples == self.samples(0, 0) { 0 } else { 255 }
    }

    /// The chunks between header and data.
    fn before_data(self) -> Vec<u8> {
        match self.colour {
            PALETTE => {
                let colours: Vec<[u8; 4]> = (0..=self.max_sample()).map(palette_color).collect();
                let shades: Vec<u8> = colours.iter().flat_map(|c| [c[0], c[1], c[2]]).collect();
                let alphas: Vec<u8> = colours.iter().map(|c| c[3]).collect();
                [chunk(b"PLTE", &shades), chunk(b"tRNS", &alphas)].concat()
            }
            GREY | COLOUR => {
                let key: Vec<u8> = self.samples(0, 0).iter().flat_map(|s| (*s as u16).to_be_bytes()).collect();
                chunk(b"tRNS", &key)
            }
            _ => Vec::new(),
        }
    }

    fn file(self, width: u32, height: u32) -> Vec<u8> {
        let head = [width.to_be_bytes(), height.to_be_bytes()].concat();
        let head = [head, vec![self.depth, self.colour, 0, 0, u8::from(self.is_interlaced)]].concat();
        let mut packer = ZlibEncoder::new(Vec::new(), Compression::new(self.compression));
        packer.write_all(&self.lines(width, height)).unwrap();
        let packed = packer.finish().unwrap();
        let data: Vec<u8> =
            packed.chunks(self.max_chunk_bytes.min(packed.len())).flat_map(|piece| chunk(b"IDAT", piece)).collect();
        [SIGNATURE.to_vec(), chunk(b"IHDR", &head), self.before_data(), data, chunk(b"IEND", &[])].concat()
    }

    /// The filtered scanlines of one pass, or of seven if interlaced.
    fn lines(self, width: u32, height: u32) -> Vec<u8> {
        const SEVEN: [[u32; 4]; 7] =
            [[0, 0, 8, 8], [4, 0, 8, 8], [0, 4, 4, 8], [2, 0, 4, 4], [0, 2, 2, 4], [1, 0, 2, 2], [0, 1, 1, 2]];
        let passes = if self.is_interlaced { &SEVEN[..] } else { &[[0, 0, 1, 1]] };
        let mut all = Vec::new();
        for [x0, y0, dx, dy] in passes {
            let mut above: Vec<u8> = Vec::new();
            for y in (*y0..height).step_by(*dy as usize) {
                let line = self.line((*x0..width).step_by(*dx as usize), y);
                if !line.is_empty() {
                    all.push(self.filter);
                    all.extend(self.filtered(&line, &above));
                }
                above = line;
            }
        }
        all
    }

    fn line(self, columns: impl Iterator<Item = u32>, y: u32) -> Vec<u8> {
        let samples: Vec<u32> = columns.flat_map(|x| self.samples(x, y)).collect();
        match self.depth {
            16 => samples.iter().flat_map(|s| (*s as u16).to_be_bytes()).collect(),
            8 => samples.iter().map(|s| *s as u8).collect(),
            depth => {
                let each = 8 / usize::from(depth);
                let byte =
                    |part: &[u32]| (0..each).fold(0, |byte, n| (byte << depth) | part.get(n).unwrap_or(&0)) as u8;
                samples.chunks(each).map(byte).collect()
            }
        }
    }

    fn filtered(self, line: &[u8], above: &[u8]) -> Vec<u8> {
        let step = (self.channels() * usize::from(self.depth)).div_ceil(8);
        let at = |row: &[u8], n: Option<usize>| n.and_then(|n| row.get(n)).copied().unwrap_or(0);
        let guess = |n: usize| {
            let (left, up, corner) =
                (at(line, n.checked_sub(step)), at(above, Some(n)), at(above, n.checked_sub(step)));
            match self.filter {
                0 => 0,
                1 => left,
                2 => up,
                3 => ((u16::from(left) + u16::from(up)) / 2) as u8,
                _ => paeth(left, up, corner),
            }
        };
        line.iter().enumerate().map(|(n, byte)| byte.wrapping_sub(guess(n))).collect()
    }
}

fn paeth(left: u8, up: u8, corner: u8) -> u8 {
    let near = i16::from(left) + i16::from(up) - i16::from(corner);
    [left, up, corner].into_iter().min_by_key(|byte| near.abs_diff(i16::from(*byte))).unwrap()
}

/// The palette: the first color is transparent, and some are translucent.
fn palette_color(number: u32) -> [u8; 4] {
    let alpha = if number == 0 { 0 } else { 255 - (number % 3 * 60) as u8 };
    [(number * 83) as u8, (number * 29 + 7) as u8, 255 - number as u8, alpha]
}

const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let checked = [kind, data].concat();
    let mut sum = flate2::Crc::new();
    sum.update(&checked);
    [&(data.len() as u32).to_be_bytes(), &checked[..], &sum.sum().to_be_bytes()].concat()
}

/// Processes a file and compares every pixel.
async fn assert_unchanged(kind: Kind, width: u32, height: u32) {
    let what = format!("{kind:?}, {width}x{height}");
    let picture = made(kind.file(width, height), SAME).await.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!((picture.width, picture.height, picture.kind), (width, height, PictureKind::Webp), "{what}");
    let out = open(&picture).to_rgba8();
    for (x, y, pixel) in out.enumerate_pixels() {
        let expected = kind.expected_color(x, y);
        let is_seen = expected[3] > 0;
        let is_near = |(a, b): (&u8, u8)| a.abs_diff(b) <= u8::from(kind.depth == 16);
        let is_same = pixel.0.iter().zip(expected).all(is_near);
        assert!(is_same || !is_seen && pixel.0[3] == 0, "{what}: {:?} at {x},{y}, not {expected:?}", pixel.0);
    }
}

#[tokio::test]
async fn t47_every_kind_of_png_is_decoded_exactly() {
    let depths: [(u8, &[u8]); 5] = [
        (GREY, &[1, 2, 4, 8, 16]),
        (COLOUR, &[8, 16]),
        (PALETTE, &[1, 2, 4, 8]),
        (GREY_ALPHA, &[8, 16]),
        (COLOUR_ALPHA, &[8, 16]),
    ];
    for (colour, depths) in depths {
        for (depth, is_interlaced) in depths.iter().flat_map(|depth| [(*depth, false), (*depth, true)]) {
            for filter in 0..=4 {
                assert_unchanged(Kind { colour, depth, is_interlaced, filter, ..PLAIN }, 32, 32).await;
            }
        }
    }
}

#[tokio::test]
async fn t47_sizes_compression_levels_and_chunk_sizes_do_not_matter() {
    for size in (1..=9).chain(31..=40) {
        for is_interlaced in [false, true] {
            let kind = Kind { colour: PALETTE, depth: 4, is_interlaced, ..PLAIN };
            // The width determines the padding bits of a scanline.
            assert_unchanged(kind, size, size).await;
            assert_unchanged(kind, size, 3).await;
            assert_unchanged(kind, 3, size).await;
        }
    }
    for compression in 0..=9 {
        assert_unchanged(Kind { compression, filter: 4, ..PLAIN }, 32, 32).await;
    }
    for max_chunk_bytes in [1, 2, 7, 100] {
        assert_unchanged(Kind { max_chunk_bytes, ..PLAIN }, 32, 32).await;
    }
}

/// Offset of a chunk.
fn chunk_offset(file: &[u8], kind: &[u8; 4]) -> usize {
    file.windows(4).position(|window| window == kind).unwrap() - 4
}

/// A file with a modified header.
fn with_header(change: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
    let file = PLAIN.file(32, 32);
    let mut head = file[16..29].to_vec();
    change(&mut head);
    [&file[..8], &chunk(b"IHDR", &head), &file[33..]].concat()
}

#[tokio::test]
async fn t47_every_damaged_png_is_rejected() {
    let good = PLAIN.file(32, 32);
    assert!(made(good.clone(), SAME).await.is_ok());
    let modified = |at: usize, byte: u8| {
        let mut file = good.clone();
        file[at] = byte;
        file
    };
    let data = chunk_offset(&good, b"IDAT");
    let end = chunk_offset(&good, b"IEND");
    let bad: [(&str, Vec<u8>); 20] = [
        ("signature without its high bit", modified(0, 0x09)),
        ("signature with another letter", modified(1, b'Q')),
        ("lowercase signature", [b"\x89png", &good[4..]].concat()),
        ("signature with a space", modified(6, b' ')),
        ("signature with LF line endings", [b"\x89PNG\n\x1a\n", &good[8..]].concat()),
        ("signature with CRLF line endings", [b"\x89PNG\r\r\n\x1a\r\n", &good[8..]].concat()),
        ("wrong header checksum", modified(29, good[29] ^ 1)),
        ("wrong data checksum", modified(end - 1, good[end - 1] ^ 1)),
        ("color type 1", with_header(|head| head[9] = 1)),
        ("color type 9", with_header(|head| head[9] = 9)),
        ("bit depth 0", with_header(|head| head[8] = 0)),
        ("bit depth 3", with_header(|head| head[8] = 3)),
        ("bit depth 99", with_header(|head| head[8] = 99)),
        ("bit depth 4 with RGB", with_header(|head| head[8] = 4)),
        ("unknown compression", with_header(|head| head[10] = 1)),
        ("unknown interlacing", with_header(|head| head[12] = 2)),
        ("width 0", with_header(|head| head[..4].fill(0))),
        ("no data", [&good[..data], &good[end..]].concat()),
        ("half the data", good[..(data + end) / 2].to_vec()),
        ("signature only", SIGNATURE.to_vec()),
    ];
    for (what, file) in bad {
        let outcome = made(file, SAME).await;
        let is_refused = matches!(outcome, Err(PictureError::Unreadable | PictureError::UnsupportedType { .. }));
        assert!(is_refused, "{what}: {outcome:?}");
    }
}
