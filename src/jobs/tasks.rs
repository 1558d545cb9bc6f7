//! Tasks that do not fit into the table.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::runner::{Run, Task, task};
use crate::app::App;
use crate::features::commits::{self, Poller};
use crate::features::live::BoardFeed;
use crate::features::rosters::{Outcome, RosterReader};
use crate::features::webhooks::WebhookSender;
use crate::projections::SearchFollower;

/// Live messages of leaderboards are sent about twice a second.
pub const BOARD_INTERVAL: Duration = Duration::from_millis(450);
/// The delay before the first page of a roster, since users' requests come first after a start.
const ROSTERS_FIRST_DELAY: Duration = Duration::from_secs(60);
const SEARCH_CLEANUP_INTERVAL: Duration = Duration::from_secs(3_600);

/// Publishes leaderboards to live streams.
pub fn publish_boards<'a>(feed: &'a mut BoardFeed, app: &'a Arc<App>) -> Run<'a> {
    Box::pin(async move {
        let began = Instant::now();
        feed.publish(app).await;
        Ok(Some(BOARD_INTERVAL.saturating_sub(began.elapsed())))
    })
}

/// Polls repositories. A site without repositories shows the embedded history, which is stored once.
pub fn poll_commits(app: &Arc<App>) -> Option<Box<dyn Task>> {
    match Poller::of(&app.settings) {
        Ok(poller) if !poller.is_empty() => {
            return task(poller, |poller, app| Box::pin(async move { poller.run(app).await.map(|()| None) }));
        }
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

/// Downloads rosters of guilds at the rate in the settings.
#[derive(Default)]
pub struct Rosters(RosterReader);

impl Task for Rosters {
    fn run<'a>(&'a mut self, app: &'a Arc<App>) -> Run<'a> {
        Box::pin(async move {
            let page_delay = Duration::from_secs(60) / app.settings.rosters.pages_per_minute.max(1);
            Ok((self.0.step(app).await? == Outcome::Read).then_some(page_delay))
        })
    }

    fn first_delay(&self) -> Duration {
        ROSTERS_FIRST_DELAY
    }

    fn lease_lost(&mut self) {
        self.0.stop();
    }
}

/// Applies changes of other processes and commands to the search index. The state contains the time of the last cleanup.
pub fn follow_search<'a>(state: &'a mut (Option<SearchFollower>, Instant), app: &'a Arc<App>) -> Run<'a> {
    Box::pin(async move {
        let (follower, cleaned_at) = state;
        let follower = match follower {
            Some(follower) => follower,
            None => follower.insert(SearchFollower::new(&app.projections).await?),
        };
        follower.follow(&app.projections).await?;
        if cleaned_at.elapsed() > SEARCH_CLEANUP_INTERVAL {
            *cleaned_at = Instant::now();
            follower.delete_old(&app.projections).await?;
        }
        Ok(None)
    })
}

/// Sends outgoing webhooks.
pub fn send_webhooks(app: &Arc<App>) -> Option<Box<dyn Task>> {
    let sender = WebhookSender::from_settings(&app.settings);
    let sender = sender.inspect_err(|error| tracing::error!(%error, "outgoing webhooks cannot be sent")).ok()??;
    task(sender, |sender, app| Box::pin(async move { sender.run(app).await.map(|()| None) }))
}
