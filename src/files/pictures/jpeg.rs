//! Checks of a JPEG before it is decoded: it is complete, and it is not a decompression bomb.
//!
//! The decoder fills the missing part of a truncated file with grey and succeeds, so the markers are checked here first.

use super::PictureError;

/// More scans than any camera or tool writes. Each scan takes as long as decoding the whole picture.
const MAX_SCANS: usize = 64;

/// Walks the markers up to the end-of-image marker.
pub(super) fn check(bytes: &[u8]) -> Result<(), PictureError> {
    let mut at = 2;
    let mut scans = 0;
    loop {
        // Skip to the next marker. In entropy-coded data, FF00 and restart markers are data.
        let marker = loop {
            let Some(&[first, second]) = bytes.get(at..at + 2).and_then(|pair| <&[u8; 2]>::try_from(pair).ok()) else {
                return Err(PictureError::Unreadable);
            };
            if first == 0xff && !matches!(second, 0x00 | 0xff | 0x01 | 0xd0..=0xd7) {
                break second;
            }
            at += 1;
        };
        at += 2;
        match marker {
            0xd9 => return if scans > 0 { Ok(()) } else { Err(PictureError::Unreadable) },
            0xd8 => {}
            _ => {
                let Some(length) = bytes.get(at..at + 2) else { return Err(PictureError::Unreadable) };
                if marker == 0xda {
                    scans += 1;
                    if scans > MAX_SCANS {
                        return Err(PictureError::TooManyScans { limit: MAX_SCANS });
                    }
                }
                at += usize::from(u16::from_be_bytes([length[0], length[1]])).max(2);
            }
        }
    }
}
