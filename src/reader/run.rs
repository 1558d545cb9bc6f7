//! Runs a reader until it is stopped: one thread follows the logs, one task uploads.

use std::path::PathBuf;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use notify::{RecursiveMode, Watcher};
use tokio::sync::Notify;

use crate::domain::events::Event;

use super::control::Control;
use super::error::ReaderError;
use super::filter::SharedFilter;
use super::follow::{Follower, SharedQueue};
use super::grammar_store::GrammarStore;
use super::mutex::lock;
use super::note::{Note, Sink, check_output};
use super::queue::{Batch, Queue};
use super::status;
use super::unknown_lines::UnknownLines;
use super::upload::Server;
use super::upload::{self, BatchResponse, MAX_BATCH_BYTES, MAX_BATCH_EVENTS, RetryPolicy, UploadError, Uploader};

/// Not every file system reports changes of a growing file, so the logs are also polled.
const POLL_INTERVAL_ACTIVE: Duration = Duration::from_millis(250);
const POLL_INTERVAL_IDLE: Duration = Duration::from_secs(1);
/// Interval between uploads of unknown lines.
const SAMPLES_INTERVAL: Duration = Duration::from_secs(600);
const GRAMMAR_INTERVAL: Duration = Duration::from_secs(6 * 3600);
/// Maximum number of queued events. Reading then pauses; the logs hold the remainder.
pub const QUEUE_MAX_EVENTS: u64 = 50_000;

/// Configuration of a run.
#[derive(Clone)]
pub struct RunConfig {
    /// The paths of the live logs, which need not exist yet.
    pub logs: Vec<PathBuf>,
    pub filter: SharedFilter,
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
    let following = {
        let (config, sink, control) = (config.clone(), sink.clone(), control.clone());
        let (queue, new_events, grammars) = (queue.clone(), new_events.clone(), grammars.clone());
        tokio::task::spawn_blocking(move || {
            let result = follow_all(&config, &queue, &sink, &grammars, &control, &new_events);
            // Uploading stops once following ends.
            control.stop();
            new_events.notify_one();
            result
        })
    };
    let uploading = match (uploader, queue) {
        (Some(uploader), Some(queue)) => {
            let uploading = upload_all(&uploader, &queue, config.retry_policy, &sink, &control, &new_events);
            tokio::select! {
                result = uploading => result,
                never = refresh_grammars(&grammars, config.server.as_ref()) => match never {},
                never = send_samples(&config.unknown_lines, config.server.as_ref()) => match never {},
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
    config: &RunConfig,
    queue: &SharedQueue,
    sink: &Mutex<dyn Sink>,
    grammars: &Arc<GrammarStore>,
    control: &Arc<Control>,
    new_events: &Notify,
) -> Result<(), ReaderError> {
    let mut followers: Vec<Follower> = config
        .logs
        .iter()
        .map(|log| {
            Follower::new(log.clone(), grammars.clone(), config.filter.clone(), queue.clone(), config.with_backups)
                .with_unknown_lines(config.unknown_lines.clone())
                .with_control(control.clone())
        })
        .collect();
    let (wake, woken) = channel();
    let _watchers = watchers(&followers, &wake);
    while !control.is_stopped() {
        let (mut has_bytes, mut has_events) = (false, false);
        for follower in &mut followers {
            let progress = follower.poll(&mut *lock(sink))?;
            has_bytes |= progress.bytes > 0;
            has_events |= progress.events > 0;
        }
        check_output(&mut *lock(sink))?;
        if has_events {
            let waiting = queue.as_ref().map_or(0, |queue| lock(queue).waiting());
            lock(sink).note(&Note::Queued(waiting));
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
async fn refresh_grammars(grammars: &GrammarStore, server: Option<&Server>) -> std::convert::Infallible {
    loop {
        if let Some(server) = server {
            grammars.refresh(server).await;
        }
        tokio::time::sleep(GRAMMAR_INTERVAL).await;
    }
}

/// Sends unknown lines periodically, if the user has agreed. Failed uploads are retried at the next interval.
async fn send_samples(unknown_lines: &UnknownLines, server: Option<&Server>) -> std::convert::Infallible {
    loop {
        tokio::time::sleep(SAMPLES_INTERVAL).await;
        if let (Some(batch), Some(server)) = (unknown_lines.unsent(), server)
            && upload::send_samples(&server.url, &batch.patch, &batch.samples).await.is_ok()
        {
            unknown_lines.mark_sent(&batch);
        }
    }
}

/// Watches the folders of the logs. Without file notifications, polling is sufficient.
fn watchers(followers: &[Follower], wake: &Sender<()>) -> Vec<notify::RecommendedWatcher> {
    let mut watchers = Vec::new();
    for folder in followers.iter().filter_map(|follower| follower.log().parent()) {
        let wake = wake.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // Reads also cause events, which must not trigger another read.
            if event.is_ok_and(|event| event.kind.is_access()) {
                return;
            }
            // The receiver is dropped only when the reader ends.
            let _ = wake.send(());
        });
        if let Ok(mut watcher) = watcher
            && watcher.watch(folder, RecursiveMode::NonRecursive).is_ok()
        {
            watchers.push(watcher);
        }
    }
    watchers
}

async fn upload_all(
    uploader: &Uploader,
    queue: &Mutex<Queue>,
    retry_policy: RetryPolicy,
    sink: &Mutex<dyn Sink>,
    control: &Control,
    new_events: &Notify,
) -> Result<(), ReaderError> {
    let mut failures = 0;
    let mut max_events = MAX_BATCH_EVENTS;
    while !control.is_stopped() {
        let next = match control.is_paused() {
            true => None,
            false => lock(queue).batch(max_events, MAX_BATCH_BYTES)?,
        };
        let Some(batch) = next else {
            wait(POLL_INTERVAL_IDLE, control, Some(new_events)).await;
            continue;
        };
        let header = batch.source.header();
        let result = tokio::select! {
            result = uploader.send(&batch.lines, header.as_ref()) => result,
            // If the site has stored the batch, it recognizes the events when they are sent again.
            () = control.stopped() => return Ok(()),
        };
        status::record_upload(lock(queue).folder(), &result);
        match result {
            Ok(answer) => {
                max_events = MAX_BATCH_EVENTS;
                if apply_response(queue, sink, &batch, answer)? {
                    failures = 0;
                } else {
                    failures += 1;
                    wait(retry_policy.delay(failures, None, rand::random()), control, None).await;
                }
            }
            Err(UploadError::TooLarge(_) | UploadError::Malformed(_)) if batch.events.len() > 1 => {
                // One event may cause the error; halving finds it.
                max_events = batch.events.len() / 2;
            }
            Err(UploadError::TooLarge(error) | UploadError::Malformed(error)) => {
                discard(queue, sink, &batch, error)?;
                max_events = MAX_BATCH_EVENTS;
            }
            Err(UploadError::KeyRejected(error)) => {
                lock(sink).note(&Note::KeyRejected { error });
                wait(retry_policy.key_rejected, control, None).await;
            }
            Err(UploadError::Temporary { error, after }) => {
                failures += 1;
                let pause = retry_policy.delay(failures, after, rand::random());
                lock(sink).note(&Note::Retry { error, secs: pause.as_secs().max(1) });
                wait(pause, control, None).await;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Applies a response to the queue. Events that are only ahead of the site's clock move to the end. Returns false if
/// there were no others, so that an immediate retry would be useless.
fn apply_response(
    queue: &Mutex<Queue>,
    sink: &Mutex<dyn Sink>,
    batch: &Batch,
    answer: BatchResponse,
) -> Result<bool, ReaderError> {
    let (accepted, duplicates, held) = (answer.accepted, answer.duplicates, answer.count_held(batch.events.len()));
    let (early, refused) = answer.split_rejected(|index| batch.events.get(index));
    let again: Vec<Event> = early.iter().filter_map(|early| batch.events.get(early.index).cloned()).collect();
    let (has_taken, early) = (again.len() < batch.events.len(), again.len() as u64);
    let waiting = {
        let mut queue = lock(queue);
        queue.acknowledge_except(batch, again)?;
        queue.waiting()
    };
    let mut sink = lock(sink);
    for rejected in refused {
        let event_id = batch.events.get(rejected.index).and_then(|event| event.event_id.clone());
        sink.note(&Note::Rejected { event_id, error: rejected.error });
    }
    if early > 0 {
        sink.note(&Note::AheadOfClock(early));
    }
    if has_taken {
        sink.note(&Note::Uploaded { accepted, duplicates });
    }
    if !held.is_empty() {
        sink.note(&Note::Held(held));
    }
    sink.note(&Note::Queued(waiting));
    Ok(has_taken)
}

/// Removes an event that the site can never read, so that it does not block the others.
fn discard(queue: &Mutex<Queue>, sink: &Mutex<dyn Sink>, batch: &Batch, error: String) -> Result<(), ReaderError> {
    lock(queue).acknowledge(batch.events.len() as u64)?;
    let event_id = batch.events.first().and_then(|event| event.event_id.clone());
    lock(sink).note(&Note::Rejected { event_id, error });
    Ok(())
}

/// Waits until the time has passed or the control or the queue changes.
async fn wait(time: Duration, control: &Control, new_events: Option<&Notify>) {
    let changed = control.changed.notified();
    if control.is_stopped() {
        return;
    }
    match new_events {
        Some(new_events) => {
            tokio::select! {
                () = tokio::time::sleep(time) => {}
                () = changed => {}
                () = new_events.notified() => {}
            }
        }
        None => {
            tokio::select! {
                () = tokio::time::sleep(time) => {}
                () = changed => {}
            }
        }
    }
}
