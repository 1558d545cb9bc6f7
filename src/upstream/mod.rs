//! Clients for the game's site, Discord, GitHub, avatars and outgoing webhooks.
//!
//! Every request has a timeout and a limit on the size of the response body. `features` calls these clients through `app`,
//! which builds each of them once from the settings. This module contains no SQL and does not decide what a response means
//! for an account.

pub mod avatars;
pub mod breaker;
pub mod discord;
pub mod game_site;
pub mod github;
pub mod http_client;
pub mod signature;
pub mod throttle;
pub mod webhooks;

#[cfg(test)]
pub(crate) mod mock_server;
