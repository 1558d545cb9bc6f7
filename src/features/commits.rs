//! The feed of the source repositories: read, pushed to us, polled, or the history this binary was built with.

use std::sync::Arc;

use crate::app::App;
use crate::config::Secret;
use crate::domain::times::EpochMillis;
use crate::error::AppError;
use crate::features::webhooks;
use crate::replication::{self, Change, RecordedChange};
use crate::store::Tx;
use crate::store::commits::{self, CommitRow as Stored};
use crate::store::webhooks as webhook_store;
use crate::upstream::github::{
    Commit, Github, Polled, Repository, WebhookEvent, is_signature_header, parse_webhook, signature_matches,
};
use crate::views::OffsetPagination;
use crate::views::commits::CommitRow;

/// How this binary calls itself to others.
pub const USER_AGENT: &str = concat!("apogee/", env!("CARGO_PKG_VERSION"));
/// The branch shown when nobody said which.
const DEFAULT_BRANCH: &str = "main";
/// One commit a line, as `build.rs` found them in the source's own history.
const OWN_HISTORY: &str = include_str!(concat!(env!("OUT_DIR"), "/commits.ndjson"));
/// How many pages of a repository are read back when it is new here.
const MAX_INITIAL_PAGES: u32 = 5;
/// How many new commits of one look are told to open pages.
const MAX_PUBLISHED: usize = 100;

/// Newest first.
pub async fn list(app: &App, limit: i64, offset: i64) -> Result<(Vec<CommitRow>, OffsetPagination), AppError> {
    let (rows, total) =
        app.store.read(move |conn| Ok((commits::page(conn, limit, offset)?, commits::count(conn)?))).await?;
    Ok((rows.into_iter().map(CommitRow::from).collect(), OffsetPagination::new(limit, offset, total)))
}

/// Stores commits and tells open pages of those that are new; the same again changes nothing.
pub async fn store_new(app: &Arc<App>, new: Vec<Commit>) -> Result<usize, AppError> {
    let rows: Vec<Stored> = new.into_iter().map(stored).collect();
    store(app, rows, true).await
}

/// `is_news` is false for the history this binary was built with.
async fn store(app: &Arc<App>, rows: Vec<Stored>, is_news: bool) -> Result<usize, AppError> {
    if rows.is_empty() {
        return Ok(0);
    }
    let ids: Vec<String> = rows.iter().map(|row| row.id.clone()).collect();
    let after = Arc::clone(app);
    let take = move |tx: &mut Tx| {
        let known = commits::find_existing(tx, &ids)?;
        let mut fresh: Vec<&Stored> = rows.iter().filter(|row| !known.contains(&row.id)).collect();
        fresh.sort_by_key(|row| row.committed_at);
        let fresh: Vec<String> = fresh.into_iter().map(|row| row.id.clone()).collect();
        let taken = commits::upsert(tx, &rows)?;
        // The first look at a long history is no news that open pages could draw.
        let news = fresh.len().saturating_sub(MAX_PUBLISHED);
        let recorded = if fresh.is_empty() {
            None
        } else {
            Some(replication::record(tx, Change::Commits(fresh[news..].to_vec()))?)
        };
        let told = rows.iter().filter(|row| fresh.contains(&row.id)).cloned().collect::<Vec<Stored>>();
        Ok::<_, AppError>((taken, told, recorded))
    };
    let tell = move |(_, _, recorded): &(usize, Vec<Stored>, Option<RecordedChange>)| {
        if let Some(recorded) = recorded {
            after.projections.apply([recorded.clone()]);
        }
    };
    let (taken, mut fresh, _) = app.store.write_then(take, tell).await?;
    fresh.sort_by_key(|row| row.committed_at);
    let told = fresh.into_iter().map(|row| serde_json::to_value(CommitRow::from(row)));
    let told = told.collect::<Result<Vec<_>, _>>().map_err(AppError::internal)?;
    if is_news && !told.is_empty() {
        webhooks::enqueue_commits(app, told).await?;
    }
    Ok(taken)
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

/// Requires that a push can be a good one, before its body is read: a secret in the settings and a signature of the right form.
pub fn require_signature(app: &App, signature: Option<&str>) -> Result<(), AppError> {
    webhook_secret(app)?;
    if !is_signature_header(signature) {
        return Err(AppError::Unauthorized("A push takes its signature as X-Hub-Signature-256: sha256=…".into()));
    }
    Ok(())
}

fn webhook_secret(app: &App) -> Result<&Secret, AppError> {
    let secret = app.settings.github.webhook_secret.as_ref();
    secret.ok_or_else(|| AppError::NotFound("No webhook is set up on this site.".into()))
}

/// Takes a signed push. Without a secret in the settings there is no such address.
///
/// A delivery that was taken before is nothing; GitHub names each in `X-GitHub-Delivery`.
pub async fn handle_push(
    app: &Arc<App>,
    event: &str,
    delivery: Option<&str>,
    signature: Option<&str>,
    body: &[u8],
) -> Result<usize, AppError> {
    if !signature_matches(webhook_secret(app)?.reveal(), signature, body) {
        return Err(AppError::Unauthorized("The signature does not fit the body.".into()));
    }
    match parse_webhook(event, body) {
        Ok(WebhookEvent::Push(commits)) => {
            if let Some(delivery) = delivery.filter(|id| (1..=100).contains(&id.len())) {
                let known = delivery.to_owned();
                if app.store.read(move |conn| webhook_store::is_github_delivery_known(conn, &known)).await? {
                    return Ok(0);
                }
            }
            let taken = store_new(app, commits).await?;
            // Noted last: a push that fails half-way is not known, and may come again.
            if let Some(delivery) = delivery.filter(|id| (1..=100).contains(&id.len())) {
                let (delivery, now) = (delivery.to_owned(), EpochMillis::now().0);
                app.store
                    .write(move |tx| webhook_store::record_github_delivery(tx, &delivery, now).map_err(AppError::from))
                    .await?;
            }
            Ok(taken)
        }
        Ok(WebhookEvent::Ping | WebhookEvent::Ignored) => Ok(0),
        Err(error) => Err(AppError::Validation(format!("The push is not readable: {error}"))),
    }
}

/// The configured repositories, each with the tag of its last poll.
pub struct Poller {
    github: Github,
    repositories: Vec<(Repository, Option<String>)>,
}

impl Poller {
    pub fn of(app: &App) -> Result<Self, AppError> {
        let settings = &app.settings.github;
        let github = Github::new(&settings.api_url, USER_AGENT).map_err(AppError::internal)?;
        let read = |text: &String| {
            let found = Repository::parse(text);
            if found.is_none() {
                tracing::warn!(repository = text, "is no owner/name and is not polled");
            }
            found.map(|repository| (repository, None))
        };
        Ok(Self { github, repositories: settings.repos.iter().filter_map(read).collect() })
    }

    pub fn is_empty(&self) -> bool {
        self.repositories.is_empty()
    }

    /// Poller each repository once; one that fails is tried again the next time, and keeps none of the others up.
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

/// Reads what is new in a repository; gives the tag for the next poll.
async fn poll(
    app: &Arc<App>,
    github: &Github,
    repository: &Repository,
    etag: Option<String>,
) -> Result<Option<String>, AppError> {
    let is_new = etag.is_none();
    let (mut page, mut next_tag) = (1, etag.clone());
    loop {
        let asked = if page == 1 { etag.as_deref() } else { None };
        let polled = github.commits(repository, page, asked).await;
        let polled = polled.map_err(|error| AppError::Upstream(format!("{}: {error}", repository.name)))?;
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

/// Shows the program's own history on a site that has no repository and no commit yet.
pub async fn seed_own_history(app: &Arc<App>) -> Result<(), AppError> {
    let is_empty = app.store.read(commits::count).await? == 0;
    if !is_empty || !app.settings.github.repos.is_empty() {
        return Ok(());
    }
    store(app, OWN_HISTORY.lines().filter_map(|line| serde_json::from_str(line).ok()).map(own).collect(), false)
        .await?;
    Ok(())
}

/// How many commits of its own history this binary carries.
pub fn own_history_len() -> usize {
    OWN_HISTORY.lines().count()
}

/// A commit of the embedded history.
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
        // Built from no branch at all, as a release is.
        branch: if matches!(commit.branch.as_str(), "" | "HEAD") { DEFAULT_BRANCH.into() } else { commit.branch },
        repository: "apogee".into(),
    }
}
