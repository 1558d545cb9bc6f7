//! How a reader gets its key without anybody copying it: a short code, a page where its owner confirms it, a yes.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::AUTHORIZATION;
use serde::{Deserialize, Serialize};

use super::upload::{self, UploadError};

/// A site that asks for longer pauses is believed up to this.
const MAX_INTERVAL_SECS: u64 = 30;
/// A site that gives its user more time is believed up to this.
const MAX_EXPIRY_SECS: u64 = 3600;

/// A login that waits for its owner.
#[derive(Clone, Deserialize)]
pub struct Login {
    /// To be compared, or typed where no browser could be opened.
    pub code: String,
    key: String,
    pub confirm_url: String,
    /// Seconds.
    pub expires_in: u64,
    interval: u64,
}

/// How a login stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LoginState {
    Waiting,
    Confirmed,
    Refused,
}

/// Why a login did not end with a key.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    #[error("the login was refused on the site")]
    Refused,
    #[error("nobody confirmed the code in time: start again")]
    Expired,
    #[error("{0} answers, but does not issue login codes: is it a current Apogee site?")]
    NotASite(String),
    #[error(
        "{site} asks to confirm the login at {confirm}, which is another site: run the login with the address that its users visit"
    )]
    ForeignConfirmUrl { site: String, confirm: String },
    #[error("{0}")]
    Site(#[from] UploadError),
}

#[derive(Serialize)]
struct Start<'a> {
    name: &'a str,
}

#[derive(Deserialize)]
struct State {
    state: LoginState,
}

impl Login {
    /// Asks a site for a code.
    pub async fn start(origin: &str, name: &str) -> Result<Self, LoginError> {
        let url = upload::endpoint(origin, "/api/reader/login")?;
        let (status, body) = upload::send_request(upload::client()?.post(url).json(&Start { name })).await?;
        if !status.is_success() {
            return Err(match status {
                StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => LoginError::NotASite(origin.to_owned()),
                _ => UploadError::Temporary { error: upload::error_message(status, &body), after: None }.into(),
            });
        }
        let mut login: Self = serde_json::from_slice(&body).map_err(|_| LoginError::NotASite(origin.to_owned()))?;
        login.code = upload::sanitize(&login.code);
        login.confirm_url = check_confirm_url(origin, &login.confirm_url)?;
        Ok(login)
    }

    /// Asks once how it stands.
    pub async fn poll(&self, origin: &str) -> Result<LoginState, LoginError> {
        let url = upload::endpoint(origin, "/api/reader/login/state")?;
        let asked = upload::client()?.get(url).header(AUTHORIZATION, format!("Bearer {}", self.key));
        let (status, body) = upload::send_request(asked).await?;
        match status {
            StatusCode::NOT_FOUND => Err(LoginError::Expired),
            status if status.is_success() => serde_json::from_slice::<State>(&body)
                .map(|answer| answer.state)
                .map_err(|_| LoginError::NotASite(origin.to_owned())),
            status => Err(UploadError::Temporary { error: upload::error_message(status, &body), after: None }.into()),
        }
    }

    /// Waits until the owner has answered; gives the key. A site that is away for a moment is waited for.
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

/// How long the user has to confirm, from the seconds that a site gives: it may give any number.
fn confirm_timeout(expires_in: u64) -> Duration {
    Duration::from_secs(expires_in.min(MAX_EXPIRY_SECS))
}

/// The page where the login is confirmed. It is opened in the user's browser, so it has to be on the site itself.
fn check_confirm_url(origin: &str, confirm_url: &str) -> Result<String, LoginError> {
    let site = upload::endpoint(origin, "/")?;
    let page = upload::endpoint(confirm_url, "").map_err(|_| LoginError::NotASite(origin.to_owned()))?;
    if page.origin() != site.origin() {
        let confirm = page.origin().ascii_serialization();
        return Err(LoginError::ForeignConfirmUrl { site: site.origin().ascii_serialization(), confirm });
    }
    Ok(page.into())
}

/// What this machine is called, for the list of keys on the site.
pub fn machine_name() -> String {
    let var = |name: &str| std::env::var(name).ok();
    let told = var("COMPUTERNAME").or_else(|| var("HOSTNAME"));
    let name = told.or_else(|| std::fs::read_to_string("/etc/hostname").ok()).unwrap_or_default();
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
