//! The transparency log, checked from outside: with hashes computed here, with the library, and with `apogee proof watch`.

use apogee::domain::tlog::{
    Checkpoint, Hash, LeafRange, TileId, TilePath, TileSet, VerifierKey, consistency_ranges, inclusion_ranges,
    tiles_of, verify_consistency, verify_inclusion,
};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::faults::wait_until;
use crate::support::*;

on_both!(
    events_are_leaves_of_a_signed_tree,
    revisions_and_ledger_entries_get_leaves_and_nothing_before_them_changes,
    each_change_between_two_checkpoints_is_a_leaf,
    an_edited_or_deleted_row_is_found,
    a_rolled_back_log_is_reported,
    another_past_with_the_same_key_is_reported,
    hidden_players_are_not_named,
    deleting_an_account_erases_salts_and_lines_and_keeps_the_tree,
    an_append_that_panics_or_is_killed_loses_nothing,
    a_log_of_several_tiles_is_served_and_checked,
);

/// A site whose log signs only when a test asks for it, with a fixed name and key.
async fn logged_site(on: Backend) -> (Server, mock_server::MockServer) {
    let mut server = Server::prepare(on);
    let discord = server.with_discord().await;
    server.env("APOGEE_PUBLIC_URL", "https://stats.example.org");
    std::fs::write(server.data_dir().join("apogee.toml"), "[trust]\ncheckpoint-secs = 3600\n").unwrap();
    server.run();
    (server, discord)
}

/// Makes a checkpoint due, and waits until everything is logged, erased and signed.
async fn sign(server: &Server) -> Checkpoint {
    let waiting = "SELECT (SELECT COUNT(*) FROM tlog_revisions) + (SELECT COUNT(*) FROM tlog_erasures) \
        + (SELECT c.last_id - s.last_event_id FROM event_clock c, tlog_state s) \
        + (SELECT COUNT(*) FROM ledger l WHERE NOT EXISTS (SELECT 1 FROM tlog_leaves t WHERE t.kind = 2 AND t.subject_id = l.id)) \
        + (SELECT ABS(s.size - COALESCE((SELECT MAX(size) FROM tlog_checkpoints), -1)) FROM tlog_state s)";
    wait_until(60, "signing", async || {
        server.database.run("UPDATE tlog_checkpoints SET signed_at = 0 WHERE signed_at > 0");
        server.database.number(waiting) == 0
    })
    .await;
    checkpoint(server).await
}

async fn checkpoint(server: &Server) -> Checkpoint {
    let (key, note) = (server.get("/log/key").await, server.get("/log/checkpoint").await);
    assert_eq!((key.status.as_u16(), note.status.as_u16()), (200, 200));
    assert_eq!(note.header("content-type"), Some("text/plain; charset=utf-8"));
    let key = VerifierKey::parse(&key.text()).unwrap();
    let checkpoint = Checkpoint::open(&note.text(), &key).unwrap();
    assert_eq!(checkpoint.origin, "stats.example.org");
    checkpoint
}

async fn entries(server: &Server) -> Vec<Value> {
    let mut all = Vec::new();
    let mut start = json!(0);
    while !start.is_null() {
        let page = server.read(&format!("/api/log/entries?limit=256&start={start}")).await;
        all.extend(page["data"].as_array().unwrap().clone());
        start = page["next"].clone();
    }
    all
}

fn bytes(digits: &str) -> Vec<u8> {
    let digit = |c: char| u8::try_from(c.to_digit(16).unwrap()).unwrap();
    let digits: Vec<u8> = digits.chars().map(digit).collect();
    digits.chunks(2).map(|pair| pair[0] * 16 + pair[1]).collect()
}

fn sha256(parts: &[&[u8]]) -> Vec<u8> {
    parts.iter().fold(Sha256::new(), |hash, part| hash.chain_update(part)).finalize().to_vec()
}

/// The root of a tree, as RFC 6962 defines it.
fn root(leaves: &[Vec<u8>]) -> Vec<u8> {
    match leaves {
        [] => sha256(&[]),
        [leaf] => leaf.clone(),
        _ => {
            let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
            sha256(&[&[1], &root(left), &root(right)])
        }
    }
}

/// Checks each entry and the root with hashes computed here; returns the entries.
async fn verified(server: &Server, checkpoint: &Checkpoint) -> Vec<Value> {
    let all = entries(server).await;
    assert_eq!(all.len() as u64, checkpoint.size);
    let mut leaves = Vec::new();
    for (index, entry) in all.iter().enumerate() {
        assert_eq!(entry["index"], index);
        let leaf = bytes(entry["hash"].as_str().unwrap());
        if let (Some(salt), Some(line)) = (entry["salt"].as_str(), entry["line"].as_str()) {
            assert_eq!(leaf, sha256(&[&[0], &bytes(salt), line.as_bytes()]), "{entry}");
        } else {
            assert!(entry["withheld"].is_string(), "{entry}");
        }
        leaves.push(leaf);
    }
    assert_eq!(root(&leaves), checkpoint.root.0);
    all
}

async fn tiles(server: &Server, ranges: &[LeafRange], size: u64) -> TileSet {
    let mut found = TileSet::default();
    for tile in tiles_of(ranges) {
        let path = TilePath::hashes(tile, size);
        let response = server.get(&format!("/log/tile/{path}")).await;
        assert_eq!(response.status, 200, "{path}");
        found.insert(tile, response.bytes.chunks(32).map(|hash| Hash::from_bytes(hash).unwrap()).collect());
    }
    found
}

async fn assert_consistent(server: &Server, old: &Checkpoint, new: &Checkpoint) {
    let ranges = consistency_ranges(old.size, new.size);
    let proof = tiles(server, &ranges, new.size).await.ranges(&ranges).unwrap();
    assert!(verify_consistency(old.size, old.root, new.size, new.root, &proof), "{old} {new}");
}

fn line(entry: &Value) -> Value {
    serde_json::from_str(entry["line"].as_str().unwrap_or_else(|| panic!("{entry}"))).unwrap()
}

/// Runs `apogee proof watch --once` with a file beside the data; returns whether it succeeded, and its output.
fn watch(server: &Server) -> (bool, String) {
    let file = server.data_dir().join("kept.json");
    let output = server.try_command(&["proof", "watch", &server.address, "--once", "--file", file.to_str().unwrap()]);
    let code = output.status.code().unwrap();
    assert!(code < 2, "{}", String::from_utf8_lossy(&output.stderr));
    (code == 0, String::from_utf8(output.stdout).unwrap())
}

#[track_caller]
fn assert_fits(server: &Server) -> String {
    let (fits, text) = watch(server);
    assert!(fits, "{text}");
    text
}

#[track_caller]
fn assert_reported(server: &Server, what: &str) {
    let (fits, text) = watch(server);
    assert!(!fits && text.contains(what), "{text}");
}

fn five_fights() -> Vec<Value> {
    let at = now() - DAY;
    in_a_row(
        at,
        [
            kill("Ann-1", "Bob-1").pu().with("weapon", "zzrifle"),
            kill("Bob-1", "Ann-1").pu(),
            kill("Cyd-1", "Hid-Den").pu(),
            own("mission_complete", "Ann-1").with("contract_name", "zzhaul").pu(),
            kill("Ann-1", NPC).pu(),
        ],
    )
}

async fn events_are_leaves_of_a_signed_tree(on: Backend) {
    let (server, _discord) = logged_site(on).await;
    assert_eq!(sign(&server).await.size, 0, "a log without entries has a checkpoint, too");
    let key = server.key("reader");
    server.take(&key, &five_fights()).await;
    let checkpoint = sign(&server).await;
    let all = verified(&server, &checkpoint).await;
    assert_eq!(all.len(), 5);
    let first = line(&all[0]);
    assert_eq!(
        (&first["killer"], &first["victim"], &first["weapon"]),
        (&json!("ann-1"), &json!("bob-1"), &json!("zzrifle"))
    );
    assert_eq!((&first["grade"], &first["reasons"], &first["type"]), (&json!("operator"), &json!(0), &json!("event")));
    for private in ["key", "log", "user", "log_id", "ingest_key_id", "event_id"] {
        assert!(first[private].is_null(), "{private}");
    }
    // Tiles, inclusion proofs and entry bundles say the same.
    let tile = server.get("/log/tile/0/000.p/5").await;
    let hashes: Vec<u8> = all.iter().flat_map(|entry| bytes(entry["hash"].as_str().unwrap())).collect();
    assert_eq!(tile.bytes, hashes);
    assert_eq!(server.get("/log/tile/0/000.p/3").await.bytes, hashes[..96], "an earlier width is still served");
    for entry in &all {
        let index = entry["index"].as_u64().unwrap();
        let one = server.read(&format!("/api/log/{index}")).await;
        assert_eq!(&one["entry"], entry);
        let hash = |text: &Value| Hash::from_hex(text.as_str().unwrap()).unwrap();
        let proof: Vec<Hash> = one["proof"].as_array().unwrap().iter().map(hash).collect();
        assert!(verify_inclusion(index, 5, hash(&entry["hash"]), &proof, checkpoint.root));
        assert_eq!(server.read(&format!("/api/log/entries?event={}", entry["id"])).await["data"], json!([entry]));
    }
    let mut bundle = &server.get("/log/tile/entries/000.p/5").await.bytes[..];
    for entry in &all {
        let length = usize::from(u16::from_be_bytes([bundle[0], bundle[1]]));
        let expected = [bytes(entry["salt"].as_str().unwrap()), entry["line"].as_str().unwrap().into()].concat();
        assert_eq!(bundle[2..2 + length], expected);
        bundle = &bundle[2 + length..];
    }
    assert!(bundle.is_empty());
    let info = server.read("/api/log").await;
    assert_eq!((&info["size"], &info["root"]), (&json!(5), &json!(checkpoint.root.to_string())));
    for missing in
        ["/log/tile/0/000", "/log/tile/0/001.p/1", "/log/tile/x", "/log/tile/0/000.p/6", "/log/x", "/api/log/5"]
    {
        assert_eq!(server.get(missing).await.status, 404, "{missing}");
    }
    assert!(assert_fits(&server).contains("5 entries"));
}

async fn revisions_and_ledger_entries_get_leaves_and_nothing_before_them_changes(on: Backend) {
    let (server, _discord) = logged_site(on).await;
    let key = server.key("reader");
    server.take(&key, &five_fights()).await;
    let first = sign(&server).await;
    assert_fits(&server);
    let before = verified(&server, &first).await;
    server.command(&["moderate", "void", "--events", "1,2", "--reason", "invented"]);
    let second = sign(&server).await;
    assert_consistent(&server, &first, &second).await;
    let all = verified(&server, &second).await;
    assert_eq!(second.size, 5 + 1 + 2);
    let lines: Vec<Value> = all[5..].iter().map(line).collect();
    let of = |kind: &str| lines.iter().filter(|line| line["type"] == kind).cloned().collect::<Vec<_>>();
    let entry = &of("ledger")[0];
    assert_eq!(
        (&entry["action"], &entry["reason"], &entry["events"]),
        (&json!("void"), &json!("invented"), &json!([1, 2]))
    );
    assert!(of("event").iter().all(|line| line["reasons"] == 2), "{lines:?}");
    // The former lines are still there, unchanged, and name their successors.
    for (earlier, now) in before.iter().zip(&all) {
        assert_eq!((&earlier["hash"], &earlier["salt"], &earlier["line"]), (&now["hash"], &now["salt"], &now["line"]));
        let is_revised = now["id"] == 1 || now["id"] == 2;
        assert_eq!(now["superseded_by"].is_number(), is_revised, "{now}");
    }
    server.command(&["moderate", "undo", "1", "--reason", "a mistake"]);
    let third = sign(&server).await;
    assert_eq!(third.size, 8 + 1 + 2);
    assert_consistent(&server, &second, &third).await;
    assert_consistent(&server, &first, &third).await;
    verified(&server, &third).await;
    let of_first = server.read("/api/log/entries?event=1").await["data"].as_array().unwrap().clone();
    let reasons: Vec<Value> = of_first.iter().map(|entry| line(entry)["reasons"].clone()).collect();
    assert_eq!(reasons, [json!(0), json!(2), json!(0)]);
    assert_fits(&server);
}

async fn each_change_between_two_checkpoints_is_a_leaf(on: Backend) {
    let (server, _discord) = logged_site(on).await;
    let key = server.key("reader");
    sign(&server).await;
    // The job appends once an hour, so these changes happen before it sees the event.
    server.database.run(&format!("UPDATE tlog_checkpoints SET signed_at = {}", now()));
    server.take(&key, &five_fights()[..1]).await;
    server.command(&["moderate", "hold", "--events", "1", "--reason", "under review"]);
    server.command(&["moderate", "release", "--events", "1", "--reason", "reviewed"]);
    assert_eq!(server.database.number("SELECT size FROM tlog_state"), 0);
    let all = verified(&server, &sign(&server).await).await;
    let reasons = |all: &[Value]| -> Vec<Value> {
        all.iter().filter(|entry| entry["kind"] == "event").map(|entry| line(entry)["reasons"].clone()).collect()
    };
    assert_eq!(reasons(&all), [json!(0), json!(1), json!(0)]);
    server.database.run(&format!("UPDATE tlog_checkpoints SET signed_at = {}", now()));
    server.command(&["moderate", "void", "--events", "1", "--reason", "invented"]);
    // The change has no leaf yet: the newest entry is the state before it.
    assert_fits(&server);
    server.command(&["moderate", "undo", "3", "--reason", "a mistake"]);
    assert_fits(&server);
    let all = verified(&server, &sign(&server).await).await;
    assert_eq!(reasons(&all), [0, 1, 0, 2, 0].map(|bits| json!(bits)));
    assert_fits(&server);
}

async fn an_edited_or_deleted_row_is_found(on: Backend) {
    let (server, _discord) = logged_site(on).await;
    let key = server.key("reader");
    server.take(&key, &five_fights()).await;
    server.command(&["moderate", "hold", "--player", "Cyd-1", "--reason", "under review"]);
    sign(&server).await;
    assert!(assert_fits(&server).contains("7 checked"));
    let run = |sql: &str| server.database.run(sql);
    for (edit, restore, what) in [
        (
            "UPDATE events SET weapon = 'zzpistol' WHERE id = 1",
            "UPDATE events SET weapon = 'zzrifle' WHERE id = 1",
            "event 1",
        ),
        ("UPDATE events SET reasons = 2 WHERE id = 5", "UPDATE events SET reasons = 0 WHERE id = 5", "event 5"),
        (
            "UPDATE events SET victim_id = player_id, player_id = victim_id WHERE id = 4",
            "UPDATE events SET victim_id = player_id, player_id = victim_id WHERE id = 4",
            "event 4",
        ),
        (
            "UPDATE ledger SET reason = 'no reason' WHERE id = 1",
            "UPDATE ledger SET reason = 'under review' WHERE id = 1",
            "ledger entry 1",
        ),
        ("UPDATE tlog_leaves SET line = '{}' WHERE subject_id = 3 AND line IS NOT NULL", "SELECT 1", "event 3"),
    ] {
        run(edit);
        assert_reported(&server, what);
        // Signing again does not hide it.
        sign(&server).await;
        assert_reported(&server, what);
        if restore != "SELECT 1" {
            run(restore);
            assert_fits(&server);
        }
    }
    run("UPDATE events SET id = 999 WHERE id = 2");
    assert_reported(&server, "(event 2): it no longer exists");
}

async fn a_rolled_back_log_is_reported(on: Backend) {
    let (mut server, _discord) = logged_site(on).await;
    let key = server.key("reader");
    server.take(&key, &five_fights()).await;
    sign(&server).await;
    let archive = server.data_dir().join("before.tar.zst");
    server.command(&["backup", archive.to_str().unwrap()]);
    server.take(&key, &npc_kills("Ann-1", 5, now() - DAY / 2)).await;
    sign(&server).await;
    assert_fits(&server);
    server.stop();
    server.command(&["restore", archive.to_str().unwrap(), "--force"]);
    server.run();
    assert_eq!(sign(&server).await.size, 5);
    assert_reported(&server, "rolled back: it had 10 entries and has 5");
    assert_reported(&server, "rolled back");
}

async fn another_past_with_the_same_key_is_reported(on: Backend) {
    let ((one, _discord), (other, _other)) = (logged_site(on).await, logged_site(on).await);
    for (server, events) in [(&one, 5), (&other, 5)] {
        let key = server.key("reader");
        server.take(&key, &five_fights()[..events]).await;
        sign(server).await;
    }
    let file = one.data_dir().join("kept.json");
    let watch = |server: &Server| {
        let output = one.try_command(&["proof", "watch", &server.address, "--once", "--file", file.to_str().unwrap()]);
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(watch(&one).0, Some(0));
    let kept = std::fs::read(&file).unwrap();
    let (code, text) = watch(&other);
    assert!(code == Some(1) && text.contains("two checkpoints do not fit"), "{text}");
    assert_eq!(text.matches("stats.example.org\n5\n").count(), 2, "both notes are printed: {text}");
    assert_eq!(std::fs::read(&file).unwrap(), kept, "the checkpoint that was kept remains");
    // A larger tree does not hide it.
    let key = other.key("more");
    other.take(&key, &npc_kills("Zed-1", 300, now() - DAY / 2)).await;
    sign(&other).await;
    let (code, text) = watch(&other);
    assert!(code == Some(1) && text.contains("before entry 5"), "{text}");
    assert_eq!(watch(&one).0, Some(0));
}

async fn hidden_players_are_not_named(on: Backend) {
    let (server, _discord) = logged_site(on).await;
    let key = server.key("reader");
    server.take(&key, &five_fights()).await;
    server.command(&["moderate", "hold", "--player", "Hid-Den", "--reason", "under review"]);
    sign(&server).await;
    let public = async || {
        let mut all = server.get("/api/log/entries").await.text();
        for index in 0..7 {
            all += &server.get(&format!("/api/log/{index}")).await.text();
        }
        all + &server.get("/log/tile/entries/000.p/7").await.text()
    };
    assert!(public().await.contains("hid-den"));
    server.database.run("UPDATE players SET is_hidden = TRUE WHERE handle_folded = 'hid-den'");
    let text = public().await;
    assert!(!text.contains("hid-den") && text.contains("ann-1"), "{text}");
    let withheld: Vec<Value> =
        entries(&server).await.into_iter().filter(|entry| entry["withheld"] == "hidden").collect();
    // The event before and after it was held, and the entry of the ledger.
    assert_eq!(withheld.len(), 3);
    assert!(withheld.iter().all(|entry| entry["line"].is_null() && entry["salt"].is_null()), "{withheld:?}");
    assert!(assert_fits(&server).contains("3 of hidden players"));
    server.database.run("UPDATE players SET is_hidden = FALSE WHERE handle_folded = 'hid-den'");
    assert!(public().await.contains("hid-den"));
    assert!(assert_fits(&server).contains("0 of hidden players"));
}

async fn deleting_an_account_erases_salts_and_lines_and_keeps_the_tree(on: Backend) {
    let (server, _discord) = logged_site(on).await;
    let key = server.key("reader");
    server.take(&key, &five_fights()).await;
    server.command(&["moderate", "hold", "--player", "Bob-1", "--reason", "under review"]);
    server.command(&["moderate", "undo", "1", "--reason", "a mistake"]);
    let before = sign(&server).await;
    let hashes = server.get(&format!("/log/tile/0/000.p/{}", before.size)).await.bytes;
    assert_fits(&server);
    // The site has another address than the server under test.
    let body = json!({"code": "7001", "redirect_uri": "https://stats.example.org/link"});
    let signed_in = server.execute(server.request(Method::POST, "/api/auth/discord/callback").json(&body)).await;
    let token = signed_in.json()["token"].as_str().unwrap_or_else(|| panic!("{}", signed_in.text())).to_owned();
    server.database.run(
        "UPDATE users SET player_id = (SELECT id FROM players WHERE handle_folded = 'bob-1') WHERE discord_id = '7001'",
    );
    assert_eq!(server.as_user(&token, Method::DELETE, "/api/me", None).await.status, 200);
    let after = sign(&server).await;
    assert_eq!(after, before);
    let all = verified(&server, &after).await;
    assert_eq!(server.get(&format!("/log/tile/0/000.p/{}", before.size)).await.bytes, hashes);
    let erased = all.iter().filter(|entry| entry["withheld"] == "erased").count();
    // Two events in three states each, and two entries of the ledger.
    assert_eq!(erased, 2 * 3 + 2);
    let stored = server.database.words("SELECT COALESCE(line, '') AS value FROM tlog_leaves");
    assert!(!stored.iter().any(|line| line.contains("bob-1")), "{stored:?}");
    assert_eq!(server.database.number("SELECT COUNT(*) FROM tlog_leaves WHERE salt IS NULL"), erased as i64);
    assert!(assert_fits(&server).contains("8 erased"));
    // The log continues.
    server.take(&key, &npc_kills("Ann-1", 2, now() - DAY / 2)).await;
    let later = sign(&server).await;
    assert_consistent(&server, &before, &later).await;
    assert_fits(&server);
}

async fn an_append_that_panics_or_is_killed_loses_nothing(on: Backend) {
    let failpoints = tempfile::tempdir().unwrap();
    let mut server = Server::prepare(on);
    server.env("FAILPOINTS", failpoints.path().to_str().unwrap());
    server.env("APOGEE_PUBLIC_URL", "https://stats.example.org");
    server.run();
    let key = server.key("reader");
    // Before the events: the job appends as soon as there are any.
    std::fs::write(failpoints.path().join("tlog-append"), "").unwrap();
    server.take(&key, &five_fights()).await;
    let first = sign(&server).await;
    assert!(!failpoints.path().join("tlog-append").exists(), "the append panicked once");
    assert_eq!(verified(&server, &first).await.len(), 5);
    for round in 0..4 {
        let events = npc_kills(&format!("Ann-{round}"), 400, now() - DAY);
        server.take(&key, &events).await;
        server.database.run("UPDATE tlog_checkpoints SET signed_at = 0");
        if round % 2 == 0 {
            // Between the append and the checkpoint; in other rounds at any moment of the append.
            let size = || server.database.number("SELECT size FROM tlog_state");
            wait_until(90, "an append", async || size() > 5 + 400 * round).await;
        }
        server.kill();
        server.database.run("UPDATE leases SET expires_at = 0");
        server.run();
    }
    let last = sign(&server).await;
    assert_consistent(&server, &first, &last).await;
    assert_each_event_once(&server, 5 + 4 * 400);
    verified(&server, &last).await;
}

/// Each of `count` events has exactly one leaf, and there are no others.
fn assert_each_event_once(server: &Server, count: i64) {
    let number = |sql: &str| server.database.number(sql);
    assert_eq!(number("SELECT COUNT(DISTINCT subject_id) FROM tlog_leaves WHERE kind = 1"), count);
    assert_eq!(number("SELECT COUNT(*) FROM tlog_leaves"), count);
    assert_eq!(number("SELECT MAX(position) + 1 FROM tlog_leaves"), count);
}

async fn a_log_of_several_tiles_is_served_and_checked(on: Backend) {
    let (server, _discord) = logged_site(on).await;
    let key = server.key("reader");
    // Events that existed before the log: the job logs them in several transactions.
    for round in 0..4 {
        server.take(&key, &npc_kills(&format!("Ann-{round}"), 500, now() - DAY)).await;
    }
    let first = sign(&server).await;
    assert_eq!(first.size, 2_000);
    verified(&server, &first).await;
    let full = server.get("/log/tile/0/003").await;
    assert_eq!((full.bytes.len(), full.header("cache-control")), (8_192, Some("public, max-age=31536000, immutable")));
    assert_eq!(server.get("/log/tile/1/000.p/7").await.bytes.len(), 7 * 32);
    assert_eq!(server.get("/log/tile/0/007.p/208").await.header("cache-control"), Some("no-cache"));
    let top = tiles(&server, &inclusion_ranges(700, first.size), first.size).await;
    assert!(top.contains(TileId { level: 1, index: 0 }));
    assert!(assert_fits(&server).contains("2000 checked"));
    server.take(&key, &npc_kills("Bob-1", 100, now() - DAY / 2)).await;
    let second = sign(&server).await;
    assert_consistent(&server, &first, &second).await;
    // A check of fewer entries reaches an old event in its turn.
    let file = server.data_dir().join("kept.json");
    let args = ["proof", "watch", &server.address, "--once", "--entries", "512", "--file", file.to_str().unwrap()];
    assert!(server.command(&args).contains("2100 entries"));
    server.database.run("UPDATE events SET weapon = 'edited' WHERE id = 1200");
    let mut outcomes = Vec::new();
    for _ in 0..9 {
        outcomes.push(server.try_command(&args).status.code());
    }
    assert!(outcomes.contains(&Some(1)), "{outcomes:?}");
}

/// Two processes on one database append each event once, and sign one tree.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_processes_do_not_both_append() {
    let (mut one, _discord) = logged_site(Backend::Postgres).await;
    let mut other = one.beside();
    other.run();
    let key = one.key("reader");
    for round in 0..6 {
        let server = if round % 2 == 0 { &one } else { &other };
        server.take(&key, &npc_kills(&format!("Ann-{round}"), 200, now() - DAY)).await;
        // Both jobs may believe that they hold the lease.
        one.database
            .run("UPDATE leases SET expires_at = 0 WHERE name = 'tlog'; UPDATE tlog_checkpoints SET signed_at = 0");
    }
    let checkpoint = sign(&one).await;
    assert_each_event_once(&one, 1_200);
    verified(&other, &checkpoint).await;
    assert_eq!(one.get("/log/checkpoint").await.bytes, other.get("/log/checkpoint").await.bytes);
    one.database.run("UPDATE leases SET holder = 'a process that died', expires_at = 0 WHERE name = 'tlog'");
    one.kill();
    other.take(&key, &npc_kills("Bob-1", 10, now() - DAY)).await;
    let later = sign(&other).await;
    assert_consistent(&other, &checkpoint, &later).await;
}
