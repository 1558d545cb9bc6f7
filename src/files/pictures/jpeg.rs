//! What must be known of a JPEG before it is decoded: that it is all there, and that it is not a bomb.
//!
//! The decoder paints what a cut-off file lacks in grey and calls it a success, so the markers are walked here first.

/// More passes over the picture than any camera or tool writes; each costs as much time as the whole picture.
const MAX_SCANS: usize = 64;

/// Why a JPEG is not worth decoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum JpegFault {
    CutOff,
    TooManyScans { limit: usize },
}

/// Walks from marker to marker to the end-of-image marker.
pub(super) fn check(bytes: &[u8]) -> Result<(), JpegFault> {
    let mut at = 2;
    let mut scans = 0;
    loop {
        // In and between segments: skip to the next marker. Inside of coded data, FF00 and restarts are data.
        let marker = loop {
            let Some(&[first, second]) = bytes.get(at..at + 2).and_then(|pair| <&[u8; 2]>::try_from(pair).ok()) else {
                return Err(JpegFault::CutOff);
            };
            if first == 0xff && !matches!(second, 0x00 | 0xff | 0x01 | 0xd0..=0xd7) {
                break second;
            }
            at += 1;
        };
        at += 2;
        match marker {
            0xd9 => return if scans > 0 { Ok(()) } else { Err(JpegFault::CutOff) },
            0xd8 => {}
            _ => {
                let Some(length) = bytes.get(at..at + 2) else { return Err(JpegFault::CutOff) };
                if marker == 0xda {
                    scans += 1;
                    if scans > MAX_SCANS {
                        return Err(JpegFault::TooManyScans { limit: MAX_SCANS });
                    }
                }
                at += usize::from(u16::from_be_bytes([length[0], length[1]])).max(2);
            }
        }
    }
}
