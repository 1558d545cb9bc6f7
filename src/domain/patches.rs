//! Patch names, compared by their version number.

use std::cmp::Ordering;

/// A patch such as `ALPHA 4.3.2` or `4.7.0`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Patch(String);

impl Patch {
    /// Parses up to 40 letters, digits, spaces, dots, `-` and `_` that contain a version number.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = text.len() <= 40 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b" .-_".contains(&b));
        (fits && version(text).is_some()).then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The version as one sortable number: `4.3.2` is 4_003_002.
    pub fn version(&self) -> i64 {
        version(&self.0).unwrap_or_default()
    }
}

impl PartialOrd for Patch {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Patch {
    fn cmp(&self, other: &Self) -> Ordering {
        self.version().cmp(&other.version()).then_with(|| self.0.cmp(&other.0))
    }
}

fn version(text: &str) -> Option<i64> {
    let start = text.find(|c: char| c.is_ascii_digit())?;
    let digits = text[start..].split(|c: char| !c.is_ascii_digit() && c != '.').next()?;
    let mut parts = digits.split('.').filter(|p| !p.is_empty()).map(|p| p.parse::<i64>().ok().filter(|n| *n < 1000));
    let major = parts.next()??;
    let minor = parts.next().unwrap_or(Some(0))?;
    let fix = parts.next().unwrap_or(Some(0))?;
    Some(major * 1_000_000 + minor * 1000 + fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_decides_not_the_spelling() {
        let older = Patch::parse("ALPHA 4.3.2").unwrap();
        let newer = Patch::parse("4.10.0").unwrap();
        assert!(newer > older);
        assert_eq!(Patch::parse("ALPHA 4.3.2").unwrap().version(), Patch::parse("4.3.2").unwrap().version());
    }

    #[test]
    fn text_without_a_version_is_not_a_patch() {
        for text in ["", "live", "<b>4.1</b>", "4.99999.0", &"4.1 ".repeat(20)] {
            assert_eq!(Patch::parse(text), None, "{text:?}");
        }
    }
}
