//! Guarantees of the reader: no event is lost or duplicated, whatever happens to logs, site, and reader.

mod claims;
mod following;
mod import;
mod once;
mod outages;
mod site;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gamelog::events::Event;
use gamelog::upload::is_uploadable;
use gamelog::{Ending, Grammar, Parser};
use net::Backoff;

use crate::log_file::BACKUPS;
use crate::note::{Note, Sink};
use crate::run::{QUEUE_MAX_EVENTS, RunConfig};
use crate::upload::{RetryPolicy, Server};

/// Longer than any machine needs; reaching it fails the test.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Collects events and notes.
#[derive(Default)]
struct RecordingSink {
    events: Vec<Event>,
    seen: Vec<Event>,
    notes: Vec<Note>,
}

impl Sink for RecordingSink {
    fn event(&mut self, event: &Event) {
        self.events.push(event.clone());
    }

    fn seen(&mut self, event: &Event) {
        self.seen.push(event.clone());
    }

    fn note(&mut self, note: &Note) {
        self.notes.push(note.clone());
    }
}

fn grammar() -> Arc<Grammar> {
    Arc::new(Grammar::built_in().unwrap())
}

/// The first lines of a run of the game. Runs differ by their hour.
fn head(hour: u32) -> String {
    [
        format!("<2025-04-11T{hour:02}:00:00.000Z> BackupNameAttachment=\" Build(9687209) 11 Apr 25 ({hour:02} 00 00)\"  -- used by backup system"),
        format!("<2025-04-11T{hour:02}:00:00.100Z> Branch: sc-alpha-4.1.0"),
        format!("<2025-04-11T{hour:02}:00:10.000Z> [Notice] <AccountLoginCharacterStatus_Character> Character: createdAt 1 - updatedAt 1 - geid 201000000001 - accountId 1 - name Tester_One - state STATE_CURRENT [Team_GameServices][Login]"),
        format!("<2025-04-11T{hour:02}:00:11.000Z> [Notice] <Legacy login response> [CIG-net] User Login Success - Handle[Tester_One] - Time[1] [Team_GameServices][Login]"),
        format!("<2025-04-11T{hour:02}:00:20.000Z> [Notice] <Context Establisher Done> establisher=\"CReplicationModel\" runningTime=2.7 map=\"megamap\" gamerules=\"SC_Default\" sessionId=\"0\" [Team_Network]"),
    ]
    .map(|line| line + "\r\n")
    .concat()
}

/// Kills `from` to `to` of a run, each after an irrelevant line, every third with a lost vehicle.
fn kills(hour: u32, from: u32, to: u32) -> String {
    let mut text = String::new();
    for n in from..to {
        let (minute, second) = (1 + n / 60, n % 60);
        let stamp = |ms: u32| format!("<2025-04-11T{hour:02}:{minute:02}:{second:02}.{ms:03}Z>");
        text += &format!(
            "{} [Notice] <ContextEstablisherTaskFinished> establisher=\"Game\" message=\"nothing of interest\" [Team_Network]\r\n",
            stamp(0)
        );
        if n % 3 == 0 {
            text += &format!(
                "{} [Notice] <Vehicle Destruction> CVehicle::OnAdvanceDestroyLevel: Vehicle 'AEGS_Gladius_27682{n:08}' [27682{n:08}] in zone 'pyro4' [pos x: 1.0] driven by 'unknown' [0] advanced from destroy level 0 to 1 caused by 'Tester_One' [201000000001] with 'Combat' [Team_CGP4][Vehicle]\r\n",
                stamp(50)
            );
        }
        text += &format!(
            "{} [Notice] <Actor Death> CActor::Kill: 'PU_Human_Enemy_26360{n:08}' [26360{n:08}] in zone 'pyro4' killed by 'Tester_One' [201000000001] using 'x_1' [Class behr_lmg_ballistic_01] with damage type 'Bullet' from direction x: 0, y: 0, z: 0 [Team_ActorTech][Actor]\r\n",
            stamp(100)
        );
    }
    text
}

/// The ids of uploadable events when the logs are read once. The last log may continue; the others are closed.
fn reference(logs: &[&[u8]]) -> Vec<String> {
    let mut ids = Vec::new();
    for (at, log) in logs.iter().enumerate() {
        let mut parser = Parser::new(grammar());
        let mut take = |event: Event| ids.extend(Some(event).filter(is_uploadable).and_then(|event| event.event_id));
        parser.feed(log, &mut take);
        parser.finish(if at + 1 < logs.len() { Ending::Closed } else { Ending::Open }, &mut take);
    }
    ids
}

/// Like [`reference`], without the events that only the end of the last log emits.
fn reference_so_far(logs: &[&[u8]]) -> Vec<String> {
    let mut ids = reference(logs);
    if let Some(last) = logs.last() {
        let (mut with_end, mut without) = (0, 0);
        let mut parser = Parser::new(grammar());
        parser.feed(last, &mut |_| without += 1);
        with_end += without;
        parser.finish(Ending::Open, &mut |_| with_end += 1);
        ids.truncate(ids.len() - (with_end - without));
    }
    ids
}

fn append(path: &Path, text: impl AsRef<[u8]>) {
    use std::io::Write;
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_ref()).unwrap();
}

fn set(ids: &[String]) -> BTreeSet<String> {
    ids.iter().cloned().collect()
}

fn shared() -> Arc<Mutex<RecordingSink>> {
    Arc::default()
}

fn config(root: &Path, url: &str) -> RunConfig {
    RunConfig {
        logs: vec![root.join("LIVE/Game.log")],
        filter: Arc::default(),
        unknown_lines: Arc::default(),
        server: Some(Server { url: url.into(), key: site::KEY.into() }),
        folder: root.join("reader"),
        with_backups: false,
        queue_limit: QUEUE_MAX_EVENTS,
        retry_policy: RetryPolicy {
            backoff: Backoff::new(Duration::from_millis(10), Duration::from_millis(50)),
            key_rejected: Duration::from_millis(50),
            unclaimed: Duration::from_millis(50),
        },
    }
}

fn game_folder() -> (tempfile::TempDir, PathBuf) {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join("LIVE").join(BACKUPS)).unwrap();
    let log = root.path().join("LIVE/Game.log");
    (root, log)
}

#[track_caller]
fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < TIMEOUT, "{what} did not happen");
        std::thread::sleep(Duration::from_millis(5));
    }
}
