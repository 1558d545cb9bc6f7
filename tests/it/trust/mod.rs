//! Whose log counts for what, how much one account can report, and what admins do about it.

mod career;
mod fights;
mod limits;
mod logs;
mod moderation;
mod names;
mod own_log;
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

/// Adds listed players, without figures.
fn list(server: &Server, handles: &[&str]) {
    for handle in handles {
        let folded = handle.to_lowercase();
        server.database.run(&format!(
            "INSERT INTO players (handle, handle_folded, player_name, created_at) VALUES ('{handle}', '{folded}', '{handle}', 1) \
             ON CONFLICT (handle_folded) DO UPDATE SET is_listed = TRUE"
        ));
    }
}

/// Makes the account the owner of a player.
fn claim(server: &Server, discord_id: &str, handle: &str) {
    list(server, &[handle]);
    let player = format!("SELECT id FROM players WHERE handle_folded = '{}'", handle.to_lowercase());
    server.database.run(&format!("UPDATE users SET player_id = ({player}) WHERE discord_id = '{discord_id}'"));
}

/// An account that has claimed a player and reports from that player's log.
struct Owner {
    key: String,
    handle: String,
}

/// An ingest key of an account that has claimed this player.
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

    /// Sends events that must be new.
    async fn take(&self, server: &Server, events: &[Value]) {
        let answer = self.send(server, events).await;
        assert_eq!((&answer["rejected"], &answer["accepted"]), (&json!([]), &json!(events.len())), "{answer}");
    }
}

/// The sentences with which events are rejected.
fn rejections(answer: &Value) -> Vec<&str> {
    answer["rejected"].as_array().unwrap().iter().map(|rejected| rejected["error"].as_str().unwrap()).collect()
}

/// The figures of a player that are not 0.
async fn figures(server: &Server, handle: &str) -> Value {
    let stats = server.read(&format!("/api/player/{handle}")).await["player"]["game_stats"].clone();
    let mut stats = stats.as_object().unwrap().clone();
    stats.retain(|name, value| name != "last_updated" && value.as_i64().is_some_and(|n| n != 0));
    Value::Object(stats)
}

/// The feed of a player.
async fn feed(server: &Server, handle: &str) -> Vec<Value> {
    server.read(&format!("/api/player/{handle}/activity")).await["data"].as_array().unwrap().clone()
}

/// The feed of everybody.
async fn public_feed(server: &Server) -> Vec<Value> {
    server.read("/api/activity").await["data"].as_array().unwrap().clone()
}

/// Figures equal those of a recount.
async fn equals_a_recount(server: &mut Server, handles: &[&str]) {
    let mut before = Vec::new();
    for handle in handles {
        before.push(server.get(&format!("/api/player/{handle}")).await.bytes);
    }
    server.stop();
    server.command(&["reindex"]);
    server.run();
    for (handle, before) in handles.iter().zip(before) {
        assert_eq!(server.get(&format!("/api/player/{handle}")).await.bytes, before, "{handle}");
    }
}
