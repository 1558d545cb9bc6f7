//! Runs a reader until it is stopped: one thread follows the logs, one task uploads.

use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use notify::{RecursiveMode, Watcher};
use tokio::sync::Notify;

use super::claims::Claims;
use super::control::Control;
use super::error::ReaderError;
use super::filter::Filter;
use super::follow::{Follower, SharedQueue};
use super::grammar_store::GrammarStore;
use super::mutex::lock;
use super::note::{Note, Sink, check_output};
use super::queue::Queue;
use super::status;
use super::unknown_lines::UnknownLines;
use super::upload::{self, RetryPolicy, Server, Uploader};
use super::upload_task::UploadTask;

/// Not every file system reports changes of a growing file, so the logs are also polled.
const POLL_INTERVAL_ACTIVE: Duration = Duration::from_millis(250);
const POLL_INTERVAL_IDLE: Duration = Duration::from_secs(1);
/// Interval between uploads of unknown lines.
const SAMPLES_INTERVAL: Duration = Duration::from_secs(600);
const GRAMMAR_INTERVAL: Duration = Duration::from_secs(6 * 3600);
/// Maximum number of queued events. Reading then pauses; the logs hold the remainder.
pub const QUEUE_MAX_EVENTS: u64 = 50_000;

/// Configuration of a run.
pub struct RunConfig {
    /// The paths of the live logs, which need not exist yet.
    pub logs: Vec<PathBuf>,
    pub filter: Arc<Mutex<Filter>>,
    /// The site to upload to. Without one, nothing is sent or stored.
    pub server: Option<Server>,
    /// The folder of queue and checkpoints, one per site.
    pub folder: PathBuf,
    /// Reads the backups that exist at the first start.
    pub with_backups: bool,
    pub queue_limit: u64,
    /// Lines of unknown shape, and whether they may be sent.
    pub unknown_lines: Arc<UnknownLines>,
    pub retry_policy: RetryPolicy,
}

/// Follows and uploads until [`Control::stop`].
pub async fn run(config: RunConfig, sink: Arc<Mutex<dyn Sink>>, control: Arc<Control>) -> Result<(), ReaderError> {
    let uploader = config.server.as_ref().map(Uploader::new).transpose()?;
    let queue: SharedQueue = match &uploader {
        Some(_) => Some(Arc::new(Mutex::new(Queue::open(&config.folder, config.queue_limit)?))),
        None => None,
    };
    let _running = status::write_running(&config.folder, config.server.as_ref(), &config.logs);
    let new_events = Arc::new(Notify::new());
    let grammars = Arc::new(GrammarStore::open(config.server.as_ref().map(|_| config.folder.as_path()))?);
    let follower = |log: &PathBuf| {
        let mut follower = Follower::new(log.clone(), grammars.clone(), queue.clone());
        (follower.filter, follower.unknown_lines) = (config.filter.clone(), config.unknown_lines.clone());
        (follower.control, follower.with_backups) = (control.clone(), config.with_backups);
        follower
    };
    let followers = config.logs.iter().map(follower).collect();
    let following = {
        let (queue, sink, control, new_events) = (queue.clone(), sink.clone(), control.clone(), new_events.clone());
        tokio::task::spawn_blocking(move || {
            let result = follow_all(followers, &queue, &sink, &control, &new_events);
            // Uploading stops once following ends.
            control.stop();
            new_events.notify_one();
            result
        })
    };
    let uploading = match (&config.server, uploader, queue) {
        (Some(server), Some(uploader), Some(queue)) => {
            let task = UploadTask {
                uploader: &uploader,
                queue: &queue,
                retry_policy: config.retry_policy,
                sink: &sink,
                control: &control,
                new_events: &new_events,
                claims: Claims::new(config.retry_policy.unclaimed),
                failures: 0,
            };
            tokio::select! {
                result = task.run() => result,
                never = refresh_grammars(&grammars, server) => match never {},
                never = send_samples(&config.unknown_lines, server) => match never {},
            }
        }
        _ => Ok(()),
    };
    if uploading.is_err() {
        control.stop();
    }
    let followed = following.await.unwrap_or_else(|panic| Err(ReaderError::Thread(panic.to_string())));
    uploading.and(followed)
}

fn follow_all(
    mut followers: Vec<Follower>,
    queue: &SharedQueue,
    sink: &Mutex<dyn Sink>,
    control: &Control,
    new_events: &Notify,
) -> Result<(), ReaderError> {
    let (wake, woken) = channel();
    let _watcher = watch_folders(&followers, wake.clone());
    while !control.is_stopped() {
        let (mut has_bytes, mut has_events) = (false, false);
        for follower in &mut followers {
            let progress = follower.poll(&mut *lock(sink))?;
            has_bytes |= progress.bytes > 0;
            has_events |= progress.events > 0;
        }
        check_output(&mut *lock(sink))?;
        if has_events {
            let state = queue.as_ref().map(|queue| lock(queue).state()).unwrap_or_default();
            lock(sink).note(&Note::Queued(state));
            new_events.notify_one();
        }
        match woken.recv_timeout(if has_bytes { POLL_INTERVAL_ACTIVE } else { POLL_INTERVAL_IDLE }) {
            // Drains the channel: a burst of changes causes one poll.
            Ok(()) => while woken.try_recv().is_ok() {},
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
    }
    Ok(())
}

/// Downloads newer grammars periodically. Followers notice a change at their next poll.
async fn refresh_grammars(grammars: &GrammarStore, server: &Server) -> std::convert::Infallible {
    loop {
        grammars.refresh(server).await;
        tokio::time::sleep(GRAMMAR_INTERVAL).await;
    }
}

/// Sends unknown lines periodically, if the user has agreed. Failed uploads are retried at the next interval.
async fn send_samples(unknown_lines: &UnknownLines, server: &Server) -> std::convert::Infallible {
    loop {
        tokio::time::sleep(SAMPLES_INTERVAL).await;
        if let Some(batch) = unknown_lines.unsent()
            && upload::send_samples(&server.url, &batch).await.is_ok()
        {
            unknown_lines.mark_sent(&batch);
        }
    }
}

/// Watches the folders of the logs. Without file notifications, polling is sufficient.
fn watch_folders(followers: &[Follower], wake: Sender<()>) -> Option<notify::RecommendedWatcher> {
    let on_event = move |event: notify::Result<notify::Event>| {
        // Reads also cause events, which must not trigger another read.
        if !event.is_ok_and(|event| event.kind.is_access()) {
            // The receiver is dropped only when the reader ends.
            let _ = wake.send(());
        }
    };
    let mut watcher = notify::recommended_watcher(on_event).ok()?;
    for folder in followers.iter().filter_map(|follower| follower.log.parent()) {
        // A folder that cannot be watched, such as one that does not exist yet, is polled.
        let _ = watcher.watch(folder, RecursiveMode::NonRecursive);
    }
    Some(watcher)
}
