//! Leaderboards, counts and the patch as topics: their first message, their changes, hidden players, and resuming after a
//! disconnect.

use serde_json::{Value, json};

use crate::api::{People, insert_guilds};
use crate::support::*;

on_both!(
    a_leaderboard_topic_sends_a_snapshot_and_then_changes,
    a_leaderboard_topic_names_no_hidden_player,
    resuming_delivers_current_states,
    a_stream_opens_with_an_id_and_an_unknown_id_causes_a_reset,
    a_guild_topic_carries_changes_of_its_members,
);

fn last<'a>(frames: &'a [Frame], name: &str) -> Option<&'a Value> {
    frames.iter().rfind(|frame| frame.event == name).map(|frame| &frame.data)
}

async fn guild_site(on: Backend) -> Server {
    let mut server = Server::prepare(on);
    insert_guilds(&server);
    server.run();
    server
}

/// A leaderboard as a page stores it: changed rows replace those with the same rank.
#[derive(Default)]
struct Board {
    rows: Vec<Value>,
    total: i64,
    last_id: i64,
}

fn name_of(row: &Value) -> String {
    row.get("handle").unwrap_or(&row["org_short"]).as_str().unwrap().to_lowercase()
}

impl Board {
    fn take(&mut self, frame: &Frame) {
        assert_eq!(frame.event, "board");
        assert!(frame.id > self.last_id, "ids rise: {} after {}", frame.id, self.last_id);
        self.last_id = frame.id;
        let changed = frame.data["rows"].as_array().unwrap().clone();
        let removed: Vec<String> = frame.data["removed"]
            .as_array()
            .unwrap()
            .iter()
            .map(|name| name.as_str().unwrap().to_lowercase())
            .collect();
        if frame.data["is_snapshot"] == true {
            self.rows = changed;
        } else {
            let is_old = |row: &Value| {
                removed.contains(&name_of(row)) || changed.iter().any(|other| name_of(other) == name_of(row))
            };
            self.rows.retain(|row| !is_old(row));
            self.rows.extend(changed);
            self.rows.sort_by_key(|row| (row["rank"].as_i64().unwrap(), name_of(row)));
        }
        self.total = frame.data["total"].as_i64().unwrap();
    }

    /// Reads until the rows are those of the API.
    async fn becomes(&mut self, stream: &mut Stream, server: &Server, path: &str) {
        let response = server.read(path).await;
        let rows = response.get("players").unwrap_or(&response["data"]).as_array().unwrap();
        while self.rows != *rows {
            let frame = stream.next(HANG).await;
            self.take(&frame.unwrap_or_else(|| panic!("{path} is {:?}, not {rows:?}", self.rows)));
        }
        assert_eq!(response["pagination"]["total"], self.total, "{path}");
    }
}

async fn a_leaderboard_topic_sends_a_snapshot_and_then_changes(on: Backend) {
    let server = guild_site(on).await;
    let key = server.key("reader");
    server.take(&key, &npc_kills("Ann-1", 2, now() - DAY)).await;
    for (topic, path) in [
        ("board:players:overall", "/api/players/leaderboard?limit=100"),
        ("board:players:pve_kills:7d", "/api/players/leaderboard?limit=100&sortBy=pve_kills&window=7d"),
        ("board:guilds:overall", "/api/guilds/leaderboard?limit=100"),
        ("board:guilds:pve_kills:7d", "/api/guilds/leaderboard?limit=100&sortBy=pve_kills&window=7d"),
    ] {
        let (mut stream, mut board) = (Stream::open(&server, topic, None).await, Board::default());
        let first = stream.next(HANG).await.unwrap();
        assert_eq!((&first.data["topic"], &first.data["is_snapshot"]), (&json!(topic), &json!(true)));
        board.take(&first);
        board.becomes(&mut stream, &server, path).await;
        // One player overtakes another, one is new, and two share a rank.
        let at = now() - DAY / 2;
        let events = ["Cyd-2", "Cyd-2", "Cyd-2", "Dot-3", "Eve-4"].map(|who| kill(who, NPC).pu());
        server.take(&key, &in_a_row(at + i64::try_from(topic.len()).unwrap() * 1_000_000, events)).await;
        let change = stream.next(HANG).await.expect("a change");
        assert_eq!(change.data["is_snapshot"], false, "{change:?}");
        board.take(&change);
        board.becomes(&mut stream, &server, path).await;
        // A second subscriber gets the same rows in one message.
        let mut other = Board::default();
        other.take(&Stream::open(&server, topic, None).await.next(HANG).await.unwrap());
        assert_eq!(other.rows, board.rows, "{topic}");
    }
}

async fn a_leaderboard_topic_names_no_hidden_player(on: Backend) {
    let people = People::on(on).await;
    let server = &people.server;
    let key = server.key("reader");
    let from = now() - DAY / 2;
    for (nth, who) in ["Ann-1", "Bob-1", "Cyd-2"].into_iter().enumerate() {
        server.take(&key, &npc_kills(who, 3, from + nth as i64 * 1_000_000)).await;
    }
    let path = "/api/players/leaderboard?limit=100";
    let topics = "board:players:overall";
    let (mut stream, mut board) = (Stream::open(server, topics, None).await, Board::default());
    board.becomes(&mut stream, server, path).await;
    assert!(board.rows.iter().any(|row| row["handle"] == "Bob-1"));
    let saved = people.save("503", "/api/player/settings", json!({"profile_hidden": true})).await;
    assert_eq!(saved.status, 200);
    // New streams do not contain the name.
    let mut late = Stream::open(server, topics, None).await;
    let first = late.next(HANG).await.unwrap();
    assert!(!first.data.to_string().contains("Bob-1"), "{first:?}");
    board.becomes(&mut stream, server, path).await;
    assert!(!board.rows.iter().any(|row| row["handle"] == "Bob-1"));
    server.take(&key, &npc_kills("Bob-1", 3, now() - 7_200_000)).await;
    server.take(&key, &npc_kills("Ann-1", 1, now() - 3_600_000)).await;
    for stream in [&mut stream, &mut late] {
        let is_kill_by_ann = |frame: &Frame| {
            frame.data["rows"].as_array().unwrap().iter().any(|row| row["handle"] == "Ann-1" && row["overall"] == 4)
        };
        let frames = stream.read_until("Ann's kill", |frames| frames.iter().any(is_kill_by_ann)).await;
        assert!(frames.iter().all(|frame| !frame.data.to_string().contains("Bob-1")), "{frames:?}");
    }
}

async fn resuming_delivers_current_states(on: Backend) {
    let mut server = guild_site(on).await;
    let key = server.key("reader");
    let topics = "counts,patch,board:players:overall";
    let mut stream = Stream::open(&server, topics, None).await;
    server.take(&key, &[kill("Ann-1", "New-Face").pu().with("patch", "ALPHA 4.9.2").json()]).await;
    let is_all = |frames: &[Frame]| {
        last(frames, "counts").is_some_and(|data| data["players"] == 6)
            && last(frames, "patch").is_some_and(|data| data["stats"]["player_kills"] == 1)
            && last(frames, "board").is_some_and(|data| data["total"] == 1)
    };
    let seen = stream.read_until("states", is_all).await;
    assert!(seen.iter().all(|frame| frame.id > 0) && seen.is_sorted_by(|a, b| a.id < b.id), "ids rise: {seen:?}");
    let last_id = seen.last().unwrap().id;
    drop(stream);
    // No client is connected during this change.
    server.take(&key, &[kill("Cyd-2", "Other-Face").pu().with("patch", "ALPHA 4.9.2").json()]).await;
    for round in 0..2 {
        let mut again = Stream::open(&server, topics, Some(&last_id.to_string())).await;
        let patch = server.read("/api/patch").await["data"].clone();
        let board = server.read("/api/players/leaderboard?limit=100").await["players"].clone();
        let is_now = |frames: &[Frame]| {
            last(frames, "counts") == Some(&json!({"players": 7, "orgs": 4}))
                && last(frames, "patch") == Some(&patch)
                && last(frames, "board").is_some_and(|data| data["rows"] == board && data["is_snapshot"] == true)
        };
        let frames = again.read_until("current states", is_now).await;
        assert!(frames.iter().all(|frame| frame.id > last_id && frame.event != "reset"), "{frames:?}");
        drop(again);
        if round == 0 {
            server.restart();
        }
    }
}

async fn a_stream_opens_with_an_id_and_an_unknown_id_causes_a_reset(on: Backend) {
    let server = guild_site(on).await;
    let key = server.key("reader");
    server.take(&key, &npc_kills("Ann-1", 3, now() - DAY)).await;
    let opening = async |query: &str, after: Option<&str>| {
        let mut response = Stream::request(&server.client, &server.address, query, after).await;
        assert_eq!(response.status(), 200, "{query} {after:?}");
        let mut text = String::new();
        while text.matches("\n\n").count() < 2 {
            let chunk = tokio::time::timeout(HANG, response.chunk()).await.expect("the first bytes");
            text.push_str(std::str::from_utf8(&chunk.unwrap().unwrap()).unwrap());
        }
        text
    };
    let first = opening("player:nobody-yet", None).await;
    let id = first.strip_prefix("retry: 3000\n\nid: ").and_then(|rest| rest.split('\n').next()).unwrap().to_owned();
    // The connection drops before its first event; events in the meantime are delivered after the reconnect.
    server.take(&key, &[own("login", "Nobody-Yet").json()]).await;
    let mut back = Stream::open(&server, "player:nobody-yet", Some(&id)).await;
    let missed = back.next(HANG).await.expect("the missed event");
    assert_eq!((missed.event.as_str(), &missed.data["player_name"]), ("activity", &json!("Nobody-Yet")));
    for unknown in ["nonsense", "1.5", "-1", "99999999999999999999", "9000000000000000000", "null", "é"] {
        let text = opening("activity", Some(unknown)).await;
        assert!(text.starts_with("retry: 3000\n\nid: ") && text.contains("\nevent: reset\n"), "{unknown}: {text}");
        if unknown.is_ascii() {
            let text = opening(&format!("activity&lastEventId={unknown}"), None).await;
            assert!(text.contains("\nevent: reset\n"), "{unknown}: {text}");
        }
    }
    // Scripts in a page cannot see comments, so the heartbeat can be an event.
    let named = opening("activity&heartbeat=event", None).await;
    assert!(named.starts_with("retry: 3000\n\nid: ") && named.contains("\nevent: heartbeat\ndata: {}\n\n"), "{named}");
    assert_eq!(server.get("/api/live?topics=activity&heartbeat=loud").await.code(), "VALIDATION");
}

async fn a_guild_topic_carries_changes_of_its_members(on: Backend) {
    let people = People::on(on).await;
    let server = &people.server;
    let key = server.key("reader");
    let mut stream = Stream::open(server, "guild:ALPHA", None).await;
    server.take(&key, &npc_kills("Ann-1", 2, now() - DAY)).await;
    let changed = stream.until("guild").await.data;
    let (stats, profile) =
        (server.read("/api/guild/stats/ALPHA").await["data"].clone(), server.read("/api/guild/ALPHA").await);
    for name in ["pu_player_kills", "pu_npc_kills", "overall", "missions_completed", "playtime"] {
        assert_eq!(changed[name], stats[name], "{name}");
    }
    for name in ["rank_overall", "rank_pvp", "rank_pve", "rank_vehicle"] {
        assert_eq!(changed[name], profile["guild"][name], "{name}");
    }
    let list = server.read("/api/guild/ALPHA/members").await["members"].clone();
    let ann: Vec<&Value> = list.as_array().unwrap().iter().filter(|row| row["handle"] == "Ann-1").collect();
    assert_eq!(
        (changed["members"].as_array().unwrap().iter().collect::<Vec<_>>(), &changed["members_changed"]),
        (ann, &json!(false))
    );
    // When a member hides, clients load the list again, and the message does not contain the name.
    people.save("503", "/api/player/settings", json!({"profile_hidden": true})).await;
    let change = stream.until("guild").await.data;
    assert_eq!(change["members_changed"], true);
    assert!(!change.to_string().contains("Bob"), "{change:?}");
    server.take(&key, &npc_kills("Bob-1", 2, now() - DAY / 2)).await;
    let hidden = stream.until("guild").await.data;
    assert_eq!(
        (&hidden["members"], &hidden["overall"]),
        (&json!([]), &json!(4)),
        "hidden members count and are not named"
    );
}
