//! Patch names, compared by their version number.

use std::cmp::Ordering;

/// A patch of the game, such as `ALPHA 4.3.2`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Patch {
    /// `ALPHA` and the number, so that no sender chooses what the site shows.
    name: String,
    version: i64,
    is_live: bool,
}

impl Patch {
    /// Parses `n.n` or `n.n.n` with an optional prefix (`ALPHA ` or `sc-alpha-`) and an optional suffix such as `-hotfix` or
    /// `-live.9650658`; each number is below 1000.
    pub fn parse(text: &str) -> Option<Self> {
        let number = strip_prefix(text, "ALPHA ").or_else(|| strip_prefix(text, "sc-alpha-")).unwrap_or(text);
        let end = number.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(number.len());
        let (number, suffix) = number.split_at(end);
        let is_live = parse_suffix(suffix)?;
        let parse_part = |part: &str| part.parse::<i64>().ok().filter(|n| part.len() <= 3 && *n < 1000);
        let parts: Vec<i64> = number.split('.').map(parse_part).collect::<Option<_>>()?;
        let (version, name) = match parts[..] {
            [major, minor] => (major * 1_000_000 + minor * 1000, format!("ALPHA {major}.{minor}")),
            [major, minor, fix] => (major * 1_000_000 + minor * 1000 + fix, format!("ALPHA {major}.{minor}.{fix}")),
            _ => return None,
        };
        Some(Self { name, version, is_live })
    }

    /// The patch with this version number.
    pub fn from_version(version: i64) -> Self {
        let (major, minor, fix) = Self::parts(version);
        Self { name: format!("ALPHA {major}.{minor}.{fix}"), version, is_live: true }
    }

    /// The name that the site shows.
    pub fn as_str(&self) -> &str {
        &self.name
    }

    /// The version as one sortable number: `4.3.2` is 4_003_002.
    pub fn version(&self) -> i64 {
        self.version
    }

    /// Whether this is a build of the LIVE channel, unlike `4.4.0-ptu`.
    pub fn is_live(&self) -> bool {
        self.is_live
    }

    /// The number of a version, such as `4.3.2`; `4.3` for 4_003_999, which stands for all fixes of 4.3.
    pub fn number_of(version: i64) -> String {
        match Self::parts(version) {
            (major, minor, 999) => format!("{major}.{minor}"),
            (major, minor, fix) => format!("{major}.{minor}.{fix}"),
        }
    }

    /// Major, minor and fix of a version number.
    pub fn parts(version: i64) -> (i64, i64, i64) {
        (version / 1_000_000, version / 1000 % 1000, version % 1000)
    }
}

fn strip_prefix<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// Whether a suffix names the LIVE channel; `None` if it is not a suffix: `-` or a space, a word, and an optional build number.
fn parse_suffix(suffix: &str) -> Option<bool> {
    const LIVE: [&str; 2] = ["live", "hotfix"];
    const MAX_CHARS: usize = 32;
    if suffix.is_empty() {
        return Some(true);
    }
    let words = suffix.strip_prefix(['-', ' '])?;
    let is_number = |word: &str| word.bytes().all(|b| b.is_ascii_digit());
    let (word, build) = match words.rsplit_once(['.', '-']) {
        Some((word, build)) if is_number(build) => (word, build),
        _ => (words, "0"),
    };
    let is_word = !word.is_empty() && word.bytes().all(|b| b.is_ascii_alphabetic() || b == b'-');
    let fits = suffix.len() <= MAX_CHARS && is_word && !build.is_empty();
    fits.then(|| LIVE.iter().any(|live| word.eq_ignore_ascii_case(live)))
}

impl PartialOrd for Patch {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Patch {
    fn cmp(&self, other: &Self) -> Ordering {
        self.version.cmp(&other.version).then_with(|| self.name.cmp(&other.name))
    }
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
    fn the_site_writes_the_name() {
        for text in
            ["ALPHA 4.3.2", "alpha 4.3.2", "sc-alpha-4.3.2", "4.3.2", "4.3.2-hotfix", "SC-Alpha-4.03.2-LIVE.9650658"]
        {
            assert_eq!(Patch::parse(text).unwrap().as_str(), "ALPHA 4.3.2", "{text}");
        }
        assert_eq!(Patch::parse("ALPHA 4.8").unwrap().as_str(), "ALPHA 4.8");
        assert_eq!(Patch::from_version(4_003_002).as_str(), "ALPHA 4.3.2");
    }

    #[test]
    fn only_some_channels_are_live() {
        for text in ["4.4.0", "4.4.0-hotfix", "4.4.0 LIVE", "4.4.0-live.123"] {
            assert!(Patch::parse(text).unwrap().is_live(), "{text}");
        }
        for text in ["4.4.0-ptu", "4.4.0-EPTU.123", "ALPHA 4.4.0 PTU", "sc-alpha-4.4.0-tech-preview"] {
            assert!(!Patch::parse(text).unwrap().is_live(), "{text}");
        }
    }

    #[test]
    fn anything_else_is_not_a_patch() {
        for text in [
            "",
            "live",
            "4",
            "ALPHA",
            "<b>4.1</b>",
            "4.99999.0",
            "4.1.2.3",
            "4..1",
            "4.1.",
            ".4.1",
            "4.1-",
            "4.1--",
            " 4.1",
            "4.1 4.1",
            "BETA 4.1",
            "JOIN evil.example 999.9",
            "4.1 evil.example",
            "4.1-evil.example.1",
            "4.1 join us",
            "4.1-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            "4.1-é",
            "ALPH\u{c4} 4.1",
        ] {
            assert_eq!(Patch::parse(text), None, "{text:?}");
        }
    }
}
