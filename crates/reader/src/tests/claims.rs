//! What a reader sends with the key of an account: logs of the player that the account has claimed.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::claims::UnclaimedEvents;
use crate::control::Control;
use crate::error::ReaderError;
use crate::log_file::BACKUPS;
use crate::note::{Note, UnclaimedPlayer};
use crate::run::run;
use crate::status::{Status, read_status};

use super::site::Site;
use super::{RecordingSink, append, config, game_folder, head, kills, reference_so_far, set, shared, wait_until};

/// The log of a player with kills.
fn log_of(player: &str, hour: u32, to: u32) -> String {
    (head(hour) + &kills(hour, 0, to)).replace("Tester_One", player)
}

/// Kills of a player whose id is that of no log.
fn kills_of_another(hour: u32, from: u32, to: u32) -> String {
    kills(hour, from, to).replace("'Tester_One' [201000000001]", "'Tester_Nine' [201000000009]")
}

/// The beginning of a log before its player is named, and the lines that name the player.
fn split_at_login(hour: u32) -> (String, String) {
    let text = head(hour);
    let (before, login) = text.split_at(text.find(&format!("<2025-04-11T{hour:02}:00:10")).unwrap());
    (before.to_owned(), login.replace(&format!("T{hour:02}:00:"), &format!("T{hour:02}:30:")))
}

/// A folder with two installations of the game.
struct Scene {
    root: tempfile::TempDir,
    live: PathBuf,
    ptu: PathBuf,
}

impl Scene {
    fn new() -> Self {
        let (root, live) = game_folder();
        let ptu = root.path().join("PTU/Game.log");
        std::fs::create_dir_all(root.path().join("PTU")).unwrap();
        Self { root, live, ptu }
    }

    fn start(&self, site: &Site) -> Running {
        let mut config = config(self.root.path(), &site.url());
        config.logs.push(self.ptu.clone());
        let (sink, control) = (shared(), Arc::new(Control::default()));
        Running { task: tokio::spawn(run(config, sink.clone(), control.clone())), sink, control }
    }

    fn status(&self) -> Status {
        read_status(&self.root.path().join("reader")).unwrap()
    }
}

/// A running reader.
struct Running {
    task: tokio::task::JoinHandle<Result<(), ReaderError>>,
    sink: Arc<Mutex<RecordingSink>>,
    control: Arc<Control>,
}

impl Running {
    fn notes(&self, is_wanted: impl Fn(&Note) -> bool) -> Vec<Note> {
        self.sink.lock().unwrap().notes.iter().filter(|note| is_wanted(note)).cloned().collect()
    }

    /// Waits until the last event of a log is shown.
    fn wait_until_shown(&self, text: &str) {
        let last = reference_so_far(&[text.as_bytes()]).pop();
        let is_shown = || self.sink.lock().unwrap().events.iter().any(|event| event.event_id == last);
        tokio::task::block_in_place(|| wait_until("the last event is shown", is_shown));
    }

    async fn stop(self) {
        self.control.stop();
        self.task.await.unwrap().unwrap();
    }
}

/// Waits for a change that the reader causes.
fn eventually(what: &str, is_so: impl FnMut() -> bool) {
    tokio::task::block_in_place(|| wait_until(what, is_so));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_of_an_unclaimed_player_waits_and_is_uploaded_once_the_claim_exists() {
    let (scene, site) = (Scene::new(), Site::start_with_account([("Tester_One", "nobody")]));
    let (one, two) = (log_of("Tester_One", 10, 5), log_of("Tester_Two", 12, 5));
    append(&scene.live, &one);
    append(&scene.ptu, &two);
    let (one, two) = (reference_so_far(&[one.as_bytes()]), reference_so_far(&[two.as_bytes()]));
    let url = format!("{}/player/claim?handle=Tester_One", site.url());
    let player = UnclaimedPlayer { handle: "Tester_One".into(), url };
    let is_unclaimed = |note: &Note| matches!(note, Note::Unclaimed(_));

    let reader = scene.start(&site);
    eventually("the upload of the other log", || scene.status().queue.sent == two.len() as u64);
    eventually("a second attempt", || site.batches_of("Tester_One") >= 2);
    assert_eq!(reader.notes(is_unclaimed), [Note::Unclaimed(player.clone())]);
    reader.stop().await;
    let status = scene.status();
    assert_eq!((status.queue.waiting, status.queue.sent), (one.len() as u64, two.len() as u64));
    assert_eq!(status.unclaimed, [UnclaimedEvents { player, waiting: one.len() as u64 }]);

    let reader = scene.start(&site);
    eventually("the note after the restart", || reader.notes(is_unclaimed).len() == 1);
    assert_eq!(set(&site.ids().into_keys().collect::<Vec<_>>()), set(&two));
    site.claim_all();
    let is_claimed = |note: &Note| *note == Note::Claimed("Tester_One".into());
    eventually("the note about the claim", || reader.notes(is_claimed).len() == 1);
    eventually("an empty queue", || scene.status().queue.waiting == 0);
    reader.stop().await;
    assert!(scene.status().unclaimed.is_empty());
    assert_eq!(set(&site.ids().into_keys().collect::<Vec<_>>()), set(&[one, two].concat()));
    assert!(site.ids().into_values().all(|times| times == 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_of_another_account_is_named_once_and_never_sent_again() {
    let (scene, site) = (Scene::new(), Site::start_with_account([("Tester_One", "other")]));
    let (mut foreign, mut own) = (log_of("Tester_One", 10, 5), log_of("Tester_Two", 12, 5));
    append(&scene.live, &foreign);
    append(&scene.ptu, &own);
    let is_foreign = |note: &Note| matches!(note, Note::ForeignLog(_));
    let mut noted = Vec::new();
    for round in 1..=2 {
        let reader = scene.start(&site);
        let count = reference_so_far(&[own.as_bytes()]).len();
        eventually("the upload of the own log", || site.ids().len() == count);
        eventually("an empty queue", || scene.status().queue.waiting == 0);
        assert_eq!(site.batches_of("Tester_One"), 1);
        // Further events of the foreign log are queued first, so they would be sent first.
        let more = kills(10, round * 5, round * 5 + 5);
        append(&scene.live, &more);
        foreign += &more;
        reader.wait_until_shown(&foreign);
        let more = kills(12, round * 5, round * 5 + 5).replace("Tester_One", "Tester_Two");
        append(&scene.ptu, &more);
        own += &more;
        let count = reference_so_far(&[own.as_bytes()]).len();
        eventually("the upload of the own events", || site.ids().len() == count);
        noted.extend(reader.notes(is_foreign));
        reader.stop().await;
    }
    assert_eq!(site.batches_of("Tester_One"), 1);
    let [Note::ForeignLog(log)] = &noted[..] else { panic!("{noted:?}") };
    assert_eq!(log.handle, "Tester_One");
    assert_eq!(scene.status().queue.foreign_logs, std::slice::from_ref(log));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_sends_only_the_events_of_the_logs_player_and_an_operator_sends_all() {
    let text = head(10) + &kills(10, 0, 6) + &kills_of_another(10, 6, 12) + &kills(10, 12, 13);
    let all = reference_so_far(&[text.as_bytes()]);
    let own: Vec<String> = all.iter().filter(|id| !id.contains("201000000009")).cloned().collect();
    assert!(own.len() > 6 && own.len() + 6 <= all.len());
    for (key_kind, wanted) in [(Some("account"), &own), (Some("operator"), &all), (None, &all)] {
        let (scene, site) = (Scene::new(), Site::start());
        site.set_key_kind(key_kind);
        append(&scene.live, &text);
        let reader = scene.start(&site);
        reader.wait_until_shown(&text);
        eventually("an empty queue", || scene.status().queue.waiting == 0);
        assert_eq!(reader.sink.lock().unwrap().events.len(), all.len(), "all events are shown");
        reader.stop().await;
        assert_eq!(set(&site.ids().into_keys().collect::<Vec<_>>()), set(wanted), "{key_kind:?}");
        assert_eq!(scene.status().queue.sent, wanted.len() as u64);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_wait_until_the_log_names_its_player() {
    let (scene, site) = (Scene::new(), Site::start_with_account([]));
    let (before, login) = split_at_login(10);
    let (nameless, named) = (before + &kills(10, 0, 5), log_of("Tester_Two", 12, 5));
    append(&scene.live, &nameless);
    let reader = scene.start(&site);
    reader.wait_until_shown(&nameless);
    // Events that are queued later are sent.
    append(&scene.ptu, &named);
    let named = reference_so_far(&[named.as_bytes()]);
    eventually("the upload of the other log", || site.ids().len() == named.len());
    assert_eq!(set(&site.ids().into_keys().collect::<Vec<_>>()), set(&named));
    append(&scene.live, &login);
    let all = [reference_so_far(&[(nameless + &login).as_bytes()]), named].concat();
    eventually("the upload of all events", || site.ids().len() == all.len());
    reader.stop().await;
    assert_eq!(set(&site.ids().into_keys().collect::<Vec<_>>()), set(&all));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_log_that_ends_without_naming_its_player_is_dropped_with_a_note() {
    let (scene, site) = (Scene::new(), Site::start_with_account([]));
    let (nameless, next) = (split_at_login(10).0 + &kills(10, 0, 5), log_of("Tester_One", 12, 5));
    append(&scene.live, &nameless);
    let reader = scene.start(&site);
    reader.wait_until_shown(&nameless);
    std::fs::rename(&scene.live, scene.live.with_file_name(BACKUPS).join("a.log")).unwrap();
    append(&scene.live, &next);
    reader.wait_until_shown(&next);
    let wanted = reference_so_far(&[next.as_bytes()]);
    let dropped = reference_so_far(&[nameless.as_bytes(), next.as_bytes()]).len() - wanted.len();
    eventually("the upload of the next log", || site.ids().len() == wanted.len());
    eventually("an empty queue", || scene.status().queue.waiting == 0);
    let note = Note::Nameless(dropped as u64);
    eventually("the note", || reader.notes(|known| *known == note).len() == 1);
    reader.stop().await;
    assert_eq!(set(&site.ids().into_keys().collect::<Vec<_>>()), set(&wanted));
    assert!(dropped >= 5);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_kind_of_the_key_is_requested_again_after_an_outage() {
    let (scene, site) = (Scene::new(), Site::start_with_account([]));
    let text = log_of("Tester_One", 10, 5);
    append(&scene.live, &text);
    site.fail_key_requests(2);
    let reader = scene.start(&site);
    let wanted = reference_so_far(&[text.as_bytes()]);
    eventually("the upload", || site.ids().len() == wanted.len());
    assert_eq!(reader.notes(|note| matches!(note, Note::Retry { .. })).len(), 2);
    reader.stop().await;
}
