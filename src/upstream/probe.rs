//! Whether a site answers at all; nothing is read from it.

use std::time::Duration;

use reqwest::Method;

use super::outbound::{Addresses, Bounds, FetchError, Outbound, parse_base};

const PATIENCE: Duration = Duration::from_secs(5);

/// The status that an address of the settings answers with.
pub async fn status(url: &str, user_agent: &str) -> Result<u16, FetchError> {
    let client = Outbound::new(user_agent, Addresses::Configured)?;
    let request = client.request(Method::HEAD, parse_base(url)?);
    let request = request.build().map_err(|error| FetchError::Unreachable(error.to_string()))?;
    // A page of any size is an answer: only its head is waited for.
    match client.send(request, Bounds { total: PATIENCE, body_bytes: 64 * 1024 }).await {
        Ok(answer) => Ok(answer.status),
        Err(error) => Err(error),
    }
}
