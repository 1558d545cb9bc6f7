//! Calls that tell an address of the operator's choice what happened here, signed as the Standard WebhookClient describe:
//! `webhook-signature: v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, Mac};
use reqwest::{Method, Url};
use sha2::Sha256;

use super::http_client::{AddressPolicy, FetchError, HttpClient, RequestLimits};
use crate::domain::times::EpochMillis;

/// What an address said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WebhookResponse {
    pub status: u16,
    /// When it wants to be asked again, in seconds.
    pub retry_after_secs: Option<u64>,
}

/// The caller; it follows no redirect.
#[derive(Debug, Clone)]
pub struct WebhookClient {
    http: HttpClient,
}

impl WebhookClient {
    pub fn new(user_agent: &str) -> Result<Self, FetchError> {
        Ok(Self { http: HttpClient::new(user_agent, AddressPolicy::Configured)? })
    }

    /// Makes one call; any answer is one, also a refusal.
    pub async fn send(
        &self,
        url: &str,
        secret: &str,
        id: &str,
        at: EpochMillis,
        body: &str,
    ) -> Result<WebhookResponse, FetchError> {
        let unusable = |why: String| FetchError::Unreachable(why);
        let url = Url::parse(url).map_err(|error| unusable(error.to_string()))?;
        let timestamp = at.secs().to_string();
        let request = self
            .http
            .request(Method::POST, url)
            .header("content-type", "application/json")
            .header("webhook-id", id)
            .header("webhook-timestamp", &timestamp)
            .header("webhook-signature", signature(secret, id, &timestamp, body))
            .body(body.to_owned())
            .build()
            .map_err(|error| unusable(error.to_string()))?;
        let answer =
            self.http.send(request, RequestLimits { max_body_bytes: 256 * 1024, ..RequestLimits::default() }).await?;
        let retry_after_secs = answer.retry_after().map(|time| time.as_secs());
        Ok(WebhookResponse { status: answer.status, retry_after_secs })
    }
}

/// `v1,` and the signature. A secret that begins with `whsec_` is base64 of the key, any other is the key itself.
fn signature(secret: &str, id: &str, timestamp: &str, body: &str) -> String {
    let key = secret
        .strip_prefix("whsec_")
        .and_then(|encoded| STANDARD.decode(encoded).ok())
        .unwrap_or_else(|| secret.as_bytes().to_vec());
    // HMAC takes keys of any length.
    let Ok(mut mac) = Hmac::<Sha256>::new_from_slice(&key) else { return String::new() };
    mac.update(format!("{id}.{timestamp}.{body}").as_bytes());
    format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signature_is_the_one_of_the_standards_own_example() {
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
