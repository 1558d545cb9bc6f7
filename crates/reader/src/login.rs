//! Device login: the reader shows a short code, the user confirms it on the site, and the reader's key becomes active.

use std::time::Duration;

use i18n::Texts;
use reqwest::StatusCode;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::upload::{self, Response, UploadError};

/// Upper limit for the polling interval that a site requests.
const MAX_INTERVAL_SECS: u64 = 30;
/// Upper limit for the lifetime of a code.
const MAX_EXPIRY_SECS: u64 = 3600;

/// A login that waits for confirmation.
#[derive(Clone, Deserialize)]
pub struct Login {
    /// Compared by the user, or typed if no browser opened.
    pub code: String,
    key: String,
    pub confirm_url: String,
    /// Lifetime in seconds.
    pub expires_in: u64,
    interval: u64,
}

/// The state of a login.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LoginState {
    Waiting,
    Confirmed,
    Refused,
}

/// Why a login failed.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    #[error("the login was denied on the site")]
    Refused,
    #[error("the code was not confirmed in time: start again")]
    Expired,
    #[error("{0} responds but issues no login codes: check that it is a current Apogee site")]
    NotASite(String),
    #[error(
        "{site} requests confirmation at {confirm}, which is another site: pass the address that users of the site visit"
    )]
    ForeignConfirmUrl { site: String, confirm: String },
    #[error("{0}")]
    Site(#[from] UploadError),
}

impl LoginError {
    /// The error in the language of the texts, if it is translated.
    pub fn text(&self, texts: &Texts) -> String {
        match self {
            Self::Refused => texts.text("login_refused").to_owned(),
            Self::Expired => texts.text("login_expired").to_owned(),
            other => other.to_string(),
        }
    }
}

#[derive(Deserialize)]
struct State {
    state: LoginState,
}

impl Login {
    /// Requests a code from a site.
    pub async fn start(origin: &str, name: &str) -> Result<Self, LoginError> {
        let url = upload::endpoint(origin, "/api/reader/login")?;
        let request = upload::client()?.post(url).json(&serde_json::json!({ "name": name }));
        let response = upload::send(request).await?;
        if matches!(response.status, StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED) {
            return Err(LoginError::NotASite(origin.to_owned()));
        }
        let mut login: Self = parse(origin, &response)?;
        login.code = upload::sanitize(&login.code);
        login.confirm_url = check_confirm_url(origin, &login.confirm_url)?;
        Ok(login)
    }

    /// Requests the state of the login.
    pub async fn poll(&self, origin: &str) -> Result<LoginState, LoginError> {
        let url = upload::endpoint(origin, "/api/reader/login/state")?;
        let response = upload::send(upload::client()?.get(url).bearer_auth(&self.key)).await?;
        match response.status {
            StatusCode::NOT_FOUND => Err(LoginError::Expired),
            _ => parse(origin, &response).map(|answer: State| answer.state),
        }
    }

    /// Polls until the user has confirmed or denied the login, and returns the key. Temporary errors are retried.
    pub async fn wait(&self, origin: &str) -> Result<String, LoginError> {
        let pause = Duration::from_secs(self.interval.clamp(1, MAX_INTERVAL_SECS));
        let end = tokio::time::Instant::now() + confirm_timeout(self.expires_in);
        loop {
            match self.poll(origin).await {
                Ok(LoginState::Confirmed) => return Ok(self.key.clone()),
                Ok(LoginState::Refused) => return Err(LoginError::Refused),
                Ok(LoginState::Waiting) | Err(LoginError::Site(UploadError::Temporary { .. })) => {}
                Err(error) => return Err(error),
            }
            if tokio::time::Instant::now() + pause > end {
                return Err(LoginError::Expired);
            }
            tokio::time::sleep(pause).await;
        }
    }
}

/// Parses a success. Any other status may change while the user confirms the login.
fn parse<T: DeserializeOwned>(origin: &str, response: &Response) -> Result<T, LoginError> {
    if !response.status.is_success() {
        return Err(UploadError::Temporary { error: response.message(), after: None }.into());
    }
    serde_json::from_slice(&response.body).map_err(|_| LoginError::NotASite(origin.to_owned()))
}

/// The time to confirm, limited because a site may send any number.
fn confirm_timeout(expires_in: u64) -> Duration {
    Duration::from_secs(expires_in.min(MAX_EXPIRY_SECS))
}

/// Checks that the confirmation page is on the site itself, because it is opened in the user's browser.
fn check_confirm_url(origin: &str, confirm_url: &str) -> Result<String, LoginError> {
    let site = upload::endpoint(origin, "/")?;
    let page = upload::endpoint(confirm_url, "").map_err(|_| LoginError::NotASite(origin.to_owned()))?;
    if page.origin() != site.origin() {
        let confirm = page.origin().ascii_serialization();
        return Err(LoginError::ForeignConfirmUrl { site: site.origin().ascii_serialization(), confirm });
    }
    Ok(page.into())
}

/// The name of this machine, shown in the list of keys on the site.
pub fn machine_name() -> String {
    let var = |name: &str| std::env::var(name).ok();
    let variable = var("COMPUTERNAME").or_else(|| var("HOSTNAME"));
    let name = variable.or_else(|| std::fs::read_to_string("/etc/hostname").ok()).unwrap_or_default();
    name.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_login_is_confirmed_on_the_site_itself() {
        let site = "https://stats.example.org";
        assert_eq!(
            check_confirm_url(site, "https://stats.example.org/connect?code=A").unwrap(),
            format!("{site}/connect?code=A")
        );
        for other in [
            "https://stats.example.org.evil.test/connect",
            "https://stats.example.org@evil.test/connect",
            "http://stats.example.org/connect",
            "https://stats.example.org:8443/connect",
            "https://evil.test/",
        ] {
            assert!(matches!(check_confirm_url(site, other), Err(LoginError::ForeignConfirmUrl { .. })), "{other}");
        }
        for nothing in ["", "/connect", "file:///etc/passwd", "javascript:alert(1)"] {
            assert!(matches!(check_confirm_url(site, nothing), Err(LoginError::NotASite(_))), "{nothing}");
        }
    }

    #[test]
    fn a_site_cannot_overflow_the_clock() {
        for secs in [0, 600, u64::MAX] {
            assert!(tokio::time::Instant::now().checked_add(confirm_timeout(secs)).is_some(), "{secs}");
        }
    }
}
