//! Discord: sign-in, and the calls of the bot. Limits are kept here, so that no caller can break them.
//!
//! Nothing waits inside: a call that may not start now comes back with the time to try again.

mod bot;
mod limits;
mod sign_in;

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use reqwest::{Method, Url};

use super::breaker::Breaker;
use super::http_client::{AddressPolicy, FetchError, HttpClient, RequestLimits, Response, parse_base_url};
use limits::{Limits, Route};

pub use bot::{ChannelMessage, MessageId, bot_invite};
pub use sign_in::Identity;

/// Why Discord did not do what was asked.
#[derive(Debug, thiserror::Error)]
pub enum DiscordError {
    #[error("Discord could not be reached: {0}")]
    Unreachable(String),
    #[error("Discord did not answer in time")]
    TimedOut,
    /// Its limits, or ours on refused calls; nothing was sent when they were known before.
    #[error("Discord asks for {} s of patience", .retry_after.as_secs_f32())]
    RateLimited { retry_after: Duration },
    /// It failed repeatedly; nothing was sent.
    #[error("Discord does not work now")]
    CircuitOpen { retry_after: Duration },
    #[error("Discord failed with status {0}")]
    ServerError(u16),
    /// The sign-in code is used, expired, or not for us.
    #[error("Discord does not accept this sign-in code")]
    InvalidGrant,
    #[error("Discord does not accept our credentials")]
    Unauthorized,
    #[error("Discord does not allow it (code {code}): {message}")]
    Forbidden { code: u64, message: String },
    /// Such as a channel or message that is gone.
    #[error("Discord does not know it (code {code})")]
    NotFound { code: u64 },
    #[error("Discord refuses it with status {status} (code {code}): {message}")]
    Rejected { status: u16, code: u64, message: String },
    #[error("Discord's answer cannot be read: {0}")]
    InvalidResponse(String),
    #[error("no bot token is configured")]
    NoBotToken,
}

impl DiscordError {
    /// When trying again makes sense, for a sender with a queue; `None` when it never will by itself.
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

/// What the settings say about Discord. Its `Debug` shows no secret.
#[derive(Clone)]
pub struct DiscordSettings {
    /// Base of the v10 interface.
    pub api_url: String,
    pub user_agent: String,
    /// Also the application's id.
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

/// The caller of Discord; clones share limits and breakers.
#[derive(Debug, Clone)]
pub struct Discord {
    settings: Arc<DiscordSettings>,
    http: HttpClient,
    base: Url,
    request_limits: RequestLimits,
    state: Arc<Mutex<State>>,
}

/// What is known of Discord and of our standing with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DiscordState {
    /// No call at all before this has passed.
    pub blocked_for: Duration,
    /// The bot's calls failed repeatedly.
    pub bot_breaker_open_for: Duration,
    pub sign_in_breaker_open_for: Duration,
    /// Calls of the last ten minutes that were refused; nothing is sent from a hundred on.
    pub invalid_requests: usize,
}

#[derive(Debug, Default)]
struct State {
    limits: Limits,
    /// Apart, so that one broken channel of the bot locks nobody out.
    sign_in: Breaker,
    bot: Breaker,
}

/// What a call is sent with.
enum Body {
    None,
    Json(serde_json::Value),
    Form(Vec<u8>),
}

impl Discord {
    pub fn new(settings: DiscordSettings) -> Result<Self, DiscordError> {
        let base = parse_base_url(&settings.api_url)?;
        let http = HttpClient::new(&settings.user_agent, AddressPolicy::Configured)?;
        Ok(Self {
            settings: Arc::new(settings),
            http,
            base,
            request_limits: RequestLimits::default(),
            state: Arc::default(),
        })
    }

    /// The same caller with other request_limits, for tests that cannot wait ten seconds.
    #[must_use]
    pub fn with_request_limits(mut self, request_limits: RequestLimits) -> Self {
        self.request_limits = request_limits;
        self
    }

    /// How long nothing at all may be sent as the bot; zero when it may now.
    pub fn blocked_for(&self) -> Duration {
        let now = Instant::now();
        self.with_state(|state| state.limits.rest(now).max(state.bot.rest_left(now)))
    }

    /// How it is now, in a word for admins.
    pub fn state(&self) -> DiscordState {
        let now = Instant::now();
        self.with_state(|state| DiscordState {
            blocked_for: state.limits.rest(now),
            bot_breaker_open_for: state.bot.rest_left(now),
            sign_in_breaker_open_for: state.sign_in.rest_left(now),
            invalid_requests: state.limits.refused(now),
        })
    }

    /// One call within all limits; gives any answer that is neither a 429 nor a 5xx.
    async fn call(
        &self,
        route: Route,
        method: Method,
        path: &str,
        authorization: Option<String>,
        body: Body,
    ) -> Result<Response, DiscordError> {
        let url = self.base.join(path).map_err(|error| DiscordError::Unreachable(error.to_string()))?;
        let mut request = self.http.request(method, url);
        if let Some(authorization) = authorization {
            request = request.header(reqwest::header::AUTHORIZATION, authorization);
        }
        request = match body {
            Body::None => request,
            Body::Json(json) => request.json(&json),
            Body::Form(form) => {
                request.header(reqwest::header::CONTENT_TYPE, "application/x-www-form-urlencoded").body(form)
            }
        };
        let request = request.build().map_err(|error| DiscordError::Unreachable(error.to_string()))?;

        let place = self.admit(&route)?;
        let sent = self.http.send(request, self.request_limits).await;
        let now = Instant::now();
        match sent {
            Err(error) => {
                self.with_state(|state| state.breaker(&route).failed(now));
                Err(error.into())
            }
            Ok(answer) => self.with_state(|state| {
                place.done();
                if answer.status >= 500 {
                    state.limits.abandoned();
                    state.breaker(&route).failed(now);
                    return Err(DiscordError::ServerError(answer.status));
                }
                state.breaker(&route).answered();
                match state.limits.finished(&route, &answer, now) {
                    Some(retry_after) => Err(DiscordError::RateLimited { retry_after }),
                    None => Ok(answer),
                }
            }),
        }
    }

    fn admit(&self, route: &Route) -> Result<Place, DiscordError> {
        let now = Instant::now();
        self.with_state(|state| {
            // Limits first: a call that they forbid must not use up the breaker's probe.
            state.limits.admit(route, now).map_err(|retry_after| DiscordError::RateLimited { retry_after })?;
            if let Err(retry_after) = state.breaker(route).admit(now) {
                state.limits.abandoned();
                return Err(DiscordError::CircuitOpen { retry_after });
            }
            Ok(Place { state: Some(Arc::clone(&self.state)) })
        })
    }

    fn with_state<T>(&self, act: impl FnOnce(&mut State) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl State {
    fn breaker(&mut self, route: &Route) -> &mut Breaker {
        if route.ours { &mut self.bot } else { &mut self.sign_in }
    }
}

/// A call under way; one that is dropped (its caller went away) gives its place back.
struct Place {
    state: Option<Arc<Mutex<State>>>,
}

impl Place {
    fn done(mut self) {
        self.state = None;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(state) = self.state.take() {
            state.lock().unwrap_or_else(PoisonError::into_inner).limits.abandoned();
        }
    }
}

/// The error body of Discord's interface.
#[derive(serde::Deserialize, Default)]
struct Refusal {
    #[serde(default)]
    code: u64,
    #[serde(default)]
    message: String,
}

/// Turns an answer into its JSON, and a refusal into its error.
fn read<T: serde::de::DeserializeOwned>(answer: &Response) -> Result<T, DiscordError> {
    accepted(answer)?;
    serde_json::from_slice(&answer.body).map_err(|error| DiscordError::InvalidResponse(error.to_string()))
}

fn accepted(answer: &Response) -> Result<(), DiscordError> {
    let refusal = || serde_json::from_slice::<Refusal>(&answer.body).unwrap_or_default();
    match answer.status {
        200..=299 => Ok(()),
        401 => Err(DiscordError::Unauthorized),
        403 => Err(DiscordError::Forbidden { code: refusal().code, message: refusal().message }),
        404 => Err(DiscordError::NotFound { code: refusal().code }),
        status => Err(DiscordError::Rejected { status, code: refusal().code, message: refusal().message }),
    }
}

#[cfg(test)]
mod tests;
