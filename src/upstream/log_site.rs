//! Reads the transparency log of a site.

use std::time::Duration;

use bytes::Bytes;
use reqwest::{Method, Url};

use super::http_client::{AddressPolicy, FetchError, HttpClient, RequestLimits, parse_base_url};

/// Requests per file, if the site asks to wait.
const MAX_ATTEMPTS: u32 = 6;
/// The longest wait that a site can ask for.
const MAX_WAIT: Duration = Duration::from_secs(60);
const LIMITS: RequestLimits = RequestLimits { timeout: Duration::from_secs(30), max_body_bytes: 8 << 20 };

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LogSiteError {
    #[error("{0}: {1}")]
    Fetch(String, FetchError),
    #[error("{path}: the site responded with status {status}")]
    Status { path: String, status: u16 },
    #[error("{0}: the response is not what a transparency log serves")]
    Malformed(String),
}

/// A site with a transparency log.
#[derive(Debug, Clone)]
pub struct LogSite {
    http: HttpClient,
    base: Url,
}

impl LogSite {
    pub fn new(url: &str) -> Result<Self, LogSiteError> {
        let failed = |error| LogSiteError::Fetch(url.to_owned(), error);
        let base = parse_base_url(url).map_err(failed)?;
        Ok(Self { http: HttpClient::new(AddressPolicy::Configured).map_err(failed)?, base })
    }

    /// The host of the site, and its port unless it is the usual one.
    pub fn host(&self) -> String {
        let host = self.base.host_str().unwrap_or_default();
        self.base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// The bytes of a file, given by its path without a slash at the beginning.
    pub async fn bytes(&self, path: &str) -> Result<Bytes, LogSiteError> {
        let url = self.base.join(path).map_err(|_| LogSiteError::Malformed(path.to_owned()))?;
        let mut attempt = 1;
        loop {
            let failed = |error| LogSiteError::Fetch(path.to_owned(), error);
            let request = self.http.request(Method::GET, url.clone()).build();
            let request = request.map_err(|error| failed(FetchError::Unreachable(error.to_string())))?;
            let response = self.http.send(request, LIMITS).await.map_err(failed)?;
            match (response.status, response.retry_after()) {
                (200, _) => return Ok(response.body),
                (429 | 503, Some(wait)) if attempt < MAX_ATTEMPTS => tokio::time::sleep(wait.min(MAX_WAIT)).await,
                (status, _) => return Err(LogSiteError::Status { path: path.to_owned(), status }),
            }
            attempt += 1;
        }
    }

    pub async fn text(&self, path: &str) -> Result<String, LogSiteError> {
        let bytes = self.bytes(path).await?;
        String::from_utf8(bytes.to_vec()).map_err(|_| LogSiteError::Malformed(path.to_owned()))
    }
}
