//! Tokens of signed-in browsers, and the recent attempts that sign-in limits count.

use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::domain::tokens::TokenSigner;

/// How long the sign-ins of an address are remembered.
const SIGN_IN_TTL: Duration = Duration::from_secs(60);
/// How long the attempts to log a reader in are remembered.
const DEVICE_LOGIN_TTL: Duration = Duration::from_secs(600);
/// How many addresses are remembered.
const MAX_ADDRESSES: u64 = 100_000;

/// When recent attempts happened.
pub type Attempts = Arc<Mutex<Vec<Instant>>>;

/// Tokens, and recent attempts to sign in.
pub struct Accounts {
    tokens: TokenSigner,
    sign_ins: moka::sync::Cache<IpAddr, Attempts>,
    device_logins: moka::sync::Cache<String, Attempts>,
}

impl Accounts {
    pub fn new(tokens: TokenSigner) -> Self {
        Self {
            tokens,
            sign_ins: moka::sync::Cache::builder().max_capacity(MAX_ADDRESSES).time_to_idle(SIGN_IN_TTL).build(),
            device_logins: moka::sync::Cache::builder()
                .max_capacity(MAX_ADDRESSES)
                .time_to_idle(DEVICE_LOGIN_TTL)
                .build(),
        }
    }

    /// Issues and verifies the tokens of signed-in browsers.
    pub fn tokens(&self) -> &TokenSigner {
        &self.tokens
    }

    /// The recent sign-ins from a network.
    pub fn sign_ins(&self, network: IpAddr) -> Attempts {
        self.sign_ins.get_with(network, Attempts::default)
    }

    /// The recent attempts to log a reader in, confirm a code or send lines; `key` names the limit and the client.
    pub fn device_logins(&self, key: String) -> Attempts {
        self.device_logins.get_with(key, Attempts::default)
    }
}
