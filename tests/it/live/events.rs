//! Delivery of live events: in time, in order, once.

use std::sync::Arc;

use rand::{Rng, SeedableRng};
use reqwest::Method;
use serde_json::{Value, json};

use crate::api::insert_guilds;
use crate::support::*;

on_both!(
    an_event_reaches_its_topics,
    topics_are_validated_and_the_stream_is_never_compressed,
    resuming_delivers_missed_events_once_and_in_order,
    a_thousand_broken_streams_lose_nothing,
);

async fn guild_site(on: Backend) -> Server {
    let mut server = Server::prepare(on);
    insert_guilds(&server);
    server.run();
    server
}

async fn an_event_reaches_its_topics(on: Backend) {
    let server = guild_site(on).await;
    let key = server.key("reader");
    let mut all = Stream::open(&server, "activity", None).await;
    let mut ann = Stream::open(&server, "player:ANN-1", None).await;
    let mut alpha = Stream::open(&server, "guild:alpha", None).await;
    let mut cyd = Stream::open(&server, "player:cyd-2,guild:BETA,player:fence-1", None).await;
    let mut figures = Stream::open(&server, "counts,patch", None).await;
    let event = kill("Ann-1", "New-Face").pu().with("patch", "ALPHA 4.9.2").with("text", "Zoë 🚀\nin two lines").json();
    server.take(&key, &[event]).await;
    let row = all.next(HANG).await.expect("an event");
    let id = row.data["id"].as_str().unwrap();
    assert_eq!(row.event, "activity");
    assert_eq!(
        row.data,
        server.read(&format!("/api/activity/{id}")).await["event"],
        "the row is equal to that of the API"
    );
    assert_eq!(ann.next(HANG).await.unwrap(), row, "the same bytes for every topic");
    assert_eq!(alpha.next(HANG).await.unwrap(), row);
    let changed = ann.until("player").await;
    assert_eq!((&changed.data["handle"], &changed.data["pu_player_kills"]), (&json!("Ann-1"), &json!(1)));
    assert_eq!((&changed.data["rank_overall"], &changed.data["rank_pve"]), (&json!(1), &Value::Null));
    // The event carries every counter of the profile.
    let profile = server.read("/api/player/ann-1").await["player"].clone();
    let counters = profile["game_stats"].as_object().unwrap().iter();
    let counters: Vec<_> = counters.filter(|(name, _)| name.starts_with("pu_") || name.starts_with("ac_")).collect();
    assert_eq!(counters.len(), 20);
    for (name, value) in counters {
        assert_eq!(changed.data[name], *value, "{name}");
    }
    for name in ["rank_missions", "rank_playtime", "unknown_deaths", "overall"] {
        assert_eq!(changed.data[name], profile[name], "{name}");
    }
    let sums = alpha.until("guild").await;
    assert_eq!((&sums.data["short"], &sums.data["overall"]), (&json!("ALPHA"), &json!(1)));
    // Counts and patch arrive together, in any order.
    let is_all = |frames: &[Frame]| ["counts", "patch"].iter().all(|name| frames.iter().any(|f| f.event == *name));
    let first = figures.read_until("counts and patch", is_all).await;
    let named = |name: &str| first.iter().find(|f| f.event == name).unwrap_or_else(|| panic!("no {name}: {first:?}"));
    assert_eq!(named("counts").data, json!({"players": 6, "orgs": 4}));
    assert_eq!(named("patch").data["stats"]["player_kills"], 1);
    server.take(&key, &[kill("Ann-1", NPC).pu().with("patch", "ALPHA 4.9.2").json()]).await;
    let patch = figures.until("patch").await;
    assert_eq!(patch.data, server.read("/api/patch").await["data"]);
    server.fence(&key, "Fence-1").await;
    assert_eq!(cyd.before("Fence-1").await, [], "no events of other players");
    // Duplicates are not published.
    all.before("Fence-1").await;
    let again = kill("Ann-1", NPC).pu().id("once").json();
    server.take(&key, std::slice::from_ref(&again)).await;
    all.until("activity").await;
    server.send(&key, &[again]).await;
    server.take(&key, &[own("connection_success", "Ann-1").json()]).await;
    server.fence(&key, "Fence-2").await;
    assert_eq!(all.before("Fence-2").await, []);
}

async fn topics_are_validated_and_the_stream_is_never_compressed(on: Backend) {
    let mut server = guild_site(on).await;
    server.restart_as_process();
    let topics = |n: usize| (0..n).map(|n| format!("player:pilot-{n}")).collect::<Vec<_>>().join(",");
    for bad in ["", "weather", "activity,weather", "player:", "player:a%20b", "guild:A", "guild:A-B", &topics(21)] {
        let response = server.get(&format!("/api/live?topics={bad}")).await;
        assert_eq!((response.status.as_u16(), response.code().as_str()), (400, "VALIDATION"), "{bad}");
        assert!(response.text().contains("topics"), "{bad}");
    }
    assert_eq!(server.get("/api/live").await.code(), "VALIDATION");
    drop(Stream::open(&server, &topics(20), None).await);

    let request = server.request(Method::GET, "/api/live?topics=activity").header("accept-encoding", "br, gzip, zstd");
    let response = request.send().await.unwrap();
    let header = |name: &str| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
    assert!(
        matches!(header("content-encoding").as_deref(), None | Some("identity")),
        "{:?}",
        header("content-encoding")
    );
    assert_eq!(header("content-type").as_deref(), Some("text/event-stream"));
    assert_eq!(header("cache-control").as_deref(), Some("no-store"));
    let mut packed = Stream::of(response);
    let key = server.key("reader");
    server.take(&key, &npc_kills("Ann-1", 1, now() - DAY)).await;
    assert_eq!(packed.next(HANG).await.unwrap().event, "activity");

    // Shutdown ends every stream and the process.
    let mut idle = Stream::open(&server, "counts", None).await;
    server.signal("-TERM");
    assert!(idle.ends().await && packed.ends().await, "streams end");
    server.wait_for_end();
}

async fn resuming_delivers_missed_events_once_and_in_order(on: Backend) {
    let mut server = guild_site(on).await;
    server.restart_as_process();
    let key = server.key("reader");
    let at = now() - DAY;
    let mut stream = Stream::open(&server, "activity", None).await;
    server.take(&key, &npc_kills("Ann-1", 3, at)).await;
    let number = |frame: &Frame| frame.data["id"].as_str().unwrap().parse::<i64>().unwrap();
    // All messages up to the event with this number.
    let through = async |stream: &mut Stream, last: i64| {
        stream.read_until("the last event", |frames| frames.last().is_some_and(|f| number(f) >= last)).await
    };
    let seen = through(&mut stream, 3).await;
    assert_eq!(seen.len(), 3);
    drop(stream);
    for n in 0..5 {
        server.take(&key, &npc_kills(if n % 2 == 0 { "Ann-1" } else { "Cyd-2" }, 4, at + (n + 1) * 600_000)).await;
    }
    let names = |frames: &[Frame]| -> Vec<i64> { frames.iter().map(number).collect() };
    let last = seen[2].id.to_string();
    let mut missed = Stream::open(&server, "activity", Some(&last)).await;
    // Replay is limited to the requested topics.
    let mut of_cyd = Stream::open(&server, "player:cyd-2", Some(&last)).await;
    // Between replayed and new events there is neither a gap nor a duplicate.
    server.take(&key, &npc_kills("Cyd-2", 2, at + 9_000_000)).await;
    let missed = through(&mut missed, 25).await;
    assert_eq!(names(&missed), (4..=25).collect::<Vec<i64>>());
    assert!(missed.is_sorted_by(|a, b| a.id < b.id), "ids rise");
    assert_eq!(names(&through(&mut of_cyd, 25).await), [8, 9, 10, 11, 16, 17, 18, 19, 24, 25]);
    // The last id can also be a parameter, for clients that cannot set headers.
    let middle = missed[9].id.to_string();
    let mut after = Stream::open(&server, &format!("activity&lastEventId={middle}"), None).await;
    assert_eq!(through(&mut after, 25).await, missed[10..]);
    drop(after);

    for round in 0..2 {
        if round == 0 {
            server.restart();
        } else {
            server.kill();
            server.run();
        }
        let mut again = Stream::open(&server, "activity", Some(&last)).await;
        server.take(&key, &npc_kills("Ann-1", 1, at + (100 + round) * 600_000)).await;
        let newest = 26 + round;
        let again = through(&mut again, newest).await;
        assert_eq!(names(&again), (4..=newest).collect::<Vec<i64>>(), "after a restart, round {round}");
        assert_eq!(again[..22], missed, "ids and rows are unchanged");
    }
}

/// Number of disconnects of all readers together.
const BREAKS: usize = 1_000;
const READERS: usize = 8;

/// Number of events of the feed.
const EVENTS: i64 = 3_000;

/// Reads the feed to its end and disconnects repeatedly; returns message ids, event ids and the number of resets.
async fn break_and_read(server: Arc<Server>, seed: u64) -> (Vec<i64>, Vec<i64>, usize) {
    let mut chance = rand::rngs::StdRng::seed_from_u64(seed);
    let (mut ids, mut events, mut resets, mut breaks) = (Vec::new(), Vec::new(), 0, 0);
    let mut last = "0".to_owned();
    while events.last() != Some(&EVENTS) {
        let mut stream = Stream::open(&server, "activity", Some(&last)).await;
        // Disconnects before the first message or after some.
        let mut left = if breaks < BREAKS / READERS { chance.random_range(0..40) } else { usize::MAX };
        breaks += 1;
        while left > 0 && events.last() != Some(&EVENTS) {
            let frame = stream.next(HANG).await.expect("the feed continues");
            left -= 1;
            last = frame.id.to_string();
            if frame.event == "reset" {
                resets += 1;
                continue;
            }
            ids.push(frame.id);
            events.push(frame.data["id"].as_str().unwrap().parse::<i64>().unwrap());
        }
    }
    assert!(breaks > BREAKS / READERS, "{breaks} breaks");
    (ids, events, resets)
}

async fn a_thousand_broken_streams_lose_nothing(on: Backend) {
    let server = Arc::new(Server::start(on).await);
    let key = server.key("reader");
    let readers: Vec<_> =
        (0..READERS as u64).map(|seed| tokio::spawn(break_and_read(Arc::clone(&server), seed))).collect();
    let from = now() - DAY;
    // Far fewer than the ring holds, so there is no reset.
    for batch in 0..150 {
        server.take(&key, &npc_kills(&format!("Pilot-{}", batch % 5), 20, from + batch * 500_000)).await;
    }
    for (number, reader) in readers.into_iter().enumerate() {
        let (ids, events, resets) = reader.await.unwrap();
        assert_eq!(resets, 0, "reader {number}");
        assert!(ids.is_sorted_by(|a, b| a < b), "reader {number}: ids are unique and ascending");
        assert_eq!(events, (1..=EVENTS).collect::<Vec<i64>>(), "reader {number}: every event once, in order");
    }
}

#[tokio::test]
async fn an_idle_stream_receives_heartbeats() {
    let server = Server::start(Backend::Sqlite).await;
    let mut stream = Stream::open(&server, "activity", None).await;
    assert!(stream.comment().await);
}
