//! Compressions of HTTP bodies.

/// A compression of a request or response body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentEncoding {
    Zstd,
    Brotli,
    Gzip,
}

impl ContentEncoding {
    /// In order of preference for responses that are compressed once and sent often.
    pub const ALL: [Self; 3] = [Self::Zstd, Self::Brotli, Self::Gzip];

    /// Parses a value of `Content-Encoding`.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|encoding| encoding.name() == name || *encoding == Self::Gzip && name == "x-gzip")
    }

    /// The value of `Content-Encoding`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Zstd => "zstd",
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        }
    }
}
