//! How often one site is asked: a shared throttle with a burst, and a pause when the site says stop.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::domain::user_locks::UserLocks;

/// Whose call waits at the throttle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// The user with this id waits for the answer; refused when the wait would be longer than `PATIENCE`.
    User(i64),
    /// A timer's work; leaves half of the burst to people and waits as long as it takes.
    Background,
}

/// The longest wait at the throttle of a call that somebody waits for.
const PATIENCE: Duration = Duration::from_secs(8);
const FIRST_PAUSE: Duration = Duration::from_secs(5);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
/// One refusal may be chance; from this many in a row the site is left alone for a while.
const REFUSALS_BEFORE_PAUSE: u32 = 3;

/// Why a call may not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThrottleError {
    /// The queue is longer than the caller's patience.
    Busy { retry_after: Duration },
    /// The site refused us before, and the pause is not over.
    Paused { retry_after: Duration },
}

/// A throttle for one site, shared by all calls of the process.
#[derive(Debug, Clone)]
pub struct Throttle {
    state: Arc<Mutex<State>>,
    /// Timers wait here one behind the other, so that they never hold more than one turn in advance.
    timers: Arc<tokio::sync::Mutex<()>>,
    /// One call of each user waits for its turn, further ones wait for that one: turns go round among users.
    users: UserLocks,
}

impl Throttle {
    /// One start per `interval` on average, and `burst` at once after a quiet time.
    pub fn new(interval: Duration, burst: u32) -> Self {
        let state = Arc::new(Mutex::new(State::new(interval, burst, Instant::now())));
        Self { state, timers: Arc::default(), users: UserLocks::default() }
    }

    /// Waits for this call's turn. A caller that goes away while waiting has used up its turn.
    pub async fn acquire(&self, priority: Priority) -> Result<(), ThrottleError> {
        let busy = |_| ThrottleError::Busy { retry_after: PATIENCE };
        let _in_line = match priority {
            Priority::Background => Arc::clone(&self.timers).lock_owned().await,
            Priority::User(user) => tokio::time::timeout(PATIENCE, self.users.lock(user)).await.map_err(busy)?,
        };
        let wait = self.state().reserve(Instant::now(), priority)?;
        if !wait.is_zero() {
            tokio::time::sleep(wait).await;
        }
        Ok(())
    }

    /// How long the site is left alone; zero when it may be asked.
    pub fn paused_for(&self) -> Duration {
        self.state().paused_until.map_or(Duration::ZERO, |until| until.saturating_duration_since(Instant::now()))
    }

    /// The site answered as a site does.
    pub fn record_success(&self) {
        self.state().refusals = 0;
    }

    /// The site sent us away, perhaps with a time to come back.
    pub fn record_refusal(&self, retry_after: Option<Duration>) {
        self.state().record_refusal(Instant::now(), retry_after);
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A bucket written as the time at which it would be full again.
#[derive(Debug)]
struct State {
    interval: Duration,
    burst: u32,
    full_at: Instant,
    paused_until: Option<Instant>,
    refusals: u32,
}

impl State {
    fn new(interval: Duration, burst: u32, now: Instant) -> Self {
        Self { interval, burst: burst.max(1), full_at: now, paused_until: None, refusals: 0 }
    }

    /// Takes the next turn and says how long it is away.
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
        if matches!(priority, Priority::User(_)) && wait > PATIENCE {
            return Err(ThrottleError::Busy { retry_after: wait });
        }
        self.full_at = after;
        Ok(wait)
    }

    fn record_refusal(&mut self, now: Instant, retry_after: Option<Duration>) {
        self.refusals = self.refusals.saturating_add(1);
        let own = if self.refusals < REFUSALS_BEFORE_PAUSE {
            Duration::ZERO
        } else {
            let doublings = (self.refusals - REFUSALS_BEFORE_PAUSE).min(6);
            (FIRST_PAUSE * 2u32.pow(doublings)).min(LONGEST_PAUSE)
        };
        let asked = retry_after.unwrap_or_default().min(LONGEST_PAUSE);
        let pause = own.max(asked);
        if !pause.is_zero() {
            self.paused_until = Some(now + pause);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn ten_start_at_once_and_then_one_a_second() {
        let now = Instant::now();
        let mut state = State::new(SECOND, 10, now);
        for _ in 0..10 {
            assert_eq!(state.reserve(now, Priority::User(1)), Ok(Duration::ZERO));
        }
        assert_eq!(state.reserve(now, Priority::User(1)), Ok(SECOND));
        assert_eq!(state.reserve(now, Priority::User(1)), Ok(2 * SECOND));
        // After a quiet half minute the burst is there again, and no more than the burst.
        let later = now + 30 * SECOND;
        let at_once = (0..12).filter(|_| state.reserve(later, Priority::User(1)) == Ok(Duration::ZERO)).count();
        assert_eq!(at_once, 10);
    }

    #[test]
    fn over_a_minute_no_more_than_a_burst_and_a_minutes_worth_start() {
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
    fn background_work_leaves_half_of_the_burst_to_people() {
        let now = Instant::now();
        let mut state = State::new(SECOND, 10, now);
        let timers = (0..8).filter(|_| state.reserve(now, Priority::Background) == Ok(Duration::ZERO)).count();
        assert_eq!(timers, 5);
        assert_eq!(state.reserve(now, Priority::User(1)), Ok(Duration::ZERO));
    }

    #[tokio::test]
    async fn a_crowd_of_timers_keeps_no_person_waiting() {
        let throttle = Throttle::new(SECOND, 10);
        for _ in 0..50 {
            let throttle = throttle.clone();
            tokio::spawn(async move { throttle.acquire(Priority::Background).await });
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
        let begin = Instant::now();
        throttle.acquire(Priority::User(1)).await.unwrap();
        assert!(begin.elapsed() < Duration::from_millis(500), "{:?}", begin.elapsed());
    }

    #[tokio::test]
    async fn a_user_with_many_calls_keeps_no_other_user_waiting() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let (throttle, started) = (Throttle::new(Duration::from_millis(100), 10), Arc::new(AtomicUsize::new(0)));
        for _ in 0..40 {
            let (throttle, started) = (throttle.clone(), Arc::clone(&started));
            tokio::spawn(async move {
                if throttle.acquire(Priority::User(1)).await.is_ok() {
                    started.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        while started.load(Ordering::Relaxed) < 10 {
            tokio::task::yield_now().await;
        }
        let before = started.load(Ordering::Relaxed);
        throttle.acquire(Priority::User(2)).await.unwrap();
        let ahead = started.load(Ordering::Relaxed) - before;
        assert!(ahead <= 2, "{ahead} calls of the other user went first");
    }

    #[test]
    fn a_person_is_told_when_the_queue_is_too_long() {
        let now = Instant::now();
        let mut state = State::new(SECOND, 1, now);
        let outcomes: Vec<_> = (0..12).map(|_| state.reserve(now, Priority::User(1))).collect();
        assert_eq!(outcomes[8], Ok(8 * SECOND));
        assert_eq!(outcomes[9], Err(ThrottleError::Busy { retry_after: 9 * SECOND }));
        // A refused call has taken no turn.
        assert_eq!(outcomes[11], outcomes[9]);
    }

    #[test]
    fn pauses_follow_the_sites_word_and_grow_after_repeated_refusals() {
        let now = Instant::now();
        let mut state = State::new(SECOND, 10, now);
        state.record_refusal(now, None);
        assert_eq!(state.reserve(now, Priority::User(1)), Ok(Duration::ZERO), "one refusal may be chance");
        state.record_refusal(now, Some(30 * SECOND));
        assert_eq!(state.reserve(now, Priority::User(1)), Err(ThrottleError::Paused { retry_after: 30 * SECOND }));
        let later = now + 31 * SECOND;
        state.record_refusal(later, None);
        assert_eq!(state.reserve(later, Priority::Background), Err(ThrottleError::Paused { retry_after: 5 * SECOND }));
        for _ in 0..20 {
            state.record_refusal(later, None);
        }
        assert_eq!(
            state.reserve(later, Priority::Background),
            Err(ThrottleError::Paused { retry_after: LONGEST_PAUSE })
        );
    }
}
