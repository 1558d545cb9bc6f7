//! The whole reader against a site that stops and restarts, with the reader killed in between.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;

use crate::control::Control;
use crate::log_file::BACKUPS;
use crate::note::Note;
use crate::run::run;
use crate::status::read_status;

use super::site::{Behavior, Site};
use super::{append, config, game_folder, head, kills, reference_so_far, set, shared, wait_until};

const READER: &str = "APOGEE_TEST_READER";

/// Not a test: the reader as a separate process that other tests kill.
#[test]
#[ignore = "started by another test as the process it kills"]
fn reader_process() {
    let Ok(arguments) = std::env::var(READER) else { return };
    let (root, url) = arguments.split_once('|').unwrap();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    runtime.block_on(run(config(Path::new(root), url), shared(), Arc::new(Control::default()))).unwrap();
}

fn start_reader(root: &Path, url: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "tests::outages::reader_process", "--quiet"])
        .env(READER, format!("{}|{url}", root.display()))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn ten_outages_and_ten_kills_lose_and_repeat_nothing() {
    let (root, log) = game_folder();
    let mut site = Site::start();
    let first = head(10) + &kills(10, 0, 300);
    let second = head(12) + &kills(12, 0, 300);
    let mut written = 0;
    let mut reader = start_reader(root.path(), &site.url());
    for round in 0..10u32 {
        // Part of the log is written while the site runs, part while it does not.
        let is_first = round < 5;
        let text = if is_first { &first } else { &second };
        if round == 5 {
            std::fs::rename(&log, root.path().join("LIVE").join(BACKUPS).join("a.log")).unwrap();
            written = 0;
        }
        let step = text.len() / 10 + 1;
        let mut write = |is_last: bool| {
            let end = if is_last && round % 5 == 4 { text.len() } else { (written + step).min(text.len()) };
            append(&log, &text.as_bytes()[written..end]);
            written = end;
        };
        write(false);
        site.set_behavior(
            [Behavior::Normal, Behavior::ClosesAfterStoring, Behavior::Overloaded, Behavior::ClosesBeforeStoring]
                [round as usize % 4],
        );
        let calls = site.calls();
        wait_until("a call", || site.calls() > calls);
        site.stop();
        write(true);
        reader.kill().unwrap();
        reader.wait().unwrap();
        reader = start_reader(root.path(), &site.url());
        site.set_behavior(Behavior::Normal);
        site.restart();
    }
    let wanted = set(&reference_so_far(&[first.as_bytes(), second.as_bytes()]));
    wait_until("the last event", || site.ids().len() >= wanted.len());
    reader.kill().unwrap();
    reader.wait().unwrap();
    assert_eq!(site.ids().into_keys().collect::<std::collections::BTreeSet<_>>(), wanted);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_key_keeps_the_queue_for_the_next_start() {
    let (root, log) = game_folder();
    let text = head(10) + &kills(10, 0, 20);
    append(&log, &text);
    let site = Site::start();
    site.set_behavior(Behavior::KeyUnknown);
    let (sink, control) = (shared(), Arc::new(Control::default()));
    let running = tokio::spawn(run(config(root.path(), &site.url()), sink.clone(), control.clone()));
    let is_refused = || sink.lock().unwrap().notes.iter().any(|note| matches!(note, Note::KeyRejected { .. }));
    tokio::task::block_in_place(|| wait_until("the refusal", is_refused));
    assert!(read_status(&root.path().join("reader")).unwrap().is_running);
    control.stop();
    running.await.unwrap().unwrap();
    let wanted = reference_so_far(&[text.as_bytes()]);
    let state = read_status(&root.path().join("reader")).unwrap();
    assert_eq!((state.queue.waiting, state.is_running), (wanted.len() as u64, false));
    assert!(state.last_upload.unwrap().error.unwrap().contains("not known"));

    site.set_behavior(Behavior::Normal);
    let control = Arc::new(Control::default());
    let running = tokio::spawn(run(config(root.path(), &site.url()), shared(), control.clone()));
    tokio::task::block_in_place(|| wait_until("the upload", || site.ids().len() == wanted.len()));
    control.stop();
    running.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn one_malformed_event_does_not_block_the_others() {
    let (root, log) = game_folder();
    let text = head(10) + &kills(10, 0, 20);
    append(&log, &text);
    let site = Site::start();
    site.set_behavior(Behavior::CannotParse("connection_success"));
    let (sink, control) = (shared(), Arc::new(Control::default()));
    let running = tokio::spawn(run(config(root.path(), &site.url()), sink.clone(), control.clone()));
    let wanted = reference_so_far(&[text.as_bytes()]).len() - 1;
    let is_named = |note: &Note| matches!(note, Note::Rejected { event_id: Some(id), .. } if id.starts_with("connection_success:"));
    let named = || sink.lock().unwrap().notes.iter().any(is_named);
    tokio::task::block_in_place(|| wait_until("the others, and the note", || site.ids().len() == wanted && named()));
    control.stop();
    running.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_site_with_smaller_batches_and_a_pause_receives_everything() {
    let (root, log) = game_folder();
    let text = head(10) + &kills(10, 0, 60);
    let site = Site::start();
    site.set_behavior(Behavior::AcceptsAtMost(7));
    let (sink, control) = (shared(), Arc::new(Control::default()));
    control.pause(true);
    let running = tokio::spawn(run(config(root.path(), &site.url()), sink.clone(), control.clone()));
    append(&log, &text);
    let wanted = reference_so_far(&[text.as_bytes()]).len();
    let is_read = || sink.lock().unwrap().events.len() == wanted;
    tokio::task::block_in_place(|| wait_until("the reading", is_read));
    assert_eq!(site.calls(), 0, "a paused reader uploads nothing");
    control.pause(false);
    tokio::task::block_in_place(|| wait_until("the upload", || site.ids().len() == wanted));
    control.stop();
    running.await.unwrap().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn events_ahead_of_the_sites_clock_survive_a_restart_and_are_sent_later() {
    let (root, log) = game_folder();
    let text = head(10) + &kills(10, 0, 40);
    append(&log, &text);
    let wanted = set(&reference_so_far(&[text.as_bytes()]));
    let site = Site::start();
    site.set_behavior(Behavior::ClockBehind("kill"));
    let (sink, control) = (shared(), Arc::new(Control::default()));
    let running = tokio::spawn(run(config(root.path(), &site.url()), sink.clone(), control.clone()));
    let kills = wanted.iter().filter(|id| id.starts_with("kill:")).count();
    let early = || sink.lock().unwrap().notes.iter().filter(|note| matches!(note, Note::AheadOfClock(_))).count();
    let is_so = || early() >= 2 && kills > 30 && site.ids().len() == wanted.len() - kills;
    tokio::task::block_in_place(|| wait_until("all others, and a second refusal of these", is_so));
    control.stop();
    running.await.unwrap().unwrap();
    let rejected = sink.lock().unwrap().notes.iter().any(|note| matches!(note, Note::Rejected { .. }));
    assert!(!rejected, "early events are not reported as rejected");
    assert_eq!(read_status(&root.path().join("reader")).unwrap().queue.waiting, kills as u64);

    site.set_behavior(Behavior::Normal);
    let control = Arc::new(Control::default());
    let running = tokio::spawn(run(config(root.path(), &site.url()), shared(), control.clone()));
    tokio::task::block_in_place(|| wait_until("the upload", || site.ids().len() == wanted.len()));
    control.stop();
    running.await.unwrap().unwrap();
    assert_eq!(site.ids().into_keys().collect::<std::collections::BTreeSet<_>>(), wanted);
}
