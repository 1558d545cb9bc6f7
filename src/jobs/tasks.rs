//! Tasks that keep state between their runs.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::runner::{Run, Task};
use crate::app::App;
use crate::features::commits::{self, Poller};
use crate::features::live::{self, BoardFeed};
use crate::features::refresh::{BackgroundRefresh, Outcome as RefreshOutcome};
use crate::features::rosters::{Outcome as RosterOutcome, RosterReader};
use crate::features::statsfeed::Sender;
use crate::features::webhooks::WebhookSender;
use crate::projections::SearchFollower;

/// Live messages of leaderboards are sent about twice a second.
pub const BOARD_INTERVAL: Duration = Duration::from_millis(450);
/// Live messages of counts and the patch are sent at most this often.
pub const FIGURES_INTERVAL: Duration = Duration::from_millis(300);
/// A lost push appears after this time at the latest.
pub const COMMITS_INTERVAL: Duration = Duration::from_secs(300);
/// The delay after the game's site did not respond.
pub const REFRESH_UNAVAILABLE_DELAY: Duration = Duration::from_secs(300);
/// The delay after a page was read.
const REFRESH_PAGE_DELAY: Duration = Duration::from_secs(15);
/// The delay before the first page of a roster, since users' requests come first after a start.
const ROSTERS_FIRST_DELAY: Duration = Duration::from_secs(60);
const SEARCH_CLEANUP_INTERVAL: Duration = Duration::from_secs(3_600);

/// Publishes leaderboards to live streams.
pub struct Boards(BoardFeed);

impl Boards {
    pub fn of_all_time() -> Self {
        Self(BoardFeed::of_all_time())
    }

    pub fn counted() -> Self {
        Self(BoardFeed::counted())
    }
}

impl Task for Boards {
    fn run<'a>(&'a mut self, app: &'a Arc<App>) -> Run<'a> {
        Box::pin(async move {
            let began = Instant::now();
            self.0.publish(app).await;
            Ok(Some(BOARD_INTERVAL.saturating_sub(began.elapsed())))
        })
    }
}

/// Publishes counts and patch statistics to live streams.
pub struct Figures;

impl Task for Figures {
    fn run<'a>(&'a mut self, app: &'a Arc<App>) -> Run<'a> {
        Box::pin(async move {
            let began = Instant::now();
            live::publish_figures(app).await;
            Ok(Some(FIGURES_INTERVAL.saturating_sub(began.elapsed())))
        })
    }
}

/// Polls repositories. A site without repositories shows the embedded history, which is stored once.
pub struct Commits(Poller);

impl Commits {
    pub fn create(app: &Arc<App>) -> Option<Box<dyn Task>> {
        match Poller::of(&app.settings) {
            Ok(poller) if !poller.is_empty() => return Some(Box::new(Self(poller))),
            Ok(_) => {}
            Err(error) => tracing::error!(%error, "repositories cannot be polled"),
        }
        let app = Arc::clone(app);
        tokio::spawn(async move {
            if let Err(error) = commits::seed_own_history(&app).await {
                tracing::warn!(%error, "the embedded commit history could not be stored");
            }
        });
        None
    }
}

impl Task for Commits {
    fn run<'a>(&'a mut self, app: &'a Arc<App>) -> Run<'a> {
        Box::pin(async move { self.0.run(app).await.map(|()| None) })
    }
}

/// Refreshes claimed players and their guilds from the game's site.
#[derive(Default)]
pub struct Refresh(BackgroundRefresh);

impl Task for Refresh {
    fn run<'a>(&'a mut self, app: &'a Arc<App>) -> Run<'a> {
        Box::pin(async move {
            Ok(match self.0.step(app).await? {
                RefreshOutcome::Read => Some(REFRESH_PAGE_DELAY),
                RefreshOutcome::Idle => None,
                RefreshOutcome::Unavailable => Some(REFRESH_UNAVAILABLE_DELAY),
            })
        })
    }
}

/// Downloads rosters of guilds at the rate in the settings.
pub struct Rosters {
    reader: RosterReader,
    page_delay: Duration,
}

impl Rosters {
    pub fn create(app: &Arc<App>) -> Option<Box<dyn Task>> {
        let settings = &app.settings.rosters;
        let page_delay = Duration::from_secs(60) / settings.pages_per_minute.max(1);
        settings.enabled.then(|| Box::new(Self { reader: RosterReader::default(), page_delay }) as Box<dyn Task>)
    }
}

impl Task for Rosters {
    fn run<'a>(&'a mut self, app: &'a Arc<App>) -> Run<'a> {
        Box::pin(async move {
            let outcome = self.reader.step(app).await?;
            Ok((outcome == RosterOutcome::Read).then_some(self.page_delay))
        })
    }

    fn first_delay(&self) -> Duration {
        ROSTERS_FIRST_DELAY
    }

    fn lease_lost(&mut self) {
        self.reader.stop();
    }
}

/// Applies changes of other processes and commands to the search index.
pub struct Search {
    follower: Option<SearchFollower>,
    cleaned_at: Instant,
}

impl Default for Search {
    fn default() -> Self {
        Self { follower: None, cleaned_at: Instant::now() }
    }
}

impl Task for Search {
    fn run<'a>(&'a mut self, app: &'a Arc<App>) -> Run<'a> {
        Box::pin(async move {
            let follower = match &mut self.follower {
                Some(follower) => follower,
                None => self.follower.insert(SearchFollower::new(&app.projections).await?),
            };
            follower.follow(&app.projections).await?;
            if self.cleaned_at.elapsed() > SEARCH_CLEANUP_INTERVAL {
                self.cleaned_at = Instant::now();
                follower.delete_old(&app.projections).await?;
            }
            Ok(None)
        })
    }
}

/// Posts events to subscribed Discord channels.
pub struct StatsFeed(Sender);

impl StatsFeed {
    pub fn create(app: &Arc<App>) -> Option<Box<dyn Task>> {
        Some(Box::new(Self(Sender::from_app(app)?)))
    }
}

impl Task for StatsFeed {
    fn run<'a>(&'a mut self, app: &'a Arc<App>) -> Run<'a> {
        Box::pin(async move { self.0.run(app).await.map(|_| None) })
    }
}

/// Sends outgoing webhooks.
pub struct Webhooks(WebhookSender);

impl Webhooks {
    pub fn create(app: &Arc<App>) -> Option<Box<dyn Task>> {
        match WebhookSender::from_settings(&app.settings) {
            Ok(sender) => Some(Box::new(Self(sender?))),
            Err(error) => {
                tracing::error!(%error, "outgoing webhooks cannot be sent");
                None
            }
        }
    }
}

impl Task for Webhooks {
    fn run<'a>(&'a mut self, app: &'a Arc<App>) -> Run<'a> {
        Box::pin(async move { self.0.run(app).await.map(|_| None) })
    }
}
