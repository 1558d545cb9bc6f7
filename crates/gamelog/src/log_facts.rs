//! What a log says about itself: its player, the build of the game, and the time that it covers.
//!
//! The lines are fixed here instead of in the grammar, because a site may replace shapes, and one of these lines contains a path of
//! the machine. Only the name of a known channel is taken from it.

use serde::{Deserialize, Serialize};

use crate::times::EpochMillis;

use super::releases::{patch_of_changelist, patch_of_file_version};

/// The channels of the game, as the folders of an installation are named.
pub const CHANNELS: [&str; 6] = ["LIVE", "PTU", "EPTU", "HOTFIX", "TECH-PREVIEW", "4.0_PREVIEW"];

/// What a log says about itself so far. A log that does not contain something leaves it empty.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LogFacts {
    /// The handle of the local player.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// The changelist number of the build.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub build: Option<String>,
    /// The branch of the build, such as `sc-alpha-4.1.0-hotfix`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// One of [`CHANNELS`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The first and the last timestamp of the log.
    pub first: Option<EpochMillis>,
    pub last: Option<EpochMillis>,
}

/// Finds build, branch and channel in the first lines of a log, which the game writes before the login.
#[derive(Default)]
pub(super) struct BuildLines {
    pub build: Option<String>,
    pub branch: Option<String>,
    pub channel: Option<String>,
    file_version: Option<String>,
}

impl BuildLines {
    /// The patch, if this is the build of a known release.
    pub fn patch(&self) -> Option<&'static str> {
        let by_changelist = self.build.as_deref().and_then(patch_of_changelist);
        by_changelist.or_else(|| self.file_version.as_deref().and_then(patch_of_file_version))
    }

    /// Reads the text of a line after its timestamp. The first line that contains something stands.
    pub fn read(&mut self, text: &[u8]) {
        if let Some(rest) = text.strip_prefix(b"Changelist: ") {
            self.build = self.build.take().or_else(|| number(rest));
        } else if let Some(rest) = text.strip_prefix(b"BackupNameAttachment=\" Build(") {
            let end = memchr::memchr(b')', rest).unwrap_or(0);
            // The first line of a run of the game, which may be another build than the run before it.
            *self = Self { build: number(&rest[..end]), ..Self::default() };
        } else if let Some(rest) = text.strip_prefix(b"Branch: ") {
            self.branch = self.branch.take().or_else(|| word(rest));
        } else if let Some(rest) = text.strip_prefix(b"FileVersion: ") {
            self.file_version = self.file_version.take().or_else(|| word(rest));
        } else if let Some(rest) = text.strip_prefix(b"Executable: ") {
            self.channel = self.channel.take().or_else(|| channel_of_executable(rest));
        }
    }
}

/// The channel with the name of a folder, in any case.
pub fn channel_named(folder: &str) -> Option<&'static str> {
    CHANNELS.into_iter().find(|channel| channel.eq_ignore_ascii_case(folder))
}

/// The channel in a path such as `D:\StarCitizen\LIVE\Bin64\StarCitizen.exe`.
fn channel_of_executable(path: &[u8]) -> Option<String> {
    let path = std::str::from_utf8(path).ok()?;
    let folder = path.rsplit(['\\', '/']).nth(2)?;
    channel_named(folder).map(str::to_owned)
}

fn number(text: &[u8]) -> Option<String> {
    word(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A word of letters, digits, `.`, `_` and `-`.
fn word(text: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(text).ok()?.trim();
    let is_valid = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
    ((1..=64).contains(&text.len()) && text.bytes().all(is_valid)).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> BuildLines {
        let mut build = BuildLines::default();
        lines.iter().for_each(|line| build.read(line.as_bytes()));
        build
    }

    #[test]
    fn build_branch_and_channel_are_read_from_the_first_lines() {
        let found = read(&[
            r#"BackupNameAttachment=" Build(9687209) 11 Apr 25 (17 24 08)"  -- used by backup system"#,
            r"Executable: G:\Games\StarCitizen\LIVE\Bin64\StarCitizen.exe",
            "Branch: sc-alpha-4.1.0-hotfix",
            "Changelist: 1",
        ]);
        let all = [&found.build, &found.branch, &found.channel].map(Option::as_deref);
        assert_eq!(all, [Some("9687209"), Some("sc-alpha-4.1.0-hotfix"), Some("LIVE")]);
        assert_eq!(read(&["Changelist: 11715810"]).build.as_deref(), Some("11715810"));
        let wine = "Executable: Z:/games/StarCitizen/tech-preview/Bin64/StarCitizen.exe";
        assert_eq!(read(&[wine]).channel.as_deref(), Some("TECH-PREVIEW"));
    }

    #[test]
    fn nothing_else_of_a_path_is_taken() {
        for line in [r"Executable: C:\Users\Ada\Bin64\StarCitizen.exe", r"Executable: StarCitizen.exe", "Executable: "]
        {
            assert_eq!(read(&[line]).channel, None, "{line}");
        }
        let other = read(&["Branch: a b", "Changelist: x", "BackupNameAttachment=\" Build(12", "Branch: "]);
        assert_eq!((other.build, other.branch), (None, None));
    }
}
