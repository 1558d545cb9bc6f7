//! Checks whether a configured URL responds at all.

use std::time::Duration;

use reqwest::Method;

use super::http_client::{AddressPolicy, FetchError, HttpClient, RequestLimits, parse_base_url};

const TIMEOUT: Duration = Duration::from_secs(5);

/// Sends a `HEAD` request to a configured URL and returns the HTTP status.
pub async fn status(url: &str) -> Result<u16, FetchError> {
    let client = HttpClient::new(AddressPolicy::Configured)?;
    let request = client.request(Method::HEAD, parse_base_url(url)?);
    let response = client.send(request, RequestLimits { timeout: TIMEOUT, max_body_bytes: 64 * 1024 }).await?;
    Ok(response.status)
}
