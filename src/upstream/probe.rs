//! Whether a site answers at all; nothing is read from it.

use std::time::Duration;

use reqwest::Method;

use super::http_client::{AddressPolicy, FetchError, HttpClient, RequestLimits, parse_base_url};

const PATIENCE: Duration = Duration::from_secs(5);

/// The status that an address of the settings answers with.
pub async fn status(url: &str, user_agent: &str) -> Result<u16, FetchError> {
    let client = HttpClient::new(user_agent, AddressPolicy::Configured)?;
    let request = client.request(Method::HEAD, parse_base_url(url)?);
    let request = request.build().map_err(|error| FetchError::Unreachable(error.to_string()))?;
    // A page of any size is an answer: only its head is waited for.
    match client.send(request, RequestLimits { timeout: PATIENCE, max_body_bytes: 64 * 1024 }).await {
        Ok(answer) => Ok(answer.status),
        Err(error) => Err(error),
    }
}
