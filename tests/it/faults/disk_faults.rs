//! T07: the N-th write fails, for every N of a range, without a wrong success response or a damaged database.
//!
//! `tests/faults/disk_faults.c` injects the faults below the real binary, so they affect every file of the data directory: database,
//! log, index, pictures, archives, the signing secret. `make daily` runs `APOGEE_WRITES` N per
//! kind of fault (40 by default).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::commands::with_content;
use crate::faults::env_or;
use crate::support::pictures::photograph;
use crate::support::preload::Preload;
use crate::support::*;

const EIO: i64 = 5;
const ENOSPC: i64 = 28;

/// A failing write.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    error: i64,
    /// Whether all later writes fail too.
    is_permanent: bool,
    /// Whether half of the bytes are written anyway.
    torn: bool,
}

pub const FAULTS: [Fault; 4] = [
    Fault { error: EIO, is_permanent: false, torn: false },
    Fault { error: ENOSPC, is_permanent: true, torn: false },
    Fault { error: EIO, is_permanent: false, torn: true },
    Fault { error: EIO, is_permanent: true, torn: true },
];

/// The fault injection for a site and its commands.
pub struct DiskFaults(Preload);

impl DiskFaults {
    /// Applies to every process that this site starts after this call; nothing fails until it is armed.
    pub fn attach(server: &mut Server) -> Self {
        let folder = server.data_dir().canonicalize().unwrap();
        server.env("FAULT_DIR", folder.to_str().unwrap());
        Self(Preload::attach(server, "disk_faults.c", "FAULT_ORDER", 6))
    }

    /// Makes the write with this number fail.
    pub fn arm(&self, at: u64, fault: Fault) {
        self.0.write(&[0, 0, at as i64, fault.error, fault.is_permanent.into(), fault.torn.into()]);
    }

    /// Kills the process in the write with this number, after half of the bytes if `torn`.
    pub fn arm_kill(&self, at: u64, torn: bool) {
        self.arm(at, Fault { error: 0, is_permanent: false, torn });
    }

    /// Stops the thread that makes the write with this number for ever. Wait for it with [`Self::hits`].
    pub fn arm_hold(&self, at: u64) {
        self.arm(at, Fault { error: -1, is_permanent: false, torn: true });
    }

    /// How many writes failed.
    pub fn hits(&self) -> i64 {
        self.0.number(1)
    }

    /// Stops failing; returns how many writes failed.
    pub fn disarm(&self) -> i64 {
        let hits = self.hits();
        self.0.write(&[0; 6]);
        hits
    }

    /// Number of writes since the last call of `arm` or `disarm`.
    pub fn calls(&self) -> u64 {
        self.0.number(0) as u64
    }
}

/// Faults and the numbers of the writes they affect, spread evenly over an action with that many writes.
fn rounds_over(writes: u64) -> Vec<(u64, Fault)> {
    let kinds = FAULTS.len() as u64;
    let each = env_or("APOGEE_WRITES", 40).min(writes);
    // Each kind starts at another number, so that together they affect more writes.
    let place = |n: u64, kind: u64| 1 + (n * writes + kind * writes / kinds) / each % writes;
    let all = (0..each).flat_map(|n| (0..kinds).map(move |kind| (place(n, kind), FAULTS[kind as usize])));
    all.collect()
}

/// Checks the integrity of the database after a fault.
pub fn assert_intact(server: &Server, what: &str) {
    let said = server.database.words("SELECT integrity_check AS value FROM pragma_integrity_check");
    assert_eq!(said, ["ok"], "{what}");
    assert_eq!(server.database.number("SELECT COUNT(*) FROM pragma_foreign_key_check"), 0, "{what}");
}

/// A batch of five kills by one of two pilots; no two batches have a timestamp in common.
pub fn batch(number: i64) -> Vec<Value> {
    let pilot = format!("Pilot-{}", number % 2);
    let event = |n: i64| {
        let at = now() - 200 * DAY + (number * 5 + n) * 7_000;
        let victim = format!("Victim-{number}");
        kill(&pilot, if n == 0 { &victim } else { NPC }).pu().at(at).id(&format!("{number}-{n}")).json()
    };
    (0..5).map(event).collect()
}

fn ids(number: i64) -> impl Iterator<Item = String> {
    (0..5).map(move |n| format!("{number}-{n}"))
}

/// The response is a server error, or reports a full disk, which is temporary, so that the client sends again. SQLite reports a
/// full disk when it writes but not when it syncs.
fn assert_failure(response: &Response, fault: Option<Fault>) {
    let outcome = (response.status.as_u16(), response.code());
    let is_full = outcome == (503, "OVERLOADED".into()) && response.text().contains("disk is full");
    let may_be_full = fault.is_some_and(|fault| fault.error == ENOSPC);
    assert!(is_full && may_be_full || outcome == (500, "INTERNAL".into()), "{fault:?}: {}", response.text());
}

/// The batches that were sent, by response.
#[derive(Default)]
pub struct SentBatches {
    next: i64,
    pub acknowledged: BTreeSet<i64>,
    pub refused: BTreeSet<i64>,
}

impl SentBatches {
    /// Sends some batches, two at a time so that some share a commit, and records the responses.
    async fn send(&mut self, server: &Server, key: &str, fault: Option<Fault>) {
        for _ in 0..4 {
            let (one, two) = (self.next, self.next + 1);
            self.next += 2;
            let (batch_one, batch_two) = (batch(one), batch(two));
            let said = tokio::join!(server.try_send(key, &batch_one), server.try_send(key, &batch_two));
            for (number, response) in [(one, said.0), (two, said.1)] {
                match response.status.as_u16() {
                    200 => {
                        assert_eq!(response.json()["accepted"], 5, "{}", response.text());
                        self.acknowledged.insert(number);
                    }
                    _ => {
                        assert_failure(&response, fault);
                        self.refused.insert(number);
                    }
                }
            }
        }
    }

    /// Acknowledged events are stored once; a rejected batch is stored completely or not at all.
    pub fn assert_stored(&self, server: &Server, what: &str) {
        let stored = server.database.words("SELECT event_id AS value FROM events");
        let distinct: BTreeSet<&String> = stored.iter().collect();
        assert_eq!(stored.len(), distinct.len(), "{what}: an event is stored twice");
        for number in &self.acknowledged {
            assert!(ids(*number).all(|id| distinct.contains(&id)), "{what}: batch {number} was acknowledged and lost");
        }
        for number in &self.refused {
            let there = ids(*number).filter(|id| distinct.contains(id)).count();
            assert!(there == 0 || there == 5, "{what}: {there} events of batch {number}");
        }
    }

    /// Sends rejected batches again; they must be accepted.
    pub async fn resend(&mut self, server: &Server, key: &str) {
        for number in std::mem::take(&mut self.refused) {
            let response = server.send(key, &batch(number)).await;
            assert_eq!(
                response["accepted"].as_i64().unwrap() + response["duplicates"].as_i64().unwrap(),
                5,
                "{response}"
            );
            self.acknowledged.insert(number);
        }
    }

    /// Profiles, leaderboard and search report exactly the stored events.
    pub async fn assert_served(&self, server: &Server, what: &str) {
        let mut expected: BTreeMap<String, i64> = BTreeMap::new();
        for number in &self.acknowledged {
            *expected.entry(format!("Pilot-{}", number % 2)).or_default() += 5;
        }
        for (pilot, kills) in expected {
            let reported = server.read(&format!("/api/player/{pilot}")).await["player"]["overall"].clone();
            assert_eq!(reported, kills, "{what}: {pilot}");
        }
        let newest = self.acknowledged.iter().next_back().unwrap();
        let found = server.read(&format!("/api/search/fast?q=victim-{newest}")).await;
        assert_eq!(found["results"][0]["handle"], format!("Victim-{newest}"), "{what}: {found}");
    }
}

async fn ingest_with_faults() {
    let mut server = Server::prepare(Backend::Sqlite).into_process();
    let layer = DiskFaults::attach(&mut server);
    server.run();
    let key = server.key("reader");
    let mut promised = SentBatches::default();
    promised.send(&server, &key, None).await;
    layer.disarm();
    promised.send(&server, &key, None).await;
    let rounds = rounds_over(layer.calls());
    let (mut failing, mut hits) = (0, 0);
    for (round, (at, fault)) in rounds.iter().enumerate() {
        let what = format!("write {at} of ingest, {fault:?}");
        layer.arm(*at, *fault);
        promised.send(&server, &key, Some(*fault)).await;
        failing += promised.refused.len();
        hits += u64::from(layer.disarm() > 0);
        promised.assert_stored(&server, &what);
        // Alternately without a restart and after a kill.
        if round % 2 == 1 {
            server.kill();
            assert_intact(&server, &what);
            server.run();
        }
        eventually("accepting the rejected batch", async || server.try_send(&key, &batch(0)).await.status == 200).await;
        promised.assert_stored(&server, &what);
        promised.resend(&server, &key).await;
        promised.assert_served(&server, &what).await;
    }
    server.restart();
    assert_intact(&server, "in the end");
    promised.assert_stored(&server, "in the end");
    promised.assert_served(&server, "in the end").await;
    println!("T07: {} rounds of ingest, faults in {hits}, {failing} batches refused", rounds.len());
    assert!(hits as usize > rounds.len() / 2 && failing > 0, "{hits} of {}, {failing} refused", rounds.len());
}

/// Every picture with a row has a readable file.
pub async fn assert_pictures_intact(server: &Server, what: &str) {
    for path in server.database.words("SELECT path AS value FROM uploads") {
        let response = server.get(&path).await;
        assert_eq!(response.status, 200, "{what}: {path}");
        image::load_from_memory(&response.bytes).unwrap();
    }
}

async fn uploads_with_faults() {
    let mut server = Server::prepare(Backend::Sqlite).into_process();
    let _discord = server.with_discord().await;
    let layer = DiskFaults::attach(&mut server);
    server.run();
    let token = server.sign_in("7001").await;
    server.give_player("7001", "Pic-Owner");
    let photo = photograph();
    layer.disarm();
    let mut taken = vec![server.upload(&token, "profile-image", &photo).await];
    let rounds = rounds_over(layer.calls());
    let (mut hits, mut refused) = (0, 0);
    for (round, (at, fault)) in rounds.iter().enumerate() {
        let what = format!("write {at} of an upload, {fault:?}");
        // The number of unused pictures per user is limited.
        server.database.run("UPDATE uploads SET is_used = TRUE");
        layer.arm(*at, *fault);
        let response = server.send_picture(&token, "profile-image", &photo).await;
        hits += u64::from(layer.disarm() > 0);
        match response.status.as_u16() {
            200 => taken.push(response.json()["imagePath"].as_str().unwrap().to_owned()),
            _ => {
                assert_failure(&response, Some(*fault));
                refused += 1;
            }
        }
        if round % 4 == 3 {
            server.kill();
            assert_intact(&server, &what);
            server.run();
        }
        assert_pictures_intact(&server, &what).await;
        let known = server.database.words("SELECT path AS value FROM uploads");
        assert!(taken.iter().all(|path| known.contains(path)), "{what}: an accepted picture has no row");
    }
    // A file may remain without a row; the sweep deletes files whose names are complete.
    for file in std::fs::read_dir(server.data_dir().join("uploads")).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(apogee::files::FileName::parse(&name).is_some(), "{name} would never be deleted");
    }
    println!("T07: {} rounds of uploads, faults in {hits}, {refused} refused", rounds.len());
    assert!(hits as usize > rounds.len() / 2 && refused > 0);
    server.upload(&token, "profile-image", &photo).await;
}

const EVENTS: &str = "SELECT COUNT(*) FROM events";

async fn backups_with_faults() {
    let (mut server, _) = with_content(Backend::Sqlite).await;
    let events = server.database.number(EVENTS);
    server.stop();
    let layer = DiskFaults::attach(&mut server);
    let folder = server.data_dir().join("out");
    std::fs::create_dir_all(&folder).unwrap();
    let archive = folder.join("a.tar.zst");
    let backup = ["backup", archive.to_str().unwrap()];
    layer.disarm();
    server.command(&backup);
    let rounds = rounds_over(layer.calls());
    let (mut hits, mut failing) = (0, 0);
    for (at, fault) in &rounds {
        let what = format!("write {at} of a backup, {fault:?}");
        let _ = std::fs::remove_file(&archive);
        layer.arm(*at, *fault);
        let done = server.try_command(&backup);
        hits += u64::from(layer.disarm() > 0);
        if done.code != 0 {
            failing += 1;
            let said = done.error;
            assert!(!said.trim().is_empty() && !said.contains("panicked"), "{what}: {said}");
        }
        // A file with a final name is a complete backup, and exists after a success.
        assert!(archive.exists() || done.code != 0, "{what}");
        if archive.exists() {
            let empty = Server::unmigrated(Backend::Sqlite).into_process();
            empty.command(&["restore", archive.to_str().unwrap()]);
            assert_eq!(empty.database.number(EVENTS), events, "{what}");
            assert_intact(&empty, &what);
        }
    }
    assert_intact(&server, "after all backups");
    println!("T07: {} rounds of backups, faults in {hits}, {failing} failed", rounds.len());
    assert!(hits as usize > rounds.len() / 2 && failing > 0);
}

async fn restores_with_faults() {
    let (mut server, key) = with_content(Backend::Sqlite).await;
    let archived = server.database.number(EVENTS);
    server.stop();
    let keep = tempfile::tempdir().unwrap();
    let archive = keep.path().join("a.tar.zst");
    server.command(&["backup", archive.to_str().unwrap()]);
    server.run();
    server.take(&key, &npc_kills("Later-1", 4, now() - DAY)).await;
    server.stop();
    let layer = DiskFaults::attach(&mut server);
    let restore = ["restore", archive.to_str().unwrap(), "--force"];
    let former = copy_dir(&server.data_dir(), keep.path());
    layer.disarm();
    server.command(&restore);
    let rounds = rounds_over(layer.calls());
    let (mut hits, mut failing) = (0, 0);
    for (at, fault) in &rounds {
        let what = format!("write {at} of a restore, {fault:?}");
        restore_dir(&former, &server.data_dir());
        layer.arm(*at, *fault);
        let done = server.try_command(&restore);
        hits += u64::from(layer.disarm() > 0);
        failing += u64::from(done.code != 0);
        let events = server.database.number(EVENTS);
        assert!(events == archived || (done.code != 0 && events == archived + 4), "{what}: {events} events");
        assert_intact(&server, &what);
        server.run();
        server.read("/api/player/Ann-1").await;
        server.stop();
    }
    println!("T07: {} rounds of restores, faults in {hits}, {failing} failed", rounds.len());
    assert!(hits as usize > rounds.len() / 2 && failing > 0);
}

/// Copies a directory.
fn copy_dir(folder: &Path, under: &Path) -> PathBuf {
    let copy = under.join("former");
    assert!(Command::new("cp").arg("-a").arg(folder).arg(&copy).status().unwrap().success());
    copy
}

/// Replaces a directory by its copy.
fn restore_dir(copy: &Path, folder: &Path) {
    for item in std::fs::read_dir(folder).unwrap() {
        let path = item.unwrap().path();
        if path.is_dir() { std::fs::remove_dir_all(path) } else { std::fs::remove_file(path) }.unwrap();
    }
    assert!(Command::new("cp").arg("-a").arg(copy.join(".")).arg(folder).status().unwrap().success());
}

/// Creates a database with each of the writes failing, then once without faults.
async fn first_starts_with_faults() {
    let mut server = Server::unmigrated(Backend::Sqlite).into_process();
    let layer = DiskFaults::attach(&mut server);
    let keep = tempfile::tempdir().unwrap();
    let former = copy_dir(&server.data_dir(), keep.path());
    layer.disarm();
    server.command(&["key", "list"]);
    let rounds = rounds_over(layer.calls());
    let schema = "SELECT coalesce(sql, name) AS value FROM sqlite_master ORDER BY type, name";
    let expected = server.database.words(schema);
    let (mut hits, mut failing) = (0, 0);
    for (at, fault) in &rounds {
        let what = format!("write {at} of a first start, {fault:?}");
        restore_dir(&former, &server.data_dir());
        layer.arm(*at, *fault);
        let done = server.try_command(&["key", "list"]);
        hits += u64::from(layer.disarm() > 0);
        if done.code == 0 {
            assert_eq!(server.database.words(schema), expected, "{what}: a wrong success");
        } else {
            failing += 1;
        }
        server.run();
        assert_eq!(server.database.words(schema), expected, "{what}");
        assert_eq!(server.database.number("SELECT COUNT(*) FROM events"), 0, "{what}");
        assert_intact(&server, &what);
        server.stop();
    }
    println!("T07: {} rounds of a first start, faults in {hits}, {failing} failed", rounds.len());
    assert!(hits as usize > rounds.len() / 2 && failing > 0);
}

/// The first start of a site, which creates the secret and the index as well as the database.
async fn first_services_with_faults() {
    let mut server = Server::unmigrated(Backend::Sqlite).into_process();
    let layer = DiskFaults::attach(&mut server);
    layer.disarm();
    server.run();
    let rounds = rounds_over(layer.calls());
    server.stop();
    let (mut hits, mut failing) = (0, 0);
    for (at, fault) in &rounds {
        let what = format!("write {at} of a first service, {fault:?}");
        restore_dir(tempfile::tempdir().unwrap().path(), &server.data_dir());
        layer.arm(*at, *fault);
        let began = server.try_run();
        hits += u64::from(layer.disarm() > 0);
        if began {
            server.kill();
        } else {
            failing += 1;
        }
        server.run();
        let key = server.key("reader");
        server.take(&key, &batch(1)).await;
        assert_intact(&server, &what);
        let secret = std::fs::read(server.data_dir().join("secret")).unwrap();
        assert_eq!(secret.len(), 64, "{what}");
        server.stop();
    }
    println!("T07: {} rounds of a first service, faults in {hits}, {failing} did not start", rounds.len());
    assert!(hits as usize > rounds.len() / 2 && failing > 0);
}

macro_rules! daily {
    ($($name:ident: $body:ident),+ $(,)?) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            #[ignore = "daily: injects faults"]
            async fn $name() {
                $body().await;
            }
        )+
    };
}

daily!(
    t07_failing_writes_lose_no_acknowledged_event: ingest_with_faults,
    t07_failing_writes_lose_no_accepted_picture: uploads_with_faults,
    t07_a_backup_with_failing_writes_is_complete_or_absent: backups_with_faults,
    t07_a_restore_with_failing_writes_is_complete_or_changes_nothing: restores_with_faults,
    t07_a_first_start_with_failing_writes_needs_no_repair: first_starts_with_faults,
    t07_a_first_service_with_failing_writes_needs_no_repair: first_services_with_faults,
);
