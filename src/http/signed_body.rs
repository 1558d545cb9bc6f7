//! Bodies of signed webhooks. Anyone can send one, and only the complete body can be verified, so the number of bodies in memory
//! is limited, in total and per network. Routes check the signature headers before they read a body.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use actix_web::{HttpRequest, web};
use bytes::Bytes;
use tokio::sync::Semaphore;

use super::{body, client};
use crate::config::Settings;
use crate::domain::addresses::network;
use crate::error::AppError;

/// Time that a body waits for one of the slots.
const SLOT_TIMEOUT: Duration = Duration::from_secs(5);

/// Limits of the bodies of one webhook.
pub struct SignedBodies {
    max_bytes: usize,
    slots: Semaphore,
    max_per_network: usize,
    in_progress: Mutex<HashMap<Option<IpAddr>, usize>>,
}

/// Pushes from GitHub, which limits them to 25 MB.
pub struct Pushes(pub SignedBodies);

/// Interactions from Discord.
pub struct Interactions(pub SignedBodies);

impl Default for Pushes {
    fn default() -> Self {
        Self(SignedBodies::new(25 * 1024 * 1024, 4, 2))
    }
}

impl Default for Interactions {
    fn default() -> Self {
        Self(SignedBodies::new(256 * 1024, 64, 32))
    }
}

impl SignedBodies {
    /// Reads at most `max_concurrent` bodies of at most `max_bytes` at a time, `max_per_network` of them from one network.
    fn new(max_bytes: usize, max_concurrent: usize, max_per_network: usize) -> Self {
        Self { max_bytes, slots: Semaphore::new(max_concurrent), max_per_network, in_progress: Mutex::default() }
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
        let address = client::address(request, &settings.trusted_proxies).map(network);
        let _in_progress = self.begin(address)?;
        let slot = tokio::time::timeout(SLOT_TIMEOUT, self.slots.acquire()).await;
        let _slot = slot.map_err(|_| AppError::Overloaded)?.map_err(|_| AppError::Overloaded)?;
        body::read(payload, self.max_bytes, &too_large).await
    }

    /// Counts a body toward its network until the result is dropped. Loopback is not limited, because it may be a proxy that is
    /// missing from the settings.
    fn begin(&self, address: Option<IpAddr>) -> Result<InProgress<'_>, AppError> {
        let mut in_progress = self.in_progress.lock().unwrap_or_else(PoisonError::into_inner);
        let of_network = in_progress.entry(address).or_default();
        if *of_network >= self.max_per_network && address.is_some_and(|address| !address.is_loopback()) {
            return Err(AppError::RateLimited {
                sentence: format!(
                    "Too many concurrent requests from this address: at most {} are allowed.",
                    self.max_per_network
                ),
                retry_after_secs: 10,
            });
        }
        *of_network += 1;
        Ok(InProgress { bodies: self, address })
    }
}

/// A body that is being read.
struct InProgress<'a> {
    bodies: &'a SignedBodies,
    address: Option<IpAddr>,
}

impl Drop for InProgress<'_> {
    fn drop(&mut self) {
        let mut in_progress = self.bodies.in_progress.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of_network) = in_progress.get_mut(&self.address) {
            *of_network = of_network.saturating_sub(1);
            if *of_network == 0 {
                in_progress.remove(&self.address);
            }
        }
    }
}
