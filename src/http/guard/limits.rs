//! Who has asked for how much: counted by address and by account, for each class of routes.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use super::{RequestMetrics, RouteClass};
use crate::config::Limits;
use crate::error::AppError;

/// Refusals are counted over this time.
const STRIKE_WINDOW: Duration = Duration::from_secs(60);
/// After so many requests those who have been quiet are forgotten.
const CLEANUP_EVERY_REQUESTS: u64 = 50_000;
/// How many calls of webhooks from one address may fail within [`STRIKES`]: good ones are never counted.
const MAX_WEBHOOK_FAILURES: u32 = 30;
/// Addresses that are remembered as refused or shut out.
const MAX_TRACKED_ADDRESSES: u64 = 100_000;

/// Whom a request is counted to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RateLimitKey {
    Address(IpAddr),
    /// A hash of an id or key, different in each process.
    Account(u64),
}

impl RateLimitKey {
    pub fn of(account: &str) -> Self {
        static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        Self::Account(HASHER.hash_one(account))
    }
}

/// The streams that are open.
#[derive(Default)]
struct OpenStreams {
    /// `None`: from addresses that are not counted.
    by_address: HashMap<Option<IpAddr>, usize>,
    /// Their sum: adding it up for each new stream would take the longer the more there are.
    total: usize,
}

/// Counts requests and open streams.
pub struct Limiter {
    limits: Limits,
    counts: HashMap<RouteClass, DefaultKeyedRateLimiter<RateLimitKey>>,
    clock: DefaultClock,
    request_count: AtomicU64,
    strikes: moka::sync::Cache<IpAddr, Arc<AtomicU32>>,
    blocked: moka::sync::Cache<IpAddr, Instant>,
    /// Calls of webhooks that failed, by address.
    webhook_failures: moka::sync::Cache<IpAddr, Arc<AtomicU32>>,
    streams: Mutex<OpenStreams>,
    pub metrics: RequestMetrics,
}

impl Limiter {
    /// `connections` is what the system lets us have: streams leave a part of them to everybody else.
    pub fn new(mut limits: Limits, connections: usize) -> Self {
        limits.streams_in_all = limits.streams_in_all.min(connections - connections / 5);
        let quota = |a_minute: u32| {
            RateLimiter::dashmap(Quota::per_minute(NonZeroU32::new(a_minute).unwrap_or(NonZeroU32::MIN)))
        };
        let counts = HashMap::from([
            (RouteClass::Read, quota(limits.reads)),
            (RouteClass::Page, quota(limits.pages)),
            (RouteClass::Write, quota(limits.writes)),
            (RouteClass::Upload, quota(limits.uploads)),
            (RouteClass::Ingest, quota(limits.ingests)),
            (RouteClass::Stream, quota(limits.streams)),
        ]);
        Self {
            counts,
            clock: DefaultClock::default(),
            request_count: AtomicU64::new(0),
            strikes: moka::sync::Cache::builder()
                .max_capacity(MAX_TRACKED_ADDRESSES)
                .time_to_live(STRIKE_WINDOW)
                .build(),
            webhook_failures: moka::sync::Cache::builder()
                .max_capacity(MAX_TRACKED_ADDRESSES)
                .time_to_live(STRIKE_WINDOW)
                .build(),
            blocked: moka::sync::Cache::builder()
                .max_capacity(MAX_TRACKED_ADDRESSES)
                .time_to_live(Duration::from_secs(limits.block_minutes * 60))
                .build(),
            streams: Mutex::default(),
            metrics: RequestMetrics::default(),
            limits,
        }
    }

    fn is_counted(&self, class: RouteClass, address: IpAddr) -> bool {
        self.counts.contains_key(&class) && self.is_limited(address)
    }

    fn is_limited(&self, address: IpAddr) -> bool {
        self.limits.enabled && (self.limits.loopback || !address.is_loopback())
    }

    /// Counts an answer that refused the call of a webhook. The signature is the proof, so only what fails counts.
    pub fn record_response(&self, class: RouteClass, address: Option<IpAddr>, status: u16) {
        if let Some(address) = address.filter(|_| class == RouteClass::Webhook && (400..500).contains(&status)) {
            self.webhook_failures.get_with(address, Arc::default).fetch_add(1, Ordering::Relaxed);
        }
    }

    fn admit_webhook(&self, address: IpAddr) -> Result<(), AppError> {
        let failed = self.webhook_failures.get(&address).map_or(0, |failed| failed.load(Ordering::Relaxed));
        if failed < MAX_WEBHOOK_FAILURES || !self.is_limited(address) {
            return Ok(());
        }
        self.record_strike(address);
        Err(AppError::RateLimited {
            sentence: "Too many failed calls from this address. Please wait a moment before trying again.".into(),
            retry_after_secs: STRIKE_WINDOW.as_secs(),
        })
    }

    /// Counts a request to its address.
    pub fn admit(&self, class: RouteClass, address: IpAddr) -> Result<(), AppError> {
        if class == RouteClass::Webhook {
            return self.admit_webhook(address);
        }
        if !self.is_counted(class, address) {
            return Ok(());
        }
        if let Some(since) = self.blocked.get(&address) {
            let rest = Duration::from_secs(self.limits.block_minutes * 60).saturating_sub(since.elapsed());
            return Err(AppError::SuspiciousAccess { retry_after_secs: rest.as_secs().max(1) });
        }
        if self.request_count.fetch_add(1, Ordering::Relaxed) % CLEANUP_EVERY_REQUESTS == CLEANUP_EVERY_REQUESTS - 1 {
            self.counts.values().for_each(RateLimiter::retain_recent);
        }
        self.count(class, RateLimitKey::Address(address), address)
    }

    /// Counts a request to its account, which may come from many addresses.
    pub fn admit_account(&self, class: RouteClass, address: IpAddr, account: RateLimitKey) -> Result<(), AppError> {
        if self.is_counted(class, address) { self.count(class, account, address) } else { Ok(()) }
    }

    fn count(&self, class: RouteClass, who: RateLimitKey, address: IpAddr) -> Result<(), AppError> {
        let Some(counts) = self.counts.get(&class) else { return Ok(()) };
        let Err(refused) = counts.check_key(&who) else { return Ok(()) };
        let wait = refused.wait_time_from(self.clock.now());
        self.record_strike(address);
        let whom = if matches!(who, RateLimitKey::Account(_)) { "account" } else { "address" };
        Err(AppError::RateLimited {
            sentence: format!("Too many requests from this {whom}. Please wait a moment before trying again."),
            retry_after_secs: wait.as_secs() + 1,
        })
    }

    /// Whoever goes on in spite of refusals is shut out.
    fn record_strike(&self, address: IpAddr) {
        let strikes = self.strikes.get_with(address, Arc::default);
        if strikes.fetch_add(1, Ordering::Relaxed) + 1 == self.limits.block_after {
            tracing::warn!(minutes = self.limits.block_minutes, "an address that ignores refusals is shut out");
            self.blocked.insert(address, Instant::now());
            self.strikes.invalidate(&address);
            self.metrics.record_block();
        }
    }

    /// Takes a place for a live stream, given back when it is dropped.
    pub fn open_stream(self: &Arc<Self>, address: Option<IpAddr>) -> Result<Stream, AppError> {
        let mut open = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let is_counted = address.is_some_and(|address| self.is_counted(RouteClass::Stream, address));
        if self.limits.enabled && open.total >= self.limits.streams_in_all {
            return Err(AppError::Overloaded);
        }
        let key = address.filter(|_| is_counted);
        let own = open.by_address.entry(key).or_default();
        if is_counted && *own >= self.limits.streams_per_address {
            return Err(AppError::RateLimited {
                sentence: format!(
                    "At most {} live streams of one address are open at a time.",
                    self.limits.streams_per_address
                ),
                retry_after_secs: 30,
            });
        }
        *own += 1;
        open.total += 1;
        Ok(Stream { limiter: Arc::clone(self), key })
    }

    fn close_stream(&self, key: Option<IpAddr>) {
        let mut open = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = open.by_address.get_mut(&key) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                open.by_address.remove(&key);
            }
            open.total = open.total.saturating_sub(1);
        }
    }
}

/// The place of an open live stream.
pub struct Stream {
    limiter: Arc<Limiter>,
    key: Option<IpAddr>,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.limiter.close_stream(self.key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limiter(change: impl FnOnce(&mut Limits)) -> Arc<Limiter> {
        let mut limits = Limits {
            enabled: true,
            reads: 5,
            pages: 300,
            writes: 120,
            uploads: 30,
            ingests: 600,
            streams: 120,
            block_after: 3,
            block_minutes: 10,
            streams_per_address: 2,
            streams_in_all: 3,
            connections: 40_000,
            loopback: false,
        };
        change(&mut limits);
        Arc::new(Limiter::new(limits, 1_000))
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn who_asks_too_often_waits_and_who_does_not_wait_is_shut_out() {
        let limiter = limiter(|_| {});
        let address = ip("198.51.100.7");
        for _ in 0..5 {
            limiter.admit(RouteClass::Read, address).unwrap();
        }
        for _ in 0..3 {
            let refused = limiter.admit(RouteClass::Read, address).unwrap_err();
            assert!(matches!(refused, AppError::RateLimited { retry_after_secs: 1..=13, .. }), "{refused:?}");
        }
        let shut_out = limiter.admit(RouteClass::Write, address).unwrap_err();
        assert!(matches!(shut_out, AppError::SuspiciousAccess { retry_after_secs: 590..=600 }), "{shut_out:?}");
        // Others and what is never counted go on.
        limiter.admit(RouteClass::Read, ip("198.51.100.8")).unwrap();
        limiter.admit(RouteClass::Unlimited, address).unwrap();
        limiter.admit(RouteClass::Webhook, address).unwrap();
    }

    #[test]
    fn an_account_is_counted_over_all_its_addresses() {
        let limiter = limiter(|_| {});
        let who = RateLimitKey::of("123");
        let refused = (1..=6)
            .map(|n| limiter.admit_account(RouteClass::Read, ip(&format!("198.51.100.{n}")), who))
            .filter(Result::is_err);
        assert_eq!(refused.count(), 1);
        limiter.admit_account(RouteClass::Read, ip("198.51.100.9"), RateLimitKey::of("456")).unwrap();
    }

    #[test]
    fn this_machine_is_counted_only_when_asked() {
        let (free, counted) = (limiter(|_| {}), limiter(|limits| limits.loopback = true));
        let many =
            |limiter: &Limiter| (0..20).filter(|_| limiter.admit(RouteClass::Read, ip("127.0.0.1")).is_err()).count();
        assert_eq!(many(&free), 0);
        assert!(many(&counted) > 0);
    }

    #[test]
    fn streams_have_places_that_come_back() {
        let limiter = limiter(|_| {});
        let (a, b) = (Some(ip("198.51.100.1")), Some(ip("198.51.100.2")));
        let first = limiter.open_stream(a).unwrap();
        let _second = limiter.open_stream(a).unwrap();
        assert!(matches!(limiter.open_stream(a), Err(AppError::RateLimited { .. })));
        let _third = limiter.open_stream(b).unwrap();
        assert!(matches!(limiter.open_stream(b), Err(AppError::Overloaded)), "all places are taken");
        drop(first);
        limiter.open_stream(b).unwrap();
    }
}
