//! How the jobs of this process ran, and a bell for each.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use crate::domain::times::EpochMillis;

/// How a job fared until now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobStats {
    pub runs: u64,
    pub failures: u64,
    pub last_at: Option<EpochMillis>,
    pub last_ms: u64,
    /// Of the last run, when it failed.
    pub last_error: Option<String>,
}

#[derive(Debug, Default)]
struct Entry {
    note: JobStats,
    trigger: Arc<Notify>,
}

/// All jobs that have run or wait to.
#[derive(Debug, Default)]
pub struct JobTriggers(Mutex<BTreeMap<&'static str, Entry>>);

impl JobTriggers {
    fn entries(&self) -> MutexGuard<'_, BTreeMap<&'static str, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes a run that ended now.
    pub fn record_run(&self, name: &'static str, at: EpochMillis, took: Duration, error: Option<String>) {
        let mut entries = self.entries();
        let note = &mut entries.entry(name).or_default().note;
        note.runs += 1;
        note.failures += u64::from(error.is_some());
        note.last_at = Some(at);
        note.last_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        note.last_error = error;
    }

    /// Waits until a job's time has come or its bell is rung; a bell that rang meanwhile is not lost.
    pub async fn wait_for_trigger(&self, name: &'static str, wait: Duration) {
        let trigger = Arc::clone(&self.entries().entry(name).or_default().trigger);
        // Either way it is time to run.
        let _ = tokio::time::timeout(wait, trigger.notified()).await;
    }

    /// Asks a job to run now; whether there is such a job here.
    pub fn trigger(&self, name: &str) -> bool {
        let entries = self.entries();
        let found = entries.get(name);
        if let Some(entry) = found {
            entry.trigger.notify_one();
        }
        found.is_some()
    }

    /// By name.
    pub fn all(&self) -> Vec<(&'static str, JobStats)> {
        self.entries().iter().map(|(name, entry)| (*name, entry.note.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_bell_ends_the_pause_also_when_it_rang_before() {
        let jobs = JobTriggers::default();
        assert!(!jobs.trigger("sweep"), "nobody waits under that name");
        jobs.record_run("sweep", EpochMillis(1), Duration::ZERO, None);
        assert!(jobs.trigger("sweep"));
        jobs.wait_for_trigger("sweep", Duration::from_secs(3600)).await;
        jobs.record_run("sweep", EpochMillis(2), Duration::from_millis(5), Some("no disk".into()));
        let (_, note) = &jobs.all()[0];
        assert_eq!((note.runs, note.failures, note.last_error.as_deref()), (2, 1, Some("no disk")));
    }
}
