//! Client for Discord's API: OAuth sign-in and the requests of the bot. It enforces Discord's rate limits for all callers.
//!
//! Methods never wait for a limit: a request that may not be sent now fails with the delay after which to retry.

mod bot;
mod limits;
mod sign_in;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::{Method, RequestBuilder, Url};

use super::breaker::Breaker;
use super::http_client::{AddressPolicy, FetchError, HttpClient, Response, parse_base_url};
use limits::{Limits, Route};

pub use bot::bot_invite;
pub use sign_in::Identity;

/// Why a request to Discord failed.
#[derive(Debug, thiserror::Error)]
pub enum DiscordError {
    #[error("could not connect to Discord: {0}")]
    Unreachable(String),
    #[error("Discord did not respond in time")]
    TimedOut,
    /// A rate limit of Discord, or the limit on invalid requests. A known limit is applied before sending.
    #[error("rate limited by Discord: retry in {} s", .retry_after.as_secs_f32())]
    RateLimited { retry_after: Duration },
    /// The circuit breaker is open after repeated failures; nothing was sent.
    #[error("Discord is unavailable after repeated failures")]
    CircuitOpen { retry_after: Duration },
    #[error("Discord responded with status {0}")]
    ServerError(u16),
    /// The sign-in code is used, expired, or was issued for another application.
    #[error("Discord rejected the sign-in code")]
    InvalidGrant,
    #[error("Discord rejected the credentials of this site")]
    Unauthorized,
    #[error("Discord denied the request (code {code}): {message}")]
    Forbidden { code: u64, message: String },
    /// For example, a deleted channel or message.
    #[error("not found on Discord (code {code})")]
    NotFound { code: u64 },
    #[error("Discord rejected the request with status {status} (code {code}): {message}")]
    Rejected { status: u16, code: u64, message: String },
    #[error("invalid response from Discord: {0}")]
    InvalidResponse(String),
    #[error("no bot token is configured")]
    NoBotToken,
}

impl DiscordError {
    /// Returns the delay after which a retry can succeed, or `None` if a retry cannot succeed.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after } | Self::CircuitOpen { retry_after } => Some(*retry_after),
            Self::Unreachable(_) | Self::TimedOut | Self::ServerError(_) | Self::InvalidResponse(_) => {
                Some(Duration::from_secs(2))
            }
            _ => None,
        }
    }
}

impl From<FetchError> for DiscordError {
    fn from(error: FetchError) -> Self {
        match error {
            FetchError::TimedOut(_) => Self::TimedOut,
            FetchError::TooLarge(_) => Self::InvalidResponse(error.to_string()),
            other => Self::Unreachable(other.to_string()),
        }
    }
}

/// Settings of the client. `Debug` omits secrets.
#[derive(Clone)]
pub struct DiscordSettings {
    /// Base URL of the v10 API.
    pub api_url: String,
    /// Also the application id.
    pub client_id: String,
    pub client_secret: String,
    pub bot_token: Option<String>,
}

impl std::fmt::Debug for DiscordSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DiscordSettings")
            .field("api_url", &self.api_url)
            .field("client_id", &self.client_id)
            .finish_non_exhaustive()
    }
}

/// Client for Discord's API. Clones share limits and circuit breakers.
#[derive(Debug, Clone)]
pub struct Discord {
    settings: Arc<DiscordSettings>,
    http: HttpClient,
    base: Url,
    state: Arc<Mutex<State>>,
}

/// Limits and circuit breakers, for the admin page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiscordState {
    /// Remaining time of a global limit.
    pub blocked_for: Duration,
    /// Remaining time until the next probe of a circuit breaker.
    pub breaker_open_for: Duration,
    /// Invalid requests within the last ten minutes. From 100 on, nothing is sent.
    pub invalid_requests: usize,
}

#[derive(Debug, Default)]
struct State {
    limits: Limits,
    /// Separate, so that failures of the bot do not block sign-ins.
    sign_in: Breaker,
    bot: Breaker,
}

impl Discord {
    pub fn new(settings: DiscordSettings) -> Result<Self, DiscordError> {
        let base = parse_base_url(&settings.api_url)?;
        let http = HttpClient::new(AddressPolicy::Configured)?;
        Ok(Self { settings: Arc::new(settings), http, base, state: Arc::default() })
    }

    /// Returns the time for which the bot may not send anything, or zero.
    pub fn blocked_for(&self) -> Duration {
        let now = Instant::now();
        self.with_state(|state| state.limits.blocked_for(now).max(state.bot.open_for(now)))
    }

    /// Returns the state of limits and circuit breakers.
    pub fn state(&self) -> DiscordState {
        let now = Instant::now();
        self.with_state(|state| DiscordState {
            blocked_for: state.limits.blocked_for(now),
            breaker_open_for: state.bot.open_for(now).max(state.sign_in.open_for(now)),
            invalid_requests: state.limits.invalid_count(now),
        })
    }

    fn request(&self, method: Method, path: &str) -> Result<RequestBuilder, DiscordError> {
        let url = self.base.join(path).map_err(|error| DiscordError::Unreachable(error.to_string()))?;
        Ok(self.http.request(method, url))
    }

    /// Sends a request if the limits allow it. Returns any response whose status is neither 429 nor 5xx.
    async fn send(&self, route: Route, request: RequestBuilder) -> Result<Response, DiscordError> {
        let _in_flight = self.admit(&route)?;
        let sent = self.http.send(request).await;
        let now = Instant::now();
        self.with_state(|state| match sent {
            Ok(response) if response.status < 500 => {
                state.breaker(&route).record_success();
                match state.limits.record_response(&route, &response, now) {
                    Some(retry_after) => Err(DiscordError::RateLimited { retry_after }),
                    None => Ok(response),
                }
            }
            failed => {
                state.breaker(&route).record_failure(now);
                Err(failed.map_or_else(DiscordError::from, |response| DiscordError::ServerError(response.status)))
            }
        })
    }

    fn admit(&self, route: &Route) -> Result<InFlightRequest, DiscordError> {
        let now = Instant::now();
        self.with_state(|state| {
            // Limits come first: a request that they reject must not use up the probe of the breaker.
            state.limits.admit(route, now).map_err(|retry_after| DiscordError::RateLimited { retry_after })?;
            if let Err(retry_after) = state.breaker(route).admit(now) {
                state.limits.release();
                return Err(DiscordError::CircuitOpen { retry_after });
            }
            Ok(InFlightRequest(Arc::clone(&self.state)))
        })
    }

    fn with_state<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl State {
    fn breaker(&mut self, route: &Route) -> &mut Breaker {
        if route.is_bot { &mut self.bot } else { &mut self.sign_in }
    }
}

/// A request in flight, released in `Limits` when it is dropped.
struct InFlightRequest(Arc<Mutex<State>>);

impl Drop for InFlightRequest {
    fn drop(&mut self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).limits.release();
    }
}

/// Error body of Discord's API.
#[derive(serde::Deserialize, Default)]
struct ErrorBody {
    #[serde(default)]
    code: u64,
    #[serde(default)]
    message: String,
}

/// Whether a text is an id of Discord. Ids become parts of URL paths and database keys.
fn is_snowflake(id: &str) -> bool {
    (1..=20).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_digit())
}

/// Parses the JSON of a successful response. Other statuses become errors.
fn parse_json<T: serde::de::DeserializeOwned>(response: &Response) -> Result<T, DiscordError> {
    check_status(response)?;
    serde_json::from_slice(&response.body).map_err(|error| DiscordError::InvalidResponse(error.to_string()))
}

fn check_status(response: &Response) -> Result<(), DiscordError> {
    let error = || serde_json::from_slice::<ErrorBody>(&response.body).unwrap_or_default();
    match response.status {
        200..=299 => Ok(()),
        401 => Err(DiscordError::Unauthorized),
        403 => Err(DiscordError::Forbidden { code: error().code, message: error().message }),
        404 => Err(DiscordError::NotFound { code: error().code }),
        status => Err(DiscordError::Rejected { status, code: error().code, message: error().message }),
    }
}

#[cfg(test)]
mod tests;
