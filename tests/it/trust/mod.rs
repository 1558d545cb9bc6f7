//! Whose reports count: what one account can do to the figures of others, and which patches the site believes.

mod attacks;
mod logs;
mod moderation;
mod patches;

use reqwest::Method;
use serde_json::json;

use crate::support::*;

/// A site with sign-in, not started.
async fn site(on: Backend) -> (Server, mock_server::MockServer) {
    let mut server = Server::prepare(on);
    let discord = server.with_discord().await;
    (server, discord)
}

/// An ingest key of the account with this Discord id.
async fn account_key(server: &Server, discord_id: &str) -> String {
    let token = server.sign_in(discord_id).await;
    let made = server.as_user(&token, Method::POST, "/api/keys", Some(&json!({"name": "PC"}))).await;
    assert_eq!(made.status, 200, "{}", made.text());
    made.json()["secret"].as_str().unwrap().to_owned()
}

/// Makes the accounts with these Discord ids twenty days old and seen on six days.
fn establish(server: &Server, discord_ids: &[&str]) {
    for id in discord_ids {
        server.database.run(&format!("UPDATE users SET linked_at = {} WHERE discord_id = '{id}'", now() - 20 * DAY));
        for days in 1..6 {
            let day = now() / DAY - days;
            server.database.run(&format!(
                "INSERT INTO user_days (user_id, day) SELECT id, {day} FROM users WHERE discord_id = '{id}'"
            ));
        }
    }
}
