//! Several processes on one PostgreSQL database act as one site: a commit of one is visible in all, and any of them may be killed.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::api::insert_guilds;
use crate::support::*;

/// Starts two processes on one database that has guilds.
async fn start_two() -> (Server, Server) {
    let mut one = Server::prepare(Backend::Postgres).into_process();
    one.env("APOGEE_JWT_SECRET", "a secret that both processes share, as it has to be");
    insert_guilds(&one);
    let mut other = one.beside().into_process();
    one.run();
    other.run();
    (one, other)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leaderboards_are_live_in_every_process_and_a_stream_can_move_between_them() {
    let (one, other) = start_two().await;
    let key = one.key("reader");
    let topics = "counts,board:players:overall";
    let mut there = Stream::open(&other, topics, None).await;
    assert_eq!(there.until("board").await.data["total"], 0);
    one.take(&key, &npc_kills("Ann-1", 3, now() - DAY)).await;
    let changed = there.until("board").await;
    assert_eq!((&changed.data["rows"][0]["handle"], &changed.data["is_snapshot"]), (&json!("Ann-1"), &json!(false)));
    let last = changed.id;
    // Ids of one process are valid in the other, and later messages have higher ids in both.
    one.take(&key, &npc_kills("Cyd-2", 5, now() - DAY / 2)).await;
    for server in [&one, &other, &one] {
        let mut stream = Stream::open(server, topics, Some(&last.to_string())).await;
        let rows = one.read("/api/players/leaderboard?limit=100").await["players"].clone();
        let board = loop {
            let frame = stream.next(HANG).await.expect("a leaderboard");
            assert!(frame.event != "reset" && frame.id > last, "{frame:?}");
            if frame.event == "board" && frame.data["rows"] == rows {
                break frame;
            }
        };
        assert_eq!(board.data["rows"][0]["handle"], "Cyd-2");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_batch_of_one_process_is_visible_in_the_other() {
    let (one, other) = start_two().await;
    let key = one.key("reader");
    let topics = "activity,player:ann-1,player:new-face,guild:ALPHA,commits";
    let (mut here, mut there) = (Stream::open(&one, topics, None).await, Stream::open(&other, topics, None).await);
    let mut figures = Stream::open(&other, "counts,patch", None).await;
    let events = [
        kill("Ann-1", "New-Face").pu().with("patch", "ALPHA 4.9.2").with("text", "Zoë 🚀"),
        kill("Ann-1", NPC).pu().with("patch", "ALPHA 4.9.2"),
        kill("New-Face", "Cyd-2").pu(),
    ];
    one.take(&key, &in_a_row(now() - DAY, events)).await;
    // More than a notification can carry.
    let many: Vec<Value> =
        (0..400).map(|n| kill(&format!("Newcomer-{n}"), NPC).pu().at(now() - DAY / 2 + n * 9_000).json()).collect();
    one.take(&key, &many).await;
    other.take(&key, &npc_kills("Ann-1", 2, now() - DAY / 4)).await;
    one.fence(&key, "Fence-1").await;
    let (first, second) = (here.before("Fence-1").await, there.before("Fence-1").await);
    assert_eq!(first.iter().filter(|f| f.event == "activity").count(), 405);
    assert!(first.iter().any(|f| f.event == "player") && first.iter().any(|f| f.event == "guild"));
    assert_eq!(first, second, "the same messages under the same ids");
    assert!(first.is_sorted_by(|a, b| a.id < b.id), "ids rise");
    let is_all = |frames: &[Frame]| ["counts", "patch"].iter().all(|name| frames.iter().any(|f| f.event == *name));
    figures.read_until("counts and patch", is_all).await;
    for path in [
        "/api/player/ann-1",
        "/api/player/New-Face",
        "/api/players/leaderboard?limit=100",
        "/api/players/top",
        "/api/guilds/leaderboard",
        "/api/stats/counts",
        "/api/search/fast?q=new-f",
        "/api/search/fast?q=newcomer-399",
        "/api/search/players?q=ann",
        "/api/activity?limit=100",
        "/api/patch",
    ] {
        assert_eq!(one.read(path).await, other.read(path).await, "{path}");
    }
    assert_eq!(other.read("/api/player/ann-1").await["player"]["rank_overall"], 1);
    assert_eq!(other.read("/api/search/fast?q=new-f").await["results"][0]["handle"], "New-Face");
    // A stream resumes on the other process without a gap or a duplicate.
    let middle = first[200].id.to_string();
    let rest: Vec<Frame> = first[201..].iter().filter(|f| f.event == "activity").cloned().collect();
    for server in [&one, &other] {
        let mut again = Stream::open(server, "activity", Some(&middle)).await;
        assert_eq!(again.before("Fence-1").await, rest);
    }
    let newest = first.last().unwrap().id.to_string();
    assert_eq!(Stream::open(&one, topics, Some(&newest)).await.before("Fence-1").await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_starts_during_ingest_counts_every_event_once() {
    let (one, mut other) = start_two().await;
    let key = one.key("reader");
    let stop = Arc::new(AtomicBool::new(false));
    let sender = {
        let (stop, url, key) = (Arc::clone(&stop), one.url("/api/ingest/events"), key.clone());
        tokio::spawn(async move {
            let (client, mut sent) = (server::client(), 0);
            while !stop.load(Ordering::Relaxed) {
                let pilot = format!("Pilot-{}", sent % 7);
                let events = npc_kills(&pilot, 5, now() - 20 * DAY + sent * 200_000);
                let response = client.post(&url).bearer_auth(&key).json(&json!({ "events": events })).send().await;
                assert_eq!(response.unwrap().status(), 200);
                sent += 1;
            }
            sent
        })
    };
    for _ in 0..3 {
        other.stop();
        other.run();
    }
    stop.store(true, Ordering::Relaxed);
    let sent = sender.await.unwrap();
    assert!(sent > 0);
    let path = "/api/players/leaderboard?limit=100";
    let truth = one.read(path).await;
    eventually("the same boards", async || other.read(path).await == truth).await;
    for n in 0..7 {
        let path = format!("/api/player/pilot-{n}");
        let (here, there) = (one.get(&path).await, other.get(&path).await);
        assert_eq!(here.json(), there.json(), "ranks of pilot {n} after {sent} batches");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_revoked_in_one_process_is_rejected_by_all() {
    let (one, other) = start_two().await;
    let key = one.key("reader");
    for server in [&one, &other] {
        server.take(&key, &npc_kills("Ann-1", 1, now() - DAY + i64::from(server.address == one.address))).await;
    }
    one.command(&["key", "revoke", "reader"]);
    for server in [&one, &other] {
        eventually("the key is rejected", async || server.try_send(&key, &[]).await.status == 401).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_profile_hidden_in_one_process_is_hidden_in_all() {
    let (one, mut other) = start_two().await;
    let dir = tempfile::tempdir().unwrap();
    let third = {
        let (one, dir) = (&one, dir.path());
        tokio::task::block_in_place(|| inside(one, dir))
    };
    let key = one.key("reader");
    one.take(&key, &npc_kills("Bob-1", 9, now() - DAY)).await;
    one.take(&key, &npc_kills("Ann-1", 4, now() - DAY)).await;
    one.take(&key, &[kill("Bob-1", "Cyd-2").pu().at(now() - DAY / 2).json()]).await;
    let mut open = Stream::open(&other, "activity,player:bob-1,guild:ALPHA", None).await;
    let ann = "/api/player/ann-1";
    eventually("Ann is second", async || other.read(ann).await["player"]["rank_overall"] == 2).await;

    set_hidden(&third, "bob-1", true).await;
    let mut reset = 0;
    for (server, fence) in [(&one, "Fence-1"), (&other, "Fence-2")] {
        eventually("Ann is first", async || server.read(ann).await["player"]["rank_overall"] == 1).await;
        eventually("search forgets Bob", async || {
            server.read("/api/search/fast?q=bob-1").await["results"] == json!([])
        })
        .await;
        for path in ["/api/players/top?limit=100", "/api/activity?limit=100", "/api/player/cyd-2/activity"] {
            let text = server.get(path).await.text().to_lowercase();
            assert!(!text.contains("bob"), "{path}: {text}");
        }
        // Replayable messages are retracted as well: a stream that resumes before them gets a reset.
        let mut replayed = Stream::open(server, "activity", Some("0")).await;
        server.fence(&key, fence).await;
        let replayed = replayed.before(fence).await;
        assert!(replayed.iter().all(|f| !f.data.to_string().to_lowercase().contains("bob")), "{replayed:?}");
        assert_eq!(replayed[0].event, "reset");
        reset = replayed[0].id;
    }
    // A stream that was open before receives the name from neither process.
    one.take(&key, &npc_kills("Bob-1", 3, now() - DAY / 3)).await;
    other.take(&key, &[kill("Bob-1", "Cyd-2").pu().at(now() - DAY / 4).json()]).await;
    assert_eq!(open.until("reset").await.data, json!({}), "rows that were sent before may name the player");
    let mut open = Stream::open(&other, "activity,player:bob-1,guild:ALPHA", Some(&reset.to_string())).await;
    one.fence(&key, "Fence-3").await;
    let received = open.before("Fence-3").await;
    assert!(received.iter().any(|f| f.data["killer"] == "Hidden"), "{received:?}");
    assert!(received.iter().all(|f| !f.data.to_string().to_lowercase().contains("bob")), "{received:?}");
    // The same holds for an index on disk of a process that was stopped meanwhile.
    set_hidden(&third, "bob-1", false).await;
    for server in [&one, &other] {
        eventually("search knows Bob", async || {
            server.read("/api/search/fast?q=bob-1").await["results"][0]["handle"] == "Bob-1"
        })
        .await;
    }
    other.stop();
    set_hidden(&third, "bob-1", true).await;
    other.run();
    assert_eq!(other.read("/api/search/fast?q=bob-1").await["results"], json!([]));
    assert_eq!(other.read(ann).await["player"]["rank_overall"], 1);
}

/// Reads the feed to its end and resumes with the last id after each disconnect; returns `(event ids, resets)`.
async fn read_feed(addresses: Vec<String>, last_event: tokio::sync::watch::Receiver<Option<i64>>) -> (Vec<i64>, usize) {
    let client = server::client();
    let (mut ids, mut resets, mut last, mut turn) = (Vec::new(), 0, "0".to_owned(), 0);
    loop {
        let address = &addresses[turn % addresses.len()];
        turn += 1;
        let request = client
            .get(format!("{address}/api/live?topics=activity"))
            .header("last-event-id", &last)
            .timeout(Duration::from_secs(600));
        // The process or its database is down.
        let Some(response) = request.send().await.ok().filter(|response| response.status() == 200) else {
            tokio::time::sleep(Duration::from_millis(50)).await;
            continue;
        };
        let mut stream = Stream::of(response);
        while let Some(frame) = stream.next(Duration::from_secs(2)).await {
            last = frame.id.to_string();
            match frame.event.as_str() {
                "reset" => resets += 1,
                _ => ids.push(frame.data["id"].as_str().unwrap().parse().unwrap()),
            }
        }
        if let Some(end) = *last_event.borrow()
            && ids.last().is_some_and(|id| *id >= end)
        {
            return (ids, resets);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn streams_miss_nothing_while_a_process_is_killed_and_postgres_crashes() {
    let cluster = tokio::task::block_in_place(Cluster::start);
    let mut one = Server::on(&cluster.url, &[]).into_process();
    let mut other = Server::on(&cluster.url, &[]).into_process();
    one.run();
    other.run();
    let key = one.key("reader");
    let (end, end_receiver) = tokio::sync::watch::channel(None);
    let both = vec![one.address.clone(), other.address.clone()];
    let mut readers = Vec::new();
    for addresses in [vec![other.address.clone()], both.clone(), vec![other.address.clone()], both.clone()] {
        readers.push(tokio::spawn(read_feed(addresses, end_receiver.clone())));
    }
    let stop = Arc::new(AtomicBool::new(false));
    let mut senders = Vec::new();
    for sender in 0..3_i64 {
        let (stop, key, addresses) = (Arc::clone(&stop), key.clone(), both.clone());
        senders.push(tokio::spawn(async move {
            let (client, mut number, mut turn) = (server::client(), 0_i64, sender as usize);
            while !stop.load(Ordering::Relaxed) {
                let pilot = format!("Pilot-{sender}");
                let events: Vec<Value> = (0..4)
                    .map(|n| kill(&pilot, NPC).pu().at(now() - DAY + n).id(&format!("{sender}-{number}-{n}")).json())
                    .collect();
                let url = format!("{}/api/ingest/events", addresses[turn % addresses.len()]);
                let body = json!({ "events": events });
                let response = client.post(&url).bearer_auth(&key).json(&body).send().await;
                // A batch without acknowledgement is sent again, to either process.
                if response.is_ok_and(|response| response.status() == 200) {
                    number += 1;
                } else {
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                turn += 1;
            }
            number * 4
        }));
    }
    let count = || tokio::task::block_in_place(|| other.database.number("SELECT last_id FROM event_clock"));
    let grows = async |by: i64| {
        let from = count();
        eventually("more events", async || count() >= from + by).await;
    };
    grows(200).await;
    one.kill();
    grows(200).await;
    tokio::task::block_in_place(|| cluster.crash_and_start());
    eventually("the database is back", async || other.get("/api/ready").await.status == 200).await;
    grows(200).await;
    stop.store(true, Ordering::Relaxed);
    let mut acknowledged = 0;
    for sender in senders {
        acknowledged += sender.await.unwrap();
    }
    let stored = count();
    assert_eq!(stored, other.database.number("SELECT count(*) FROM events"), "ids without holes");
    assert!(stored >= acknowledged, "{stored} events of {acknowledged} acknowledged");
    end.send(Some(stored)).unwrap();
    for (number, reader) in readers.into_iter().enumerate() {
        let (ids, resets) = tokio::time::timeout(HANG, reader).await.expect("reads to the end").unwrap();
        let once: BTreeSet<i64> = ids.iter().copied().collect();
        assert!(ids.is_sorted() && once.len() == ids.len(), "reader {number}: in order, once");
        assert_eq!((ids.first(), ids.len() as i64, resets), (Some(&1), stored, 0), "reader {number}");
    }
    // The figures in memory equal those of a new start.
    let mut fresh = Server::on(&cluster.url, &[]).into_process();
    fresh.run();
    for path in ["/api/player/pilot-0", "/api/players/top", "/api/stats/counts", "/api/search/fast?q=pilot"] {
        assert_eq!(fresh.read(path).await, other.read(path).await, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_removed_picture_leaves_the_leaderboards_of_all() {
    let mut one = Server::prepare(Backend::Postgres).into_process();
    let _discord = one.with_discord().await;
    one.run();
    let mut other = one.beside().into_process();
    other.run();
    let token = one.sign_in("7001").await;
    one.give_player("7001", "Pic-Owner");
    one.take(&one.key("reader"), &npc_kills("Pic-Owner", 3, now() - DAY)).await;
    let path = one.upload(&token, "profile-image", &pictures::photograph()).await;
    let save = json!({"handle": "Pic-Owner", "profile_image": path});
    assert_eq!(one.as_user(&token, reqwest::Method::POST, "/api/player/settings", Some(&save)).await.status, 200);
    let shows =
        async |wanted: Value| other.read("/api/players/leaderboard").await["players"][0]["profile_image"] == wanted;
    eventually("the picture is on the board", async || shows(json!(path)).await).await;
    let body = json!({ "imagePath": path });
    let removed = one.as_user(&token, reqwest::Method::DELETE, "/api/upload/image", Some(&body)).await;
    assert_eq!(removed.status, 200, "{}", removed.text());
    eventually("the picture has left the board", async || shows(Value::Null).await).await;
}
