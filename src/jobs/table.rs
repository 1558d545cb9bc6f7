//! The table of all jobs.

use std::time::{Duration, Instant};

use super::runner::{Create, Job, Task, task};
use super::tasks;
use crate::error::AppError;
use crate::features::live::{self, BoardFeed};
use crate::features::refresh::{BackgroundRefresh, Outcome};
use crate::features::{
    account, activity, avatars, backup, discord, ingest, moderation, rosters, statsfeed, uploads, viewers, visits,
    webhooks,
};
use crate::store::changes;

const SECOND: Duration = Duration::from_secs(1);
const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);

/// Live messages of counts and the patch are sent at most this often.
const FIGURES_INTERVAL: Duration = Duration::from_millis(300);
/// A lost push appears after this time at the latest.
const COMMITS_INTERVAL: Duration = Duration::from_secs(300);
/// The delay after the game's site did not respond.
const REFRESH_UNAVAILABLE_DELAY: Duration = Duration::from_secs(300);
/// The delay after a page was read.
const REFRESH_PAGE_DELAY: Duration = Duration::from_secs(15);
/// A panic in every commit must not keep the process busy with rebuilding: the delay is this many times the duration.
const REBUILD_DELAY_FACTOR: u32 = 10;

pub const JOBS: &[Job] = &[
    job("account", HOUR, |_| {
        task((), |(), app| Box::pin(async move { account::delete_expired(&app.store).await.map(|()| None) }))
    }),
    job("backups", Duration::from_secs(300), |_| {
        task((), |(), app| {
            Box::pin(async move { backup::run_if_due(app).await.map(|_| None).map_err(AppError::internal) })
        })
    }),
    // The leaderboards that live streams watch; a message of a hundred rows takes 15 KB per subscriber.
    job("boards", tasks::BOARD_INTERVAL, |_| task(BoardFeed::of_all_time(), tasks::publish_boards)),
    job("window-boards", tasks::BOARD_INTERVAL, |_| task(BoardFeed::counted(), tasks::publish_boards)),
    job("bot-servers", HOUR, |app| {
        app.settings.discord.bot_token.as_ref()?;
        task((), |(), app| Box::pin(async move { discord::count_servers(&app.discord).await.map(|_| None) }))
    }),
    // Changes that every process has received.
    leased_job("changes", MINUTE, |app| {
        if !app.store.is_postgres() {
            return None;
        }
        task((), |(), app| Box::pin(async move { Ok(changes::delete_old(&app.store).await.map(|_| None)?) }))
    }),
    // A push that was lost is not sent again, so repositories are also polled.
    leased_job("commits", COMMITS_INTERVAL, tasks::poll_commits),
    // Events of players who were hidden or shown.
    leased_job("feeds", SECOND, |_| {
        task((), |(), app| Box::pin(async move { activity::update_hidden_events(&app.store).await.map(|()| None) }))
    }),
    // Counts and patch statistics of live streams, which change with nearly every event.
    job("figures", FIGURES_INTERVAL, |_| {
        task((), |(), app| {
            Box::pin(async move {
                let began = Instant::now();
                live::publish_figures(app).await;
                Ok(Some(FIGURES_INTERVAL.saturating_sub(began.elapsed())))
            })
        })
    }),
    job("heartbeat", Duration::from_secs(15), |_| {
        task((), |(), app| {
            Box::pin(async move {
                app.projections.live().send_heartbeat();
                Ok(None)
            })
        })
    }),
    // Actions of admins on events; those of the command line are found within a second.
    leased_job(moderation::JOB, SECOND, |_| {
        task((), |(), app| Box::pin(async move { moderation::run_pending(&app.store).await.map(|()| None) }))
    }),
    // Stored events of patches that were adopted since.
    leased_job(ingest::ADOPTION_JOB, SECOND, |_| {
        task((), |(), app| {
            Box::pin(async move { ingest::adopt_waiting(&app.store, ingest::first_patch(app)).await.map(|()| None) })
        })
    }),
    job("rebuild", SECOND, |_| {
        task((), |(), app| {
            Box::pin(async move {
                let began = Instant::now();
                app.projections.rebuild_if_stale().await?;
                Ok(Some(SECOND.max(began.elapsed() * REBUILD_DELAY_FACTOR)))
            })
        })
    }),
    // One process, since the rate of calls to the game's site is limited.
    Job {
        lease: Some(REFRESH_UNAVAILABLE_DELAY),
        ..job("refresh", MINUTE, |_| {
            task(BackgroundRefresh::default(), |refresh, app| {
                Box::pin(async move {
                    Ok(match refresh.step(app).await? {
                        Outcome::Read => Some(REFRESH_PAGE_DELAY),
                        Outcome::Idle => None,
                        Outcome::Unavailable => Some(REFRESH_UNAVAILABLE_DELAY),
                    })
                })
            })
        })
    },
    leased_job(rosters::JOB, MINUTE, |app| {
        app.settings.rosters.enabled.then(|| Box::<tasks::Rosters>::default() as Box<dyn Task>)
    }),
    job("search", SECOND, |_| task((None, Instant::now()), tasks::follow_search)),
    // Short, so that an event appears in its channels soon.
    job(statsfeed::JOB, Duration::from_millis(400), |app| {
        task(statsfeed::Sender::from_app(app)?, |sender, app| {
            Box::pin(async move { sender.run(app).await.map(|()| None) })
        })
    }),
    // Uploads and cached avatars that are no longer in use.
    leased_job("uploads", HOUR, |_| {
        task((), |(), app| {
            Box::pin(async move {
                let files = uploads::delete_unused(app).await? + avatars::remove_unused(&app.settings).await?;
                if files > 0 {
                    tracing::info!(files, "unused pictures were deleted");
                }
                Ok(None)
            })
        })
    }),
    // Viewers of profiles are deleted soon after midnight (UTC).
    leased_job("visits", HOUR, |_| {
        task((), |(), app| {
            Box::pin(async move {
                viewers::delete_old(app).await?;
                visits::delete_old(app).await?;
                let midnight = Duration::from_millis(app.store.now().until_next_day().unsigned_abs());
                Ok(Some(HOUR.min(midnight)))
            })
        })
    }),
    job(webhooks::JOB, SECOND, tasks::send_webhooks),
    job("webhook-log", Duration::from_secs(6 * 3_600), |_| {
        task((), |(), app| Box::pin(async move { webhooks::delete_old_deliveries(&app.store).await.map(|_| None) }))
    }),
    // Leaderboards and windows, so that requests need not wait for them.
    job("windows", SECOND, |app| {
        app.projections.request_large_leaderboards();
        task((), |(), app| Box::pin(async move { Ok(app.projections.refresh_leaderboards().await.map(|_| None)?) }))
    }),
];

/// A job that each process runs.
const fn job(name: &'static str, interval: Duration, create: Create) -> Job {
    Job { name, interval, lease: None, create }
}

/// A job that one process runs: no delay between two runs is longer than its interval.
const fn leased_job(name: &'static str, interval: Duration, create: Create) -> Job {
    Job { name, interval, lease: Some(interval), create }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_unique_and_delays_fit_leases() {
        let names: BTreeSet<&str> = JOBS.iter().map(|job| job.name).collect();
        assert_eq!(names.len(), JOBS.len());
        for job in JOBS {
            assert!(job.lease.is_none_or(|longest_delay| longest_delay >= job.interval), "{}", job.name);
        }
    }
}
