//! Whose reports count: what one account can do to the figures of others, and which patches the site believes.

mod attacks;
mod grades;
mod logs;
mod moderation;
mod patches;

use reqwest::Method;
use serde_json::{Value, json};

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

/// Adds players that the site knows, without figures.
fn know(server: &Server, handles: &[&str]) {
    for handle in handles {
        let folded = handle.to_lowercase();
        server.database.run(&format!(
            "INSERT INTO players (handle, handle_folded, player_name, created_at) VALUES ('{handle}', '{folded}', '{handle}', 1) \
             ON CONFLICT (handle_folded) DO UPDATE SET is_provisional = FALSE"
        ));
    }
}

/// Makes the account the owner of a player that the site knows.
fn claim(server: &Server, discord_id: &str, handle: &str) {
    know(server, &[handle]);
    let player = format!("SELECT id FROM players WHERE handle_folded = '{}'", handle.to_lowercase());
    server.database.run(&format!("UPDATE users SET player_id = ({player}) WHERE discord_id = '{discord_id}'"));
}

/// An account that has claimed a player and reports from that player's log.
struct Owner {
    key: String,
    handle: String,
}

/// An ingest key of a new account that has claimed this player.
async fn owner(server: &Server, discord_id: &str, handle: &str) -> Owner {
    let key = account_key(server, discord_id).await;
    claim(server, discord_id, handle);
    Owner { key, handle: handle.to_owned() }
}

/// The header of a log of this player on the LIVE channel.
fn log_of(handle: &str) -> String {
    format!("id=log-{handle}, handle={handle}, channel=LIVE, first=1, last=9999999999999")
}

impl Owner {
    /// Sends events from the player's log; the answer must have status 200.
    async fn send(&self, server: &Server, events: &[Value]) -> Value {
        let answer = server.send_from_log(&self.key, &log_of(&self.handle), events).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()
    }

    /// Sends events that must be new and count.
    async fn take(&self, server: &Server, events: &[Value]) {
        let answer = self.send(server, events).await;
        assert_eq!((&answer["rejected"], &answer["held"]), (&json!([]), &json!([])), "{answer}");
        assert_eq!(answer["accepted"], events.len(), "{answer}");
    }
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
