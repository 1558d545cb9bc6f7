//! Rate limits by address and by account for each class of routes, and quotas of live streams.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, RateLimiter};
use moka::sync::Cache;

use super::{RequestMetrics, RouteClass};
use crate::config::Limits;
use crate::domain::quota::{Permit, Quota, QuotaExceeded};
use crate::error::AppError;

/// Rejected requests of an address are counted over this window.
const STRIKE_WINDOW: Duration = Duration::from_secs(60);
/// Keys without recent requests are dropped each time this many requests have been counted.
const CLEANUP_EVERY_REQUESTS: u64 = 50_000;
/// Webhook calls of one address that may fail within [`STRIKE_WINDOW`]. Valid calls are not limited.
const MAX_WEBHOOK_FAILURES: u32 = 30;
/// Addresses with strikes or blocks that are tracked at the same time.
const MAX_TRACKED_ADDRESSES: u64 = 100_000;
/// `Retry-After` of an address with too many live streams.
const STREAM_RETRY_AFTER_SECS: u64 = 30;

/// The address or account that a request counts toward.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RateLimitKey {
    Address(IpAddr),
    /// A hash of a Discord id or ingest key, seeded differently in each process.
    Account(u64),
}

impl RateLimitKey {
    pub fn of(account: &str) -> Self {
        static HASHER: LazyLock<RandomState> = LazyLock::new(RandomState::new);
        Self::Account(HASHER.hash_one(account))
    }
}

/// Applies the `[limits]` of the settings to requests and live streams.
pub struct Limiter {
    limits: Limits,
    counts: HashMap<RouteClass, DefaultKeyedRateLimiter<RateLimitKey>>,
    clock: DefaultClock,
    request_count: AtomicU64,
    strikes: Cache<IpAddr, Arc<AtomicU32>>,
    blocked: Cache<IpAddr, Instant>,
    /// Failed webhook calls by address.
    webhook_failures: Cache<IpAddr, Arc<AtomicU32>>,
    streams: Quota<IpAddr>,
    pub metrics: RequestMetrics,
}

impl Limiter {
    /// `connections` is the number of connections that the server accepts. Streams use at most 80 % of them.
    pub fn new(limits: Limits, connections: usize) -> Self {
        let max_streams = limits.streams_in_all.min(connections - connections / 5);
        let max_streams = if limits.enabled { max_streams } else { usize::MAX };
        let quota = |per_minute: u32| {
            RateLimiter::dashmap(governor::Quota::per_minute(NonZeroU32::new(per_minute).unwrap_or(NonZeroU32::MIN)))
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
            strikes: tracked(STRIKE_WINDOW),
            webhook_failures: tracked(STRIKE_WINDOW),
            blocked: tracked(Duration::from_secs(limits.block_minutes * 60)),
            streams: Quota::new(limits.streams_per_address, max_streams),
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

    /// Counts a webhook call that failed with a client error. A valid signature proves the sender, so only failures count.
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

    /// Counts a request toward its address, or rejects it.
    pub fn admit(&self, class: RouteClass, address: IpAddr) -> Result<(), AppError> {
        if class == RouteClass::Webhook {
            return self.admit_webhook(address);
        }
        if !self.is_counted(class, address) {
            return Ok(());
        }
        if let Some(since) = self.blocked.get(&address) {
            let remaining = Duration::from_secs(self.limits.block_minutes * 60).saturating_sub(since.elapsed());
            return Err(AppError::SuspiciousAccess { retry_after_secs: remaining.as_secs().max(1) });
        }
        if self.request_count.fetch_add(1, Ordering::Relaxed) % CLEANUP_EVERY_REQUESTS == CLEANUP_EVERY_REQUESTS - 1 {
            self.counts.values().for_each(RateLimiter::retain_recent);
        }
        self.count(class, RateLimitKey::Address(address), address)
    }

    /// Counts a request toward its account, whichever address it comes from, or rejects it.
    pub fn admit_account(&self, class: RouteClass, address: IpAddr, account: RateLimitKey) -> Result<(), AppError> {
        if self.is_counted(class, address) { self.count(class, account, address) } else { Ok(()) }
    }

    fn count(&self, class: RouteClass, key: RateLimitKey, address: IpAddr) -> Result<(), AppError> {
        let Some(counts) = self.counts.get(&class) else { return Ok(()) };
        let Err(rejected) = counts.check_key(&key) else { return Ok(()) };
        let wait = rejected.wait_time_from(self.clock.now());
        self.record_strike(address);
        let owner = if matches!(key, RateLimitKey::Account(_)) { "account" } else { "address" };
        Err(AppError::RateLimited {
            sentence: format!("Too many requests from this {owner}. Please wait a moment before trying again."),
            retry_after_secs: wait.as_secs() + 1,
        })
    }

    /// Counts a rejected request, and blocks the address after `block-after` of them within [`STRIKE_WINDOW`].
    fn record_strike(&self, address: IpAddr) {
        let strikes = self.strikes.get_with(address, Arc::default);
        if strikes.fetch_add(1, Ordering::Relaxed) + 1 == self.limits.block_after {
            tracing::warn!(
                minutes = self.limits.block_minutes,
                "an address that keeps exceeding the limits is blocked"
            );
            self.blocked.insert(address, Instant::now());
            self.strikes.invalidate(&address);
            self.metrics.record_block();
        }
    }

    /// Takes a permit for a live stream from this address; the stream returns it when it is dropped.
    pub fn acquire_stream(&self, address: Option<IpAddr>) -> Result<Permit<IpAddr>, AppError> {
        let counted = address.filter(|address| self.is_counted(RouteClass::Stream, *address));
        self.streams.acquire(counted).map_err(|exceeded| match exceeded {
            QuotaExceeded::Total => AppError::Overloaded,
            QuotaExceeded::PerKey => AppError::RateLimited {
                sentence: format!(
                    "One address may have at most {} live streams open.",
                    self.limits.streams_per_address
                ),
                retry_after_secs: STREAM_RETRY_AFTER_SECS,
            },
        })
    }
}

/// What is known of addresses for this long.
fn tracked<T: Clone + Send + Sync + 'static>(ttl: Duration) -> Cache<IpAddr, T> {
    Cache::builder().max_capacity(MAX_TRACKED_ADDRESSES).time_to_live(ttl).build()
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
    fn an_address_over_its_limit_is_rejected_and_then_blocked() {
        let limiter = limiter(|_| {});
        let address = ip("198.51.100.7");
        for _ in 0..5 {
            limiter.admit(RouteClass::Read, address).unwrap();
        }
        for _ in 0..3 {
            let rejected = limiter.admit(RouteClass::Read, address).unwrap_err();
            assert!(matches!(rejected, AppError::RateLimited { retry_after_secs: 1..=13, .. }), "{rejected:?}");
        }
        let blocked = limiter.admit(RouteClass::Write, address).unwrap_err();
        assert!(matches!(blocked, AppError::SuspiciousAccess { retry_after_secs: 590..=600 }), "{blocked:?}");
        // Other addresses and unlimited routes are not affected.
        limiter.admit(RouteClass::Read, ip("198.51.100.8")).unwrap();
        limiter.admit(RouteClass::Unlimited, address).unwrap();
        limiter.admit(RouteClass::Webhook, address).unwrap();
    }

    #[test]
    fn an_account_is_limited_over_all_its_addresses() {
        let limiter = limiter(|_| {});
        let account = RateLimitKey::of("123");
        let rejected = (1..=6)
            .map(|n| limiter.admit_account(RouteClass::Read, ip(&format!("198.51.100.{n}")), account))
            .filter(Result::is_err);
        assert_eq!(rejected.count(), 1);
        limiter.admit_account(RouteClass::Read, ip("198.51.100.9"), RateLimitKey::of("456")).unwrap();
    }

    #[test]
    fn loopback_is_limited_only_if_the_setting_says_so() {
        let (unlimited, limited) = (limiter(|_| {}), limiter(|limits| limits.loopback = true));
        let many =
            |limiter: &Limiter| (0..20).filter(|_| limiter.admit(RouteClass::Read, ip("127.0.0.1")).is_err()).count();
        assert_eq!(many(&unlimited), 0);
        assert!(many(&limited) > 0);
    }

    #[test]
    fn streams_are_limited_per_address_and_in_total() {
        let limiter = limiter(|_| {});
        let (a, b) = (Some(ip("198.51.100.1")), Some(ip("198.51.100.2")));
        let first = limiter.acquire_stream(a).unwrap();
        let _second = limiter.acquire_stream(a).unwrap();
        assert!(matches!(limiter.acquire_stream(a), Err(AppError::RateLimited { .. })));
        let _third = limiter.acquire_stream(b).unwrap();
        assert!(matches!(limiter.acquire_stream(b), Err(AppError::Overloaded)), "the total is used up");
        drop(first);
        limiter.acquire_stream(b).unwrap();
    }
}
