//! Removes metadata from a PNG before it is decoded, and reads its color profile.
//!
//! Compressed color profiles and comments could expand to hundreds of megabytes before the first pixel is read.

use std::io::Read;

use flate2::read::ZlibDecoder;
use moxcms::ColorProfile;

use super::color;

/// Length of the PNG signature.
const SIGNATURE_BYTES: usize = 8;
/// Length, type and checksum of a chunk.
const CHUNK_OVERHEAD_BYTES: usize = 12;
/// Larger than the profiles of printers, which are the largest.
const MAX_PROFILE_BYTES: u64 = 4 * 1024 * 1024;
/// The unit of `gAMA`.
const GAMMA_UNITS: f32 = 100_000.0;
/// Exponent of screens. Pictures that come as close to it as the tolerance are shown unchanged, as browsers do.
const SCREEN_EXPONENT: f32 = 2.2;
const EXPONENT_TOLERANCE: f32 = 0.05;

/// The complete chunks of a PNG, up to the end chunk.
fn chunks(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = bytes.get(SIGNATURE_BYTES..).unwrap_or_default();
    std::iter::from_fn(move || {
        let length = u32::from_be_bytes(*rest.first_chunk::<4>()?) as usize;
        let (chunk, after) = rest.split_at_checked(length.checked_add(CHUNK_OVERHEAD_BYTES)?)?;
        rest = if kind(chunk) == b"IEND" { &[] } else { after };
        Some(chunk)
    })
}

fn kind(chunk: &[u8]) -> &[u8] {
    chunk.get(4..8).unwrap_or_default()
}

/// Copies the chunks of pixels, palette, transparency and orientation. A truncated chunk ends the copy, which the decoder then
/// rejects. Data after the end chunk is dropped.
pub(super) fn strip_metadata(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    plain.extend_from_slice(&bytes[..SIGNATURE_BYTES.min(bytes.len())]);
    let is_kept = |chunk: &&[u8]| matches!(kind(chunk), b"IHDR" | b"PLTE" | b"tRNS" | b"IDAT" | b"IEND" | b"eXIf");
    chunks(bytes).filter(is_kept).for_each(|chunk| plain.extend_from_slice(chunk));
    plain
}

/// The color profile of a PNG: `iCCP`, or else `gAMA` unless the picture is declared as sRGB.
pub(super) fn color_profile(bytes: &[u8]) -> Option<ColorProfile> {
    let data = |name: &[u8; 4]| {
        let chunk = chunks(bytes).take_while(|chunk| kind(chunk) != b"IDAT").find(|chunk| kind(chunk) == name)?;
        chunk.get(8..chunk.len() - 4)
    };
    if let Some(profile) = data(b"iCCP") {
        return color::from_icc(&inflate_profile(profile)?);
    }
    if data(b"sRGB").is_some() {
        return None;
    }
    let gamma = u32::from_be_bytes(data(b"gAMA")?.try_into().ok()?) as f32;
    let exponent = GAMMA_UNITS / gamma;
    let is_shown_unchanged = (exponent / SCREEN_EXPONENT - 1.0).abs() < EXPONENT_TOLERANCE;
    (exponent.is_finite() && !is_shown_unchanged).then(|| color::from_gamma(exponent))
}

/// Decompresses the data of `iCCP`: a name, a NUL, the method of compression, and the profile.
fn inflate_profile(data: &[u8]) -> Option<Vec<u8>> {
    let compressed = data.get(memchr::memchr(0, data)? + 2..)?;
    let mut profile = Vec::new();
    ZlibDecoder::new(compressed).take(MAX_PROFILE_BYTES).read_to_end(&mut profile).ok()?;
    Some(profile)
}
