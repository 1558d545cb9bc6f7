//! Removes metadata from a PNG before it is decoded.
//!
//! Compressed color profiles and comments could expand to hundreds of megabytes before the first pixel is read.

/// Length of the PNG signature.
const SIGNATURE_BYTES: usize = 8;
/// Length, type and checksum of a chunk.
const CHUNK_OVERHEAD_BYTES: usize = 12;

/// Copies the chunks of pixels, palette, transparency and orientation. A truncated chunk ends the copy, which the decoder then
/// rejects. Data after the end chunk is dropped.
pub(super) fn strip_metadata(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    plain.extend_from_slice(&bytes[..SIGNATURE_BYTES.min(bytes.len())]);
    let mut at = SIGNATURE_BYTES;
    while let Some(&[a, b, c, d, ref kind @ ..]) = bytes.get(at..at + 8) {
        let length = u32::from_be_bytes([a, b, c, d]) as usize;
        let Some(chunk) = length.checked_add(CHUNK_OVERHEAD_BYTES + at).and_then(|end| bytes.get(at..end)) else {
            break;
        };
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
