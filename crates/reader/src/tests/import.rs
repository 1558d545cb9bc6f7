//! Importing a folder: each log once, also when the import is stopped and started again.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::control::Control;
use crate::error::ReaderError;
use crate::grammar_store::GrammarStore;
use crate::import::{Import, Monitor, Progress};
use crate::note::Note;
use crate::once::OnceOptions;
use crate::upload::Server;

use super::site::{KEY, Site};
use super::{append, head, kills, reference};

fn grammars() -> Arc<GrammarStore> {
    Arc::new(GrammarStore::open(None).unwrap())
}

/// Records the progress. Stops the import at its second log.
#[derive(Default)]
struct Recorder {
    seen: Vec<Progress>,
    stops: Option<Arc<Control>>,
}

impl Monitor for Recorder {
    fn progress(&mut self, progress: &Progress) {
        self.seen.push(progress.clone());
        if let Some(control) = self.stops.as_ref().filter(|_| self.seen[0].begun != progress.begun) {
            control.stop();
        }
    }

    fn note(&mut self, _: &Note) {}
}

fn options(site: &Site) -> OnceOptions {
    let server = Server { url: site.url(), key: KEY.into() };
    OnceOptions { server: Some(server), max_attempts: 1, ..OnceOptions::default() }
}

/// Three logs of two players, in two folders.
fn folder() -> (tempfile::TempDir, [String; 3]) {
    let root = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(root.path().join("logs/2024")).unwrap();
    let logs = [
        head(10) + &kills(10, 0, 5),
        head(12) + &kills(12, 0, 7),
        (head(14) + &kills(14, 0, 3)).replace("Tester_One", "Tester_Two"),
    ];
    for (name, text) in ["2024/a.log", "b.log", "c.LOG"].iter().zip(&logs) {
        append(&root.path().join("logs").join(name), text);
    }
    // A copy of a part of the first, an empty file, and no log.
    append(&root.path().join("logs/copy.log"), &logs[0][..logs[0].len() / 2]);
    append(&root.path().join("logs/empty.log"), "");
    append(&root.path().join("logs/notes.txt"), "no log");
    (root, logs)
}

fn open(root: &tempfile::TempDir) -> Import {
    Import::open(&root.path().join("logs"), &root.path().join("reader"), grammars()).unwrap()
}

fn ids(logs: &[String]) -> BTreeSet<String> {
    // A log of an import is complete.
    logs.iter().flat_map(|log| reference(&[log.as_bytes(), b""])).collect()
}

#[tokio::test]
async fn a_folder_is_read_once_for_its_summary() {
    let (site, (root, logs)) = (Site::start(), folder());
    let mut import = open(&root);
    let bytes: usize = logs.iter().map(String::len).sum();
    assert_eq!(import.logs.iter().map(|log| log.bytes).sum::<u64>(), bytes as u64);
    let mut recorder = Recorder::default();
    import.read(&options(&site), &mut recorder).await.unwrap();
    let last = recorder.seen.last().unwrap();
    assert_eq!((last.done, last.total), (bytes as u64, bytes as u64));
    assert!(recorder.seen.windows(2).all(|pair| pair[0].done <= pair[1].done && pair[0].begun <= pair[1].begun));
    let overview = import.overview();
    let players: Vec<_> = overview.players.iter().map(|player| (player.handle.as_str(), player.logs)).collect();
    assert_eq!(players, [("Tester_One", 2), ("Tester_Two", 1)]);
    assert_eq!((overview.figures.kills, overview.figures.builds.len(), overview.unreadable), (15, 1, 0));
    assert!(overview.figures.universe_ms > 0);
    drop(import);
    let (mut again, mut silent) = (open(&root), Recorder::default());
    again.read(&options(&site), &mut silent).await.unwrap();
    assert_eq!((silent.seen.len(), again.overview(), site.calls()), (0, overview, 0));
}

#[tokio::test]
async fn a_stopped_import_continues_and_sends_only_the_chosen_players() {
    let (site, (root, logs)) = (Site::start(), folder());
    let one: BTreeSet<String> = ["tester_one".to_owned()].into();
    // Stopped while it reads the second log, and then while it sends it.
    for step in 0..2 {
        let mut import = open(&root);
        let options = options(&site);
        let mut stopper = Recorder { stops: Some(options.control.clone()), ..Recorder::default() };
        if step == 0 {
            import.read(&options, &mut stopper).await.unwrap();
        } else {
            import.read(&OnceOptions::default(), &mut Recorder::default()).await.unwrap();
            import.send(&options, &one, &mut stopper).await.unwrap();
            assert_eq!(site.ids().into_keys().collect::<BTreeSet<_>>(), ids(&logs[..1]));
        }
    }
    let mut import = open(&root);
    let mut recorder = Recorder::default();
    let summary = import.send(&options(&site), &one, &mut recorder).await.unwrap();
    assert_eq!(site.ids().into_keys().collect::<BTreeSet<_>>(), ids(&logs[..2]));
    assert_eq!((summary.accepted, summary.duplicates), (ids(&logs[1..2]).len() as u64, 0));
    let again = import.send(&options(&site), &one, &mut recorder).await.unwrap();
    assert_eq!((again.accepted, again.duplicates), (0, 0));
    // A log that has grown is sent again; the site ignores what it has.
    append(&root.path().join("logs/b.log"), kills(12, 7, 8));
    drop(import);
    let mut import = open(&root);
    import.read(&options(&site), &mut recorder).await.unwrap();
    let grown = import.send(&options(&site), &one, &mut recorder).await.unwrap();
    assert!(grown.accepted > 0 && grown.duplicates > 0, "{grown:?}");
}

#[test]
fn a_folder_without_logs_is_an_error_and_two_imports_do_not_run_at_once() {
    let root = tempfile::tempdir().unwrap();
    let empty = Import::open(root.path(), &root.path().join("reader"), grammars());
    assert!(matches!(empty.err(), Some(ReaderError::NoLogs)));
    let (root, _) = folder();
    let first = open(&root);
    let second = Import::open(&root.path().join("logs"), &root.path().join("reader"), grammars());
    assert!(matches!(second.err(), Some(ReaderError::InUse(_))));
    drop(first);
}
