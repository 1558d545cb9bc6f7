//! Statistics and triggers of the jobs of this process.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use crate::domain::times::EpochMillis;

/// Statistics of a job since the start of the process.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct JobStats {
    pub runs: u64,
    pub failures: u64,
    pub last_at: Option<EpochMillis>,
    pub last_ms: u64,
    /// Error of the last run; `None` if it succeeded.
    pub last_error: Option<String>,
}

#[derive(Debug, Default)]
struct Entry {
    stats: JobStats,
    trigger: Arc<Notify>,
}

/// The jobs of this process.
#[derive(Debug, Default)]
pub struct JobTriggers(Mutex<BTreeMap<&'static str, Entry>>);

impl JobTriggers {
    fn entries(&self) -> MutexGuard<'_, BTreeMap<&'static str, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job, so that it is listed before its first run ends.
    pub fn register(&self, name: &'static str) {
        self.entries().entry(name).or_default();
    }

    /// Records a run that has just ended.
    pub fn record_run(&self, name: &'static str, at: EpochMillis, took: Duration, error: Option<String>) {
        let mut entries = self.entries();
        let stats = &mut entries.entry(name).or_default().stats;
        stats.runs += 1;
        stats.failures += u64::from(error.is_some());
        stats.last_at = Some(at);
        stats.last_ms = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        stats.last_error = error;
    }

    /// Waits for `wait` or until the job is triggered. A trigger before the call counts.
    pub async fn wait_for_trigger(&self, name: &'static str, wait: Duration) {
        let trigger = Arc::clone(&self.entries().entry(name).or_default().trigger);
        // The job runs in both cases.
        let _ = tokio::time::timeout(wait, trigger.notified()).await;
    }

    /// Triggers a run of a job. Returns false if this process has no job of that name.
    pub fn trigger(&self, name: &str) -> bool {
        let entries = self.entries();
        let found = entries.get(name);
        if let Some(entry) = found {
            entry.trigger.notify_one();
        }
        found.is_some()
    }

    /// Returns all jobs, ordered by name.
    pub fn all(&self) -> Vec<(&'static str, JobStats)> {
        self.entries().iter().map(|(name, entry)| (*name, entry.stats.clone())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_trigger_ends_the_wait_even_if_it_came_before() {
        let jobs = JobTriggers::default();
        assert!(!jobs.trigger("sweep"), "there is no such job");
        jobs.register("sweep");
        assert_eq!(jobs.all(), [("sweep", JobStats::default())]);
        jobs.record_run("sweep", EpochMillis(1), Duration::ZERO, None);
        assert!(jobs.trigger("sweep"));
        jobs.wait_for_trigger("sweep", Duration::from_secs(3600)).await;
        jobs.record_run("sweep", EpochMillis(2), Duration::from_millis(5), Some("no disk".into()));
        let (_, stats) = &jobs.all()[0];
        assert_eq!((stats.runs, stats.failures, stats.last_error.as_deref()), (2, 1, Some("no disk")));
    }
}
