//! Discord's rate limits: per route, for the whole bot, and on invalid requests.
//!
//! This module performs no I/O and does not sleep. It decides whether a request may be sent now, or returns the delay.

use std::collections::{HashMap, VecDeque};
use std::time::{Duration, Instant};

use crate::upstream::http_client::{Response, bounded_delay};

/// Invalid requests (401, 403, 429) allowed within `INVALID_WINDOW`. Discord bans the IP address after 10,000.
const MAX_INVALID_REQUESTS: usize = 100;
const INVALID_WINDOW: Duration = Duration::from_secs(600);
/// Discord's global limit for a bot.
const MAX_REQUESTS_PER_SECOND: usize = 50;
const SECOND: Duration = Duration::from_secs(1);

/// An API route with the major parameter (channel or webhook id) that has a separate limit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Route {
    /// Such as `POST channels/messages`.
    pub name: &'static str,
    pub major: String,
    /// False for requests with a user's token, whose limits apply to that user only.
    pub is_bot: bool,
}

impl Route {
    pub fn of_bot(name: &'static str, major: &str) -> Self {
        Self { name, major: major.to_owned(), is_bot: true }
    }

    pub fn of_user(name: &'static str) -> Self {
        Self { name, major: String::new(), is_bot: false }
    }
}

#[derive(Debug, Default)]
pub(super) struct Limits {
    /// Discord's bucket id by route name. Several routes can share a bucket.
    bucket_ids: HashMap<&'static str, String>,
    buckets: HashMap<(String, String), Bucket>,
    global_until: Option<Instant>,
    recent_requests: VecDeque<Instant>,
    invalid_requests: VecDeque<Instant>,
    in_flight: usize,
}

#[derive(Debug)]
struct Bucket {
    limit: u32,
    remaining: u32,
    reset_at: Instant,
}

impl Limits {
    /// Admits one request, or returns the delay. The caller must then call `release`.
    pub(super) fn admit(&mut self, route: &Route, now: Instant) -> Result<(), Duration> {
        // Requests in flight count as invalid until their response arrives, so that concurrent ones cannot exceed the limit.
        let max_invalid = MAX_INVALID_REQUESTS.saturating_sub(self.in_flight);
        let mut closed_until = full_until(&mut self.invalid_requests, now, INVALID_WINDOW, max_invalid);
        if route.is_bot {
            let busy_until = full_until(&mut self.recent_requests, now, SECOND, MAX_REQUESTS_PER_SECOND);
            closed_until = closed_until.max(busy_until);
        }
        if let Some(until) = closed_until.max(self.global_until).filter(|until| *until > now) {
            return Err(until - now);
        }
        let key = self.key(route);
        if let Some(bucket) = self.buckets.get_mut(&key) {
            if bucket.reset_at <= now {
                bucket.remaining = bucket.limit.max(1);
                // Assumes a period of one second until the response contains the real one.
                bucket.reset_at = now + SECOND;
            }
            if bucket.remaining == 0 {
                return Err(bucket.reset_at - now);
            }
            bucket.remaining -= 1;
        }
        if route.is_bot {
            self.recent_requests.push_back(now);
        }
        self.in_flight += 1;
        Ok(())
    }

    /// Returns the time for which no request of any route may be sent.
    pub(super) fn blocked_for(&mut self, now: Instant) -> Duration {
        let until = full_until(&mut self.invalid_requests, now, INVALID_WINDOW, MAX_INVALID_REQUESTS);
        until.max(self.global_until).map_or(Duration::ZERO, |until| until.saturating_duration_since(now))
    }

    /// Returns the number of invalid requests within the window.
    pub(super) fn invalid_count(&self, now: Instant) -> usize {
        self.invalid_requests.iter().filter(|at| now.duration_since(**at) < INVALID_WINDOW).count()
    }

    /// Ends a request.
    pub(super) fn release(&mut self) {
        self.in_flight = self.in_flight.saturating_sub(1);
    }

    /// Updates the limits from a response. Returns the delay if its status is 429.
    pub(super) fn record_response(&mut self, route: &Route, response: &Response, now: Instant) -> Option<Duration> {
        let scope = response.header("x-ratelimit-scope").unwrap_or_default();
        // Discord does not count a 429 with the scope `shared` as an invalid request.
        if matches!(response.status, 401 | 403) || (response.status == 429 && scope != "shared") {
            self.invalid_requests.push_back(now);
        }
        if route.is_bot {
            self.update_bucket(route, response, now);
        }
        if response.status != 429 {
            return None;
        }
        let body: RateLimited = serde_json::from_slice(&response.body).unwrap_or_default();
        let in_body = body.retry_after.and_then(bounded_delay);
        // Without a delay the response comes from a proxy in front of Discord; one minute is a safe default.
        let delay = response.retry_after().max(in_body).unwrap_or(Duration::from_secs(60));
        let until = now + delay;
        if body.global || scope == "global" || response.header("x-ratelimit-global").is_some() {
            self.global_until = self.global_until.max(Some(until));
        } else {
            let key = self.key(route);
            let bucket = self.buckets.entry(key).or_insert(Bucket { limit: 1, remaining: 0, reset_at: until });
            bucket.remaining = 0;
            bucket.reset_at = bucket.reset_at.max(until);
        }
        Some(delay)
    }

    fn update_bucket(&mut self, route: &Route, response: &Response, now: Instant) {
        let number = |name: &str| response.header(name).and_then(|text| text.trim().parse::<f64>().ok());
        if let Some(shared) = response.header("x-ratelimit-bucket") {
            self.bucket_ids.insert(route.name, shared.to_owned());
        }
        let (Some(limit), Some(remaining), Some(reset_after)) =
            (number("x-ratelimit-limit"), number("x-ratelimit-remaining"), number("x-ratelimit-reset-after"))
        else {
            return;
        };
        let reset_at = now + bounded_delay(reset_after).unwrap_or_default();
        let key = self.key(route);
        let remaining = match self.buckets.get(&key) {
            // Responses can arrive out of order: within one period the lowest count is correct.
            Some(known) if known.reset_at > now && known.limit == limit as u32 => known.remaining.min(remaining as u32),
            _ => remaining as u32,
        };
        self.buckets.insert(key, Bucket { limit: limit as u32, remaining, reset_at });
        if self.buckets.len() > 10_000 {
            self.buckets.retain(|_, bucket| bucket.reset_at > now);
        }
    }

    fn key(&self, route: &Route) -> (String, String) {
        let bucket = self.bucket_ids.get(route.name).cloned().unwrap_or_else(|| route.name.to_owned());
        (bucket, route.major.clone())
    }
}

/// Forgets times before the window. Returns when the oldest one leaves it, if there are `limit` or more.
fn full_until(times: &mut VecDeque<Instant>, now: Instant, window: Duration, limit: usize) -> Option<Instant> {
    while times.front().is_some_and(|at| now.duration_since(*at) >= window) {
        times.pop_front();
    }
    times.front().filter(|_| times.len() >= limit).map(|oldest| *oldest + window)
}

/// Body of a response with status 429.
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

    fn route(major: &str) -> Route {
        Route::of_bot("POST channels/messages", major)
    }

    fn response(status: u16, headers: &[(&str, &str)], body: &str) -> Response {
        let headers: HeaderMap = headers
            .iter()
            .map(|(n, v)| (HeaderName::try_from(*n).unwrap(), HeaderValue::from_str(v).unwrap()))
            .collect();
        let url = reqwest::Url::parse("http://discord.example/").unwrap();
        Response { status, headers, body: body.to_owned().into(), url }
    }

    #[test]
    fn an_exhausted_bucket_blocks_its_route_until_the_reset() {
        let now = Instant::now();
        let mut limits = Limits::default();
        limits.admit(&route("1"), now).unwrap();
        let headers = [
            ("x-ratelimit-limit", "5"),
            ("x-ratelimit-remaining", "0"),
            ("x-ratelimit-reset-after", "2.5"),
            ("x-ratelimit-bucket", "abc"),
        ];
        assert_eq!(limits.record_response(&route("1"), &response(200, &headers, "{}"), now), None);
        assert_eq!(limits.admit(&route("1"), now), Err(Duration::from_millis(2500)));
        assert_eq!(limits.admit(&route("2"), now), Ok(()), "another channel has its own bucket");
        let free = (0..10).filter(|_| limits.admit(&route("1"), now + 3 * SECOND).is_ok()).count();
        assert_eq!(free, 5, "the bucket is full after the reset");
    }

    #[test]
    fn no_request_is_sent_before_a_route_or_global_429_expires() {
        let now = Instant::now();
        let mut limits = Limits::default();
        limits.admit(&route("1"), now).unwrap();
        let body = "{\"message\":\"slow down\",\"retry_after\":6.5,\"global\":false}";
        let delay = limits.record_response(&route("1"), &response(429, &[("retry-after", "6")], body), now);
        assert_eq!(delay, Some(Duration::from_millis(6500)), "the longer of header and body");
        assert!(limits.admit(&route("1"), now + 6 * SECOND).is_err());
        assert!(limits.admit(&route("1"), now + 7 * SECOND).is_ok());
        limits.record_response(
            &route("1"),
            &response(429, &[("retry-after", "3")], "{\"retry_after\":3,\"global\":true}"),
            now + 7 * SECOND,
        );
        assert_eq!(limits.admit(&route("2"), now + 7 * SECOND), Err(3 * SECOND), "all routes are blocked");
        // A proxy in front of Discord sends no JSON.
        limits.admit(&route("9"), now + 20 * SECOND).unwrap();
        assert_eq!(
            limits.record_response(&route("9"), &response(429, &[], "<html>"), now + 20 * SECOND),
            Some(60 * SECOND)
        );
    }

    #[test]
    fn at_most_a_hundred_invalid_requests_are_sent_in_ten_minutes() {
        let now = Instant::now();
        let mut limits = Limits::default();
        let mut sent = 0;
        for tick in 0..599u32 {
            let at = now + tick * SECOND;
            // Three concurrent requests per second, all invalid.
            let in_flight = (0..3).filter(|_| limits.admit(&route(&format!("{tick}")), at).is_ok()).count();
            sent += in_flight;
            for _ in 0..in_flight {
                assert_eq!(limits.record_response(&route("x"), &response(403, &[], "{}"), at), None);
                limits.release();
            }
        }
        assert_eq!(sent, MAX_INVALID_REQUESTS);
        assert!(limits.admit(&route("later"), now + 601 * SECOND).is_ok());
    }

    #[test]
    fn at_most_fifty_requests_per_second_are_sent() {
        let now = Instant::now();
        let mut limits = Limits::default();
        let free = (0..80).filter(|n| limits.admit(&route(&n.to_string()), now).is_ok()).count();
        assert_eq!(free, MAX_REQUESTS_PER_SECOND);
        assert!(limits.admit(&route("x"), now + SECOND).is_ok());
    }
}
