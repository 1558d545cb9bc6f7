//! Uploads the queue of a running reader, one batch at a time, until the reader is stopped.

use std::sync::Mutex;
use std::time::Duration;

use gamelog::upload::{MAX_BATCH_BYTES, MAX_BATCH_EVENTS};
use tokio::sync::Notify;

use super::claims::Claims;
use super::control::Control;
use super::error::ReaderError;
use super::log_file::READER;
use super::mutex::lock;
use super::note::{Note, Sink, report_rejected};
use super::queue::{Batch, Queue};
use super::status;
use super::upload::{BatchResponse, ClaimedBy, RetryPolicy, UploadError, Uploader};

/// Interval at which events that wait are checked again.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// The upload of a queue to a site. Followers lock the queue while they hold the sink, so this task never locks the
/// sink while it holds the queue.
pub(super) struct UploadTask<'a> {
    pub uploader: &'a Uploader,
    pub queue: &'a Mutex<Queue>,
    pub retry_policy: RetryPolicy,
    pub sink: &'a Mutex<dyn Sink>,
    pub control: &'a Control,
    /// Notified when events are queued.
    pub new_events: &'a Notify,
    pub claims: Claims,
    /// Number of consecutive failures.
    pub failures: u32,
}

impl UploadTask<'_> {
    /// Uploads until [`Control::stop`]. Returns errors that no retry can solve.
    pub async fn run(mut self) -> Result<(), ReaderError> {
        while !self.control.is_stopped() {
            let is_idle = self.control.is_paused() || lock(self.queue).waiting() == 0;
            if is_idle {
                self.wait_for_events().await;
            } else if self.claims.key_kind.is_none() {
                self.request_key_kind().await?;
            } else if let Some(batch) = self.next_batch()? {
                self.upload(&batch).await?;
            } else {
                self.wait_for_events().await;
            }
        }
        Ok(())
    }

    async fn request_key_kind(&mut self) -> Result<(), ReaderError> {
        let Some(result) = self.control.unless_stopped(self.uploader.key()).await else { return Ok(()) };
        match result {
            Ok(key) => {
                self.claims.key_kind = Some(key.kind);
                Ok(())
            }
            Err(error) => {
                self.record_upload(Some(&error));
                self.wait_after(error).await
            }
        }
    }

    /// The next events to send.
    fn next_batch(&self) -> Result<Option<Batch>, ReaderError> {
        if self.claims.is_account_key() {
            self.drop_nameless()?;
        }
        lock(self.queue).batch(&self.claims, MAX_BATCH_EVENTS, MAX_BATCH_BYTES)
    }

    /// Drops the events of logs that ended without naming their player, which the site never accepts from an account.
    fn drop_nameless(&self) -> Result<(), ReaderError> {
        let (dropped, state) = {
            let mut queue = lock(self.queue);
            (queue.drop_nameless()?, queue.state())
        };
        for count in dropped {
            let mut sink = lock(self.sink);
            sink.note(&Note::Nameless(count));
            sink.note(&Note::Queued(state.clone()));
        }
        Ok(())
    }

    async fn upload(&mut self, batch: &Batch) -> Result<(), ReaderError> {
        if batch.events.is_empty() {
            // Only events of other players.
            return self.change_queue(|queue| queue.acknowledge(batch, Vec::new()));
        }
        let header = batch.source.header(READER);
        let request = self.uploader.send(&batch.events, header.as_ref());
        // If the site has stored the batch, it recognizes the events when they are sent again.
        let Some(result) = self.control.unless_stopped(request).await else { return Ok(()) };
        let facts = &batch.source.facts;
        let claim_note = self.claims.update(facts, &result, self.uploader);
        self.record_upload(result.as_ref().err());
        if let Some(note) = claim_note {
            lock(self.sink).note(&note);
        }
        match result {
            Ok(answer) => self.apply_response(batch, answer).await,
            Err(UploadError::ClaimRequired { claimed_by, .. }) if facts.player().is_some() => {
                self.failures = 0;
                match claimed_by {
                    ClaimedBy::Nobody => Ok(()),
                    ClaimedBy::Other => self.change_queue(|queue| queue.refuse(&batch.source.log)),
                }
            }
            Err(error) => self.wait_after(error).await,
        }
    }

    /// Applies a response to the queue. Events that are only ahead of the site's clock move to the end.
    async fn apply_response(&mut self, batch: &Batch, answer: BatchResponse) -> Result<(), ReaderError> {
        let (accepted, duplicates) = (answer.accepted, answer.duplicates);
        let (early, refused) = answer.split_rejected(&batch.events);
        let again = early.iter().copied().cloned().collect();
        self.change_queue(|queue| queue.acknowledge(batch, again))?;
        report_rejected(&mut *lock(self.sink), early.len(), refused);
        if early.len() < batch.events.len() {
            self.failures = 0;
            lock(self.sink).note(&Note::Uploaded { accepted, duplicates });
        } else {
            // An immediate retry would be useless.
            self.failures += 1;
            self.wait(self.retry_policy.delay(self.failures, None, rand::random())).await;
        }
        Ok(())
    }

    /// Changes the queue and reports its new state.
    fn change_queue(&self, change: impl FnOnce(&mut Queue) -> Result<(), ReaderError>) -> Result<(), ReaderError> {
        let state = {
            let mut queue = lock(self.queue);
            change(&mut queue)?;
            queue.state()
        };
        lock(self.sink).note(&Note::Queued(state));
        Ok(())
    }

    fn record_upload(&self, error: Option<&UploadError>) {
        status::record_upload(&lock(self.queue).folder, error, self.claims.unclaimed());
    }

    /// Waits before the next attempt. Returns the error if no attempt can succeed.
    async fn wait_after(&mut self, error: UploadError) -> Result<(), ReaderError> {
        match error {
            UploadError::KeyRejected(error) | UploadError::ClaimRequired { error, .. } => {
                lock(self.sink).note(&Note::KeyRejected { error });
                self.wait(self.retry_policy.key_rejected).await;
                Ok(())
            }
            UploadError::Temporary { error, after } => {
                self.failures += 1;
                let pause = self.retry_policy.delay(self.failures, after, rand::random());
                lock(self.sink).note(&Note::Retry { error, secs: pause.as_secs().max(1) });
                self.wait(pause).await;
                Ok(())
            }
            error => Err(error.into()),
        }
    }

    /// Waits until the time has passed or the control changes.
    async fn wait(&self, time: Duration) {
        tokio::select! {
            () = tokio::time::sleep(time) => {}
            () = self.control.changed() => {}
        }
    }

    async fn wait_for_events(&self) {
        tokio::select! {
            () = self.wait(CHECK_INTERVAL) => {}
            () = self.new_events.notified() => {}
        }
    }
}
