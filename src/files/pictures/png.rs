//! A PNG reduced to what its pixels need.
//!
//! Colour profiles and comments may be packed: a file of a megabyte then unpacks to hundreds before the first pixel is read,
//! and none of it would be kept anyway.

/// The eight bytes that every PNG starts with.
const SIGNATURE_BYTES: usize = 8;
/// Length, kind and checksum of a chunk.
const FRAME_BYTES: usize = 12;

/// Copies the chunks that hold pixels, palette, transparency and orientation; a chunk that is cut off ends the copy, and
/// the decoder says so. What follows the end mark is left behind.
pub(super) fn without_extras(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    plain.extend_from_slice(&bytes[..SIGNATURE_BYTES.min(bytes.len())]);
    let mut at = SIGNATURE_BYTES;
    while let Some(&[a, b, c, d, ref kind @ ..]) = bytes.get(at..at + 8) {
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        let Some(chunk) = length.checked_add(FRAME_BYTES + at).and_then(|end| bytes.get(at..end)) else { break };
        if matches!(kind, b"IHDR" | b"PLTE" | b"tRNS" | b"IDAT" | b"IEND" | b"eXIf") {
            plain.extend_from_slice(chunk);
        }
        if kind == b"IEND" {
            break;
        }
        at += chunk.len();
    }
    plain
}
