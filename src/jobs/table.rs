//! The table of all jobs.

use std::time::{Duration, Instant};

use super::runner::{Job, Task, task};
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
    Job {
        name: "account",
        interval: HOUR,
        lease: None,
        create: |_| {
            task((), |(), app| Box::pin(async move { account::delete_expired(&app.store).await.map(|()| None) }))
        },
    },
    Job {
        name: "backups",
        interval: Duration::from_secs(300),
        lease: None,
        create: |_| {
            task((), |(), app| {
                Box::pin(async move { backup::run_if_due(app).await.map(|_| None).map_err(AppError::internal) })
            })
        },
    },
    // The leaderboards that live streams watch; a message of a hundred rows takes 15 KB per subscriber.
    Job {
        name: "boards",
        interval: tasks::BOARD_INTERVAL,
        lease: None,
        create: |_| task(BoardFeed::of_all_time(), tasks::publish_boards),
    },
    Job {
        name: "window-boards",
        interval: tasks::BOARD_INTERVAL,
        lease: None,
        create: |_| task(BoardFeed::counted(), tasks::publish_boards),
    },
    Job {
        name: "bot-servers",
        interval: HOUR,
        lease: None,
        create: |app| {
            app.settings.discord.bot_token.as_ref()?;
            task((), |(), app| Box::pin(async move { discord::count_servers(&app.discord).await.map(|_| None) }))
        },
    },
    // Changes that every process has received.
    Job {
        name: "changes",
        interval: MINUTE,
        lease: Some(MINUTE),
        create: |app| {
            if !app.store.is_postgres() {
                return None;
            }
            task((), |(), app| Box::pin(async move { Ok(changes::delete_old(&app.store).await.map(|_| None)?) }))
        },
    },
    // A push that was lost is not sent again, so repositories are also polled.
    Job { name: "commits", interval: COMMITS_INTERVAL, lease: Some(COMMITS_INTERVAL), create: tasks::poll_commits },
    // Events of players who were hidden or shown.
    Job {
        name: "feeds",
        interval: SECOND,
        lease: Some(SECOND),
        create: |_| {
            task((), |(), app| Box::pin(async move { activity::update_hidden_events(&app.store).await.map(|()| None) }))
        },
    },
    // Counts and patch statistics of live streams, which change with nearly every event.
    Job {
        name: "figures",
        interval: FIGURES_INTERVAL,
        lease: None,
        create: |_| {
            task((), |(), app| {
                Box::pin(async move {
                    let began = Instant::now();
                    live::publish_figures(app).await;
                    Ok(Some(FIGURES_INTERVAL.saturating_sub(began.elapsed())))
                })
            })
        },
    },
    Job {
        name: "heartbeat",
        interval: Duration::from_secs(15),
        lease: None,
        create: |_| {
            task((), |(), app| {
                Box::pin(async move {
                    app.projections.live().send_heartbeat();
                    Ok(None)
                })
            })
        },
    },
    // Actions of admins on events; those of the command line are found within a second.
    Job {
        name: moderation::JOB,
        interval: SECOND,
        lease: Some(SECOND),
        create: |_| {
            task((), |(), app| Box::pin(async move { moderation::run_pending(&app.store).await.map(|()| None) }))
        },
    },
    // Stored events of patches that were adopted since.
    Job {
        name: ingest::ADOPTION_JOB,
        interval: SECOND,
        lease: Some(SECOND),
        create: |_| {
            task((), |(), app| {
                Box::pin(
                    async move { ingest::adopt_waiting(&app.store, ingest::first_patch(app)).await.map(|()| None) },
                )
            })
        },
    },
    Job {
        name: "rebuild",
        interval: SECOND,
        lease: None,
        create: |_| {
            task((), |(), app| {
                Box::pin(async move {
                    let began = Instant::now();
                    app.projections.rebuild_if_stale().await?;
                    Ok(Some(SECOND.max(began.elapsed() * REBUILD_DELAY_FACTOR)))
                })
            })
        },
    },
    // One process, since the rate of calls to the game's site is limited.
    Job {
        name: "refresh",
        interval: MINUTE,
        lease: Some(REFRESH_UNAVAILABLE_DELAY),
        create: |_| {
            task(BackgroundRefresh::default(), |refresh, app| {
                Box::pin(async move {
                    Ok(match refresh.step(app).await? {
                        Outcome::Read => Some(REFRESH_PAGE_DELAY),
                        Outcome::Idle => None,
                        Outcome::Unavailable => Some(REFRESH_UNAVAILABLE_DELAY),
                    })
                })
            })
        },
    },
    Job {
        name: rosters::JOB,
        interval: MINUTE,
        lease: Some(MINUTE),
        create: |app| app.settings.rosters.enabled.then(|| Box::<tasks::Rosters>::default() as Box<dyn Task>),
    },
    Job {
        name: "search",
        interval: SECOND,
        lease: None,
        create: |_| task((None, Instant::now()), tasks::follow_search),
    },
    // Short, so that an event appears in its channels soon.
    Job {
        name: statsfeed::JOB,
        interval: Duration::from_millis(400),
        lease: None,
        create: |app| {
            task(statsfeed::Sender::from_app(app)?, |sender, app| {
                Box::pin(async move { sender.run(app).await.map(|()| None) })
            })
        },
    },
    // Uploads and cached avatars that are no longer in use.
    Job {
        name: "uploads",
        interval: HOUR,
        lease: Some(HOUR),
        create: |_| {
            task((), |(), app| {
                Box::pin(async move {
                    let files = uploads::delete_unused(app).await? + avatars::remove_unused(&app.settings).await?;
                    if files > 0 {
                        tracing::info!(files, "unused pictures were deleted");
                    }
                    Ok(None)
                })
            })
        },
    },
    // Viewers of profiles are deleted soon after midnight (UTC).
    Job {
        name: "visits",
        interval: HOUR,
        lease: Some(HOUR),
        create: |_| {
            task((), |(), app| {
                Box::pin(async move {
                    viewers::delete_old(app).await?;
                    visits::delete_old(app).await?;
                    let midnight = Duration::from_millis(app.store.now().until_next_day().unsigned_abs());
                    Ok(Some(HOUR.min(midnight)))
                })
            })
        },
    },
    Job { name: webhooks::JOB, interval: SECOND, lease: None, create: tasks::send_webhooks },
    Job {
        name: "webhook-log",
        interval: Duration::from_secs(6 * 3_600),
        lease: None,
        create: |_| {
            task((), |(), app| Box::pin(async move { webhooks::delete_old_deliveries(&app.store).await.map(|_| None) }))
        },
    },
    // Leaderboards and windows, so that requests need not wait for them.
    Job {
        name: "windows",
        interval: SECOND,
        lease: None,
        create: |app| {
            app.projections.request_large_leaderboards();
            task((), |(), app| Box::pin(async move { Ok(app.projections.refresh_leaderboards().await.map(|_| None)?) }))
        },
    },
];

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
