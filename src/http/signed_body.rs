//! Bodies of webhooks, which anybody may send and only the whole body proves: few are read at a time, fewer of one network.
//! A route looks at the headers that sign a body before it asks for the body here.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use actix_web::{HttpRequest, web};
use bytes::Bytes;
use tokio::sync::Semaphore;

use super::client;
use crate::app::App;
use crate::domain::addresses::network;
use crate::error::AppError;

/// How long a body waits until another one has been read.
const SLOT_WAIT: Duration = Duration::from_secs(5);

/// How large bodies of one webhook are, and how many of them are in memory.
pub struct SignedBodies {
    max_bytes: usize,
    slots: Semaphore,
    of_network: usize,
    reading: Mutex<HashMap<Option<IpAddr>, usize>>,
}

/// GitHub's pushes. They have at most 25 MB, as GitHub's own.
pub struct Pushes(pub SignedBodies);

/// Discord's interactions.
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
    /// Bodies of at most `max_bytes`, `at_once` of them in memory, `of_network` of them from one network.
    fn new(max_bytes: usize, at_once: usize, of_network: usize) -> Self {
        Self { max_bytes, slots: Semaphore::new(at_once), of_network, reading: Mutex::default() }
    }

    /// Reads a body whole.
    pub async fn read(&self, app: &App, request: &HttpRequest, body: web::Payload) -> Result<Bytes, AppError> {
        let too_large = || AppError::PayloadTooLarge(format!("The body takes at most {} bytes.", self.max_bytes));
        let length = request.headers().get("content-length").and_then(|value| value.to_str().ok()?.parse().ok());
        if length.is_some_and(|length: usize| length > self.max_bytes) {
            return Err(too_large());
        }
        let address = client::address(request, &app.settings.trusted_proxies).map(network);
        let _reading = self.begin(address)?;
        let slot = tokio::time::timeout(SLOT_WAIT, self.slots.acquire()).await;
        let _slot = slot.map_err(|_| AppError::Overloaded)?.map_err(|_| AppError::Overloaded)?;
        body.to_bytes_limited(self.max_bytes)
            .await
            .map_err(|_| too_large())?
            .map_err(|_| AppError::Validation("The body ended before its time.".into()))
    }

    /// Counts a body to its network until the answer is dropped. This machine is a proxy without settings: it is not counted.
    fn begin(&self, address: Option<IpAddr>) -> Result<Reading<'_>, AppError> {
        let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let own = reading.entry(address).or_default();
        if *own >= self.of_network && address.is_some_and(|address| !address.is_loopback()) {
            return Err(AppError::RateLimited {
                sentence: format!("At most {} bodies of one address are read at a time.", self.of_network),
                retry_after_secs: 10,
            });
        }
        *own += 1;
        Ok(Reading { bodies: self, address })
    }
}

/// A body that is being read.
struct Reading<'a> {
    bodies: &'a SignedBodies,
    address: Option<IpAddr>,
}

impl Drop for Reading<'_> {
    fn drop(&mut self) {
        let mut reading = self.bodies.reading.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = reading.get_mut(&self.address) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                reading.remove(&self.address);
            }
        }
    }
}
