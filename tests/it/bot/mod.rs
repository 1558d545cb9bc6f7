//! The bot, its feeds, the commit feed, outgoing webhooks and the admin page, against a mock of Discord.
//! Run by `cargo test --test it bot::`.
//! Never here: calls to the real Discord or GitHub.

mod admin;
mod commands;
mod commits;
mod feeds;
mod hiding;
mod mock_discord;
mod mock_http;
mod outgoing_webhooks;
mod signatures;
mod visits;

use ed25519_dalek::{Signer, SigningKey};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::*;
use mock_discord::MockDiscord;

pub const APPLICATION: &str = "100200300";
pub const ADMIN: &str = "42";

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn key() -> SigningKey {
    SigningKey::from_bytes(&[7; 32])
}

/// A site whose bot uses the mock; not started yet.
pub fn site_of(on: Backend, discord: &MockDiscord) -> Server {
    let mut server = Server::prepare(on);
    for (name, value) in settings(&discord.url) {
        server.env(name, &value);
    }
    server
}

pub fn settings(discord_url: &str) -> [(&'static str, String); 8] {
    [
        ("APOGEE_DISCORD_API_URL", discord_url.to_owned()),
        ("APOGEE_DISCORD_CLIENT_ID", APPLICATION.into()),
        ("APOGEE_DISCORD_CLIENT_SECRET", "the-client-secret".into()),
        ("APOGEE_DISCORD_PUBLIC_KEY", hex(key().verifying_key().as_bytes())),
        ("APOGEE_DISCORD_BOT_TOKEN", "the-bot-token".into()),
        ("APOGEE_ADMIN_DISCORD_IDS", ADMIN.into()),
        // A configured repository replaces the program's own history; nothing listens at this address.
        ("APOGEE_GITHUB_REPOS", "a/b".into()),
        ("APOGEE_GITHUB_API_URL", "http://127.0.0.1:9".into()),
    ]
}

/// A running site and the mock that its bot uses.
pub async fn site(on: Backend) -> (Server, MockDiscord) {
    let discord = MockDiscord::start().await;
    let mut server = site_of(on, &discord);
    server.run();
    (server, discord)
}

/// Sends a signed interaction with a unique id.
pub async fn interact(server: &Server, mut call: Value) -> Response {
    static NTH: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    // Equal bytes in the same second would be a replay.
    call["id"] = NTH.fetch_add(1, std::sync::atomic::Ordering::Relaxed).to_string().into();
    let (body, at) = (call.to_string(), (now() / 1_000).to_string());
    let signature = hex(&key().sign(format!("{at}{body}").as_bytes()).to_bytes());
    signed(server, Some(&signature), Some(&at), body).await
}

/// Sends an interaction with these headers.
pub async fn signed(server: &Server, signature: Option<&str>, at: Option<&str>, body: String) -> Response {
    let mut request = server.request(Method::POST, "/api/discord/interactions").body(body);
    for (name, value) in [("x-signature-ed25519", signature), ("x-signature-timestamp", at)] {
        if let Some(value) = value {
            request = request.header(name, value);
        }
    }
    server.execute(request).await
}

/// A command of a server's manager, with options as `(name, value)`.
pub fn command(name: &str, options: &[(&str, Value)]) -> Value {
    let options: Vec<Value> =
        options.iter().map(|(name, value)| json!({ "name": name, "type": 3, "value": value })).collect();
    json!({ "type": 2, "guild_id": "900", "channel_id": "1", "member": { "permissions": "32" }, "token": "tok-1",
        "locale": "en-US", "guild_locale": "en-US", "data": { "name": name, "options": options } })
}

/// Subscribes a channel.
pub async fn make_feed(server: &Server, channel: &str, kind: &str, more: &[(&str, Value)]) {
    let mut options = vec![json!({ "name": "kind", "type": 3, "value": kind })];
    options.extend(more.iter().map(|(name, value)| json!({ "name": name, "value": value })));
    let mut call = command("statsfeed", &[]);
    call["channel_id"] = channel.into();
    call["data"]["options"] = json!([{ "name": "set", "type": 1, "options": options }]);
    let response = interact(server, call).await;
    assert_eq!(response.status, 200, "{}", response.text());
    let description = response.json()["data"]["embeds"][0]["description"].as_str().unwrap().to_owned();
    assert!(description.contains(kind), "{description}");
}

/// Waits until there is a value.
pub async fn until<T>(what: &str, mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let mut found = None;
    eventually(what, async || {
        found = look().await;
        found.is_some()
    })
    .await;
    found.unwrap()
}

/// The token of the user with this Discord id.
pub async fn sign_in(server: &Server, id: &str) -> String {
    let redirect = format!("{}/link", server.address);
    let body = json!({ "code": id, "redirect_uri": redirect }).to_string();
    let request = server.request(Method::POST, "/api/auth/discord/callback").body(body);
    let response = server.execute(request.header("content-type", "application/json")).await;
    assert_eq!(response.status, 200, "{}", response.text());
    response.json()["token"].as_str().unwrap().to_owned()
}
