//! Every call to the internet: the game's site, Discord, GitHub and pictures of people, each with time and size limits.
//! Called by `features` through `app`, which builds each reader once from settings.
//! Never here: SQL, settings, what an answer means for an account, or a call without a deadline.

pub mod avatars;
pub mod breaker;
pub mod discord;
pub mod game_site;
pub mod github;
pub mod http_client;
pub mod probe;
pub mod signature;
pub mod throttle;
pub mod webhooks;

#[cfg(test)]
pub(crate) mod mock_server;
