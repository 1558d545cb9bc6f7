//! Tokens of signed-in browsers, and the recent attempts that sign-in limits count.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::domain::tokens::TokenSigner;

/// How long attempts are remembered.
const ATTEMPTS_TTL: Duration = Duration::from_secs(600);
/// Of how many clients attempts are remembered.
const MAX_CLIENTS: u64 = 100_000;

/// When recent attempts happened.
pub type Attempts = Arc<Mutex<Vec<Instant>>>;

/// Tokens, and recent attempts to sign in.
pub struct Accounts {
    /// Issues and verifies the tokens of signed-in browsers.
    pub tokens: TokenSigner,
    /// The recent attempts to sign in, log a reader in, confirm a code or send lines; the key names the limit and the client.
    pub attempts: moka::sync::Cache<String, Attempts>,
}

impl Accounts {
    pub fn new(tokens: TokenSigner) -> Self {
        let attempts = moka::sync::Cache::builder().max_capacity(MAX_CLIENTS).time_to_idle(ATTEMPTS_TTL).build();
        Self { tokens, attempts }
    }
}
