//! Conversion of a file's bytes to UTF-8, in chunks of any size.

/// The encoding of a file, detected from its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Encoding {
    Utf8,
    Utf16Le,
    Utf16Be,
}

/// Converts UTF-16 to UTF-8 and passes everything else through.
#[derive(Default)]
pub(super) struct Decoder {
    /// Detected from the first four bytes, or at the end of a shorter file.
    encoding: Option<Encoding>,
    head: Vec<u8>,
    odd_byte: Option<u8>,
    high_surrogate: Option<u16>,
}

impl Decoder {
    /// Returns the text of the next chunk: the chunk itself, or its conversion in `scratch`.
    pub fn decode<'b>(&mut self, bytes: &'b [u8], scratch: &'b mut Vec<u8>) -> &'b [u8] {
        scratch.clear();
        match self.encoding {
            Some(Encoding::Utf8) => return bytes,
            Some(encoding) => self.widen(encoding, bytes, scratch),
            None if self.head.is_empty() && bytes.len() >= 4 && encoding_of(bytes) == Encoding::Utf8 => {
                self.encoding = Some(Encoding::Utf8);
                return bytes;
            }
            None => {
                self.head.extend_from_slice(bytes);
                if self.head.len() >= 4 {
                    self.decide(scratch);
                }
            }
        }
        scratch
    }

    /// Returns the remainder of a file that ended before its encoding was detected.
    pub fn finish(&mut self, scratch: &mut Vec<u8>) {
        scratch.clear();
        if self.encoding.is_none() {
            self.decide(scratch);
        }
    }

    fn decide(&mut self, out: &mut Vec<u8>) {
        let head = std::mem::take(&mut self.head);
        let encoding = encoding_of(&head);
        self.encoding = Some(encoding);
        match encoding {
            Encoding::Utf8 => out.extend_from_slice(&head),
            _ => self.widen(encoding, &head, out),
        }
    }

    fn widen(&mut self, encoding: Encoding, bytes: &[u8], out: &mut Vec<u8>) {
        for &byte in bytes {
            let Some(first) = self.odd_byte.take() else {
                self.odd_byte = Some(byte);
                continue;
            };
            let unit = match encoding {
                Encoding::Utf16Be => u16::from_be_bytes([first, byte]),
                _ => u16::from_le_bytes([first, byte]),
            };
            self.push(unit, out);
        }
    }

    fn push(&mut self, unit: u16, out: &mut Vec<u8>) {
        let units = [self.high_surrogate.take(), Some(unit)];
        if units[0].is_none() && (0xD800..0xDC00).contains(&unit) {
            self.high_surrogate = Some(unit);
            return;
        }
        for decoded in char::decode_utf16(units.into_iter().flatten()) {
            let char = decoded.unwrap_or(char::REPLACEMENT_CHARACTER);
            out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
}

fn encoding_of(head: &[u8]) -> Encoding {
    match head {
        [0xFF, 0xFE, ..] | [b'<', 0, ..] => Encoding::Utf16Le,
        [0xFE, 0xFF, ..] | [0, b'<', ..] => Encoding::Utf16Be,
        _ => Encoding::Utf8,
    }
}
