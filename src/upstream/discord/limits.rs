//! Discord's limits as it tells them: per route, for the whole bot, and on calls that should not have been made.
//!
//! Nothing here sleeps or calls: it says whether a call may start now, and else when.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use crate::upstream::http_client::{Response, bounded_delay};

/// Refused calls (401, 403, 429) that we allow ourselves in `INVALID_WINDOW`; from 10,000 on Discord bans the address.
const MAX_INVALID: usize = 100;
const INVALID_WINDOW: Duration = Duration::from_secs(600);
/// Calls a second for a whole bot.
const GLOBAL_PER_SECOND: usize = 50;

/// A kind of call, with the id that has a limit of its own (a channel, a webhook).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Route {
    /// Such as `POST channels/messages`.
    pub name: &'static str,
    pub major: String,
    /// False for calls with somebody's own token: what is left of their limit says nothing about the next person's.
    pub ours: bool,
}

#[derive(Debug, Default)]
pub(super) struct Limits {
    /// Discord's name of the bucket that a route shares with others.
    shared: HashMap<&'static str, String>,
    buckets: HashMap<(String, String), Bucket>,
    global_until: Option<Instant>,
    recent: VecDeque<Instant>,
    invalid: VecDeque<Instant>,
    in_flight: usize,
}

#[derive(Debug)]
struct Bucket {
    limit: u32,
    remaining: u32,
    reset_at: Instant,
}

impl Limits {
    /// Takes a place for one call, or says how long to wait. Each place must be given back by `finished` or `abandoned`.
    pub(super) fn admit(&mut self, route: &Route, now: Instant) -> Result<(), Duration> {
        while self.invalid.front().is_some_and(|at| now.duration_since(*at) >= INVALID_WINDOW) {
            self.invalid.pop_front();
        }
        // Calls under way count as refused until they are not, so that many at once cannot overshoot.
        if self.invalid.len() + self.in_flight >= MAX_INVALID
            && let Some(oldest) = self.invalid.front()
        {
            return Err(*oldest + INVALID_WINDOW - now);
        }
        if let Some(until) = self.global_until.filter(|until| *until > now) {
            return Err(until - now);
        }
        if route.ours {
            while self.recent.front().is_some_and(|at| now.duration_since(*at) >= Duration::from_secs(1)) {
                self.recent.pop_front();
            }
            if self.recent.len() >= GLOBAL_PER_SECOND
                && let Some(oldest) = self.recent.front()
            {
                return Err(*oldest + Duration::from_secs(1) - now);
            }
        }
        let key = self.key(route);
        if let Some(bucket) = self.buckets.get_mut(&key) {
            if bucket.reset_at <= now {
                bucket.remaining = bucket.limit.max(1);
                // Until the answer says more, the bucket is taken to last as long again.
                bucket.reset_at = now + Duration::from_secs(1);
            }
            if bucket.remaining == 0 {
                return Err(bucket.reset_at - now);
            }
            bucket.remaining -= 1;
        }
        if route.ours {
            self.recent.push_back(now);
        }
        self.in_flight += 1;
        Ok(())
    }

    /// How long no call at all may start.
    pub(super) fn rest(&self, now: Instant) -> Duration {
        let global = self.global_until.map_or(Duration::ZERO, |until| until.saturating_duration_since(now));
        let refused = match self.invalid.front() {
            Some(oldest) if self.refused(now) >= MAX_INVALID => {
                (*oldest + INVALID_WINDOW).saturating_duration_since(now)
            }
            _ => Duration::ZERO,
        };
        global.max(refused)
    }

    /// Refused calls that still count.
    pub(super) fn refused(&self, now: Instant) -> usize {
        self.invalid.iter().filter(|at| now.duration_since(**at) < INVALID_WINDOW).count()
    }

    /// No answer came.
    pub(super) fn abandoned(&mut self) {
        self.in_flight = self.in_flight.saturating_sub(1);
    }

    /// Learns from an answer; for a 429 gives how long this route, or everything, must rest.
    pub(super) fn finished(&mut self, route: &Route, answer: &Response, now: Instant) -> Option<Duration> {
        self.in_flight = self.in_flight.saturating_sub(1);
        let scope = answer.header("x-ratelimit-scope").unwrap_or_default();
        // Limits of something that others use as well are not held against us.
        if matches!(answer.status, 401 | 403) || (answer.status == 429 && scope != "shared") {
            self.invalid.push_back(now);
        }
        if route.ours {
            self.learn(route, answer, now);
        }
        if answer.status != 429 {
            return None;
        }
        let told: RateLimited = serde_json::from_slice(&answer.body).unwrap_or_default();
        let in_body = told.retry_after.and_then(bounded_delay);
        // The longer of the two is kept; without any, the answer did not come from Discord itself, and a minute is fair.
        let rest = answer.retry_after().max(in_body).unwrap_or(Duration::from_secs(60));
        let until = now + rest;
        if told.global || scope == "global" || answer.header("x-ratelimit-global").is_some() {
            self.global_until = self.global_until.max(Some(until));
        } else {
            let key = self.key(route);
            let bucket = self.buckets.entry(key).or_insert(Bucket { limit: 1, remaining: 0, reset_at: until });
            bucket.remaining = 0;
            bucket.reset_at = bucket.reset_at.max(until);
        }
        Some(rest)
    }

    fn learn(&mut self, route: &Route, answer: &Response, now: Instant) {
        let number = |name: &str| answer.header(name).and_then(|text| text.trim().parse::<f64>().ok());
        if let Some(shared) = answer.header("x-ratelimit-bucket") {
            self.shared.insert(route.name, shared.to_owned());
        }
        let (Some(limit), Some(remaining), Some(reset_after)) =
            (number("x-ratelimit-limit"), number("x-ratelimit-remaining"), number("x-ratelimit-reset-after"))
        else {
            return;
        };
        let reset_at = now + bounded_delay(reset_after).unwrap_or_default();
        let key = self.key(route);
        let remaining = match self.buckets.get(&key) {
            // Answers overtake each other: within one period the lowest count is the true one.
            Some(known) if known.reset_at > now && known.limit == limit as u32 => known.remaining.min(remaining as u32),
            _ => remaining as u32,
        };
        self.buckets.insert(key, Bucket { limit: limit as u32, remaining, reset_at });
        if self.buckets.len() > 10_000 {
            self.buckets.retain(|_, bucket| bucket.reset_at > now);
        }
    }

    fn key(&self, route: &Route) -> (String, String) {
        let bucket = self.shared.get(route.name).cloned().unwrap_or_else(|| route.name.to_owned());
        (bucket, route.major.clone())
    }
}

/// The body of a 429.
#[derive(serde::Deserialize, Default)]
struct RateLimited {
    retry_after: Option<f64>,
    #[serde(default)]
    global: bool,
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn route(major: &str) -> Route {
        Route { name: "POST channels/messages", major: major.to_owned(), ours: true }
    }

    fn answer(status: u16, headers: &[(&str, &str)], body: &str) -> Response {
        let headers: HeaderMap = headers
            .iter()
            .map(|(n, v)| (HeaderName::try_from(*n).unwrap(), HeaderValue::from_str(v).unwrap()))
            .collect();
        let url = reqwest::Url::parse("http://discord.example/").unwrap();
        Response { status, headers, body: body.to_owned().into(), url }
    }

    #[test]
    fn a_used_up_bucket_rests_until_its_reset_and_others_go_on() {
        let now = Instant::now();
        let mut limits = Limits::default();
        limits.admit(&route("1"), now).unwrap();
        let told = [
            ("x-ratelimit-limit", "5"),
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset-after", "2.5"),
            ("x-ratelimit-bucket", "abc"),
        ];
        assert_eq!(limits.finished(&route("1"), &answer(200, &told, "{}"), now), None);
        assert_eq!(limits.admit(&route("1"), now), Err(Duration::from_millis(2500)));
        assert_eq!(limits.admit(&route("2"), now), Ok(()), "another channel has its own bucket");
        let free = (0..10).filter(|_| limits.admit(&route("1"), now + 3 * SECOND).is_ok()).count();
        assert_eq!(free, 5, "after the reset as many as the bucket holds");
    }

    #[test]
    fn a_429_of_a_route_and_of_everything_is_never_undercut() {
        let now = Instant::now();
        let mut limits = Limits::default();
        limits.admit(&route("1"), now).unwrap();
        let body = "{\"message\":\"slow down\",\"retry_after\":6.5,\"global\":false}";
        let rest = limits.finished(&route("1"), &answer(429, &[("retry-after", "6")], body), now);
        assert_eq!(rest, Some(Duration::from_millis(6500)), "the longer of the two");
        assert!(limits.admit(&route("1"), now + 6 * SECOND).is_err());
        assert!(limits.admit(&route("1"), now + 7 * SECOND).is_ok());
        limits.finished(
            &route("1"),
            &answer(429, &[("retry-after", "3")], "{\"retry_after\":3,\"global\":true}"),
            now + 7 * SECOND,
        );
        assert_eq!(limits.admit(&route("2"), now + 7 * SECOND), Err(3 * SECOND), "everything rests");
        // A wall in front of Discord says nothing in JSON.
        limits.admit(&route("9"), now + 20 * SECOND).unwrap();
        assert_eq!(limits.finished(&route("9"), &answer(429, &[], "<html>"), now + 20 * SECOND), Some(60 * SECOND));
    }

    #[test]
    fn no_more_than_a_hundred_refused_calls_are_made_in_ten_minutes() {
        let now = Instant::now();
        let mut limits = Limits::default();
        let mut made = 0;
        for tick in 0..599u32 {
            let at = now + tick * SECOND;
            // Three at once each second, all refused.
            let under_way = (0..3).filter(|_| limits.admit(&route(&format!("{tick}")), at).is_ok()).count();
            made += under_way;
            for _ in 0..under_way {
                assert_eq!(limits.finished(&route("x"), &answer(403, &[], "{}"), at), None);
            }
        }
        assert_eq!(made, MAX_INVALID);
        assert!(limits.admit(&route("later"), now + 601 * SECOND).is_ok());
    }

    #[test]
    fn fifty_a_second_is_the_most() {
        let now = Instant::now();
        let mut limits = Limits::default();
        let free = (0..80).filter(|n| limits.admit(&route(&n.to_string()), now).is_ok()).count();
        assert_eq!(free, GLOBAL_PER_SECOND);
        assert!(limits.admit(&route("x"), now + SECOND).is_ok());
    }
}
