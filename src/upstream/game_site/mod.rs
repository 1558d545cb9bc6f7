//! Reader of the game's public site: citizens, organizations, member lists.
//!
//! There is no interface for this, only pages whose markup may change; a page that lacks what it always had is an error of
//! its own ([`SiteError::ChangedMarkup`]) and never reads as "nobody" or "no organization".

mod citizen;
mod markup;
mod organization;

use std::time::Duration;

use reqwest::header::{ACCEPT, ACCEPT_LANGUAGE};
use reqwest::{Method, Url};
use tokio::time::Instant;

use super::http_client::{
    AddressPolicy, FetchError, HttpClient, RequestLimits, Response, parse_base_url, redirect_within_origin,
};
use super::throttle::{Throttle, ThrottleError};
use crate::domain::names::{GuildTag, Handle};

pub use super::throttle::Priority;
pub use citizen::{Citizen, Organization, OrganizationShown, bio_has_code, read as read_citizen};
pub use organization::{Member, MembersPage, OrganizationPage, OrganizationTexts, organization_has_code};

/// Redirects that are followed, all on the same origin.
const MAX_REDIRECTS: usize = 2;

/// Why the site gave no data. Only [`SiteError::NotFound`] says something about the person or organization asked for.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    #[error("the game's site does not know it")]
    NotFound,
    #[error("the game's site does not answer now: {0}")]
    Unreachable(String),
    #[error("the game's site did not answer within {} s", .0.as_secs())]
    TimedOut(Duration),
    #[error("the game's site does not let us in now")]
    Blocked { retry_after: Option<Duration> },
    #[error("too many of our own requests to the game's site are waiting")]
    Busy { retry_after: Duration },
    #[error("the game's site sent more than {0} bytes")]
    TooLarge(usize),
    #[error("the game's site has changed: {0} is not where it was")]
    ChangedMarkup(&'static str),
    #[error("the game's site led to an address that is not allowed: {0}")]
    BadRedirect(String),
}

impl From<FetchError> for SiteError {
    fn from(error: FetchError) -> Self {
        match error {
            FetchError::Unreachable(why) => Self::Unreachable(why),
            FetchError::TimedOut(after) => Self::TimedOut(after),
            FetchError::TooLarge(limit) => Self::TooLarge(limit),
            FetchError::BadRedirect(target) => Self::BadRedirect(target),
            FetchError::AddressNotAllowed(at) => Self::BadRedirect(at),
        }
    }
}

impl From<ThrottleError> for SiteError {
    fn from(closed: ThrottleError) -> Self {
        match closed {
            ThrottleError::Busy { retry_after } => Self::Busy { retry_after },
            ThrottleError::Paused { retry_after } => Self::Blocked { retry_after: Some(retry_after) },
        }
    }
}

/// The reader. Clones share one throttle; a process builds one.
#[derive(Debug, Clone)]
pub struct GameSite {
    http: HttpClient,
    base: Url,
    throttle: Throttle,
    request_limits: RequestLimits,
}

impl GameSite {
    /// `base_url` is the site's origin, with or without a path; `user_agent` names the tool and a contact.
    ///
    /// AddressPolicy of private networks are refused, unless `base_url` itself is this machine.
    pub fn new(base_url: &str, user_agent: &str) -> Result<Self, SiteError> {
        let base = parse_base_url(base_url)?;
        let http = HttpClient::new(user_agent, AddressPolicy::for_base(&base))?;
        // One a second on average with bursts of ten: more than that and the site's protection wakes up.
        Ok(Self {
            http,
            base,
            throttle: Throttle::new(Duration::from_secs(1), 10),
            request_limits: RequestLimits::default(),
        })
    }

    /// The same reader with other request_limits, for tests that cannot wait ten seconds.
    #[must_use]
    pub fn with_request_limits(mut self, request_limits: RequestLimits) -> Self {
        self.request_limits = request_limits;
        self
    }

    /// How long the site is left alone after it sent us away; zero when it may be asked.
    pub fn paused_for(&self) -> Duration {
        self.throttle.paused_for()
    }

    /// Reads the page of a player. The handle in the answer has the site's spelling.
    pub async fn citizen(&self, handle: &Handle, priority: Priority) -> Result<Citizen, SiteError> {
        let page = self.page(&format!("citizens/{handle}"), priority).await?;
        let citizen = citizen::read(&page, &self.base)?;
        // The site may lead an old handle to somebody else's page: that is not the person asked for.
        if citizen.handle.folded() == handle.folded() { Ok(citizen) } else { Err(SiteError::NotFound) }
    }

    /// Reads the public page of an organization.
    pub async fn organization(&self, sid: &GuildTag, priority: Priority) -> Result<OrganizationPage, SiteError> {
        let page = self.page(&format!("orgs/{sid}"), priority).await?;
        let organization = organization::read(&page, &self.base)?;
        if organization.sid == *sid { Ok(organization) } else { Err(SiteError::NotFound) }
    }

    /// Reads one page (from 1) of an organization's members, 32 at most. Hidden and redacted members are counted, not named.
    pub async fn members(&self, sid: &GuildTag, page: u32, priority: Priority) -> Result<MembersPage, SiteError> {
        let question = serde_json::json!({
            "symbol": sid.as_str(), "search": "", "pagesize": organization::PAGE_SIZE, "page": page.max(1),
        });
        let answer = self.ask(Method::POST, "api/orgs/getOrgMembers", Some(&question), priority).await?;
        let read = self.page_text(answer).and_then(|text| organization::read_members_answer(&text, &self.base));
        if let Err(SiteError::Blocked { retry_after }) = &read {
            self.throttle.record_refusal(*retry_after);
        }
        read
    }

    async fn page(&self, path: &str, priority: Priority) -> Result<String, SiteError> {
        let answer = self.ask(Method::GET, path, None, priority).await?;
        let page = self.page_text(answer)?;
        if markup::is_too_deep(&page) { Err(SiteError::ChangedMarkup("the page")) } else { Ok(page) }
    }

    async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&serde_json::Value>,
        priority: Priority,
    ) -> Result<Response, SiteError> {
        let url = self.base.join(path).map_err(|error| SiteError::Unreachable(error.to_string()))?;
        let total = self.request_limits.timeout;
        if priority == Priority::Background {
            self.throttle.acquire(priority).await?;
        }
        let deadline = Instant::now() + total;
        let call = async {
            if matches!(priority, Priority::User(_)) {
                self.throttle.acquire(priority).await?;
            }
            self.follow(method, url, body, priority).await
        };
        tokio::time::timeout_at(deadline, call).await.unwrap_or(Err(SiteError::TimedOut(total)))
    }

    async fn follow(
        &self,
        method: Method,
        mut url: Url,
        body: Option<&serde_json::Value>,
        priority: Priority,
    ) -> Result<Response, SiteError> {
        for hop in 0..=MAX_REDIRECTS {
            if hop > 0 {
                self.throttle.acquire(priority).await?;
            }
            let mut request = self
                .http
                .request(method.clone(), url.clone())
                .header(ACCEPT_LANGUAGE, "en")
                .header(ACCEPT, "text/html,application/json");
            if let Some(body) = body {
                request = request.json(body);
            }
            let request = request.build().map_err(|error| SiteError::Unreachable(error.to_string()))?;
            let answer = self.http.send(request, self.request_limits).await?;
            match redirect_within_origin(&answer)? {
                // A question sent with a body is not repeated elsewhere.
                Some(target) if body.is_some() => return Err(SiteError::BadRedirect(target.to_string())),
                Some(target) => url = target,
                None => return Ok(answer),
            }
        }
        Err(SiteError::BadRedirect(format!("more than {MAX_REDIRECTS} redirects")))
    }

    fn page_text(&self, answer: Response) -> Result<String, SiteError> {
        let retry_after = answer.retry_after();
        let text = String::from_utf8_lossy(&answer.body).into_owned();
        let challenged = answer.header("cf-mitigated").is_some() || markup::is_challenge(&text);
        match answer.status {
            404 | 410 => Err(SiteError::NotFound),
            200..=299 if !challenged => {
                self.throttle.record_success();
                Ok(text)
            }
            200..=299 | 401 | 403 | 429 | 503 => {
                self.throttle.record_refusal(retry_after);
                Err(SiteError::Blocked { retry_after })
            }
            status => Err(SiteError::Unreachable(format!("it answered with status {status}"))),
        }
    }
}

#[cfg(test)]
mod tests;
