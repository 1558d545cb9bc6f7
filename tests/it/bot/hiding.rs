//! Hiding a profile affects queued messages: outgoing webhooks, feeds and leaderboard messages.

use std::sync::Arc;
use std::sync::atomic::{AtomicU16, Ordering};

use super::mock_http::MockHttp;
use super::*;

on_sqlite!(hiding_affects_every_queue, a_message_without_visible_events_is_not_sent,);

const AN_HOUR: i64 = 3_600_000;

/// A site with a bot and a webhook whose receiver responds with `status`.
async fn site_with_queues(on: Backend) -> (Server, MockDiscord, MockHttp, Arc<AtomicU16>) {
    let discord = MockDiscord::start().await;
    let status = Arc::new(AtomicU16::new(500));
    let answered = Arc::clone(&status);
    let receiver = MockHttp::start(move |_| (answered.load(Ordering::SeqCst), Vec::new(), b"{}".to_vec())).await;
    let mut server = site_of(on, &discord);
    server.env("APOGEE_JWT_SECRET", "a secret that both processes share, as it has to be");
    let hook = format!(
        "[[webhooks]]\nname = \"mine\"\nurl = \"{}/in\"\nsecret = \"a-secret-of-the-operator\"\n",
        receiver.url
    );
    std::fs::write(server.data_dir().join("apogee.toml"), hook).unwrap();
    server.run();
    let positions = "SELECT COUNT(*) FROM webhook_positions";
    eventually("the position of the webhook", async || server.database.number(positions) == 1).await;
    (server, discord, receiver, status)
}

/// An admin hides or shows Bob through this process.
async fn hide_bob(server: &Server, is_hidden: bool) {
    let token = sign_in(server, ADMIN).await;
    let body = json!({ "handle": "Bob-1", "profile_hidden": is_hidden });
    let response =
        server.execute(server.request(Method::POST, "/api/player/settings").bearer_auth(&token).json(&body)).await;
    assert_eq!(response.status, 200, "{}", response.text());
}

async fn holds(server: &Server, what: &str, sql: &str, count: i64) {
    eventually(what, async || server.database.number(sql) == count).await;
}

const TRIED_HOOKS: &str = "SELECT COUNT(*) FROM webhook_deliveries WHERE status = 500 AND done_at IS NULL";
const TRIED_POSTS: &str = "SELECT COUNT(*) FROM statsfeed_channels WHERE failures > 0";
/// Number of queue rows that name Bob.
const NAMES_BOB: &str = "SELECT (SELECT COUNT(*) FROM webhook_deliveries WHERE lower(body || coalesce(event_ids, '')) LIKE '%bob%') \
    + (SELECT COUNT(*) FROM statsfeed_outbox WHERE lower(event_ids) LIKE '%bob%') \
    + (SELECT COUNT(*) FROM statsfeed_channels WHERE lower(coalesce(board_digest, '')) LIKE '%bob%')";

/// Bob is hidden through `other` while `server` has unsent messages about him.
async fn bob_hides(server: &Server, other: &Server, discord: &MockDiscord, receiver: &MockHttp, status: &AtomicU16) {
    let key = server.key("reader");
    make_feed(server, "11", "general-statsfeed", &[]).await;
    make_feed(server, "12", "general-statsfeed", &[("players", json!("bob-1"))]).await;
    // Until Bob is hidden.
    for channel in ["11", "12"] {
        discord.break_channel(channel, 500, 0);
    }
    let at = now() - AN_HOUR;
    let events = [kill("Bob-1", "Ann-1").pu(), kill("Ann-1", "Cyd-1").pu(), kill("Bob-1", NPC).pu()];
    server.take(&key, &in_a_row(at, events)).await;
    holds(server, "a failed call of the webhook", TRIED_HOOKS, 1).await;
    holds(server, "a failed post to each channel", TRIED_POSTS, 2).await;
    assert_eq!(server.database.number("SELECT COUNT(*) FROM statsfeed_outbox"), 2);
    make_feed(server, "13", "arena-commander", &[("leaderboard", json!("pu_player_kills"))]).await;
    board(discord, "with Bob", |text| text.contains("Bob-1")).await;
    // The next regular update of the leaderboard and the next call of the webhook are far away.
    let far = now() + AN_HOUR;
    server.database.run(&format!(
        "UPDATE statsfeed_channels SET board_due_at = {far}; UPDATE webhook_deliveries SET next_at = {far}"
    ));
    let requests_before = receiver.requests().len();

    hide_bob(other, true).await;
    assert_eq!(server.database.number(NAMES_BOB), 0, "no queue names Bob");
    board(discord, "without Bob", |text| text.contains("Ann-1") && !text.contains("Bob-1")).await;
    for channel in ["11", "12"] {
        discord.mend_channel(channel);
    }
    status.store(200, Ordering::SeqCst);
    server.database.run("UPDATE webhook_deliveries SET next_at = 0; UPDATE statsfeed_channels SET next_at = 0");
    holds(server, "the webhook is called", "SELECT COUNT(*) FROM webhook_deliveries WHERE is_delivered", 1).await;
    holds(server, "empty outboxes", "SELECT COUNT(*) FROM statsfeed_outbox", 0).await;
    let sent: Vec<String> = receiver.requests()[requests_before..].iter().map(|request| request.body.clone()).collect();
    assert!(!sent.iter().any(|body| body.to_lowercase().contains("bob")), "{sent:?}");
    let body: Value = serde_json::from_str(sent.last().unwrap()).unwrap();
    let killers: Vec<&str> =
        body["data"]["events"].as_array().unwrap().iter().map(|row| row["killer"].as_str().unwrap()).collect();
    assert_eq!(killers, ["Hidden", "Ann-1"], "a row without visible players is omitted");
    let lines = discord.lines("11");
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(lines.iter().any(|line| line.contains("**Hidden** killed **Ann-1**")), "{lines:?}");
    assert!(discord.lines("12").is_empty(), "a filter for a hidden player selects nothing");
}

/// Waits until the leaderboard of channel 13 matches.
async fn board(discord: &MockDiscord, what: &str, is_right: impl Fn(&str) -> bool) {
    eventually(what, async || {
        let messages = discord.messages("13");
        let embeds = messages.iter().map(|message| &message.body["embeds"][0]);
        let mut texts = embeds.filter(|embed| embed["title"] == "Leaderboard: PVP");
        texts.any(|embed| embed["description"].as_str().is_some_and(&is_right))
    })
    .await
}

async fn hiding_affects_every_queue(on: Backend) {
    let (server, discord, receiver, status) = site_with_queues(on).await;
    bob_hides(&server, &server, &discord, &receiver, &status).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hiding_in_one_process_affects_the_queues_of_another() {
    let (server, discord, receiver, status) = site_with_queues(Backend::Postgres).await;
    let mut other = server.beside();
    // This process has neither a bot nor a webhook.
    other.env("APOGEE_DISCORD_BOT_TOKEN", "");
    other.run();
    bob_hides(&server, &other, &discord, &receiver, &status).await;
}

async fn a_message_without_visible_events_is_not_sent(on: Backend) {
    let (server, _discord, receiver, status) = site_with_queues(on).await;
    let key = server.key("reader");
    server.take(&key, &npc_kills("Bob-1", 3, now() - AN_HOUR)).await;
    holds(&server, "a failed call of the webhook", TRIED_HOOKS, 1).await;
    hide_bob(&server, true).await;
    let requests_before = receiver.requests().len();
    status.store(200, Ordering::SeqCst);
    server.database.run("UPDATE webhook_deliveries SET next_at = 0");
    holds(&server, "an empty queue", "SELECT COUNT(*) FROM webhook_deliveries", 0).await;
    assert_eq!(receiver.requests().len(), requests_before);
    // Once Bob is visible again, new events name him.
    hide_bob(&server, false).await;
    server.take(&key, &npc_kills("Bob-1", 1, now() - AN_HOUR / 2)).await;
    let last = until("news", async || receiver.requests().into_iter().nth(requests_before)).await;
    assert!(last.body.contains("Bob-1"), "{}", last.body);
}
