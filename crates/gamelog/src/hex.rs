//! Lowercase hexadecimal text.

/// Encodes bytes as two lowercase digits each.
pub fn encode(bytes: impl AsRef<[u8]>) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.as_ref().iter().flat_map(|byte| [byte >> 4, byte & 0xf]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

/// Decodes pairs of digits in either case; `None` for anything else.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let pairs = text.as_bytes().chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_survive_encoding() {
        assert_eq!(encode([0x00, 0x7f, 0xff]), "007fff");
        assert_eq!(decode("007FfF"), Some(vec![0x00, 0x7f, 0xff]));
        assert_eq!((decode("0"), decode("0g"), decode("")), (None, None, Some(Vec::new())));
    }
}
