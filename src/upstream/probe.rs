//! Checks whether a configured URL responds at all.

use std::time::Duration;

use reqwest::Method;

use super::http_client::{AddressPolicy, FetchError, HttpClient, parse_base_url};

const TIMEOUT: Duration = Duration::from_secs(5);

/// Sends a `HEAD` request to a configured URL and returns the HTTP status.
pub async fn status(url: &str) -> Result<u16, FetchError> {
    let mut client = HttpClient::new(AddressPolicy::Configured)?;
    client.timeout = TIMEOUT;
    let request = client.request(Method::HEAD, parse_base_url(url)?);
    Ok(client.send(request).await?.status)
}
