//! Pushes that GitHub tells us of: the signature over the raw body, and what the body says.

use hmac::{Hmac, Mac};
use serde::Deserialize;
use sha2::Sha256;

use super::Commit;
use crate::domain::json;
use crate::domain::times::EpochMillis;
use crate::upstream::signature::unhex;

/// What a call of the webhook is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WebhookEvent {
    Ping,
    /// New commits of a branch, oldest first; empty for tags and removed branches.
    Push(Vec<Commit>),
    /// Something that we did not ask for; answered with success, or GitHub shows it as broken.
    Ignored,
}

#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    #[error("{0}")]
    Unreadable(String),
}

/// Whether `X-Hub-Signature-256` (`sha256=` and 64 hexadecimal digits) belongs to the raw body. Compares in constant time.
///
/// Without a secret nothing fits; the old SHA-1 header is no proof and is not looked at.
pub fn signature_matches(secret: &str, header: Option<&str>, body: &[u8]) -> bool {
    let Some(signature) = header.and_then(digest) else { return false };
    if secret.is_empty() {
        return false;
    }
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return false };
    mac.update(body);
    mac.verify_slice(&signature).is_ok()
}

/// Whether a header has the form of a signature, whatever body it belongs to.
pub fn is_signature_header(header: Option<&str>) -> bool {
    header.and_then(digest).is_some()
}

fn digest(header: &str) -> Option<[u8; 32]> {
    unhex(header.strip_prefix("sha256=")?)?.try_into().ok()
}

/// Reads a body whose signature fits; `event` is the header `X-GitHub-Event`.
pub fn parse_webhook(event: &str, body: &[u8]) -> Result<WebhookEvent, WebhookError> {
    match event {
        "ping" => return Ok(WebhookEvent::Ping),
        "push" => {}
        _ => return Ok(WebhookEvent::Ignored),
    }
    let push: Push = json::read(body, "The body").map_err(|error| WebhookError::Unreadable(error.to_string()))?;
    let Some(branch) = push.reference.strip_prefix("refs/heads/").filter(|_| !push.deleted) else {
        return Ok(WebhookEvent::Push(Vec::new()));
    };
    let sender = push.sender.unwrap_or_default();
    let commits = push.commits.unwrap_or_default().into_iter().map(|row| {
        // The body names a picture for who pushed, which is not always who wrote.
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
    Ok(WebhookEvent::Push(commits.collect()))
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
