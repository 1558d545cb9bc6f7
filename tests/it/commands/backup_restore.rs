//! `apogee backup` and `apogee restore`.

use std::path::{Path, PathBuf};

use crate::faults::disk_faults::DiskFaults;
use crate::support::*;

on_both!(
    t15_a_backup_under_load_is_restored_on_an_empty_machine,
    a_restore_over_data_needs_force_and_keeps_the_old_database,
    t15_damaged_archives_are_rejected_and_change_nothing,
    t15_a_restore_over_a_running_site_is_rejected,
    a_restore_ends_sessions_and_marks_keys_for_review,
);
on_sqlite!(t15_an_interrupted_backup_leaves_no_file,);

/// Name of the uploaded picture.
const PICTURE: &str = "0123456789abcdef0123456789abcdef.webp";

/// A site with players, events, equal visits, an upload and a customized file.
pub async fn site_with_content(on: Backend) -> (Server, String) {
    let server = Server::start(on).await;
    let key = server.key("reader");
    server.take(&key, &npc_kills("Ann-1", 30, now() - 2 * DAY)).await;
    server.take(&key, &in_a_row(now() - DAY, (0..20).map(|n| kill("Ann-1", &format!("Bob-{}", n % 3)).pu()))).await;
    let log =
        "id=log-1, handle=Ann-1, build=9687209, branch=sc-alpha-4.1.0, channel=LIVE, reader=x%2F1, first=1, last=2";
    assert_eq!(server.send_from_log(&key, log, &[own("login", "Ann-1").json()]).await.status, 200);
    let log = "id=log-2, first=1, last=2";
    let witness = kill("Ann-1", "Bob-0").pu().at(now() - DAY).json();
    assert_eq!(server.send_from_log(&server.key("witness"), log, &[witness]).await.json()["duplicates"], 1);
    for _ in 0..3 {
        server.database.run(
            "INSERT INTO visits (visited_at, session_id, kind, page_path, data) VALUES (5, 's', 'page_view', '/', '{}')",
        );
    }
    std::fs::create_dir_all(server.data_dir().join("uploads")).unwrap();
    std::fs::write(server.data_dir().join("uploads").join(PICTURE), b"picture").unwrap();
    std::fs::create_dir_all(server.data_dir().join("static/deep")).unwrap();
    std::fs::write(server.data_dir().join("static/deep/own.txt"), b"own").unwrap();
    (server, key)
}

/// All content, as `export all` writes it.
pub fn content(server: &Server) -> String {
    let file = server.data_dir().join("content.ndjson");
    server.command(&["export", "all", text(&file)]);
    let exported = std::fs::read_to_string(&file).unwrap();
    std::fs::remove_file(file).unwrap();
    exported
}

/// The content without the review state of keys, which a restore changes.
fn without_review(content: &str) -> Vec<serde_json::Value> {
    let read = |line: &str| serde_json::from_str::<serde_json::Value>(line).unwrap();
    let mut lines: Vec<_> = content.lines().map(read).collect();
    lines.iter_mut().filter(|line| line["type"] == "key").for_each(|line| line["review_since"] = "".into());
    lines
}

pub fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

fn mode(path: &Path) -> u32 {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o777
}

async fn t15_a_backup_under_load_is_restored_on_an_empty_machine(on: Backend) {
    let (server, key) = site_with_content(on).await;
    let archive = server.data_dir().join("full.tar.zst");
    let writing = async {
        for n in 0..20 {
            let batch =
                in_a_row(now() - 3_600_000 + n * 60_000, (0..5).map(|i| kill("Ann-1", &format!("Eve-{n}-{i}")).pu()));
            server.take(&key, &batch).await;
        }
    };
    let (_, done) = tokio::join!(writing, async {
        let mut backup = server.spawn(&["backup", text(&archive), "--json"]);
        tokio::task::spawn_blocking(move || {
            let status = backup.wait().unwrap();
            let mut printed = String::new();
            std::io::Read::read_to_string(&mut backup.stdout.take().unwrap(), &mut printed).unwrap();
            assert!(status.success());
            serde_json::from_str::<serde_json::Value>(&printed).unwrap()
        })
        .await
        .unwrap()
    });
    assert_eq!(mode(&archive), 0o600, "an archive contains the signing secret");
    let secret = std::fs::read(server.data_dir().join("secret")).unwrap();

    let mut empty = Server::prepare(on);
    let triggers = match on {
        Backend::Sqlite => "SELECT name AS value FROM sqlite_master WHERE type = 'trigger' ORDER BY name",
        Backend::Postgres => {
            "SELECT tgname::text AS value FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid \
             WHERE NOT tgisinternal AND c.relnamespace = 'public'::regnamespace ORDER BY tgname"
        }
    };
    let expected_triggers = empty.database.words(triggers);
    empty.command(&["restore", text(&archive)]);
    assert_eq!(empty.database.words(triggers), expected_triggers, "search follows later changes");
    assert_eq!(mode(&empty.data_dir().join("secret")), 0o600);
    assert_eq!(std::fs::read(empty.data_dir().join("secret")).unwrap(), secret, "the signing secret is restored");
    assert_eq!(std::fs::read(empty.data_dir().join("uploads").join(PICTURE)).unwrap(), b"picture");
    assert_eq!(std::fs::read(empty.data_dir().join("static/deep/own.txt")).unwrap(), b"own");
    for (table, figure) in [("players", "players"), ("events", "events"), ("users", "users"), ("guilds", "guilds")] {
        let there = empty.database.number(&format!("SELECT COUNT(*) FROM {table}"));
        assert_eq!(done[figure], there, "{table}");
    }
    assert_eq!(empty.database.number("SELECT COUNT(*) FROM visits"), 3, "equal visits are not merged");
    empty.run();
    assert_eq!(empty.read("/api/search/fast?q=ann").await["results"][0]["handle"], "Ann-1");
    // The key may have been revoked since the backup, so it has to be confirmed.
    let refused = empty.try_send(&key, &npc_kills("Cid-1", 1, now() - DAY)).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (401, "UNAUTHORIZED"));
    assert!(refused.text().contains("restored backup"), "{}", refused.text());
    assert!(empty.command(&["key", "list"]).contains("reader\tneeds review"));
    assert_eq!(empty.command(&["key", "confirm", "reader"]), "confirmed 1 key\n");
    assert!(empty.command(&["key", "list"]).contains("reader\tlive"));
    let again = empty.send(&key, &npc_kills("Cid-1", 1, now() - DAY)).await;
    assert_eq!(again["accepted"], 1);
    assert!(!empty.data_dir().join("restore.partial").exists());
}

async fn a_restore_over_data_needs_force_and_keeps_the_old_database(on: Backend) {
    let (mut server, key) = site_with_content(on).await;
    server.stop();
    let archive = server.data_dir().join("first.tar.zst");
    server.command(&["backup", text(&archive)]);
    let before = content(&server);
    server.run();
    server.take(&key, &npc_kills("Later-1", 4, now() - DAY)).await;
    server.stop();
    let changed = content(&server);
    let refused = server.try_command(&["restore", text(&archive)]);
    assert_eq!(refused.code, 1);
    assert!(refused.error.contains("--force"), "{refused:?}");
    assert_eq!(content(&server), changed);
    let printed = server.command(&["restore", text(&archive), "--force", "--json"]);
    let done: serde_json::Value = serde_json::from_str(&printed).unwrap();
    let replaced = done["replaced"].as_str().unwrap();
    assert_eq!(done["keys_for_review"], 2);
    assert_eq!(without_review(&content(&server)), without_review(&before));
    let later = match on {
        Backend::Sqlite => {
            assert!(Path::new(replaced).exists());
            return;
        }
        Backend::Postgres => {
            let schema = replaced.strip_prefix("the schema ").unwrap();
            server.database.number(&format!("SELECT COUNT(*) FROM {schema}.players WHERE handle = 'Later-1'"))
        }
    };
    assert_eq!(later, 1);
}

async fn t15_damaged_archives_are_rejected_and_change_nothing(on: Backend) {
    let (mut server, _) = site_with_content(on).await;
    server.stop();
    let good = server.data_dir().join("good.tar.zst");
    server.command(&["backup", text(&good)]);
    let bytes = std::fs::read(&good).unwrap();
    let before = content(&server);
    let secret = std::fs::read(server.data_dir().join("secret")).unwrap();
    let mut corrupted = bytes.clone();
    let middle = corrupted.len() / 2;
    corrupted[middle] ^= 0xff;
    let newer = newer_archive();
    let bad: [(&str, &[u8]); 6] = [
        ("empty", &[]),
        ("half", &bytes[..bytes.len() / 2]),
        ("truncated", &bytes[..bytes.len() - 3]),
        ("one byte changed", &corrupted),
        ("something else", b"SQLite format 3\0 and more"),
        ("newer", &newer),
    ];
    for (what, bytes) in bad {
        let file = server.data_dir().join("bad.tar.zst");
        std::fs::write(&file, bytes).unwrap();
        let refused = server.try_command(&["restore", text(&file), "--force"]);
        assert_eq!(refused.code, 1, "{what}");
        let sentence = refused.error;
        assert!(
            sentence.contains("not a usable backup") && sentence.contains("Nothing was changed"),
            "{what}: {sentence}"
        );
        assert!(!sentence.contains("panicked"), "{what}: {sentence}");
        if what == "newer" {
            assert!(sentence.contains("99.0.0") && sentence.contains(env!("CARGO_PKG_VERSION")), "{sentence}");
        }
    }
    assert_eq!(content(&server), before);
    assert_eq!(std::fs::read(server.data_dir().join("secret")).unwrap(), secret);
}

/// The start of an archive of a newer version.
fn newer_archive() -> Vec<u8> {
    let head = br#"{"format":1,"version":"99.0.0","schema":"29991231000000"}"#;
    let mut file = vec![0_u8; 512];
    file[..18].copy_from_slice(b"apogee-backup.json");
    file[100..108].copy_from_slice(b"0000600\0");
    file[108..116].copy_from_slice(b"0000000\0");
    file[116..124].copy_from_slice(b"0000000\0");
    file[124..136].copy_from_slice(format!("{:011o}\0", head.len()).as_bytes());
    file[136..148].copy_from_slice(b"00000000000\0");
    file[148..156].fill(b' ');
    file[156] = b'0';
    file[257..265].copy_from_slice(b"ustar  \0");
    let sum: u32 = file.iter().map(|byte| u32::from(*byte)).sum();
    file[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    file.extend_from_slice(head);
    file.resize(512 * 4, 0);
    zstd::encode_all(&file[..], 1).unwrap()
}

async fn t15_a_restore_over_a_running_site_is_rejected(on: Backend) {
    let (server, _) = site_with_content(on).await;
    let archive = server.data_dir().join("a.tar.zst");
    server.command(&["backup", text(&archive)]);
    for extra in [&["restore", text(&archive)][..], &["restore", text(&archive), "--force"]] {
        let refused = server.try_command(extra);
        assert_eq!(refused.code, 1);
    }
    let sentence = server.try_command(&["restore", text(&archive), "--force"]).error;
    assert!(sentence.contains("stop it first"), "{sentence}");
    assert_eq!(server.read("/api/player/Ann-1").await["player"]["handle"], "Ann-1");
}

async fn t15_an_interrupted_backup_leaves_no_file(on: Backend) {
    let (mut server, _) = site_with_content(on).await;
    let dir = server.data_dir().join("out");
    std::fs::create_dir_all(&dir).unwrap();
    let archive = dir.join("x.tar.zst");
    let files = || -> Vec<PathBuf> { std::fs::read_dir(&dir).unwrap().map(|e| e.unwrap().path()).collect() };
    let layer = DiskFaults::attach(&mut server);
    layer.disarm();
    server.command(&["backup", text(&archive)]);
    std::fs::remove_file(&archive).unwrap();
    let half = layer.calls() / 2;
    // A backup that stops in the middle of a write.
    let held = async || {
        layer.arm_hold(half);
        let mut backup = server.spawn(&["backup", text(&archive)]);
        eventually("half of a backup", async || layer.hits() > 0).await;
        assert!(!files().is_empty() && backup.try_wait().unwrap().is_none());
        backup
    };
    // After a kill, the partial file has no final name, and the next backup removes it.
    let mut killed = held().await;
    killed.kill().unwrap();
    killed.wait().unwrap();
    layer.disarm();
    assert!(!archive.exists() && !files().is_empty());
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    for left in files() {
        std::fs::File::options().write(true).open(left).unwrap().set_modified(old).unwrap();
    }
    server.command(&["backup", text(&dir.join("next.tar.zst"))]);
    assert_eq!(files(), [dir.join("next.tar.zst")]);
    std::fs::remove_file(dir.join("next.tar.zst")).unwrap();
    // After SIGTERM, no partial file remains.
    let mut stopped = held().await;
    let id = stopped.id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    assert_eq!(stopped.wait().unwrap().code(), Some(1));
    assert_eq!(files(), Vec::<PathBuf>::new());
}

async fn a_restore_ends_sessions_and_marks_keys_for_review(on: Backend) {
    use reqwest::Method;
    use serde_json::json;
    let mut server = Server::prepare(on);
    let _discord = server.with_discord().await;
    server.env("APOGEE_ADMIN_DISCORD_IDS", "7003");
    server.run();
    let (owner, other, admin) =
        (server.sign_in("7001").await, server.sign_in("7002").await, server.sign_in("7003").await);
    let make = async |token: &str, name: &str| {
        server.as_user(token, Method::POST, "/api/keys", Some(&json!({ "name": name }))).await.json()
    };
    let made = [make(&owner, "one").await, make(&owner, "two").await, make(&owner, "gone").await];
    let keys = made.each_ref().map(|made| made["secret"].as_str().unwrap().to_owned());
    let archive = server.data_dir().join("a.tar.zst");
    server.command(&["backup", text(&archive)]);
    // Ended after the backup was written.
    server.as_user(&other, Method::POST, "/api/auth/logout", None).await;
    server.command(&["key", "revoke", "gone"]);
    server.stop();
    let printed = server.command(&["restore", text(&archive), "--force"]);
    assert!(printed.contains("3 sessions were ended") && printed.contains("3 ingest keys"), "{printed}");
    server.run();
    for token in [&owner, &other, &admin] {
        assert_eq!(server.as_user(token, Method::GET, "/api/player/me", None).await.code(), "UNAUTHORIZED");
        let traded = server.as_user(&accounts::expired(token), Method::POST, "/api/auth/refresh", None).await;
        assert_eq!(traded.code(), "UNAUTHORIZED");
    }
    for key in &keys {
        assert_eq!(server.try_send(key, &npc_kills("Ann-1", 1, now() - DAY)).await.status, 401);
    }
    // The owner confirms one key and an admin another; other users cannot.
    let (owner, other, admin) =
        (server.sign_in("7001").await, server.sign_in("7002").await, server.sign_in("7003").await);
    let listed = server.as_user(&owner, Method::GET, "/api/keys", None).await.json();
    assert!(listed["keys"].as_array().unwrap().iter().all(|key| key["review_since"].is_i64()), "{listed}");
    let state = server.as_user(&admin, Method::GET, "/api/admin/state", None).await.json();
    let section =
        state["state"]["sections"].as_array().unwrap().iter().find(|section| section["id"] == "keys").unwrap();
    assert_eq!((&section["tone"], section["rows"]["rows"].as_array().unwrap().len()), (&json!("warn"), 3));
    let path = section["rows"]["acts"][1][0]["path"].as_str().unwrap().to_owned();
    let own = format!("/api/keys/{}/confirm", listed["keys"][0]["id"].as_str().unwrap());
    assert_eq!(server.as_user(&other, Method::POST, &own, None).await.code(), "NOT_FOUND");
    assert_eq!(server.as_user(&owner, Method::POST, &own, None).await.status, 200);
    assert_eq!(server.as_user(&admin, Method::POST, &path, None).await.status, 200);
    let kind = async |key: &str| {
        server.execute(server.request(Method::GET, "/api/ingest/key").bearer_auth(key)).await.status.as_u16()
    };
    for (key, status) in keys.iter().zip([200, 200, 401]) {
        assert_eq!(kind(key).await, status);
    }
    assert_eq!(server.command(&["key", "confirm", "--all"]), "confirmed 1 key\n");
    assert_eq!(kind(&keys[2]).await, 200);
}
