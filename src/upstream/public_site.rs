//! Reads what a site publishes: its transparency log and its exports.

use std::io::Write;
use std::ops::Range;
use std::time::Duration;

use bytes::Bytes;
use reqwest::{Method, Url, header};

use super::http_client::{AddressPolicy, FetchError, HttpClient, RequestLimits, Response, parse_base_url};

/// Requests per file, if the site asks to wait.
const MAX_ATTEMPTS: u32 = 6;
/// The longest wait that a site can ask for.
const MAX_WAIT: Duration = Duration::from_secs(60);
/// The size of a part of a large file.
const PART_BYTES: u64 = 4 << 20;
const LIMITS: RequestLimits = RequestLimits { timeout: Duration::from_secs(30), max_body_bytes: 8 << 20 };

/// Why a file could not be read.
#[derive(Debug, thiserror::Error)]
pub enum PublicSiteError {
    #[error("{0}: {1}")]
    Fetch(String, FetchError),
    #[error("{path}: the site responded with status {status}")]
    Status { path: String, status: u16 },
    #[error("{0}: the response is not what a site publishes there")]
    Malformed(String),
    #[error("{0} cannot be stored: {1}")]
    File(String, std::io::Error),
}

/// A site, read from outside.
#[derive(Debug, Clone)]
pub struct PublicSite {
    http: HttpClient,
    base: Url,
}

impl PublicSite {
    pub fn new(url: &str) -> Result<Self, PublicSiteError> {
        let failed = |error| PublicSiteError::Fetch(url.to_owned(), error);
        let base = parse_base_url(url).map_err(failed)?;
        Ok(Self { http: HttpClient::new(AddressPolicy::Configured).map_err(failed)?, base })
    }

    /// The host of the site, and its port unless it is the usual one.
    pub fn host(&self) -> String {
        let host = self.base.host_str().unwrap_or_default();
        self.base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    /// The bytes of a file, given by its path without a slash at the beginning.
    pub async fn bytes(&self, path: &str) -> Result<Bytes, PublicSiteError> {
        Ok(self.get(path, None).await?.body)
    }

    /// Stores a file of any size, in parts.
    pub async fn download(&self, path: &str, to: &mut impl Write) -> Result<(), PublicSiteError> {
        let mut first = 0;
        loop {
            let response = self.get(path, Some(first..first + PART_BYTES)).await?;
            to.write_all(&response.body).map_err(|why| PublicSiteError::File(path.to_owned(), why))?;
            first += response.body.len() as u64;
            let is_part = response.status == 206;
            let size = response.header("content-range").and_then(|range| range.rsplit_once('/')?.1.parse::<u64>().ok());
            match size {
                Some(size) if is_part && first < size && !response.body.is_empty() => {}
                Some(size) if is_part && first < size => return Err(PublicSiteError::Malformed(path.to_owned())),
                None if is_part => return Err(PublicSiteError::Malformed(path.to_owned())),
                _ => return Ok(()),
            }
        }
    }

    async fn get(&self, path: &str, range: Option<Range<u64>>) -> Result<Response, PublicSiteError> {
        let url = self.base.join(path).map_err(|_| PublicSiteError::Malformed(path.to_owned()))?;
        let mut attempt = 1;
        loop {
            let failed = |error| PublicSiteError::Fetch(path.to_owned(), error);
            let mut request = self.http.request(Method::GET, url.clone());
            if let Some(Range { start, end }) = &range {
                request = request.header(header::RANGE, format!("bytes={start}-{}", end - 1));
            }
            let request = request.build().map_err(|error| failed(FetchError::Unreachable(error.to_string())))?;
            let response = self.http.send(request, LIMITS).await.map_err(failed)?;
            match (response.status, response.retry_after()) {
                (200, _) => return Ok(response),
                (206, _) if range.is_some() => return Ok(response),
                (429 | 503, Some(wait)) if attempt < MAX_ATTEMPTS => tokio::time::sleep(wait.min(MAX_WAIT)).await,
                (status, _) => return Err(PublicSiteError::Status { path: path.to_owned(), status }),
            }
            attempt += 1;
        }
    }

    pub async fn text(&self, path: &str) -> Result<String, PublicSiteError> {
        let bytes = self.bytes(path).await?;
        String::from_utf8(bytes.to_vec()).map_err(|_| PublicSiteError::Malformed(path.to_owned()))
    }
}
