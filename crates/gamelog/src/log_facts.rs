//! What a log says about itself: its player, the build of the game, and the time that it covers.
//!
//! The lines are fixed here instead of in the grammar, because a site may replace shapes, and one of these lines contains a path of
//! the machine. Only the name of a known channel is taken from it.

use memchr::memmem;
use serde::{Deserialize, Serialize};

use crate::times::EpochMillis;

use super::releases::{patch_of_changelist, patch_of_file_version};

/// The text before the shard that a player joins.
pub(super) const JOIN_TAG: &str = "<Join PU>";
/// The channel whose events count. The hotfix channel is the same universe.
const LIVE: &str = "LIVE";
const HOTFIX: &str = "HOTFIX";
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
    /// `LIVE` if nothing in the log says otherwise; else what does: one of [`CHANNELS`], or the kind of its environment or shard.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// The first and the last timestamp of the log.
    pub first: Option<EpochMillis>,
    pub last: Option<EpochMillis>,
}

/// Finds build, branch and channel of a log. All but the shards are in its first lines, which the game writes before the login.
#[derive(Default)]
pub(super) struct BuildLines {
    pub build: Option<String>,
    pub branch: Option<String>,
    /// The channels that the folder of the game, the environment and the shards name.
    folder: Option<String>,
    environment: Option<String>,
    shard: Option<String>,
    file_version: Option<String>,
}

impl BuildLines {
    /// The patch, if this is the build of a known release.
    pub fn patch(&self) -> Option<&'static str> {
        let by_changelist = self.build.as_deref().and_then(patch_of_changelist);
        by_changelist.or_else(|| self.file_version.as_deref().and_then(patch_of_file_version))
    }

    /// The channel: LIVE only if all lines that name one agree, because players copy and rename the folder of the game.
    pub fn channel(&self) -> Option<String> {
        let named = || [&self.folder, &self.environment, &self.shard].into_iter().flatten();
        named().find(|channel| *channel != LIVE).or_else(|| named().next()).cloned()
    }

    /// Reads the text of a line that names the shard which the player joins. One that does not belong to LIVE stands.
    pub fn read_shard(&mut self, text: &[u8]) {
        if let Some(rest) = text.strip_prefix(JOIN_TAG.as_bytes())
            && let Some(channel) = channel_of_shard(rest)
            && self.shard.as_deref().is_none_or(|known| known == LIVE)
        {
            self.shard = Some(channel);
        }
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
            self.folder = self.folder.take().or_else(|| channel_of_executable(rest));
        } else if let Some(rest) = text.strip_prefix(b"Environment:") {
            self.environment = self.environment.take().or_else(|| word(rest)).map(|name| channel_of_kind(&name));
        }
    }
}

/// The channel with the name of a folder, in any case.
fn channel_named(folder: &str) -> Option<&'static str> {
    CHANNELS.into_iter().find(|channel| channel.eq_ignore_ascii_case(folder))
}

/// The channel in a path such as `D:\StarCitizen\LIVE\Bin64\StarCitizen.exe`.
fn channel_of_executable(path: &[u8]) -> Option<String> {
    let path = std::str::from_utf8(path).ok()?;
    let folder = path.rsplit(['\\', '/']).nth(2)?;
    channel_named(folder).map(channel_of_kind)
}

/// The channel of a shard such as `pub_euw1b_9873572_100`; `None` for a local one.
fn channel_of_shard(text: &[u8]) -> Option<String> {
    let at = memmem::find(text, b" shard[")? + " shard[".len();
    let kind = text[at..].split(|&byte| byte == b'_' || byte == b']').next().and_then(word)?;
    (!kind.eq_ignore_ascii_case("local")).then(|| channel_of_kind(&kind))
}

/// The channel by the kind of an environment or shard, or by the name of a folder.
fn channel_of_kind(kind: &str) -> String {
    match kind.to_ascii_uppercase() {
        kind if kind == "PUB" || kind == HOTFIX => LIVE.to_owned(),
        kind => kind,
    }
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
        let channel = found.channel();
        let all = [&found.build, &found.branch, &channel].map(Option::as_deref);
        assert_eq!(all, [Some("9687209"), Some("sc-alpha-4.1.0-hotfix"), Some("LIVE")]);
        assert_eq!(read(&["Changelist: 11715810"]).build.as_deref(), Some("11715810"));
        let wine = "Executable: Z:/games/StarCitizen/tech-preview/Bin64/StarCitizen.exe";
        assert_eq!(read(&[wine]).channel().as_deref(), Some("TECH-PREVIEW"));
    }

    #[test]
    fn the_channel_is_live_only_if_folder_environment_and_shard_agree() {
        let channel = |folder: &str, environment: &str, shards: &[&str]| {
            let folder = format!(r"Executable: D:\Games\StarCitizen\{folder}\Bin64\StarCitizen.exe");
            let environment = format!("Environment:   {environment}");
            let mut build = read(&[&folder, &environment]);
            for shard in shards {
                let line = format!("<Join PU> address[203.0.113.7] port[64375] shard[{shard}] locationId[5] [Team_X]");
                build.read_shard(line.as_bytes());
            }
            build.channel().unwrap_or_default()
        };
        assert_eq!(channel("x", "", &[]), "");
        for folder in ["LIVE", "HOTFIX", "x"] {
            for environment in ["PUB", "HOTFIX", "pub"] {
                for shards in [&["pub_euw1b_9873572_100"][..], &[], &["local_shard"], &[""]] {
                    assert_eq!(channel(folder, environment, shards), "LIVE", "{folder} {environment} {shards:?}");
                }
                assert_eq!(channel(folder, environment, &["ptu_use1b_12335477_040", "pub_x"]), "PTU");
                assert_eq!(channel(folder, environment, &["pub_x", "local_shard", "test_euw1b_1"]), "TEST");
            }
            assert_eq!(channel(folder, "PTU", &["pub_euw1b_9873572_100"]), "PTU");
        }
        for folder in ["PTU", "EPTU", "TECH-PREVIEW", "4.0_PREVIEW"] {
            assert_eq!(channel(folder, "PUB", &["pub_euw1b_9873572_100"]), folder);
        }
    }

    #[test]
    fn nothing_else_of_a_path_is_taken() {
        for line in [r"Executable: C:\Users\Ada\Bin64\StarCitizen.exe", r"Executable: StarCitizen.exe", "Executable: "]
        {
            assert_eq!(read(&[line]).channel(), None, "{line}");
        }
        let other = read(&["Branch: a b", "Changelist: x", "BackupNameAttachment=\" Build(12", "Branch: "]);
        assert_eq!((other.build, other.branch), (None, None));
    }
}
