//! Client for GitHub's commits API, and the parser for push webhooks.

mod webhook;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use reqwest::header::{ACCEPT, IF_NONE_MATCH};
use reqwest::{Method, Url};
use serde::Deserialize;

use super::http_client::{AddressPolicy, FetchError, HttpClient, Response, parse_base_url};
use crate::domain::times::EpochMillis;

pub use webhook::{is_signature_header, parse_webhook, signature_matches};

/// Commits per page; the maximum of GitHub's API.
const PAGE_SIZE: u32 = 100;

/// One commit, from polling or from a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The full hash.
    pub id: String,
    pub author_name: Option<String>,
    pub author_username: Option<String>,
    pub author_avatar_url: Option<String>,
    /// Epoch seconds.
    pub timestamp: i64,
    pub message: String,
    /// `None` if unknown; the page then shows a default name.
    pub branch: Option<String>,
    /// `owner/name`.
    pub repository: String,
}

/// Result of a poll.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Polled {
    /// Nothing has changed since the response with this entity tag.
    Unchanged,
    Commits {
        /// Newest first.
        commits: Vec<Commit>,
        /// Entity tag for the next poll of the first page. Store it only after the commits are stored.
        etag: Option<String>,
        has_more: bool,
    },
}

/// Why a request to GitHub failed.
#[derive(Debug, thiserror::Error)]
pub enum GithubError {
    #[error("could not connect to GitHub: {0}")]
    Unreachable(String),
    #[error("GitHub did not respond in time")]
    TimedOut,
    /// A known limit is applied before sending.
    #[error("rate limited by GitHub: retry in {} s", .retry_after.as_secs())]
    RateLimited { retry_after: Duration },
    #[error("repository or branch not found on GitHub")]
    NotFound,
    #[error("GitHub responded with status {0}")]
    UnexpectedStatus(u16),
    #[error("invalid response from GitHub: {0}")]
    InvalidResponse(String),
}

impl From<FetchError> for GithubError {
    fn from(error: FetchError) -> Self {
        match error {
            FetchError::TimedOut(_) => Self::TimedOut,
            FetchError::TooLarge(_) => Self::InvalidResponse(error.to_string()),
            other => Self::Unreachable(other.to_string()),
        }
    }
}

/// Client for GitHub's API. Clones share the state of its rate limit.
#[derive(Debug, Clone)]
pub struct Github {
    http: HttpClient,
    base: Url,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    rate_limited_until: Option<Instant>,
    /// Default branches by repository, cached until the process ends.
    default_branches: HashMap<String, String>,
}

impl Github {
    pub fn new(api_url: &str) -> Result<Self, GithubError> {
        let base = parse_base_url(api_url)?;
        let http = HttpClient::new(AddressPolicy::Configured)?;
        Ok(Self { http, base, state: Arc::default() })
    }

    /// Reads one page (starting at 1) of the commits of `owner/name`. `etag` is the entity tag of the last stored first page.
    pub async fn commits(&self, repository: &str, page: u32, etag: Option<&str>) -> Result<Polled, GithubError> {
        let path = format!("repos/{repository}/commits");
        let response = self.get(&path, &[("per_page", PAGE_SIZE), ("page", page.max(1))], etag).await?;
        if response.status == 304 {
            return Ok(Polled::Unchanged);
        }
        let rows: Vec<CommitRow> = parse_json(&response)?;
        let branch = self.default_branch(repository).await;
        let commits = rows.into_iter().filter_map(|row| row.into_commit(repository, branch.as_deref())).collect();
        Ok(Polled::Commits {
            commits,
            etag: response.header("etag").map(str::to_owned),
            has_more: response.header("link").is_some_and(|link| link.contains("rel=\"next\"")),
        })
    }

    /// Returns the default branch. Errors are ignored, because the name is optional.
    async fn default_branch(&self, repository: &str) -> Option<String> {
        if let Some(known) = self.state().default_branches.get(repository) {
            return Some(known.clone());
        }
        let response = self.get(&format!("repos/{repository}"), &[], None).await.ok()?;
        let row: RepositoryRow = parse_json(&response).ok()?;
        self.state().default_branches.insert(repository.to_owned(), row.default_branch.clone());
        Some(row.default_branch)
    }

    async fn get(&self, path: &str, query: &[(&str, u32)], etag: Option<&str>) -> Result<Response, GithubError> {
        let now = Instant::now();
        if let Some(until) = self.state().rate_limited_until.filter(|until| *until > now) {
            return Err(GithubError::RateLimited { retry_after: until - now });
        }
        let url = self.base.join(path).map_err(|error| GithubError::Unreachable(error.to_string()))?;
        let mut request =
            self.http.request(Method::GET, url).query(query).header(ACCEPT, "application/vnd.github+json");
        if let Some(etag) = etag {
            request = request.header(IF_NONE_MATCH, etag);
        }
        let response = self.http.send(request).await?;
        if let Some(delay) = rate_limit_delay(&response, SystemTime::now()) {
            self.state().rate_limited_until = Some(Instant::now() + delay);
            if matches!(response.status, 403 | 429) {
                return Err(GithubError::RateLimited { retry_after: delay });
            }
        }
        Ok(response)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the delay that the response requests: `Retry-After`, or the reset of an exhausted limit.
fn rate_limit_delay(response: &Response, now: SystemTime) -> Option<Duration> {
    let number = |name: &str| response.header(name).and_then(|text| text.trim().parse::<u64>().ok());
    if let Some(delay) = response.retry_after() {
        return Some(delay);
    }
    if number("x-ratelimit-remaining") == Some(0) {
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let reset = number("x-ratelimit-reset").unwrap_or(now + 60);
        return Some(Duration::from_secs(reset.saturating_sub(now).clamp(1, 3700)));
    }
    // GitHub's documentation recommends waiting at least a minute if there is no `Retry-After`.
    (response.status == 429).then(|| Duration::from_secs(60))
}

fn parse_json<T: serde::de::DeserializeOwned>(response: &Response) -> Result<T, GithubError> {
    match response.status {
        200..=299 => {
            serde_json::from_slice(&response.body).map_err(|error| GithubError::InvalidResponse(error.to_string()))
        }
        404 => Err(GithubError::NotFound),
        // The repository is empty.
        409 => serde_json::from_str("[]").map_err(|error| GithubError::InvalidResponse(error.to_string())),
        status => Err(GithubError::UnexpectedStatus(status)),
    }
}

#[derive(Deserialize)]
struct RepositoryRow {
    default_branch: String,
}

#[derive(Deserialize)]
struct CommitRow {
    sha: String,
    commit: CommitInner,
    /// Absent if the e-mail address of the commit belongs to no account.
    author: Option<Account>,
}

#[derive(Deserialize)]
struct CommitInner {
    author: Option<Signature>,
    committer: Option<Signature>,
    #[serde(default)]
    message: String,
}

#[derive(Deserialize)]
struct Signature {
    name: Option<String>,
    date: Option<EpochMillis>,
}

#[derive(Deserialize)]
struct Account {
    login: Option<String>,
    avatar_url: Option<String>,
}

impl CommitRow {
    /// Returns `None` for a commit without a timestamp.
    fn into_commit(self, repository: &str, branch: Option<&str>) -> Option<Commit> {
        let date = |signature: &Option<Signature>| signature.as_ref().and_then(|signature| signature.date);
        let timestamp = date(&self.commit.committer).or(date(&self.commit.author))?.secs();
        let (author_username, author_avatar_url) = self.author.map_or((None, None), |a| (a.login, a.avatar_url));
        Some(Commit {
            id: self.sha,
            author_name: self.commit.author.and_then(|author| author.name),
            author_username,
            author_avatar_url,
            timestamp,
            message: self.commit.message,
            branch: branch.map(str::to_owned),
            repository: repository.to_owned(),
        })
    }
}

#[cfg(test)]
mod tests;
