//! The commit feed: commits from webhooks, from polled repositories, or from the embedded history of this binary.

use std::sync::Arc;

use crate::app::App;
use crate::config::{Secret, Settings};
use crate::error::AppError;
use crate::features::webhooks;
use crate::store::changes::{self, Change};
use crate::store::commits::{self, CommitRow as Stored};
use crate::store::webhooks as webhook_store;
use crate::store::{Store, Tx};
use crate::upstream::github::{Commit, Github, Polled, is_signature_header, parse_webhook, signature_matches};
use crate::views::OffsetPagination;
use crate::views::commits::CommitRow;

/// The branch of commits without one.
const DEFAULT_BRANCH: &str = "main";
/// One commit per line, written by `build.rs` from the repository this binary was built from.
const OWN_HISTORY: &str = include_str!(concat!(env!("OUT_DIR"), "/commits.ndjson"));
/// The number of pages that are read of a repository without stored commits.
const MAX_INITIAL_PAGES: u32 = 5;
/// The maximum number of new commits that are published to live streams together.
const MAX_PUBLISHED: usize = 100;

/// A page of commits, newest first.
pub async fn list(store: &Store, limit: i64, offset: i64) -> Result<(Vec<CommitRow>, OffsetPagination), AppError> {
    let (rows, total) =
        store.read(move |conn| Ok((commits::page(conn, limit, offset)?, commits::count(conn)?))).await?;
    Ok((rows.into_iter().map(CommitRow::from).collect(), OffsetPagination::new(limit, offset, total)))
}

/// Stores commits and publishes the new ones. Returns the number of stored rows.
pub async fn store_new(app: &Arc<App>, new: Vec<Commit>) -> Result<usize, AppError> {
    let rows: Vec<Stored> = new.into_iter().map(stored).collect();
    store(app, rows, true).await
}

/// `is_news` is false for the embedded history, which no webhook is sent for.
async fn store(app: &Arc<App>, rows: Vec<Stored>, is_news: bool) -> Result<usize, AppError> {
    if rows.is_empty() {
        return Ok(0);
    }
    let ids: Vec<String> = rows.iter().map(|row| row.id.clone()).collect();
    let insert = move |tx: &mut Tx| {
        let known = commits::find_existing(tx, &ids)?;
        let mut new_rows: Vec<Stored> = rows.iter().filter(|row| !known.contains(&row.id)).cloned().collect();
        new_rows.sort_by_key(|row| row.committed_at);
        let stored_count = commits::upsert(tx, &rows)?;
        // Of a long history only the last commits are published.
        let first = new_rows.len().saturating_sub(MAX_PUBLISHED);
        if !new_rows.is_empty() {
            changes::record(tx, Change::Commits(new_rows[first..].iter().map(|row| row.id.clone()).collect()))?;
        }
        Ok::<_, AppError>((stored_count, new_rows))
    };
    let (stored_count, new_rows) = app.store.write(insert).await?;
    let views = new_rows.into_iter().map(|row| serde_json::to_value(CommitRow::from(row)));
    let views = views.collect::<Result<Vec<_>, _>>().map_err(AppError::internal)?;
    if is_news && !views.is_empty() {
        webhooks::enqueue_commits(app, views).await?;
    }
    Ok(stored_count)
}

fn stored(commit: Commit) -> Stored {
    Stored {
        id: commit.id,
        author_name: commit.author_name,
        author_username: commit.author_username,
        author_avatar_url: commit.author_avatar_url,
        committed_at: commit.timestamp,
        message: commit.message,
        branch: commit.branch.unwrap_or_else(|| DEFAULT_BRANCH.into()),
        repository: commit.repository,
    }
}

/// Checks a push before its body is read: a secret must be configured and the signature must be well-formed.
pub fn require_signature(settings: &Settings, signature: Option<&str>) -> Result<(), AppError> {
    webhook_secret(settings)?;
    if !is_signature_header(signature) {
        return Err(AppError::Unauthorized("X-Hub-Signature-256 must be sha256= and 64 hexadecimal digits.".into()));
    }
    Ok(())
}

fn webhook_secret(settings: &Settings) -> Result<&Secret, AppError> {
    let secret = settings.github.webhook_secret.as_ref();
    secret.ok_or_else(|| AppError::NotFound("No webhook is configured on this site.".into()))
}

/// Handles a signed push. Without a configured secret the route responds with 404.
///
/// A delivery that was already processed is ignored. GitHub identifies deliveries by `X-GitHub-Delivery`.
pub async fn handle_push(
    app: &Arc<App>,
    event: &str,
    delivery: Option<&str>,
    signature: Option<&str>,
    body: &[u8],
) -> Result<usize, AppError> {
    if !signature_matches(webhook_secret(&app.settings)?.reveal(), signature, body) {
        return Err(AppError::Unauthorized("The signature does not match the body.".into()));
    }
    let pushed = parse_webhook(event, body)
        .map_err(|error| AppError::Validation(format!("The push cannot be parsed: {error}")))?;
    let Some(commits) = pushed else { return Ok(0) };
    let delivery = delivery.filter(|id| (1..=100).contains(&id.len())).map(ToOwned::to_owned);
    if let Some(known) = delivery.clone()
        && app.store.read(move |conn| webhook_store::is_github_delivery_known(conn, &known)).await?
    {
        return Ok(0);
    }
    let taken = store_new(app, commits).await?;
    // Recorded last, so that a failed push can be delivered again.
    if let Some(delivery) = delivery {
        let now = app.store.now().0;
        app.store
            .write(move |tx| webhook_store::record_github_delivery(tx, &delivery, now).map_err(AppError::from))
            .await?;
    }
    Ok(taken)
}

/// The polled repositories, each with the entity tag of its last response.
pub struct Poller {
    github: Github,
    repositories: Vec<(String, Option<String>)>,
}

impl Poller {
    pub fn of(settings: &Settings) -> Result<Self, AppError> {
        let settings = &settings.github;
        let github = Github::new(&settings.api_url).map_err(AppError::internal)?;
        Ok(Self { github, repositories: settings.repos.iter().map(|repository| (repository.clone(), None)).collect() })
    }

    pub fn is_empty(&self) -> bool {
        self.repositories.is_empty()
    }

    /// Polls each repository once. An error of one does not affect the others; the first error is returned.
    pub async fn run(&mut self, app: &Arc<App>) -> Result<(), AppError> {
        let mut first_error = Ok(());
        for (repository, etag) in &mut self.repositories {
            match poll(app, &self.github, repository, etag.clone()).await {
                Ok(tag) => *etag = tag,
                Err(error) => first_error = first_error.and(Err(error)),
            }
        }
        first_error
    }
}

/// Reads new commits of a repository; returns the entity tag for the next poll.
async fn poll(
    app: &Arc<App>,
    github: &Github,
    repository: &str,
    etag: Option<String>,
) -> Result<Option<String>, AppError> {
    let is_new = etag.is_none();
    let (mut page, mut next_tag) = (1, etag.clone());
    loop {
        let known_etag = if page == 1 { etag.as_deref() } else { None };
        let polled = github.commits(repository, page, known_etag).await;
        let polled = polled.map_err(|error| AppError::Upstream(format!("{repository}: {error}")))?;
        let Polled::Commits { commits, etag: tag, has_more } = polled else { return Ok(etag) };
        store_new(app, commits).await?;
        if page == 1 {
            next_tag = tag;
        }
        if !is_new || !has_more || page == MAX_INITIAL_PAGES {
            return Ok(next_tag);
        }
        page += 1;
    }
}

/// Stores the embedded history on a site without repositories and commits.
pub async fn seed_own_history(app: &Arc<App>) -> Result<(), AppError> {
    let is_empty = app.store.read(commits::count).await? == 0;
    if !is_empty || !app.settings.github.repos.is_empty() {
        return Ok(());
    }
    store(app, OWN_HISTORY.lines().filter_map(|line| serde_json::from_str(line).ok()).map(own).collect(), false)
        .await?;
    Ok(())
}

/// The number of commits in the embedded history.
pub fn own_history_len() -> usize {
    OWN_HISTORY.lines().count()
}

/// A line of the embedded history.
#[derive(serde::Deserialize)]
struct OwnCommit {
    id: String,
    author: String,
    at: i64,
    message: String,
    branch: String,
}

fn own(commit: OwnCommit) -> Stored {
    Stored {
        id: commit.id,
        author_name: Some(commit.author),
        author_username: None,
        author_avatar_url: None,
        committed_at: commit.at,
        message: commit.message,
        // A release is built from a detached HEAD.
        branch: if matches!(commit.branch.as_str(), "" | "HEAD") { DEFAULT_BRANCH.into() } else { commit.branch },
        repository: "apogee".into(),
    }
}
