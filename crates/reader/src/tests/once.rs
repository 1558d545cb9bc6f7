//! Reading once: what is uploaded and shown, for every behavior of a site.

use std::path::PathBuf;
use std::time::Duration;

use crate::error::ReaderError;
use crate::note::Note;
use crate::once::{OnceOptions, read_once};
use crate::upload::{RetryPolicy, Server, UploadError};

use super::site::{Behavior, KEY, Site};
use super::{RecordingSink, append, head, kills, reference};

fn fast() -> RetryPolicy {
    RetryPolicy {
        backoff: net::Backoff::new(Duration::from_millis(5), Duration::from_millis(20)),
        key_rejected: Duration::from_millis(20),
        unclaimed: Duration::from_secs(3600),
    }
}

fn options(site: &Site) -> OnceOptions {
    let server = Server { url: site.url(), key: KEY.into() };
    OnceOptions { server: Some(server), max_attempts: 3, retry_policy: fast(), ..OnceOptions::default() }
}

fn log(folder: &tempfile::TempDir, text: &str) -> Vec<PathBuf> {
    let path = folder.path().join("Game.log");
    append(&path, text);
    vec![path]
}

#[tokio::test]
async fn all_events_arrive_once_in_batches_within_the_limits() {
    let (site, folder) = (Site::start(), tempfile::tempdir().unwrap());
    let text = head(10) + &kills(10, 0, 3000);
    let paths = log(&folder, &text);
    let summary = read_once(&paths, &options(&site), &mut RecordingSink::default()).await.unwrap();
    let wanted = reference(&[text.as_bytes()]);
    assert_eq!(site.ids().into_keys().collect::<std::collections::BTreeSet<_>>(), super::set(&wanted));
    assert_eq!((summary.accepted, summary.duplicates), (wanted.len() as u64, 0));
    assert!(site.calls() >= wanted.len() as u64 / 1000);
    let again = read_once(&paths, &options(&site), &mut RecordingSink::default()).await.unwrap();
    assert_eq!((again.accepted, again.duplicates), (0, wanted.len() as u64));
}

#[tokio::test]
async fn without_a_site_events_are_only_shown() {
    let (site, folder) = (Site::start(), tempfile::tempdir().unwrap());
    let paths = log(&folder, &(head(10) + &kills(10, 0, 5)));
    let mut sink = RecordingSink::default();
    read_once(&paths, &OnceOptions::default(), &mut sink).await.unwrap();
    assert_eq!(site.calls(), 0);
    assert!(sink.events.len() > 5);
}

#[tokio::test]
async fn only_events_passing_the_filter_are_shown_and_sent() {
    let (site, folder) = (Site::start(), tempfile::tempdir().unwrap());
    let paths = log(&folder, &(head(10) + &kills(10, 0, 6)));
    let mut options = options(&site);
    options.filter.only.insert("vehicles".parse().unwrap());
    let mut sink = RecordingSink::default();
    read_once(&paths, &options, &mut sink).await.unwrap();
    assert_eq!((sink.events.len(), site.ids().len()), (2, 2));
}

#[tokio::test]
async fn a_busy_site_is_retried_and_a_rejected_key_is_reported() {
    let (site, folder) = (Site::start(), tempfile::tempdir().unwrap());
    let paths = log(&folder, &(head(10) + &kills(10, 0, 3)));
    site.set_behavior(Behavior::Overloaded);
    let mut sink = RecordingSink::default();
    let error = read_once(&paths, &options(&site), &mut sink).await.unwrap_err();
    assert!(matches!(error, ReaderError::Upload(UploadError::Temporary { .. })), "{error}");
    assert_eq!(site.calls(), 3);
    assert!(sink.notes.iter().any(|note| matches!(note, Note::Retry { .. })));
    site.set_behavior(Behavior::KeyUnknown);
    let error = read_once(&paths, &options(&site), &mut RecordingSink::default()).await.unwrap_err();
    assert!(error.to_string().contains("this key is not known"), "{error}");
}

#[tokio::test]
async fn rejected_events_are_reported() {
    let (site, folder) = (Site::start(), tempfile::tempdir().unwrap());
    let paths = log(&folder, &(head(10) + &kills(10, 0, 3)));
    site.set_behavior(Behavior::Rejects("login"));
    let mut sink = RecordingSink::default();
    let summary = read_once(&paths, &options(&site), &mut sink).await.unwrap();
    assert_eq!(summary.rejected, 1);
    let named = sink
        .notes
        .iter()
        .any(|note| matches!(note, Note::Rejected { event_id: Some(id), .. } if id.starts_with("login:")));
    assert!(named, "{:?}", sink.notes);
}

#[tokio::test]
async fn a_log_of_an_unclaimed_player_is_left_for_the_next_run_and_others_are_sent() {
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let one = head(10) + &kills(10, 0, 2500);
    let two = (head(12) + &kills(12, 0, 3)).replace("Tester_One", "Tester_Two");
    let paths = [log(&first, &one), log(&second, &two)].concat();
    let (one, two) = (reference(&[one.as_bytes()]), reference(&[two.as_bytes()]));
    let is_about_claims = |note: &&Note| matches!(note, Note::Unclaimed(_) | Note::ForeignLog(_));
    for (claimed_by, unclaimed) in [("nobody", one.len()), ("other", 0)] {
        let site = Site::start_with_account([("Tester_One", claimed_by)]);
        let mut sink = RecordingSink::default();
        let summary = read_once(&paths, &options(&site), &mut sink).await.unwrap();
        let counts = (summary.accepted, summary.rejected, summary.unclaimed);
        assert_eq!(counts, (two.len() as u64, 0, unclaimed as u64), "{claimed_by}");
        assert_eq!((site.batches_of("Tester_One"), site.ids().len()), (1, two.len()), "{claimed_by}");
        let notes: Vec<&Note> = sink.notes.iter().filter(is_about_claims).collect();
        match (claimed_by, &notes[..]) {
            ("nobody", [Note::Unclaimed(player)]) => {
                assert_eq!(player.url, format!("{}/player/claim?handle=Tester_One", site.url()));
            }
            ("other", [Note::ForeignLog(log)]) => assert_eq!(log.handle, "Tester_One"),
            _ => panic!("{notes:?}"),
        }
        site.claim_all();
        let summary = read_once(&paths, &options(&site), &mut RecordingSink::default()).await.unwrap();
        assert_eq!((summary.accepted, summary.duplicates), (one.len() as u64, two.len() as u64));
    }
}

#[tokio::test]
async fn logs_that_are_not_uploaded_are_counted_by_their_player() {
    let folders: Vec<_> = (0..4).map(|_| tempfile::tempdir().unwrap()).collect();
    let paths: Vec<PathBuf> = (10..14)
        .zip(&folders)
        .flat_map(|(hour, folder)| {
            let player = ["Tester_One", "Tester_Two"][hour as usize % 2];
            log(folder, &(head(hour) + &kills(hour, 0, 3)).replace("Tester_One", player))
        })
        .collect();
    for claimed_by in ["nobody", "other"] {
        let site = Site::start_with_account([("Tester_Two", claimed_by)]);
        let mut sink = RecordingSink::default();
        let summary = read_once(&paths, &options(&site), &mut sink).await.unwrap();
        assert!(summary.accepted > 0 && summary.rejected == 0, "{claimed_by}");
        let withheld = Note::LogsWithheld { handle: "Tester_Two".into(), logs: 2 };
        assert_eq!(sink.notes.iter().filter(|note| **note == withheld).count(), 1, "{claimed_by}: {:?}", sink.notes);
    }
}

#[tokio::test]
async fn a_log_whose_timestamps_cannot_be_read_is_named_with_its_lines() {
    let (good, bad) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let text = head(10) + &kills(10, 0, 5);
    let paths = [log(&good, &text), log(&bad, &text.replace("T10:", " 10:"))].concat();
    let mut sink = RecordingSink::default();
    read_once(&paths, &OnceOptions::default(), &mut sink).await.unwrap();
    let untimed: Vec<&Note> = sink.notes.iter().filter(|note| matches!(note, Note::Untimed { .. })).collect();
    assert_eq!(untimed, [&Note::Untimed { path: paths[1].clone(), lines: text.lines().count() as u64 }]);
}

#[tokio::test]
async fn an_account_sends_the_events_of_the_logs_player() {
    let (site, folder) = (Site::start_with_account([]), tempfile::tempdir().unwrap());
    let others = kills(10, 6, 12).replace("'Tester_One' [201000000001]", "'Tester_Nine' [201000000009]");
    let text = head(10) + &kills(10, 0, 6) + &others;
    let paths = log(&folder, &text);
    let mut sink = RecordingSink::default();
    let summary = read_once(&paths, &options(&site), &mut sink).await.unwrap();
    let all = reference(&[text.as_bytes()]);
    let own: Vec<String> = all.iter().filter(|id| !id.contains("201000000009")).cloned().collect();
    assert_eq!(site.ids().into_keys().collect::<Vec<_>>(), super::set(&own).into_iter().collect::<Vec<_>>());
    assert_eq!((summary.accepted, summary.rejected), (own.len() as u64, 0));
    assert!(own.len() > 6 && sink.events.len() >= own.len() + 6, "all events are shown");
}

#[tokio::test]
async fn an_account_sends_no_log_without_a_player_and_all_events_of_a_log_that_names_it_late() {
    let (site, folder) = (Site::start_with_account([]), tempfile::tempdir().unwrap());
    let start = head(10);
    let (before, login) = start.split_at(start.find("<2025-04-11T10:00:10").unwrap());
    let nameless = before.to_owned() + &kills(10, 0, 1500);
    let wanted = reference(&[nameless.as_bytes()]).len() as u64;
    let paths = log(&folder, &nameless);
    let mut sink = RecordingSink::default();
    let summary = read_once(&paths, &options(&site), &mut sink).await.unwrap();
    assert_eq!((summary.counts.nameless, summary.accepted, site.calls()), (wanted, 0, 0));
    assert!(sink.notes.contains(&Note::Nameless(wanted)));
    log(&folder, &login.replace("T10:00:", "T10:40:"));
    let summary = read_once(&paths, &options(&site), &mut RecordingSink::default()).await.unwrap();
    assert_eq!((summary.counts.nameless, summary.rejected), (0, 0));
    assert!(summary.accepted > wanted);
}

#[tokio::test]
async fn one_malformed_event_is_reported_and_the_others_are_sent() {
    let (site, folder) = (Site::start(), tempfile::tempdir().unwrap());
    let text = head(10) + &kills(10, 0, 30);
    let paths = log(&folder, &text);
    site.set_behavior(Behavior::CannotParse("connection_success"));
    let summary = read_once(&paths, &options(&site), &mut RecordingSink::default()).await.unwrap();
    assert_eq!((summary.rejected, site.ids().len()), (1, reference(&[text.as_bytes()]).len() - 1));
}

#[tokio::test]
async fn a_failed_upload_does_not_stop_reading() {
    let (mut site, folder) = (Site::start(), tempfile::tempdir().unwrap());
    let paths = log(&folder, &(head(10) + &kills(10, 0, 2500)));
    let (options, url) = (options(&site), site.url());
    site.stop();
    let mut sink = RecordingSink::default();
    let error = read_once(&paths, &options, &mut sink).await.unwrap_err();
    assert!(error.to_string().contains(&url), "{error}");
    assert!(sink.events.len() > 2500);
}

/// A sink whose output fails after the first event.
struct Gone(u64);

impl crate::note::Sink for Gone {
    fn event(&mut self, _: &gamelog::events::Event) {
        self.0 += 1;
    }

    fn note(&mut self, _: &Note) {}

    fn failure(&mut self) -> Option<std::io::Error> {
        (self.0 > 0).then(|| std::io::ErrorKind::StorageFull.into())
    }
}

#[tokio::test]
async fn an_output_error_stops_reading() {
    let folder = tempfile::tempdir().unwrap();
    let paths = log(&folder, &(head(10) + &kills(10, 0, 5)));
    let error = read_once(&paths, &OnceOptions::default(), &mut Gone(0)).await.unwrap_err();
    assert!(matches!(error, ReaderError::Output(_)), "{error}");
}
