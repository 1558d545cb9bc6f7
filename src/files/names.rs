//! Names of stored files: 32 random hexadecimal digits and an extension for the type.

use std::fmt;

use rand::RngCore;

use crate::domain::hex;

/// Types of stored pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PictureKind {
    Jpeg,
    Webp,
}

impl PictureKind {
    pub fn extension(self) -> &'static str {
        match self {
            Self::Jpeg => "jpg",
            Self::Webp => "webp",
        }
    }

    /// Value of the `Content-Type` header.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
        }
    }
}

/// The name of a stored file. It cannot contain a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileName(String);

impl FileName {
    /// Generates a name from 128 random bits.
    pub fn random(kind: PictureKind) -> Self {
        let mut bits = [0u8; 16];
        rand::rng().fill_bytes(&mut bits);
        let digits = hex::encode(bits);
        Self(format!("{digits}.{}", kind.extension()))
    }

    /// Parses exactly what [`FileName::random`] generates.
    pub fn parse(text: &str) -> Option<Self> {
        let (digits, ending) = text.split_once('.')?;
        let fits = digits.len() == 32
            && digits.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
            && matches!(ending, "jpg" | "webp");
        fits.then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    pub fn kind(&self) -> PictureKind {
        if self.0.ends_with(".webp") { PictureKind::Webp } else { PictureKind::Jpeg }
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_random_and_contain_no_path() {
        let (one, two) = (FileName::random(PictureKind::Jpeg), FileName::random(PictureKind::Webp));
        assert_ne!(one.as_str()[..32], two.as_str()[..32]);
        assert_eq!(FileName::parse(one.as_str()), Some(one));
        assert_eq!(two.kind(), PictureKind::Webp);
        let digits = "0123456789abcdef0123456789abcdef";
        for bad in [
            "",
            ".jpg",
            "../../etc/passwd",
            "a.jpg",
            &format!("{digits}.svg"),
            &format!("{digits}.jpg.html"),
            &format!("../{digits}.jpg"),
            &format!("{}.jpg", digits.to_uppercase()),
            &format!("{digits}.jpg\0"),
            digits,
        ] {
            assert_eq!(FileName::parse(bad), None, "{bad}");
        }
    }
}
