//! GitHub's push webhook: verifies the signature of the raw body and parses the commits.

use hmac::{Hmac, Mac};
use serde::Deserialize;
use sha2::Sha256;

use super::Commit;
use crate::domain::hex;
use crate::domain::json::{self, JsonError};
use crate::domain::times::EpochMillis;

/// Returns true if `X-Hub-Signature-256` (`sha256=` and 64 hexadecimal digits) matches the raw body.
///
/// Compares in constant time. Returns false if the secret is empty. The SHA-1 header is not accepted.
pub fn signature_matches(secret: &str, header: Option<&str>, body: &[u8]) -> bool {
    let Some(signature) = header.and_then(digest) else { return false };
    if secret.is_empty() {
        return false;
    }
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return false };
    mac.update(body);
    mac.verify_slice(&signature).is_ok()
}

/// Returns true if the header has the form of a signature.
pub fn is_signature_header(header: Option<&str>) -> bool {
    header.and_then(digest).is_some()
}

fn digest(header: &str) -> Option<[u8; 32]> {
    hex::decode(header.strip_prefix("sha256=")?)?.try_into().ok()
}

/// Parses a verified body: the new commits of a branch, oldest first. `event` is the header `X-GitHub-Event`.
///
/// There are none of tags and deleted branches, and `None` for another event, of which the response must still be a success, or GitHub
/// reports the webhook as broken.
pub fn parse_webhook(event: &str, body: &[u8]) -> Result<Option<Vec<Commit>>, JsonError> {
    if event != "push" {
        return Ok(None);
    }
    let push: Push = json::read(body, "The body")?;
    let Some(branch) = push.reference.strip_prefix("refs/heads/").filter(|_| !push.deleted) else {
        return Ok(Some(Vec::new()));
    };
    let sender = push.sender.unwrap_or_default();
    let commits = push.commits.unwrap_or_default().into_iter().map(|row| {
        // The avatar in the body belongs to the user who pushed, who may not be the author.
        let pushed_by_author = row.author.username.is_some() && row.author.username == sender.login;
        Commit {
            id: row.id,
            author_name: row.author.name,
            author_username: row.author.username,
            author_avatar_url: sender.avatar_url.clone().filter(|_| pushed_by_author),
            timestamp: row.timestamp.secs(),
            message: row.message,
            branch: Some(branch.to_owned()),
            repository: push.repository.full_name.clone(),
        }
    });
    Ok(Some(commits.collect()))
}

#[derive(Deserialize)]
struct Push {
    #[serde(rename = "ref")]
    reference: String,
    #[serde(default)]
    deleted: bool,
    repository: PushedRepository,
    commits: Option<Vec<PushedCommit>>,
    sender: Option<Sender>,
}

#[derive(Deserialize)]
struct PushedRepository {
    full_name: String,
}

#[derive(Deserialize)]
struct PushedCommit {
    id: String,
    #[serde(default)]
    message: String,
    timestamp: EpochMillis,
    #[serde(default)]
    author: Author,
}

#[derive(Deserialize, Default)]
struct Author {
    name: Option<String>,
    username: Option<String>,
}

#[derive(Deserialize, Default)]
struct Sender {
    login: Option<String>,
    avatar_url: Option<String>,
}
