//! Whose reports count: what one account can do to the figures of others, and which patches the site believes.

mod attacks;
mod disputes;
mod exports;
mod grades;
mod log_proofs;
mod logs;
mod moderation;
mod patches;
mod receipts;
mod repeats;

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::*;

/// The Discord id of the admin.
const ADMIN: &str = "900";

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

/// Starts the job as an admin and waits until it has decided everything.
async fn night(server: &Server) {
    let token = server.sign_in(ADMIN).await;
    let began = Instant::now();
    // The first run that ends may have begun before this call; the one after it has not.
    for _ in 0..2 {
        server.database.run("UPDATE repeat_state SET ran_on = 0");
        while server.database.number("SELECT ran_on FROM repeat_state") == 0 {
            assert!(began.elapsed() < Duration::from_secs(90), "repeats are not decided: {}", server.log());
            // Jobs are registered soon after the start.
            let started = server.as_user(&token, Method::POST, "/api/admin/jobs/repeats/run", None).await;
            assert!([200, 404].contains(&started.status.as_u16()), "{}", started.text());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    assert_eq!(server.database.number("SELECT COUNT(*) FROM repeat_changes"), 0);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM repeats WHERE state = 3"), 0);
    let differ = "SELECT COUNT(*) FROM events e LEFT JOIN repeats r ON r.event_id = e.id \
                  WHERE (e.reasons = 1024) <> (COALESCE(r.state, 0) = 2)";
    assert_eq!(server.database.number(differ), 0, "the repeats differ from the events");
}
