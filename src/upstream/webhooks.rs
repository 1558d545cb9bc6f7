//! Outgoing webhooks, signed as specified by Standard Webhooks (<https://www.standardwebhooks.com>):
//! `webhook-signature: v1,` followed by the base64 of HMAC-SHA256 over `id.timestamp.body`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac};
use reqwest::{Method, Url};
use sha2::Sha256;

use super::http_client::{AddressPolicy, FetchError, HttpClient, Response};
use crate::domain::times::EpochMillis;

/// HTTP client for webhook deliveries. It does not follow redirects.
#[derive(Debug, Clone)]
pub struct WebhookClient {
    http: HttpClient,
}

impl WebhookClient {
    pub fn new() -> Result<Self, FetchError> {
        Ok(Self { http: HttpClient::new(AddressPolicy::Configured)? })
    }

    /// Sends one delivery. Returns `Ok` for every HTTP status; `Err` means that no complete response arrived.
    pub async fn send(
        &self,
        url: &str,
        secret: &str,
        id: &str,
        at: EpochMillis,
        body: &str,
    ) -> Result<Response, FetchError> {
        let url = Url::parse(url).map_err(|error| FetchError::Unreachable(error.to_string()))?;
        let timestamp = at.secs().to_string();
        let request = self
            .http
            .request(Method::POST, url)
            .header("content-type", "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", &timestamp)
            .header("webhook-signature", signature(secret, id, &timestamp, body))
            .body(body.to_owned());
        self.http.send(request).await
    }
}

/// Returns `v1,` and the signature. A secret with the prefix `whsec_` contains the key in base64; any other secret is the key.
fn signature(secret: &str, id: &str, timestamp: &str, body: &str) -> String {
    let key = secret
        .strip_prefix("whsec_")
        .and_then(|encoded| STANDARD.decode(encoded).ok())
        .unwrap_or_else(|| secret.as_bytes().to_vec());
    // HMAC accepts keys of any length, so this never fails.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&key) else { return String::new() };
    mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signature_matches_the_example_of_the_standard() {
        let body = "{\"test\": 2432232314}";
        let signed =
            signature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", body);
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
        assert_ne!(
            signed,
            signature("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265331", body)
        );
    }
}
