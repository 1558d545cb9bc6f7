//! Feeds: each event is posted once and in order, despite failures of Discord and of the site.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};

use super::mock_discord::Fault;
use super::*;

on_sqlite!(
    events_reach_their_channel_once_and_in_order,
    rate_limits_cause_no_loss,
    #[ignore = "daily: waits for real time limits"]
    failures_of_discord_neither_lose_nor_duplicate_events,
    a_deleted_channel_is_disabled_and_reported_to_admins,
    a_crash_after_a_post_duplicates_nothing,
    a_rejected_token_pauses_all_calls_and_disables_no_feed,
    filters_select_what_they_name,
    a_leaderboard_message_is_edited_in_place,
);

/// Options of `/statsfeed set`, by name.
type Options<'a> = &'a [(&'a str, Value)];

/// `count` kills between players, each with a different victim.
fn kills(from: usize, count: usize) -> Vec<Value> {
    let at = now() - 8 * 3_600_000 + from as i64 * 20_000;
    in_a_row(at, (from..from + count).map(|n| kill("Ann-1", &format!("Victim{n}")).pu()))
}

/// The victims in a channel's messages, in order.
fn victims(discord: &MockDiscord, channel: &str) -> Vec<usize> {
    let number = |line: &String| line.split("Victim").nth(1)?.trim_matches('*').parse().ok();
    discord.lines(channel).iter().filter_map(number).collect()
}

async fn wait_for_events(discord: &MockDiscord, channel: &str, count: usize) -> Vec<usize> {
    until("all events in their channel", async || {
        Some(victims(discord, channel)).filter(|posted| posted.len() >= count)
    })
    .await
}

async fn wait_for_empty_outbox(server: &Server) {
    eventually("an empty outbox", async || server.database.number("SELECT COUNT(*) FROM statsfeed_outbox") == 0).await;
}

async fn events_reach_their_channel_once_and_in_order(on: Backend) {
    let (server, discord) = site(on).await;
    let key = server.key("reader");
    server.take(&key, &kills(900, 1)).await;
    make_feed(&server, "11", "general-statsfeed", &[]).await;
    for part in 0..6 {
        server.take(&key, &kills(part * 50, 50)).await;
    }
    assert_eq!(
        wait_for_events(&discord, "11", 300).await,
        (0..300).collect::<Vec<_>>(),
        "starting with the next event"
    );
    wait_for_empty_outbox(&server).await;
    let messages = discord.messages("11");
    assert_eq!(discord.posts("11"), messages.len(), "one call per message");
    let (nonces, body): (BTreeSet<_>, _) = (messages.iter().map(|m| m.nonce.clone()).collect(), &messages[0].body);
    assert_eq!(nonces.len(), messages.len());
    assert_eq!(body["allowed_mentions"], json!({ "parse": [] }));
    assert!(messages.iter().all(|m| m.body["embeds"][0]["description"].as_str().unwrap().chars().count() <= 4_096));
    assert!(messages.len() < 150, "300 events in {} messages", messages.len());
}

/// Of the calls for two channels, one reaches the limit of its route and one the global limit.
async fn rate_limits_cause_no_loss(on: Backend) {
    let (server, discord) = site(on).await;
    let key = server.key("reader");
    make_feed(&server, "11", "general-statsfeed", &[]).await;
    make_feed(&server, "12", "general-statsfeed", &[]).await;
    discord.fail_next(&[Fault::RouteLimit(1_200)]);
    server.take(&key, &kills(0, 30)).await;
    wait_for_events(&discord, "11", 30).await;
    wait_for_events(&discord, "12", 30).await;
    wait_for_empty_outbox(&server).await;
    discord.fail_next(&[Fault::GlobalLimit(1_500)]);
    server.take(&key, &kills(30, 30)).await;
    for channel in ["11", "12"] {
        assert_eq!(wait_for_events(&discord, channel, 60).await, (0..60).collect::<Vec<_>>(), "{channel}");
    }
    wait_for_empty_outbox(&server).await;
}

async fn failures_of_discord_neither_lose_nor_duplicate_events(on: Backend) {
    let (server, discord) = site(on).await;
    let key = server.key("reader");
    make_feed(&server, "11", "general-statsfeed", &[]).await;
    let faults = [
        Fault::Status(500),
        Fault::PostedThen500,
        Fault::PostedThenInvalid,
        Fault::Status(503),
        Fault::PostedThenClosed,
        Fault::PostedThenHang,
        Fault::Status(403),
    ];
    for (nth, fault) in faults.into_iter().enumerate() {
        discord.fail_next(&[fault]);
        server.take(&key, &kills(nth * 10, 10)).await;
        let expected = (nth + 1) * 10;
        assert_eq!(wait_for_events(&discord, "11", expected).await, (0..expected).collect::<Vec<_>>(), "{fault:?}");
        wait_for_empty_outbox(&server).await;
    }
    let (posts, messages) = (discord.posts("11"), discord.messages("11").len());
    assert_eq!(posts, messages + faults.len(), "one additional call per failure");
    // A 403 of a proxy does not disable the feed.
    assert_eq!(server.database.number("SELECT COUNT(*) FROM statsfeed_channels WHERE disabled_reason IS NULL"), 1);
}

async fn a_deleted_channel_is_disabled_and_reported_to_admins(on: Backend) {
    let (server, discord) = site(on).await;
    let key = server.key("reader");
    for channel in ["11", "12", "13"] {
        make_feed(&server, channel, "general-statsfeed", &[]).await;
    }
    discord.break_channel("12", 404, 10_003);
    discord.break_channel("13", 403, 50_001);
    server.take(&key, &kills(0, 5)).await;
    wait_for_events(&discord, "11", 5).await;
    eventually("both feeds disabled", async || {
        let off = server.database.number("SELECT COUNT(*) FROM statsfeed_channels WHERE disabled_reason IS NOT NULL");
        off == 2
    })
    .await;
    server.take(&key, &kills(5, 5)).await;
    assert_eq!(wait_for_events(&discord, "11", 10).await, (0..10).collect::<Vec<_>>());
    assert_eq!((discord.posts("12"), discord.posts("13")), (1, 1), "disabled channels are not called");
    let mut call = command("statsfeed", &[]);
    call["data"]["options"] = json!([{ "name": "list", "type": 1, "options": [] }]);
    let list = interact(&server, call).await.json()["data"]["embeds"][0]["description"].as_str().unwrap().to_owned();
    assert_eq!(list.matches("(disabled: ").count(), 2, "{list}");
    let token = sign_in(&server, ADMIN).await;
    let request = server.request(Method::GET, "/api/admin/state").bearer_auth(token);
    let state = server.execute(request).await.json();
    let errors = state["state"]["errors"].as_array().unwrap();
    for channel in ["12", "13"] {
        let sentence = format!("channel {channel} was switched off");
        assert!(errors.iter().any(|e| e["message"].as_str().unwrap().contains(&sentence)), "{errors:?}");
    }
}

async fn a_crash_after_a_post_duplicates_nothing(on: Backend) {
    let (mut server, discord) = site(on).await;
    server.restart_as_process();
    let key = server.key("reader");
    make_feed(&server, "11", "general-statsfeed", &[]).await;
    let free_lease = "UPDATE leases SET expires_at = 0";
    // Soon after, Discord still remembers the nonce.
    discord.fail_next(&[Fault::PostedThenHang]);
    server.take(&key, &kills(0, 5)).await;
    wait_for_events(&discord, "11", 5).await;
    server.kill();
    server.database.run(free_lease);
    server.run();
    server.take(&key, &kills(5, 5)).await;
    assert_eq!(wait_for_events(&discord, "11", 10).await, (0..10).collect::<Vec<_>>());
    wait_for_empty_outbox(&server).await;
    // Later it does not, and the message is found by its footer.
    discord.fail_next(&[Fault::PostedThenHang]);
    server.take(&key, &kills(10, 5)).await;
    wait_for_events(&discord, "11", 15).await;
    server.kill();
    discord.forget_nonces();
    server.database.run("UPDATE statsfeed_outbox SET attempted_at = attempted_at - 600000");
    server.database.run(free_lease);
    server.run();
    server.take(&key, &kills(15, 5)).await;
    assert_eq!(wait_for_events(&discord, "11", 20).await, (0..20).collect::<Vec<_>>());
    wait_for_empty_outbox(&server).await;
    assert!(discord.calls().iter().any(|call| call.method == "GET" && call.path == "/channels/11/messages"));
}

async fn a_rejected_token_pauses_all_calls_and_disables_no_feed(on: Backend) {
    let (server, discord) = site(on).await;
    let key = server.key("reader");
    make_feed(&server, "11", "general-statsfeed", &[]).await;
    discord.refuse_token(true);
    server.take(&key, &kills(0, 5)).await;
    eventually("a rest", async || server.database.number("SELECT COALESCE(MAX(paused_until), 0) FROM leases") > now())
        .await;
    make_feed(&server, "12", "general-statsfeed", &[]).await;
    server.take(&key, &kills(5, 5)).await;
    eventually("a message of the other feed", async || {
        server.database.number("SELECT COUNT(*) FROM statsfeed_outbox") == 2
    })
    .await;
    assert_eq!((discord.posts("11"), discord.posts("12")), (1, 0), "no calls after the first rejection");
    // The token is corrected and the pause ends.
    discord.refuse_token(false);
    server.database.run("UPDATE leases SET paused_until = 0; UPDATE statsfeed_channels SET next_at = 0");
    assert_eq!(wait_for_events(&discord, "11", 10).await, (0..10).collect::<Vec<_>>());
    assert_eq!(wait_for_events(&discord, "12", 5).await, (5..10).collect::<Vec<_>>());
}

async fn filters_select_what_they_name(on: Backend) {
    let (server, discord) = site(on).await;
    let key = server.key("reader");
    server.database.run(
        "INSERT INTO guilds (tag, name, name_folded, created_at) VALUES ('NOVA', 'Nova', 'nova', 1); \
         INSERT INTO players (handle, handle_folded, player_name, guild_id, created_at) VALUES ('Cid-1', 'cid-1', 'Cid', 1, 1)",
    );
    // Ann has ten kills before any channel is subscribed.
    server.take(&key, &npc_kills("Ann-1", 10, now() - DAY)).await;
    let feeds: [(&str, &str, Options); 9] = [
        ("11", "general-statsfeed", &[]),
        ("12", "arena-commander", &[]),
        ("13", "pu-npc-missions", &[]),
        ("14", "general-statsfeed", &[("guilds", json!("NOVA"))]),
        ("15", "general-statsfeed", &[("players", json!("bob-1, nobody-1"))]),
        ("16", "general-statsfeed", &[("events", json!("vehicles"))]),
        ("17", "pu-npc-missions", &[("events", json!("missions"))]),
        ("18", "general-statsfeed", &[("minimum", json!(5))]),
        ("19", "arena-commander", &[("players", json!("Ann-1"))]),
    ];
    for (channel, kind, more) in feeds {
        make_feed(&server, channel, kind, more).await;
    }
    let events = [
        kill("Bob-1", "Dee-1").pu(),
        kill("Cid-1", "Dee-1").pu(),
        loss("vehicle_destruction", "Ann-1", "Dee-1").pu(),
        kill("Dee-1", "Dee-1").pu(),
        kill("Bob-1", NPC).pu(),
        own("mission_accepted", "Bob-1").with("contract_name", "zzhaul").pu(),
        kill("Bob-1", "Dee-1").ac(),
        kill("Bob-1", "Old-1").pu().at(now() - 3 * DAY),
    ];
    let from = now() - 3_600_000;
    let events: Vec<Value> = events
        .into_iter()
        .enumerate()
        .map(|(n, event)| {
            let old = event.clone().json()["victim"] == "Old-1";
            if old { event.json() } else { event.at(from + n as i64 * 20_000).json() }
        })
        .collect();
    server.take(&key, &events).await;
    let expected: [(&str, &[&str]); 9] = [
        ("11", &["**Bob-1** killed **Dee-1**", "**Cid-1** killed **Dee-1**", "**Ann-1** destroyed", "**Dee-1** died"]),
        ("12", &["**Bob-1** killed **Dee-1**"]),
        ("13", &["**Bob-1** killed **", "**Bob-1** accepted"]),
        ("14", &["**Cid-1** killed **Dee-1**"]),
        ("15", &["**Bob-1** killed **Dee-1**"]),
        ("16", &["**Ann-1** destroyed"]),
        ("17", &["**Bob-1** accepted"]),
        ("18", &["**Ann-1** destroyed"]),
        ("19", &[]),
    ];
    eventually("every feed up to date", async || {
        let behind = "SELECT COUNT(*) FROM statsfeed_channels WHERE last_event_id < (SELECT MAX(id) FROM events)";
        let waiting = "SELECT COUNT(*) FROM statsfeed_outbox";
        server.database.number(behind) == 0 && server.database.number(waiting) == 0
    })
    .await;
    for (channel, starts) in expected {
        let lines = discord.lines(channel);
        assert_eq!(lines.len(), starts.len(), "{channel}: {lines:?}");
        for (line, start) in lines.iter().zip(starts) {
            assert!(line.starts_with(start), "{channel}: {line} instead of {start}");
        }
    }
}

async fn a_leaderboard_message_is_edited_in_place(on: Backend) {
    let (server, discord) = site(on).await;
    let key = server.key("reader");
    server.take(&key, &kills(0, 3)).await;
    make_feed(&server, "11", "general-statsfeed", &[("leaderboard", json!("pu_player_kills"))]).await;
    let board = async |expected: &str| {
        until("the board", async || {
            let found = discord.messages("11").into_iter().find(|m| m.body["embeds"][0]["title"] == "Leaderboard: PVP");
            found.filter(|m| m.body["embeds"][0]["description"].as_str().unwrap().contains(expected))
        })
        .await
    };
    let look_again = "UPDATE statsfeed_channels SET board_due_at = 0";
    let first = board("**#1** Ann-1 – 3").await;
    server.take(&key, &kills(3, 4)).await;
    server.database.run(look_again);
    let second = board("**#1** Ann-1 – 7").await;
    assert_eq!((&second.id, second.edits > 0), (&first.id, true), "the same message, edited");
    // After the message is deleted, the next change posts a new one.
    discord.remove_message("11", &second.id);
    server.take(&key, &kills(7, 1)).await;
    server.database.run(look_again);
    let third = board("**#1** Ann-1 – 8").await;
    assert_ne!(third.id, second.id);
    // No call without a change.
    let edits = |discord: &MockDiscord| discord.calls().iter().filter(|call| call.method == "PATCH").count();
    let before = edits(&discord);
    server.database.run(look_again);
    eventually("another look", async || server.database.number("SELECT MIN(board_due_at) FROM statsfeed_channels") > 0)
        .await;
    assert_eq!(edits(&discord), before);
}

/// A second process on the same database, with a separate data directory.
struct Second {
    process: Child,
    address: String,
    _dir: tempfile::TempDir,
}

impl Second {
    fn start(beside: &Server, discord: &MockDiscord) -> Self {
        let dir = tempfile::TempDir::new().unwrap();
        let mut process = Command::new(crate::support::server::binary())
            .env_clear()
            .env("APOGEE_LOG", "warn")
            .envs(settings(&discord.url))
            .arg("--data-dir")
            .arg(dir.path())
            .args(["--database-url", &beside.database.url, "serve", "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let address =
            lines.map_while(Result::ok).find_map(|line| line.strip_prefix("listening on ").map(ToOwned::to_owned));
        Self { process, address: address.unwrap(), _dir: dir }
    }
}

impl Drop for Second {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_of_several_processes_posts_and_another_takes_over() {
    let (mut server, discord) = site(Backend::Postgres).await;
    server.restart_as_process();
    let key = server.key("reader");
    make_feed(&server, "11", "general-statsfeed", &[]).await;
    server.take(&key, &kills(0, 20)).await;
    wait_for_events(&discord, "11", 20).await;
    let second = Second::start(&server, &discord);
    let body = |events: &[Value]| json!({ "events": events }).to_string();
    let send = async |events: Vec<Value>| {
        let request = server.client.post(format!("{}/api/ingest/events", second.address)).bearer_auth(&key);
        let sent = request.header("content-type", "application/json").body(body(&events)).send().await.unwrap();
        assert_eq!(sent.status(), 200);
    };
    send(kills(20, 20)).await;
    assert_eq!(
        wait_for_events(&discord, "11", 40).await,
        (0..40).collect::<Vec<_>>(),
        "ingested by one process, posted by the other"
    );
    let holder = || server.database.words("SELECT holder AS value FROM leases WHERE name = 'statsfeed'");
    let first_holder = holder();
    server.signal("-TERM");
    send(kills(40, 20)).await;
    assert_eq!(
        wait_for_events(&discord, "11", 60).await,
        (0..60).collect::<Vec<_>>(),
        "a stopping process releases the lease"
    );
    assert_ne!(holder(), first_holder);
    server.wait_for_end();
    // The lease of a killed process expires.
    server.run();
    drop(second);
    server.database.run("UPDATE leases SET expires_at = 1");
    server.take(&key, &kills(60, 20)).await;
    assert_eq!(wait_for_events(&discord, "11", 80).await, (0..80).collect::<Vec<_>>());
    wait_for_empty_outbox(&server).await;
    assert_eq!(discord.posts("11"), discord.messages("11").len());
}
