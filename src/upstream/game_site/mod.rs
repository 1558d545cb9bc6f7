//! Client for the game's public site: citizens, organizations and member lists.
//!
//! The site has no API, so this module parses HTML. A page without the expected elements is reported as
//! [`SiteError::ChangedMarkup`]; it is never interpreted as a missing player or organization.

mod citizen;
mod markup;
mod organization;

use std::time::Duration;

use reqwest::header::{ACCEPT, ACCEPT_LANGUAGE};
use reqwest::{Method, Url};

use super::http_client::{
    AddressPolicy, FetchError, HttpClient, MAX_REDIRECTS, Response, parse_base_url, redirect_within_origin,
};
use super::throttle::{Throttle, ThrottleError};
use crate::domain::names::{GuildTag, Handle};

pub use super::throttle::Priority;
pub use citizen::{Citizen, Organization, OrganizationShown, parse as parse_citizen};
pub use markup::has_code;
pub use organization::{Member, MembersPage, OrganizationPage};

/// Why the site returned no data. Only [`SiteError::NotFound`] is a statement about the player or organization.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    #[error("not found on the game's site")]
    NotFound,
    #[error("the game's site is unavailable: {0}")]
    Unreachable(String),
    #[error("the game's site did not respond within {} s", .0.as_secs())]
    TimedOut(Duration),
    #[error("the game's site blocks requests from this site")]
    Blocked { retry_after: Option<Duration> },
    #[error("too many requests to the game's site are waiting")]
    Busy { retry_after: Duration },
    #[error("the response of the game's site is larger than {0} bytes")]
    TooLarge(usize),
    #[error("the markup of the game's site has changed: {0} was not found")]
    ChangedMarkup(&'static str),
    #[error("the game's site redirected to an address that is not allowed: {0}")]
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

/// Client for the game's site. Clones share one throttle.
#[derive(Debug, Clone)]
pub struct GameSite {
    http: HttpClient,
    base: Url,
    throttle: Throttle,
}

impl GameSite {
    /// Creates a client. `base_url` is the origin of the site, optionally with a path.
    ///
    /// Private addresses are rejected. Loopback is allowed if `base_url` is a loopback address.
    pub fn new(base_url: &str) -> Result<Self, SiteError> {
        let base = parse_base_url(base_url)?;
        let http = HttpClient::new(AddressPolicy::for_base(&base))?;
        // Faster requests trigger the bot protection of the site.
        Ok(Self { http, base, throttle: Throttle::new(Duration::from_secs(1), 10) })
    }

    /// Returns the remaining pause after the site rejected requests, or zero.
    pub fn paused_for(&self) -> Duration {
        self.throttle.paused_for()
    }

    /// Reads the page of a player. The returned handle has the capitalization of the site.
    pub async fn citizen(&self, handle: &Handle, priority: Priority) -> Result<Citizen, SiteError> {
        let page = self.page(&format!("citizens/{handle}"), priority).await?;
        let citizen = citizen::parse(&page, &self.base)?;
        // The site can redirect an old handle to the page of another player.
        if citizen.handle.folded() == handle.folded() { Ok(citizen) } else { Err(SiteError::NotFound) }
    }

    /// Reads the public page of an organization.
    pub async fn organization(&self, sid: &GuildTag, priority: Priority) -> Result<OrganizationPage, SiteError> {
        let page = self.page(&format!("orgs/{sid}"), priority).await?;
        let organization = organization::parse(&page, &self.base)?;
        if organization.sid == *sid { Ok(organization) } else { Err(SiteError::NotFound) }
    }

    /// Reads one page (starting at 1) of up to 32 members. Hidden and redacted members are counted but not named.
    pub async fn members(&self, sid: &GuildTag, page: u32, priority: Priority) -> Result<MembersPage, SiteError> {
        let body = serde_json::json!({
            "symbol": sid.as_str(), "search": "", "pagesize": organization::PAGE_SIZE, "page": page.max(1),
        });
        let response = self.request(Method::POST, "api/orgs/getOrgMembers", Some(&body), priority).await?;
        let members = self.page_text(response).and_then(|text| organization::parse_members_response(&text));
        if let Err(SiteError::Blocked { retry_after }) = &members {
            self.throttle.record_rejection(*retry_after);
        }
        members
    }

    async fn page(&self, path: &str, priority: Priority) -> Result<String, SiteError> {
        let response = self.request(Method::GET, path, None, priority).await?;
        let page = self.page_text(response)?;
        if markup::is_too_deep(&page) { Err(SiteError::ChangedMarkup("the page")) } else { Ok(page) }
    }

    async fn request(
        &self,
        method: Method,
        path: &str,
        body: Option<&serde_json::Value>,
        priority: Priority,
    ) -> Result<Response, SiteError> {
        let mut url = self.base.join(path).map_err(|error| SiteError::Unreachable(error.to_string()))?;
        // A background request waits for its slot without a limit; the time of all others includes the wait.
        let mut has_slot = priority == Priority::Background;
        if has_slot {
            self.throttle.acquire(priority).await?;
        }
        let follow = async {
            for _ in 0..=MAX_REDIRECTS {
                if !std::mem::take(&mut has_slot) {
                    self.throttle.acquire(priority).await?;
                }
                let request = self.http.request(method.clone(), url).header(ACCEPT_LANGUAGE, "en");
                let request = request.header(ACCEPT, "text/html,application/json");
                let request = if let Some(body) = body { request.json(body) } else { request };
                let response = self.http.send(request).await?;
                match redirect_within_origin(&response)? {
                    // A request with a body is not repeated at another URL.
                    Some(target) if body.is_some() => return Err(SiteError::BadRedirect(target.to_string())),
                    Some(target) => url = target,
                    None => return Ok(response),
                }
            }
            Err(SiteError::BadRedirect(format!("more than {MAX_REDIRECTS} redirects")))
        };
        let timeout = self.http.timeout;
        tokio::time::timeout(timeout, follow).await.unwrap_or(Err(SiteError::TimedOut(timeout)))
    }

    fn page_text(&self, response: Response) -> Result<String, SiteError> {
        let retry_after = response.retry_after();
        let text = String::from_utf8_lossy(&response.body).into_owned();
        let challenged = response.header("cf-mitigated").is_some() || markup::is_challenge(&text);
        match response.status {
            404 | 410 => Err(SiteError::NotFound),
            200..=299 if !challenged => {
                self.throttle.record_success();
                Ok(text)
            }
            200..=299 | 401 | 403 | 429 | 503 => {
                self.throttle.record_rejection(retry_after);
                Err(SiteError::Blocked { retry_after })
            }
            status => Err(SiteError::Unreachable(format!("unexpected status {status}"))),
        }
    }
}

#[cfg(test)]
mod tests;
