//! Reads the history of a local repository with the `git` program.

use std::io::Cursor;
use std::path::Path;
use std::process::Command;

use serde_json::json;

use super::TransferError;
use super::lines::{FileFormat, LineReader};

/// Separators of fields and commits: control characters that no message contains.
const FIELD: char = '\u{1f}';
const COMMIT: char = '\u{1e}';

/// The commits of the current branch as lines, newest first, with the fields of `/api/commits`.
pub fn commits(path: &Path) -> Result<LineReader, TransferError> {
    let branch = git(path, &["rev-parse", "--abbrev-ref", "HEAD"])?.trim().to_owned();
    // A repository without a remote is named after its directory.
    let remote = git(path, &["config", "--get", "remote.origin.url"]).unwrap_or_default();
    let repository = name_of(remote.trim()).or_else(|| folder_name(path)).unwrap_or_else(|| "repository".into());
    let format = format!("--format=%H{FIELD}%an{FIELD}%ct{FIELD}%B{COMMIT}");
    let log = git(path, &["-c", "i18n.logOutputEncoding=UTF-8", "log", &format])?;
    let one = |text: &str| {
        let mut fields = text.trim_start_matches('\n').splitn(4, FIELD);
        let (id, author, at, message) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
        let (at, message) = (at.parse::<i64>().ok()?, message.trim_end());
        let line = json!({ "id": id, "author_name": author, "timestamp": at, "message": message, "branch": branch,
            "repository": repository });
        Some(format!("{line}\n"))
    };
    let lines: String = log.split(COMMIT).filter_map(one).collect();
    let size = lines.len() as u64;
    LineReader::from_reader(Cursor::new(lines), size, path.display().to_string(), FileFormat::NDJSON)
}

fn git(path: &Path, arguments: &[&str]) -> Result<String, TransferError> {
    let failed = |why: String| TransferError::Content(format!("{}: {why}", path.display()));
    let ran = Command::new("git").arg("-C").arg(path).args(arguments).output();
    let ran = ran.map_err(|e| failed(format!("git could not be started: {e}")))?;
    if !ran.status.success() {
        let stderr = String::from_utf8_lossy(&ran.stderr);
        return Err(failed(stderr.lines().next().unwrap_or("git failed").to_owned()));
    }
    Ok(String::from_utf8_lossy(&ran.stdout).into_owned())
}

/// `owner/name` of a remote such as `https://host/owner/name.git` or `git@host:owner/name`.
fn name_of(remote: &str) -> Option<String> {
    let path = remote.strip_suffix(".git").unwrap_or(remote);
    let mut parts = path.rsplit(['/', ':']);
    let (name, owner) = (parts.next()?, parts.next()?);
    (!name.is_empty() && !owner.is_empty()).then(|| format!("{owner}/{name}"))
}

fn folder_name(path: &Path) -> Option<String> {
    path.canonicalize().ok()?.file_name().map(|name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_remote_address_gives_owner_and_name() {
        for remote in ["https://example.org/some/site.git", "git@example.org:some/site.git", "/srv/some/site"] {
            assert_eq!(name_of(remote).as_deref(), Some("some/site"), "{remote}");
        }
        assert_eq!(name_of(""), None);
    }
}
