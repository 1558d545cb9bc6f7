//! Commits of repositories: polled, or pushed to us with a signature.

mod webhook;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use reqwest::header::{ACCEPT, IF_NONE_MATCH};
use reqwest::{Method, Url};
use serde::Deserialize;

use super::http_client::{AddressPolicy, FetchError, HttpClient, RequestLimits, Response, parse_base_url};
use crate::domain::times::EpochMillis;

pub use webhook::{WebhookError, WebhookEvent, is_signature_header, parse_webhook, signature_matches};

/// Commits asked for at once; the most that GitHub gives.
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
    /// `None` when it is not known; screens then show the usual name.
    pub branch: Option<String>,
    /// `owner/name`.
    pub repository: String,
}

/// A repository from settings: `owner/name`, or `owner/name@branch`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Repository {
    pub name: String,
    pub branch: Option<String>,
}

impl Repository {
    pub fn parse(text: &str) -> Option<Self> {
        let (name, branch) = match text.trim().split_once('@') {
            Some((name, branch)) if !branch.is_empty() => (name, Some(branch.to_owned())),
            Some(_) => return None,
            None => (text.trim(), None),
        };
        let (owner, repository) = name.split_once('/')?;
        let fits = |part: &str| {
            !part.is_empty()
                && !matches!(part, "." | "..")
                && part.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        };
        (fits(owner) && fits(repository)).then(|| Self { name: name.to_owned(), branch })
    }
}

/// What a poll found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Polled {
    /// Nothing since the answer with this tag.
    Unchanged,
    Commits {
        /// Newest first.
        commits: Vec<Commit>,
        /// For the next poll of the first page; to be kept only once the commits are stored.
        etag: Option<String>,
        has_more: bool,
    },
}

/// Why no commits came.
#[derive(Debug, thiserror::Error)]
pub enum GithubError {
    #[error("GitHub could not be reached: {0}")]
    Unreachable(String),
    #[error("GitHub did not answer in time")]
    TimedOut,
    /// Nothing was sent when the limit was known before.
    #[error("GitHub's limit is used up for {} s", .retry_after.as_secs())]
    RateLimited { retry_after: Duration },
    #[error("GitHub does not know this repository or branch")]
    NotFound,
    #[error("GitHub answered with status {0}")]
    UnexpectedStatus(u16),
    #[error("GitHub's answer cannot be read: {0}")]
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

/// The reader of repositories; clones share what is known of GitHub's limits.
#[derive(Debug, Clone)]
pub struct Github {
    http: HttpClient,
    base: Url,
    request_limits: RequestLimits,
    state: Arc<Mutex<State>>,
}

#[derive(Debug, Default)]
struct State {
    quiet_until: Option<Instant>,
    /// Names of default branches; they change so rarely that a restart is soon enough.
    default_branches: HashMap<String, String>,
}

impl Github {
    pub fn new(api_url: &str, user_agent: &str) -> Result<Self, GithubError> {
        let base = parse_base_url(api_url)?;
        let http = HttpClient::new(user_agent, AddressPolicy::Configured)?;
        Ok(Self { http, base, request_limits: RequestLimits::default(), state: Arc::default() })
    }

    /// The same reader with other request_limits, for tests that cannot wait ten seconds.
    #[must_use]
    pub fn with_request_limits(mut self, request_limits: RequestLimits) -> Self {
        self.request_limits = request_limits;
        self
    }

    /// Reads one page (from 1) of a repository's commits; `etag` is of the last first page whose commits were stored.
    pub async fn commits(&self, repository: &Repository, page: u32, etag: Option<&str>) -> Result<Polled, GithubError> {
        let mut path = format!("repos/{}/commits?per_page={PAGE_SIZE}&page={}", repository.name, page.max(1));
        if let Some(branch) = &repository.branch {
            let encoded: String = reqwest::Url::parse_with_params("http://x/", [("sha", branch)])
                .map_err(|error| GithubError::InvalidResponse(error.to_string()))?
                .query()
                .unwrap_or_default()
                .to_owned();
            path = format!("{path}&{encoded}");
        }
        let answer = self.get(&path, etag).await?;
        if answer.status == 304 {
            return Ok(Polled::Unchanged);
        }
        let rows: Vec<CommitRow> = read(&answer)?;
        let branch = match &repository.branch {
            Some(branch) => Some(branch.clone()),
            None => self.default_branch(&repository.name).await,
        };
        let commits = rows.into_iter().filter_map(|row| row.into_commit(&repository.name, branch.as_deref())).collect();
        Ok(Polled::Commits {
            commits,
            etag: answer.header("etag").map(str::to_owned),
            has_more: answer.header("link").is_some_and(|link| link.contains("rel=\"next\"")),
        })
    }

    /// The name is an ornament of the feed: without it the commits are still good.
    async fn default_branch(&self, repository: &str) -> Option<String> {
        if let Some(known) = self.state().default_branches.get(repository) {
            return Some(known.clone());
        }
        let answer = self.get(&format!("repos/{repository}"), None).await.ok()?;
        let row: RepositoryRow = read(&answer).ok()?;
        self.state().default_branches.insert(repository.to_owned(), row.default_branch.clone());
        Some(row.default_branch)
    }

    async fn get(&self, path: &str, etag: Option<&str>) -> Result<Response, GithubError> {
        let now = Instant::now();
        if let Some(until) = self.state().quiet_until.filter(|until| *until > now) {
            return Err(GithubError::RateLimited { retry_after: until - now });
        }
        let url = self.base.join(path).map_err(|error| GithubError::Unreachable(error.to_string()))?;
        let mut request = self.http.request(Method::GET, url).header(ACCEPT, "application/vnd.github+json");
        if let Some(etag) = etag {
            request = request.header(IF_NONE_MATCH, etag);
        }
        let request = request.build().map_err(|error| GithubError::Unreachable(error.to_string()))?;
        let answer = self.http.send(request, self.request_limits).await?;
        match rest_after(&answer, SystemTime::now()) {
            Some(rest) => {
                self.state().quiet_until = Some(Instant::now() + rest);
                if matches!(answer.status, 403 | 429) {
                    Err(GithubError::RateLimited { retry_after: rest })
                } else {
                    Ok(answer)
                }
            }
            None => Ok(answer),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long nothing may be asked after this answer: its own word, or the reset of a limit that is used up.
fn rest_after(answer: &Response, now: SystemTime) -> Option<Duration> {
    let number = |name: &str| answer.header(name).and_then(|text| text.trim().parse::<u64>().ok());
    if let Some(rest) = answer.retry_after() {
        return Some(rest);
    }
    if number("x-ratelimit-remaining") == Some(0) {
        let now = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let reset = number("x-ratelimit-reset").unwrap_or(now + 60);
        return Some(Duration::from_secs(reset.saturating_sub(now).clamp(1, 3700)));
    }
    // GitHub asks for at least a minute when it gives no time.
    (answer.status == 429).then(|| Duration::from_secs(60))
}

fn read<T: serde::de::DeserializeOwned>(answer: &Response) -> Result<T, GithubError> {
    match answer.status {
        200..=299 => {
            serde_json::from_slice(&answer.body).map_err(|error| GithubError::InvalidResponse(error.to_string()))
        }
        404 => Err(GithubError::NotFound),
        // A repository without any commit.
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
    /// Absent for addresses that belong to no account.
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
    /// A commit without a time has no place in a feed.
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
