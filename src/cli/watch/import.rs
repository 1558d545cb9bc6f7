//! `apogee watch import`

use std::collections::BTreeSet;
use std::io::{IsTerminal, stderr, stdin};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use apogee_reader::error::ReaderError;
use apogee_reader::feed::note_text;
use apogee_reader::filter::Filter;
use apogee_reader::grammar_store::GrammarStore;
use apogee_reader::import::{Import, ImportLog, Monitor, Overview, PlayerLogs, Progress};
use apogee_reader::installs::pasted_path;
use apogee_reader::note::Note;
use apogee_reader::once::OnceOptions;
use apogee_reader::settings::{ReaderSettings, queue_folder};
use apogee_reader::upload::{KeyKind, Server, Uploader};
use i18n::Texts;

use crate::domain::times::{EpochMillis, HOUR_MS};

use super::super::output::{errln, outln, write_error};
use super::super::{CliError, block_on};
use super::{MAX_UPLOAD_ATTEMPTS, SiteFlags, on_stop_signal, result_of, show_privacy_notice, unconsented};

const MB: u64 = 1_000_000;
const BAR_CHARS: u64 = 10;
/// How often the progress is shown: on a terminal, where one line is rewritten, and elsewhere, where each is a new line.
const TERMINAL_STEPS: u64 = 500;
const LINE_STEPS: u64 = 20;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A folder with logs, such as logbackups; folders in it are searched too
    folder: PathBuf,
    /// Upload the logs of your own player without a question
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    site: SiteFlags,
}

/// The parts of an import that do not change.
struct Session<'a> {
    args: &'a Args,
    home: &'a Path,
    texts: &'static Texts,
    options: OnceOptions,
}

pub(super) fn run(home: &Path, args: &Args) -> Result<(), CliError> {
    let mut settings = ReaderSettings::load(home)?;
    args.site.apply(&mut settings)?;
    let texts = settings.language().reader();
    let options = OnceOptions {
        filter: Filter { shared: args.site.shared(), ..settings.filter() },
        server: settings.site(),
        max_attempts: MAX_UPLOAD_ATTEMPTS,
        ..OnceOptions::default()
    };
    let control = options.control.clone();
    let session = Session { args, home, texts, options };
    block_on(async {
        on_stop_signal(move || control.stop());
        session.run().await
    })
}

impl Session<'_> {
    async fn run(&self) -> Result<(), CliError> {
        let texts = self.texts;
        let mut import = self.open().await?;
        outln!("{}", found_line(texts, &import.logs, EpochMillis(jiff::Timestamp::now().as_millisecond())))?;
        errln!("{}", texts.text("import_pause"));
        import.read(&self.options, &mut Bar::new(texts, "import_reading")).await?;
        if self.is_paused() {
            return Ok(());
        }
        let overview = import.overview();
        outln!("{}", overview_line(texts, &overview))?;
        let Some(players) = self.choose(&overview.players).await? else { return Ok(()) };
        if let Some(site) = unconsented(self.home, self.options.server.as_ref()) {
            show_privacy_notice(self.home, texts, site)?;
        }
        let summary = import.send(&self.options, &players, &mut Bar::new(texts, "import_sending")).await?;
        if self.is_paused() {
            return Ok(());
        }
        let url = self.options.server.as_ref().map_or("", |site| site.url.as_str());
        let uploaded = Note::Uploaded { accepted: summary.accepted, duplicates: summary.duplicates };
        outln!("{}", note_text(texts, &uploaded))?;
        for player in overview.players.iter().filter(|player| players.contains(&player.handle.to_ascii_lowercase())) {
            outln!("{}", texts.format("import_career", &[("url", &format!("{url}/player/{}/career", player.handle))]))?;
        }
        result_of(&summary)
    }

    /// Opens the import with the newest grammar of the site.
    async fn open(&self) -> Result<Import, CliError> {
        let place = queue_folder(self.home, self.options.server.as_ref());
        let grammars = GrammarStore::open(Some(&place))?;
        if let Some(site) = &self.options.server {
            grammars.refresh(site).await;
        }
        let folder = std::path::absolute(pasted_path(&self.args.folder))?;
        Ok(Import::open(&folder, &place, Arc::new(grammars))?)
    }

    fn is_paused(&self) -> bool {
        let is_paused = self.options.control.is_stopped();
        if is_paused {
            errln!("{}", self.texts.text("import_paused"));
        }
        is_paused
    }

    /// The players whose logs are uploaded, by lower-case handle; `None` if none are.
    async fn choose(&self, players: &[PlayerLogs]) -> Result<Option<BTreeSet<String>>, CliError> {
        let mut ticked = match &self.options.server {
            Some(site) => own_players(site, players).await?,
            None => BTreeSet::new(),
        };
        let asks = self.options.server.is_some() && !self.args.yes && stdin().is_terminal() && stderr().is_terminal();
        loop {
            for (number, player) in (1..).zip(players) {
                outln!("{}", player_line(self.texts, number, player, &ticked))?;
            }
            if !asks {
                break;
            }
            errln!("{}", self.texts.text("import_choose"));
            // A thread of its own: a blocked read must not keep the program from ending.
            let (answer, answered) = tokio::sync::oneshot::channel();
            std::thread::spawn(move || {
                let mut line = String::new();
                let read = stdin().read_line(&mut line);
                // The receiver is gone after Ctrl-C.
                let _ = answer.send(read.ok().filter(|length| *length > 0).map(|_| line));
            });
            let Some(Ok(Some(line))) = self.options.control.unless_stopped(answered).await else { return Ok(None) };
            match line.trim() {
                "" => break,
                number => match number.parse::<usize>().ok().and_then(|number| players.get(number.checked_sub(1)?)) {
                    Some(player) => toggle(&mut ticked, player),
                    None => return Ok(None),
                },
            }
        }
        let folder = self.args.folder.display().to_string();
        let reason = match (&self.options.server, ticked.is_empty()) {
            (None, _) => self.texts.text("no_site").to_owned(),
            (_, true) => self.texts.text("import_none").to_owned(),
            _ if !asks && !self.args.yes => self.texts.format("import_how", &[("folder", &folder)]),
            _ => return Ok(Some(ticked)),
        };
        outln!("{reason}")?;
        Ok(None)
    }
}

/// The players of the key's account. An operator's key may upload all logs.
async fn own_players(site: &Server, players: &[PlayerLogs]) -> Result<BTreeSet<String>, ReaderError> {
    let key = Uploader::new(site)?.key().await?;
    let is_own = |player: &&PlayerLogs| match key.kind {
        KeyKind::Operator => true,
        KeyKind::Account => key.player.as_ref().is_some_and(|own| own.eq_ignore_ascii_case(&player.handle)),
    };
    Ok(players.iter().filter(is_own).map(|player| player.handle.to_ascii_lowercase()).collect())
}

fn toggle(ticked: &mut BTreeSet<String>, player: &PlayerLogs) {
    let handle = player.handle.to_ascii_lowercase();
    if !ticked.remove(&handle) {
        ticked.insert(handle);
    }
}

/// `212 logs, 403 MB, April 2024 to today`
fn found_line(texts: &Texts, logs: &[ImportLog], now: EpochMillis) -> String {
    let bytes: u64 = logs.iter().map(|log| log.bytes).sum();
    let begun = || logs.iter().filter_map(|log| log.begun);
    let (from, to) = (begun().min(), begun().max());
    let is_today = to.is_some_and(|to| to.day() == now.day());
    let to = if is_today { texts.text("import_today").to_owned() } else { month(texts, to) };
    let values =
        [("count", logs.len().to_string()), ("size", size(texts, bytes)), ("from", month(texts, from)), ("to", to)];
    format(texts, "import_found", &values)
}

fn format(texts: &Texts, key: &str, values: &[(&str, String)]) -> String {
    let values: Vec<_> = values.iter().map(|(name, value)| (*name, value.as_str())).collect();
    texts.format(key, &values)
}

fn size(texts: &Texts, bytes: u64) -> String {
    texts.format("import_size", &[("count", &bytes.div_ceil(MB).to_string())])
}

/// `April 2024`
fn month(texts: &Texts, at: Option<EpochMillis>) -> String {
    let date = at.and_then(EpochMillis::date_and_time).unwrap_or_default();
    let (Some(year), Some(number)) = (date.get(..4), date.get(5..7).and_then(|month| month.parse::<usize>().ok()))
    else {
        return "?".to_owned();
    };
    let name = texts.text("months").split(',').nth(number.saturating_sub(1)).unwrap_or_default();
    format!("{name} {year}")
}

fn overview_line(texts: &Texts, overview: &Overview) -> String {
    let figures = &overview.figures;
    let values = [
        ("hours", figures.hours().to_string()),
        ("contracts", figures.contracts.to_string()),
        ("ships", figures.ships.len().to_string()),
        ("kills", figures.kills.to_string()),
        ("deaths", figures.deaths.to_string()),
        ("builds", figures.builds.len().to_string()),
        ("unreadable", overview.unreadable.to_string()),
    ];
    format(texts, "import_overview", &values)
}

fn player_line(texts: &Texts, number: usize, player: &PlayerLogs, ticked: &BTreeSet<String>) -> String {
    let tick = if ticked.contains(&player.handle.to_ascii_lowercase()) { "x" } else { " " };
    let (count, hours) = (player.logs.to_string(), (player.universe_ms / HOUR_MS).to_string());
    let values = [("handle", player.handle.as_str()), ("count", &count), ("hours", &hours)];
    format!("[{tick}] {number}  {}", texts.format("import_player", &values))
}

/// The progress of a pass: one line that is rewritten on a terminal, and a line now and then elsewhere.
struct Bar {
    texts: &'static Texts,
    key: &'static str,
    is_terminal: bool,
    step: Option<u64>,
    /// Number of characters in the line on the terminal.
    width: usize,
}

impl Bar {
    fn new(texts: &'static Texts, key: &'static str) -> Self {
        Self { texts, key, is_terminal: stderr().is_terminal(), step: None, width: 0 }
    }

    /// Ends the line on the terminal.
    fn end(&mut self) {
        if std::mem::take(&mut self.width) > 0 {
            errln!("");
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.end();
    }
}

impl Monitor for Bar {
    fn progress(&mut self, progress: &Progress) {
        let steps = if self.is_terminal { TERMINAL_STEPS } else { LINE_STEPS };
        let step = share(progress, steps);
        if self.step.replace(step) == Some(step) {
            return;
        }
        let line = progress_line(self.texts, self.key, progress);
        if self.is_terminal {
            let before = std::mem::replace(&mut self.width, line.chars().count());
            write_error(&format!("\r{line}{}", " ".repeat(before.saturating_sub(self.width))));
        } else {
            errln!("{line}");
        }
    }

    fn note(&mut self, note: &Note) {
        // The end of the import says it.
        if matches!(note, Note::Uploaded { .. }) {
            return;
        }
        self.end();
        errln!("{}", note_text(self.texts, note));
    }
}

/// How many of `steps` are done, by bytes.
fn share(progress: &Progress, steps: u64) -> u64 {
    (progress.done.saturating_mul(steps) / progress.total.max(1)).min(steps)
}

fn progress_line(texts: &Texts, key: &str, progress: &Progress) -> String {
    let filled = share(progress, BAR_CHARS);
    let bar: String = (0..BAR_CHARS).map(|at| if at < filled { '█' } else { '░' }).collect();
    let date = progress.begun.and_then(EpochMillis::date_and_time).unwrap_or_default();
    let figures = &progress.figures;
    let values = [
        ("done", progress.done.div_ceil(MB).to_string()),
        ("total", size(texts, progress.total)),
        ("date", date.get(..10).unwrap_or("?").to_owned()),
        ("hours", figures.hours().to_string()),
        ("contracts", figures.contracts.to_string()),
        ("kills", figures.kills.to_string()),
        ("count", progress.events.to_string()),
    ];
    let text = format(texts, key, &values);
    format!("{bar} {:>3} % · {text}", share(progress, 100))
}

#[cfg(test)]
mod tests {
    use super::*;
    use i18n::Language;

    #[test]
    fn every_language_has_twelve_months() {
        for language in Language::ALL {
            let months = language.reader().text("months");
            assert_eq!(months.split(',').filter(|name| !name.trim().is_empty()).count(), 12, "{months}");
        }
        let april = EpochMillis::parse_rfc3339("2024-04-11T15:36:08.178Z");
        assert_eq!(month(Language::En.reader(), april), "April 2024");
    }

    #[test]
    fn progress_is_counted_by_bytes_and_names_the_date_of_the_log() {
        let progress = Progress {
            done: 181_500_000,
            total: 403_000_000,
            begun: EpochMillis::parse_rfc3339("2025-04-11T15:36:08.178Z"),
            ..Progress::default()
        };
        let line = progress_line(Language::En.reader(), "import_reading", &progress);
        assert_eq!(line, "████░░░░░░  45 % · 182 of 403 MB · 2025-04-11 · 0 h · contracts 0 · kills 0");
        assert_eq!(share(&Progress::default(), LINE_STEPS), 0);
    }

    #[test]
    fn a_number_changes_a_tick() {
        let player = PlayerLogs { handle: "Tester_One".into(), logs: 1, universe_ms: 0 };
        let mut ticked = BTreeSet::new();
        toggle(&mut ticked, &player);
        assert_eq!(player_line(Language::En.reader(), 1, &player, &ticked), "[x] 1  Tester_One: 1 log, 0 h");
        toggle(&mut ticked, &player);
        assert!(player_line(Language::En.reader(), 2, &player, &ticked).starts_with("[ ] 2"));
    }
}
