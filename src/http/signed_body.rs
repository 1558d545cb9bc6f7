//! Bodies of signed webhooks. Anyone can send one, and only the complete body can be verified, so the number of bodies in memory
//! is limited, in total and per network. Routes check the signature headers before they read a body.

use std::net::IpAddr;
use std::time::Duration;

use actix_web::{HttpRequest, web};
use bytes::Bytes;
use tokio::sync::Semaphore;

use super::{body, client};
use crate::config::Settings;
use crate::domain::addresses::network;
use crate::domain::quota::Quota;
use crate::error::AppError;

/// Time that a body waits for one of the slots.
const SLOT_TIMEOUT: Duration = Duration::from_secs(5);

/// Limits of the bodies of all webhooks.
pub struct SignedBodies {
    /// From GitHub, which limits them to 25 MB.
    pub pushes: BodyLimit,
    /// From Discord.
    pub interactions: BodyLimit,
}

impl Default for SignedBodies {
    fn default() -> Self {
        Self { pushes: BodyLimit::new(25 * 1024 * 1024, 4, 2), interactions: BodyLimit::new(256 * 1024, 64, 32) }
    }
}

/// Limits of the bodies of one webhook.
pub struct BodyLimit {
    max_bytes: usize,
    slots: Semaphore,
    max_per_network: usize,
    networks: Quota<IpAddr>,
}

impl BodyLimit {
    /// Reads at most `max_concurrent` bodies of at most `max_bytes` at a time, `max_per_network` of them from one network.
    fn new(max_bytes: usize, max_concurrent: usize, max_per_network: usize) -> Self {
        let networks = Quota::new(max_per_network, usize::MAX);
        Self { max_bytes, slots: Semaphore::new(max_concurrent), max_per_network, networks }
    }

    /// Reads a whole body.
    pub async fn read(
        &self,
        settings: &Settings,
        request: &HttpRequest,
        payload: web::Payload,
    ) -> Result<Bytes, AppError> {
        let too_large = format!("The body exceeds {} bytes.", self.max_bytes);
        let length = request.headers().get("content-length").and_then(|value| value.to_str().ok()?.parse().ok());
        if length.is_some_and(|length: usize| length > self.max_bytes) {
            return Err(AppError::PayloadTooLarge(too_large));
        }
        // Loopback is not limited, because it may be a proxy that is missing from the settings.
        let address = client::address(request, &settings.trusted_proxies).filter(|address| !address.is_loopback());
        let _in_progress = self.networks.acquire(address.map(network)).map_err(|_| AppError::RateLimited {
            sentence: format!(
                "Too many concurrent requests from this address: at most {} are allowed.",
                self.max_per_network
            ),
            retry_after_secs: 10,
        })?;
        let slot = tokio::time::timeout(SLOT_TIMEOUT, self.slots.acquire()).await;
        let _slot = slot.map_err(|_| AppError::Overloaded)?.map_err(|_| AppError::Overloaded)?;
        body::read(payload, self.max_bytes, &too_large).await
    }
}
