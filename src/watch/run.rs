//! The reader that runs until it is stopped: one thread follows the logs, one task uploads what waits.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use notify::{RecursiveMode, Watcher};
use tokio::sync::Notify;

use crate::domain::events::Event;

use super::filter::SharedFilter;
use super::follow::{Follower, Keeper, lock};
use super::grammars::Shelf;
use super::queue::{Batch, Queue};
use super::sample_box::SampleBox;
use super::status;
use super::upload::{self, Answer, BATCH_MAX_BYTES, BATCH_MAX_EVENTS, Pace, UploadError, Uploader};
use super::{Note, Server, Sink, WatchError, check_output};

/// File events do not fire on every set-up for a file that grows, so the logs are looked at anyway.
const LOOK_AFTER_BYTES: Duration = Duration::from_millis(250);
const LOOK_WHEN_QUIET: Duration = Duration::from_secs(1);
/// Samples are for people to look at, some time.
const SAMPLES_EVERY: Duration = Duration::from_secs(600);
const GRAMMAR_EVERY: Duration = Duration::from_secs(6 * 3600);
/// So many events wait at most; then reading waits, and the logs themselves keep the rest.
pub const QUEUE_LIMIT: u64 = 50_000;

/// How a reader runs.
#[derive(Clone)]
pub struct Watch {
    /// The live logs, which need not exist yet.
    pub logs: Vec<PathBuf>,
    pub filter: SharedFilter,
    /// Where to upload; without one nothing leaves the machine and nothing is kept.
    pub server: Option<Server>,
    /// Where queue and places are kept, one folder a site.
    pub folder: PathBuf,
    /// Reads the backups that are there at the very first start.
    pub with_backups: bool,
    pub queue_limit: u64,
    /// Unknown lines, and whether they may be sent.
    pub samples: Arc<SampleBox>,
    pub pace: Pace,
}

/// A hand on a running reader, for a signal, a page or a test.
#[derive(Default)]
pub struct Control {
    is_stopped: AtomicBool,
    is_paused: AtomicBool,
    changed: Notify,
}

impl Control {
    /// Ends the reader soon. Nothing is lost: what waits, waits on disk.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
        self.changed.notify_waiters();
    }

    /// Holds uploads back, or lets them go on; reading goes on either way.
    pub fn pause(&self, is_paused: bool) {
        self.is_paused.store(is_paused, Ordering::SeqCst);
        self.changed.notify_waiters();
    }

    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::SeqCst)
    }

    pub fn is_paused(&self) -> bool {
        self.is_paused.load(Ordering::SeqCst)
    }

    /// Waits for [`Control::stop`].
    pub async fn stopped(&self) {
        loop {
            // Made before the look: a stop in between wakes it.
            let changed = self.changed.notified();
            if self.is_stopped() {
                return;
            }
            changed.await;
        }
    }
}

/// Follows and uploads until [`Control::stop`].
pub async fn run(watch: Watch, sink: Arc<Mutex<dyn Sink>>, control: Arc<Control>) -> Result<(), WatchError> {
    let uploader = watch.server.as_ref().map(Uploader::new).transpose()?;
    let keeper: Keeper = match &uploader {
        Some(_) => Some(Arc::new(Mutex::new(Queue::open(&watch.folder, watch.queue_limit)?))),
        None => None,
    };
    let _running = status::announce(&watch.folder, watch.server.as_ref(), &watch.logs);
    let arrived = Arc::new(Notify::new());
    let grammars = Arc::new(Shelf::open(watch.server.as_ref().map(|_| watch.folder.as_path()))?);
    let following = {
        let (watch, sink, control) = (watch.clone(), sink.clone(), control.clone());
        let (keeper, arrived, grammars) = (keeper.clone(), arrived.clone(), grammars.clone());
        tokio::task::spawn_blocking(move || {
            let result = follow_all(&watch, &keeper, &sink, &grammars, &control, &arrived);
            // Uploading stops once following ends.
            control.stop();
            arrived.notify_one();
            result
        })
    };
    let uploading = match (uploader, keeper) {
        (Some(uploader), Some(queue)) => {
            let uploading = upload_all(&uploader, &queue, watch.pace, &sink, &control, &arrived);
            tokio::select! {
                result = uploading => result,
                never = refresh_grammars(&grammars, watch.server.as_ref()) => match never {},
                never = send_samples(&watch.samples, watch.server.as_ref()) => match never {},
            }
        }
        _ => Ok(()),
    };
    if uploading.is_err() {
        control.stop();
    }
    let followed = following.await.unwrap_or_else(|panic| Err(WatchError::Thread(panic.to_string())));
    uploading.and(followed)
}

fn follow_all(
    watch: &Watch,
    keeper: &Keeper,
    sink: &Mutex<dyn Sink>,
    grammars: &Arc<Shelf>,
    control: &Arc<Control>,
    arrived: &Notify,
) -> Result<(), WatchError> {
    let mut followers: Vec<Follower> = watch
        .logs
        .iter()
        .map(|log| {
            Follower::new(log.clone(), grammars.clone(), watch.filter.clone(), keeper.clone(), watch.with_backups)
                .with_samples(watch.samples.clone())
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
            let waiting = keeper.as_ref().map_or(0, |queue| lock(queue).waiting());
            lock(sink).note(&Note::Waits(waiting));
            arrived.notify_one();
        }
        match woken.recv_timeout(if has_bytes { LOOK_AFTER_BYTES } else { LOOK_WHEN_QUIET }) {
            // A burst of signals is one reason to look.
            Ok(()) => while woken.try_recv().is_ok() {},
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
        }
    }
    Ok(())
}

/// Asks the site for newer shapes now and then; patch days come without notice.
/// The followers see at their next look that there is another one.
async fn refresh_grammars(grammars: &Shelf, server: Option<&Server>) -> std::convert::Infallible {
    loop {
        if let Some(server) = server {
            grammars.refresh(server).await;
        }
        tokio::time::sleep(GRAMMAR_EVERY).await;
    }
}

/// Sends unknown lines now and then, if their user has said yes. A site that does not take them is asked again later.
async fn send_samples(samples: &SampleBox, server: Option<&Server>) -> std::convert::Infallible {
    loop {
        tokio::time::sleep(SAMPLES_EVERY).await;
        if let (Some(lot), Some(server)) = (samples.unsent(), server)
            && upload::send_samples(&server.url, &lot.patch, &lot.samples).await.is_ok()
        {
            samples.sent(&lot);
        }
    }
}

/// A signal for every change beside a log. Where none can be had, looking at times is enough.
fn watchers(followers: &[Follower], wake: &Sender<()>) -> Vec<notify::RecommendedWatcher> {
    let mut watchers = Vec::new();
    for folder in followers.iter().filter_map(|follower| follower.log().parent()) {
        let wake = wake.clone();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // Looking at a log is told of as well: without this, each look would be the reason for the next.
            if event.is_ok_and(|event| event.kind.is_access()) {
                return;
            }
            // The other end is gone only when the reader ends.
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
    pace: Pace,
    sink: &Mutex<dyn Sink>,
    control: &Control,
    arrived: &Notify,
) -> Result<(), WatchError> {
    let mut failures = 0;
    let mut max_events = BATCH_MAX_EVENTS;
    while !control.is_stopped() {
        let next = match control.is_paused() {
            true => None,
            false => lock(queue).batch(max_events, BATCH_MAX_BYTES)?,
        };
        let Some(batch) = next else {
            rest(LOOK_WHEN_QUIET, control, Some(arrived)).await;
            continue;
        };
        let result = tokio::select! {
            result = uploader.send(&batch.lines) => result,
            // What the site may have taken is sent again at the next start, and it knows it.
            () = control.stopped() => return Ok(()),
        };
        status::note_upload(lock(queue).folder(), &result);
        match result {
            Ok(answer) => {
                max_events = BATCH_MAX_EVENTS;
                if answered(queue, sink, &batch, answer)? {
                    failures = 0;
                } else {
                    failures += 1;
                    rest(pace.pause(failures, None, rand::random()), control, None).await;
                }
            }
            Err(UploadError::TooLarge(_) | UploadError::Unreadable(_)) if batch.events.len() > 1 => {
                // One event may spoil the rest: halving finds it.
                max_events = batch.events.len() / 2;
            }
            Err(UploadError::TooLarge(error) | UploadError::Unreadable(error)) => {
                set_aside(queue, sink, &batch, error)?;
                max_events = BATCH_MAX_EVENTS;
            }
            Err(UploadError::Key(error)) => {
                lock(sink).note(&Note::KeyRefused { error });
                rest(pace.key, control, None).await;
            }
            Err(UploadError::Later { error, after }) => {
                failures += 1;
                let pause = pace.pause(failures, after, rand::random());
                lock(sink).note(&Note::Retry { error, secs: pause.as_secs().max(1) });
                rest(pause, control, None).await;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Notes what the site did with a batch. Events that are only ahead of its clock go to the end of the queue; false when it
/// took nothing else, and trying again at once would change nothing.
fn answered(queue: &Mutex<Queue>, sink: &Mutex<dyn Sink>, batch: &Batch, answer: Answer) -> Result<bool, WatchError> {
    let (accepted, duplicates) = (answer.accepted, answer.duplicates);
    let (early, refused) = answer.sorted(|index| batch.events.get(index));
    let again: Vec<Event> = early.iter().filter_map(|early| batch.events.get(early.index).cloned()).collect();
    let (has_taken, early) = (again.len() < batch.events.len(), again.len() as u64);
    let waiting = {
        let mut queue = lock(queue);
        queue.done_but(batch.events.len() as u64, again)?;
        queue.waiting()
    };
    let mut sink = lock(sink);
    for rejected in refused {
        let event_id = batch.events.get(rejected.index).and_then(|event| event.event_id.clone());
        sink.note(&Note::Rejected { event_id, error: rejected.error });
    }
    if early > 0 {
        sink.note(&Note::Early(early));
    }
    if has_taken {
        sink.note(&Note::Uploaded { accepted, duplicates });
    }
    sink.note(&Note::Waits(waiting));
    Ok(has_taken)
}

/// An event that the site can never read must not hold up all others; it is named and left out.
fn set_aside(queue: &Mutex<Queue>, sink: &Mutex<dyn Sink>, batch: &Batch, error: String) -> Result<(), WatchError> {
    lock(queue).done(batch.events.len() as u64)?;
    let event_id = batch.events.first().and_then(|event| event.event_id.clone());
    lock(sink).note(&Note::Rejected { event_id, error });
    Ok(())
}

/// Waits, unless something changes that makes waiting pointless.
async fn rest(time: Duration, control: &Control, arrived: Option<&Notify>) {
    let changed = control.changed.notified();
    if control.is_stopped() {
        return;
    }
    match arrived {
        Some(arrived) => {
            tokio::select! {
                () = tokio::time::sleep(time) => {}
                () = changed => {}
                () = arrived.notified() => {}
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
