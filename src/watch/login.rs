//! How a reader gets its key without anybody copying it: a short code, a page where its owner confirms it, a yes.

use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::AUTHORIZATION;
use serde::{Deserialize, Serialize};

use super::upload::{self, UploadError};

/// A site that asks for longer pauses is believed up to this.
const INTERVAL_MAX_SECS: u64 = 30;

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
pub enum Standing {
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
    #[error("{0} answers, but gives readers no codes: is it an Apogee site of today?")]
    NoSite(String),
    #[error("{0}")]
    Site(#[from] UploadError),
}

#[derive(Serialize)]
struct Start<'a> {
    name: &'a str,
}

#[derive(Deserialize)]
struct State {
    state: Standing,
}

impl Login {
    /// Asks a site for a code.
    pub async fn start(origin: &str, name: &str) -> Result<Self, LoginError> {
        let url = upload::address(origin, "/api/reader/login")?;
        let (status, body) = upload::answer_of(upload::client()?.post(url).json(&Start { name })).await?;
        if !status.is_success() {
            return Err(match status {
                StatusCode::NOT_FOUND | StatusCode::METHOD_NOT_ALLOWED => LoginError::NoSite(origin.to_owned()),
                _ => UploadError::Later { error: upload::said(status, &body), after: None }.into(),
            });
        }
        let login: Self = serde_json::from_slice(&body).map_err(|_| LoginError::NoSite(origin.to_owned()))?;
        // The page is opened in the user's browser: it has to be the site's own.
        let is_own = upload::address(&login.confirm_url, "")?.scheme().starts_with("http");
        if is_own { Ok(login) } else { Err(LoginError::NoSite(origin.to_owned())) }
    }

    /// Asks once how it stands.
    pub async fn standing(&self, origin: &str) -> Result<Standing, LoginError> {
        let url = upload::address(origin, "/api/reader/login/state")?;
        let asked = upload::client()?.get(url).header(AUTHORIZATION, format!("Bearer {}", self.key));
        let (status, body) = upload::answer_of(asked).await?;
        match status {
            StatusCode::NOT_FOUND => Err(LoginError::Expired),
            status if status.is_success() => serde_json::from_slice::<State>(&body)
                .map(|answer| answer.state)
                .map_err(|_| LoginError::NoSite(origin.to_owned())),
            status => Err(UploadError::Later { error: upload::said(status, &body), after: None }.into()),
        }
    }

    /// Waits until the owner has answered; gives the key. A site that is away for a moment is waited for.
    pub async fn wait(&self, origin: &str) -> Result<String, LoginError> {
        let pause = Duration::from_secs(self.interval.clamp(1, INTERVAL_MAX_SECS));
        let end = tokio::time::Instant::now() + Duration::from_secs(self.expires_in);
        loop {
            match self.standing(origin).await {
                Ok(Standing::Confirmed) => return Ok(self.key.clone()),
                Ok(Standing::Refused) => return Err(LoginError::Refused),
                Ok(Standing::Waiting) | Err(LoginError::Site(UploadError::Later { .. })) => {}
                Err(error) => return Err(error),
            }
            if tokio::time::Instant::now() + pause > end {
                return Err(LoginError::Expired);
            }
            tokio::time::sleep(pause).await;
        }
    }
}

/// What this machine is called, for the list of keys on the site.
pub fn machine_name() -> String {
    let var = |name: &str| std::env::var(name).ok();
    let told = var("COMPUTERNAME").or_else(|| var("HOSTNAME"));
    let name = told.or_else(|| std::fs::read_to_string("/etc/hostname").ok()).unwrap_or_default();
    name.trim().to_owned()
}
