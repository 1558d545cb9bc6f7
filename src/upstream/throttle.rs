//! Limits the request rate to one site: a token bucket with a burst, and a pause after the site rejects requests.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use net::Backoff;

use crate::domain::user_locks::UserLocks;

/// Priority of a request at the throttle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// A user with this id waits for the response. Fails if the wait would exceed `MAX_WAIT`.
    User(i64),
    /// A background job. Uses at most half of the burst and waits without a limit.
    Background,
}

/// Longest wait of a request with `Priority::User`.
const MAX_WAIT: Duration = Duration::from_secs(8);
/// Pauses after repeated rejections.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(5), Duration::from_secs(300));
/// Consecutive rejections after which requests pause. A single one may be accidental.
const REJECTIONS_BEFORE_PAUSE: u32 = 3;

/// Why a request may not be sent now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThrottleError {
    /// The wait would exceed `MAX_WAIT`.
    Busy { retry_after: Duration },
    /// The site rejected earlier requests, and the pause is not over.
    Paused { retry_after: Duration },
}

/// Rate limiter for one site, shared by all requests of the process.
#[derive(Debug, Clone)]
pub struct Throttle {
    state: Arc<Mutex<State>>,
    /// One request per user waits for a slot; further requests of that user wait for it. Slots rotate among users. Background requests
    /// are those of user 0, so that they reserve at most one slot in advance.
    users: UserLocks,
}

impl Throttle {
    /// Allows one request per `interval` on average, and `burst` requests immediately after an idle period.
    pub fn new(interval: Duration, burst: u32) -> Self {
        let state = Arc::new(Mutex::new(State::new(interval, burst, Instant::now())));
        Self { state, users: UserLocks::default() }
    }

    /// Waits until the request may be sent. A caller that is dropped while it waits has used up its slot.
    pub async fn acquire(&self, priority: Priority) -> Result<(), ThrottleError> {
        let busy = |_| ThrottleError::Busy { retry_after: MAX_WAIT };
        let _queue_guard = match priority {
            Priority::Background => self.users.lock(0).await,
            Priority::User(user) => tokio::time::timeout(MAX_WAIT, self.users.lock(user)).await.map_err(busy)?,
        };
        let wait = self.state().reserve(Instant::now(), priority)?;
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        Ok(())
    }

    /// Returns the remaining pause, or zero if requests may be sent.
    pub fn paused_for(&self) -> Duration {
        self.state().paused_until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()))
    }

    /// Records a successful response.
    pub fn record_success(&self) {
        self.state().rejections = 0;
    }

    /// Records a rejection, with the `Retry-After` of the site if there was one.
    pub fn record_rejection(&self, retry_after: Option<Duration>) {
        self.state().record_rejection(Instant::now(), retry_after);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Token bucket, represented by the time at which it will be full again.
#[derive(Debug)]
struct State {
    interval: Duration,
    burst: u32,
    full_at: Instant,
    paused_until: Option<Instant>,
    rejections: u32,
}

impl State {
    fn new(interval: Duration, burst: u32, now: Instant) -> Self {
        Self { interval, burst: burst.max(1), full_at: now, paused_until: None, rejections: 0 }
    }

    /// Reserves the next slot and returns the time until it starts.
    fn reserve(&mut self, now: Instant, priority: Priority) -> Result<Duration, ThrottleError> {
        if let Some(until) = self.paused_until.filter(|until| *until > now) {
            return Err(ThrottleError::Paused { retry_after: until - now });
        }
        let burst = match priority {
            Priority::User(_) => self.burst,
            Priority::Background => (self.burst / 2).max(1),
        };
        let after = self.full_at.max(now) + self.interval;
        let wait = (after - now).saturating_sub(self.interval * burst);
        if matches!(priority, Priority::User(_)) && wait > MAX_WAIT {
            return Err(ThrottleError::Busy { retry_after: wait });
        }
        self.full_at = after;
        Ok(wait)
    }

    fn record_rejection(&mut self, now: Instant, retry_after: Option<Duration>) {
        self.rejections = self.rejections.saturating_add(1);
        let own_pause = if self.rejections < REJECTIONS_BEFORE_PAUSE {
            Duration::ZERO
        } else {
            BACKOFF.delay(self.rejections - REJECTIONS_BEFORE_PAUSE + 1)
        };
        let requested_pause = retry_after.unwrap_or_default().min(BACKOFF.max);
        let pause = own_pause.max(requested_pause);
        if !pause.is_zero() {
            self.paused_until = Some(now + pause);
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_burst_of_ten_is_followed_by_one_request_per_second() {
        let now = Instant::now();
        let mut state = State::new(SECOND, 10, now);
        for _ in 0..10 {
            assert_eq!(state.reserve(now, Priority::User(1)), Ok(Duration::ZERO));
        }
        assert_eq!(state.reserve(now, Priority::User(1)), Ok(SECOND));
        assert_eq!(state.reserve(now, Priority::User(1)), Ok(2 * SECOND));
        // After 30 idle seconds the burst is available again, but not more.
        let later = now + 30 * SECOND;
        let immediate = (0..12).filter(|_| state.reserve(later, Priority::User(1)) == Ok(Duration::ZERO)).count();
        assert_eq!(immediate, 10);
    }

    #[test]
    fn one_minute_allows_a_burst_and_sixty_requests_at_most() {
        let begin = Instant::now();
        let mut state = State::new(SECOND, 10, begin);
        let mut starts = 0;
        for tick in 0..600 {
            let now = begin + Duration::from_millis(100 * tick);
            if let Ok(wait) = state.reserve(now, Priority::User(1))
                && now + wait < begin + 60 * SECOND
            {
                starts += 1;
            }
        }
        assert!((60..=70).contains(&starts), "{starts}");
    }

    #[test]
    fn background_requests_use_at_most_half_of_the_burst() {
        let now = Instant::now();
        let mut state = State::new(SECOND, 10, now);
        let immediate = (0..8).filter(|_| state.reserve(now, Priority::Background) == Ok(Duration::ZERO)).count();
        assert_eq!(immediate, 5);
        assert_eq!(state.reserve(now, Priority::User(1)), Ok(Duration::ZERO));
    }

    #[tokio::test]
    async fn waiting_background_requests_do_not_delay_a_user() {
        let throttle = Throttle::new(SECOND, 10);
        let mut requests: Vec<_> = (0..50).map(|_| Box::pin(throttle.acquire(Priority::Background))).collect();
        let immediate = requests.iter_mut().filter_map(|request| request.now_or_never()).count();
        assert!(immediate < 50, "some wait");
        assert_eq!(throttle.acquire(Priority::User(1)).now_or_never(), Some(Ok(())));
    }

    #[tokio::test]
    async fn many_requests_of_one_user_do_not_delay_another_user() {
        let throttle = Throttle::new(3 * SECOND, 10);
        let mut requests: Vec<_> = (0..40).map(|_| Box::pin(throttle.acquire(Priority::User(1)))).collect();
        let immediate = requests.iter_mut().filter_map(|request| request.now_or_never()).count();
        assert!((10..40).contains(&immediate), "{immediate}");
        // One of the others has a slot.
        let wait = throttle.state().reserve(Instant::now(), Priority::User(2)).unwrap();
        assert!(wait <= 2 * 3 * SECOND, "{wait:?}");
    }

    #[test]
    fn a_user_request_fails_if_the_queue_is_too_long() {
        let now = Instant::now();
        let mut state = State::new(SECOND, 1, now);
        let outcomes: Vec<_> = (0..12).map(|_| state.reserve(now, Priority::User(1))).collect();
        assert_eq!(outcomes[8], Ok(8 * SECOND));
        assert_eq!(outcomes[9], Err(ThrottleError::Busy { retry_after: 9 * SECOND }));
        // A rejected request takes no slot.
        assert_eq!(outcomes[11], outcomes[9]);
    }

    #[test]
    fn pauses_follow_retry_after_and_double_after_repeated_rejections() {
        let now = Instant::now();
        let mut state = State::new(SECOND, 10, now);
        state.record_rejection(now, None);
        assert_eq!(state.reserve(now, Priority::User(1)), Ok(Duration::ZERO), "a single rejection causes no pause");
        state.record_rejection(now, Some(30 * SECOND));
        assert_eq!(state.reserve(now, Priority::User(1)), Err(ThrottleError::Paused { retry_after: 30 * SECOND }));
        let later = now + 31 * SECOND;
        state.record_rejection(later, None);
        assert_eq!(state.reserve(later, Priority::Background), Err(ThrottleError::Paused { retry_after: 5 * SECOND }));
        for _ in 0..20 {
            state.record_rejection(later, None);
        }
        assert_eq!(state.reserve(later, Priority::Background), Err(ThrottleError::Paused { retry_after: BACKOFF.max }));
    }
}
