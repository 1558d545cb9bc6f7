//! Upload of batches to a site, and the meaning of its responses.

use std::collections::BTreeSet;
use std::io::Read;
use std::time::Duration;

use flate2::Compression;
use flate2::read::GzEncoder;
use gamelog::events::{Event, MIN_EVENT_TIME};
use gamelog::log_header::{LOG_HEADER, LogHeader};
use gamelog::names::Handle;
use gamelog::upload::to_ndjson_line;
use net::{Backoff, USER_AGENT, root_cause};
use reqwest::StatusCode;
use reqwest::header::{CONTENT_ENCODING, CONTENT_TYPE, RETRY_AFTER};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::unknown_lines::SampleBatch;

const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum size of a response. Longer ones are rejected without reading them to their end.
const MAX_RESPONSE_BYTES: usize = 1024 * 1024;
/// Maximum length of a site's message when displayed.
const MAX_MESSAGE_CHARS: usize = 500;
/// Upper limit for `Retry-After`.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(3600);

/// The site that receives events, and the key of this reader.
#[derive(Debug, Clone)]
pub struct Server {
    /// The site's origin, without a path.
    pub url: String,
    /// The ingest key. It is never displayed.
    pub key: String,
}

/// When the reader retries a failed upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    pub backoff: Backoff,
    /// Delay after the site rejected the key.
    pub key_rejected: Duration,
    /// Delay between attempts to send logs of a player whom nobody has claimed.
    pub unclaimed: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        let max = Duration::from_secs(300);
        let backoff = Backoff::new(Duration::from_secs(1), max);
        Self { backoff, key_rejected: max, unclaimed: Duration::from_secs(45) }
    }
}

impl RetryPolicy {
    /// Returns the delay after `failures` consecutive failures; see [`Backoff::delay_with_jitter`]. `retry_after` is limited
    /// to one hour.
    pub fn delay(&self, failures: u32, retry_after: Option<Duration>, random: f64) -> Duration {
        self.backoff.delay_with_jitter(failures, retry_after.map(|delay| delay.min(MAX_RETRY_AFTER)), random)
    }
}

/// The site's response to a batch.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
pub struct BatchResponse {
    pub accepted: u64,
    pub duplicates: u64,
    #[serde(default)]
    pub rejected: Vec<Rejected>,
}

/// An event that the site rejected.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Rejected {
    /// Index of the event in the batch.
    pub index: usize,
    pub error: String,
}

impl BatchResponse {
    /// Removes control characters from the texts and limits their length.
    fn sanitize(mut self) -> Self {
        for rejected in &mut self.rejected {
            rejected.error = sanitize(&rejected.error);
        }
        self
    }

    /// Adds the response to a part of the events, which begins at `start`.
    fn add(&mut self, answer: Self, start: usize, part: &[Event]) {
        self.accepted = self.accepted.saturating_add(answer.accepted);
        self.duplicates = self.duplicates.saturating_add(answer.duplicates);
        let of_part = answer.rejected.into_iter().filter(|rejected| rejected.index < part.len());
        self.rejected.extend(of_part.map(|rejected| Rejected { index: start + rejected.index, ..rejected }));
    }

    /// Splits the rejected ones of the sent events into those that are only ahead of the site's clock, which can be sent later, and the
    /// others, with the reasons. Invalid and repeated indices are ignored.
    pub(super) fn split_rejected(self, sent: &[Event]) -> (Vec<&Event>, Vec<(&Event, String)>) {
        let mut seen = BTreeSet::new();
        let (mut early, mut refused) = (Vec::new(), Vec::new());
        for Rejected { index, error } in self.rejected {
            let Some(event) = sent.get(index).filter(|_| seen.insert(index)) else { continue };
            // The reason names the clock. A time before the game existed cannot become valid later.
            if error.to_lowercase().contains("clock") && event.event_time >= MIN_EVENT_TIME {
                early.push(event);
            } else {
                refused.push((event, error));
            }
        }
        (early, refused)
    }
}

/// The kind of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyKind {
    /// Uploads any events.
    Operator,
    /// Uploads logs of the player that its account has claimed.
    Account,
}

/// A key as its site describes it.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Key {
    pub kind: KeyKind,
    /// The handle of the player that its account has claimed.
    #[serde(default)]
    pub player: Option<String>,
}

/// Who has claimed the player of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimedBy {
    /// Another account than that of the key.
    Other,
    #[serde(other)]
    Nobody,
}

/// Why a batch was not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UploadError {
    #[error("invalid address '{0}': expected an address such as https://example.org")]
    Address(String),
    /// A later attempt may succeed. `after` is the delay that the site requested.
    #[error("{error}")]
    Temporary { error: String, after: Option<Duration> },
    /// The key is unknown or revoked.
    #[error("{0}")]
    KeyRejected(String),
    /// The account of the key has not claimed the player of the log.
    #[error("{error}")]
    ClaimRequired { error: String, claimed_by: ClaimedBy },
    /// The events are too large for the site. Half of them may be accepted.
    #[error("{0}")]
    TooLarge(String),
    /// The site cannot read the events, now or later.
    #[error("{0}")]
    Malformed(String),
    #[error("the HTTP client cannot be created: {0}")]
    Client(String),
}

/// A client for one site.
pub struct Uploader {
    client: reqwest::Client,
    url: reqwest::Url,
    key_url: reqwest::Url,
    key: String,
}

impl Uploader {
    pub fn new(server: &Server) -> Result<Self, UploadError> {
        Ok(Self {
            client: client()?,
            url: endpoint(&server.url, "/api/ingest/events")?,
            key_url: endpoint(&server.url, "/api/ingest/key")?,
            key: server.key.clone(),
        })
    }

    /// Requests what the site knows about the key.
    pub async fn key(&self) -> Result<Key, UploadError> {
        let response = send(self.client.get(self.key_url.clone()).bearer_auth(&self.key)).await?;
        if matches!(response.status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) {
            // An older site, which accepts any events from every key.
            return Ok(Key { kind: KeyKind::Operator, player: None });
        }
        match response.parse() {
            // The request has no body that could cause these.
            Err(UploadError::TooLarge(error) | UploadError::Malformed(error)) => {
                Err(UploadError::Temporary { error, after: None })
            }
            other => other,
        }
    }

    /// Sends events and the log that they come from. `Ok` means that the site has stored the events on disk, except those that it
    /// rejects. Events that it cannot accept together are sent in halves, because one of them may cause the error.
    pub async fn send(&self, events: &[Event], log: Option<&LogHeader>) -> Result<BatchResponse, UploadError> {
        let mut answer = BatchResponse::default();
        let mut parts = vec![(0, events)];
        while let Some((start, part)) = parts.pop() {
            match self.send_part(part, log).await {
                Ok(of_part) => answer.add(of_part, start, part),
                Err(UploadError::TooLarge(_) | UploadError::Malformed(_)) if part.len() > 1 => {
                    let (first, second) = part.split_at(part.len() / 2);
                    parts.extend([(start + first.len(), second), (start, first)]);
                }
                // The site can never read this event, which must not block the others.
                Err(UploadError::TooLarge(error) | UploadError::Malformed(error)) => {
                    answer.rejected.push(Rejected { index: start, error });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(answer)
    }

    async fn send_part(&self, events: &[Event], log: Option<&LogHeader>) -> Result<BatchResponse, UploadError> {
        let lines: Vec<u8> = events.iter().flat_map(to_ndjson_line).collect();
        let mut compressed = Vec::new();
        let read = GzEncoder::new(&lines[..], Compression::fast()).read_to_end(&mut compressed);
        read.map_err(|error| UploadError::Client(error.to_string()))?;
        let mut request = self
            .client
            .post(self.url.clone())
            .bearer_auth(&self.key)
            .header(CONTENT_TYPE, "application/x-ndjson")
            .header(CONTENT_ENCODING, "gzip")
            .body(compressed);
        if let Some(log) = log {
            request = request.header(LOG_HEADER, log.to_string());
        }
        send(request).await?.parse().map(BatchResponse::sanitize)
    }

    /// The page of the site on which a user claims a player.
    pub fn claim_url(&self, player: &Handle) -> String {
        let mut url = self.url.clone();
        url.set_path("/player/claim");
        url.query_pairs_mut().append_pair("handle", player.as_str());
        url.into()
    }
}

/// A site's response.
pub(super) struct Response {
    url: reqwest::Url,
    pub status: StatusCode,
    /// The delay that the site requested.
    after: Option<Duration>,
    pub body: Vec<u8>,
}

impl Response {
    /// The body of a success.
    fn success(self) -> Result<Vec<u8>, UploadError> {
        if self.status.is_success() { Ok(self.body) } else { Err(self.into_error()) }
    }

    /// Parses the body of a success.
    fn parse<T: DeserializeOwned>(self) -> Result<T, UploadError> {
        let site = self.url.origin().ascii_serialization();
        serde_json::from_slice(&self.success()?)
            .map_err(|_| UploadError::Temporary { error: format!("{site} is not an Apogee site"), after: None })
    }

    fn into_error(self) -> UploadError {
        let error = self.message();
        match self.status {
            StatusCode::FORBIDDEN => match claimed_by(&self.body) {
                Some(claimed_by) => UploadError::ClaimRequired { error, claimed_by },
                None => UploadError::KeyRejected(error),
            },
            StatusCode::UNAUTHORIZED => UploadError::KeyRejected(error),
            StatusCode::PAYLOAD_TOO_LARGE => UploadError::TooLarge(error),
            StatusCode::BAD_REQUEST | StatusCode::UNPROCESSABLE_ENTITY | StatusCode::UNSUPPORTED_MEDIA_TYPE => {
                UploadError::Malformed(error)
            }
            _ => UploadError::Temporary { error, after: self.after },
        }
    }

    /// What the site says about an error.
    pub fn message(&self) -> String {
        #[derive(Deserialize)]
        struct ErrorBody {
            error: String,
        }
        match serde_json::from_slice::<ErrorBody>(&self.body) {
            Ok(body) => sanitize(&body.error),
            Err(_) => format!("the site answered {}", self.status),
        }
    }
}

/// Who has claimed the player of the log, if the body of an error says that a claim is required.
fn claimed_by(body: &[u8]) -> Option<ClaimedBy> {
    #[derive(Deserialize)]
    struct ClaimBody {
        code: String,
        claimed_by: ClaimedBy,
    }
    let body: ClaimBody = serde_json::from_slice(body).ok()?;
    (body.code == "CLAIM_REQUIRED").then_some(body.claimed_by)
}

/// Downloads the grammar of a site. It is public, so the request carries no key.
pub(super) async fn fetch_grammar(server: &Server) -> Result<String, UploadError> {
    let request = client()?.get(endpoint(&server.url, "/api/reader/grammar")?);
    String::from_utf8(send(request).await?.success()?).map_err(|error| UploadError::Malformed(error.to_string()))
}

/// The error for a site that does not respond, with its address and the cause.
fn unreachable(url: &reqwest::Url, error: &reqwest::Error) -> UploadError {
    let error = format!("cannot reach {}: {}", url.origin().ascii_serialization(), root_cause(error));
    UploadError::Temporary { error, after: None }
}

pub(super) fn endpoint(origin: &str, path: &str) -> Result<reqwest::Url, UploadError> {
    let wrong = || UploadError::Address(origin.to_owned());
    let base = reqwest::Url::parse(origin).map_err(|_| wrong())?;
    if !matches!(base.scheme(), "http" | "https") {
        return Err(wrong());
    }
    base.join(path).map_err(|_| wrong())
}

pub(super) fn client() -> Result<reqwest::Client, UploadError> {
    net::http_client()
        .map_err(|error| UploadError::Client(error.to_string()))?
        .timeout(REQUEST_TIMEOUT)
        .connect_timeout(CONNECT_TIMEOUT)
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(USER_AGENT)
        .build()
        .map_err(|error| UploadError::Client(error.to_string()))
}

/// Sends a request and reads the response.
pub(super) async fn send(request: reqwest::RequestBuilder) -> Result<Response, UploadError> {
    let (client, request) = request.build_split();
    let request = request.map_err(|error| UploadError::Client(error.to_string()))?;
    let url = request.url().clone();
    let response = client.execute(request).await.map_err(|error| unreachable(&url, &error))?;
    let status = response.status();
    let after = response.headers().get(RETRY_AFTER).and_then(|value| retry_after(value.to_str().ok()?));
    let body = net::read_body(response, MAX_RESPONSE_BYTES).await.map_err(|error| unreachable(&url, &error))?;
    let Some(body) = body else {
        let site = url.origin().ascii_serialization();
        let error = format!("the answer of {site} is longer than {} KiB", MAX_RESPONSE_BYTES / 1024);
        return Err(UploadError::Temporary { error, after: None });
    };
    Ok(Response { url, status, after, body })
}

/// Sends redacted lines of unknown shape. They identify no player, so the request carries no key.
pub(super) async fn send_samples(origin: &str, batch: &SampleBatch) -> Result<(), UploadError> {
    let url = endpoint(origin, "/api/reader/samples")?;
    send(client()?.post(url).json(batch)).await?.success().map(|_| ())
}

/// Parses `Retry-After`: seconds or a date.
fn retry_after(value: &str) -> Option<Duration> {
    if let Ok(secs) = value.trim().parse::<u64>() {
        return Some(Duration::from_secs(secs));
    }
    let at = jiff::fmt::rfc2822::parse(value.trim()).ok()?.timestamp();
    let secs = at.as_second() - jiff::Timestamp::now().as_second();
    Some(Duration::from_secs(u64::try_from(secs).unwrap_or(0)))
}

/// Removes control characters from a site's text and limits its length, so that it can be shown on a terminal.
pub(super) fn sanitize(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(MAX_MESSAGE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_is_a_lower_bound() {
        for random in [0.0, 0.3, 1.0] {
            assert!(RetryPolicy::default().delay(1, Some(Duration::from_secs(60)), random) >= Duration::from_secs(60));
        }
        assert!(RetryPolicy::default().delay(1, Some(Duration::from_secs(999_999)), 0.0) <= MAX_RETRY_AFTER);
    }

    #[test]
    fn a_missing_claim_is_not_a_rejected_key() {
        let error = |status: StatusCode, body: &str| {
            Response { url: endpoint("http://site", "").unwrap(), status, after: None, body: body.into() }.into_error()
        };
        let required = |claimed_by: &str| {
            let body = format!(
                r#"{{"success":false,"error":"claim\u001b it","code":"CLAIM_REQUIRED","claimed_by":"{claimed_by}"}}"#
            );
            error(StatusCode::FORBIDDEN, &body)
        };
        let expected = |claimed_by| UploadError::ClaimRequired { error: "claim it".into(), claimed_by };
        assert_eq!(required("other"), expected(ClaimedBy::Other));
        assert_eq!(required("nobody"), expected(ClaimedBy::Nobody));
        let blocked = r#"{"success":false,"error":"blocked","code":"FORBIDDEN"}"#;
        for status in [StatusCode::FORBIDDEN, StatusCode::UNAUTHORIZED] {
            assert_eq!(error(status, blocked), UploadError::KeyRejected("blocked".into()));
        }
    }

    #[test]
    fn retry_after_is_seconds_or_a_date() {
        assert_eq!(retry_after("120"), Some(Duration::from_secs(120)));
        assert_eq!(retry_after("Wed, 21 Oct 2015 07:28:00 GMT"), Some(Duration::ZERO));
        assert_eq!(retry_after("soon"), None);
    }

    #[test]
    fn addresses_are_validated_before_sending() {
        let server = |url: &str| Server { url: url.into(), key: "k".into() };
        assert!(Uploader::new(&server("ftp://example.org")).is_err());
        assert!(Uploader::new(&server("example")).is_err());
        assert!(Uploader::new(&server("http://127.0.0.1:1")).is_ok());
    }
}
