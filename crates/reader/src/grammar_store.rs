//! Newer grammars from the site, so that a patch of the game requires no new program.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use gamelog::Grammar;

use super::error::ReaderError;
use super::log_file::BACKUPS;
use super::mutex::lock;
use super::upload;
use super::upload::Server;

const GRAMMAR_FILE: &str = "grammar.json";
/// The texts of the game beside its log, in a folder for each language that the player has installed.
const LANGUAGES: &str = "data/Localization";
const TEXTS: &str = "global.ini";
/// Such a file has ten megabytes.
const MAX_TEXTS_BYTES: u64 = 64 * 1024 * 1024;

/// The newest valid grammar, and the languages of the player.
pub struct GrammarStore {
    current: Mutex<Arc<Grammar>>,
    /// Folders of the game whose texts are read.
    folders: Mutex<BTreeSet<PathBuf>>,
    file: Option<PathBuf>,
}

impl GrammarStore {
    /// Opens the store with the built-in grammar, or with a newer one stored in `folder`.
    pub fn open(folder: Option<&Path>) -> Result<Self, ReaderError> {
        let store = Self {
            current: Mutex::new(Arc::new(Grammar::built_in()?)),
            folders: Mutex::default(),
            file: folder.map(|folder| folder.join(GRAMMAR_FILE)),
        };
        if let Some(stored) = store.file.as_ref().and_then(|file| std::fs::read_to_string(file).ok()) {
            store.accept(&stored);
        }
        Ok(store)
    }

    pub fn current(&self) -> Arc<Grammar> {
        lock(&self.current).clone()
    }

    /// The grammar for a log: the game writes notices in the language whose texts are installed beside it.
    pub fn for_log(&self, log: &Path) -> Arc<Grammar> {
        let is_backup = |folder: &&Path| folder.file_name().is_some_and(|name| name == BACKUPS);
        let folder = log.parent().map(|beside| Some(beside).filter(is_backup).and_then(Path::parent).unwrap_or(beside));
        if let Some(folder) = folder.filter(|folder| lock(&self.folders).insert(folder.to_path_buf())) {
            let mut current = lock(&self.current);
            let mut phrases = current.phrases().clone();
            for language in std::fs::read_dir(folder.join(LANGUAGES)).into_iter().flatten().flatten() {
                // Best effort: notices in other languages are read without them.
                phrases.add(&read_texts(&language.path().join(TEXTS)).unwrap_or_default());
            }
            if phrases != *current.phrases() {
                *current = Arc::new(Grammar::clone(&current).with_phrases(phrases));
            }
        }
        self.current()
    }

    /// Accepts a grammar that is newer and valid. Returns true if it was accepted.
    pub fn accept(&self, json: &str) -> bool {
        let mut current = lock(&self.current);
        match Grammar::parse_served(json) {
            Ok(newer) if newer.version() > current.version() => {
                *current = Arc::new(newer.with_phrases(current.phrases().clone()));
                true
            }
            _ => false,
        }
    }

    /// Downloads the grammar of a site. Errors and invalid grammars are ignored.
    pub async fn refresh(&self, server: &Server) {
        let Ok(json) = upload::fetch_grammar(server).await else { return };
        if self.accept(&json)
            && let Some(file) = &self.file
        {
            // Best effort: without the file, the next start downloads it again.
            let _ = std::fs::write(file, json);
        }
    }
}

fn read_texts(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut texts = Vec::new();
    File::open(path)?.take(MAX_TEXTS_BYTES).read_to_end(&mut texts)?;
    Ok(texts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gamelog::{Ending, Parser, redact};

    fn with_version(version: u32) -> String {
        Grammar::BUILT_IN.replacen("\"version\": 4", &format!("\"version\": {version}"), 1)
    }

    #[test]
    fn only_newer_and_valid_grammars_are_accepted() {
        let store = GrammarStore::open(None).unwrap();
        assert!(!store.accept(&with_version(1)));
        assert!(!store.accept("{}"));
        assert!(!store.accept(&with_version(5).replace("{victim_id}", "{}")));
        assert!(store.accept(&with_version(5)));
        assert!(!store.accept(&with_version(2)));
        assert_eq!(store.current().version(), 5);
    }

    /// The built-in grammar with a higher version, one more shape, and its sample.
    fn with_shape(meaning: &str, tag: &str, shape: &str, text: &str) -> String {
        let shape = serde_json::json!({ "meaning": meaning, "tag": tag, "shape": shape,
            "sample": format!("<2026-04-11T15:36:08.178Z> [Notice] {tag}{text}") });
        with_version(9).replacen("\"shapes\": [", &format!("\"shapes\": [{shape},"), 1)
    }

    #[test]
    fn a_site_cannot_read_lines_that_the_built_in_grammar_does_not_read() {
        let store = GrammarStore::open(None).unwrap();
        // A new tag, for a meaning that becomes text of an event.
        for meaning in ["mode", "branch", "login", "skip"] {
            let field = match meaning {
                "mode" => "{rules}",
                "branch" => "{patch}",
                "login" => "{handle}",
                _ => "",
            };
            assert!(
                !store.accept(&with_shape(meaning, "<ChatLineReceived>", &format!(" {field}"), " hello")),
                "{meaning}"
            );
        }
        // A known tag with another meaning.
        assert!(!store.accept(&with_shape("mode", "<Legacy login response>", " Other[{rules}]", " Other[a]")));
        let chat = with_version(9).replace("<SHUDEvent_OnNotification>", "<ChatLineReceived>");
        assert!(!store.accept(&chat));
        // A fixed shape for a known tag.
        assert!(store.accept(&with_shape(
            "login",
            "<Legacy login response>",
            " Other[{handle}]",
            " Other[Tester_One]"
        )));
    }

    #[test]
    fn a_site_cannot_read_sentences_as_names() {
        let store = GrammarStore::open(None).unwrap();
        // The first line that does not match is its own sample.
        assert!(!store.accept(&with_shape("login", "<Legacy login response>", " {handle}", " any text of a line")));
        assert!(store.accept(&with_shape("login", "<Legacy login response>", " {handle}", " Tester_One")));
        let mut parser = Parser::new(store.current());
        let line = "<2026-04-11T15:36:08.178Z> [Notice] <Legacy login response> a secret, word for word\r\n";
        let mut events = Vec::new();
        parser.feed(line.as_bytes(), &mut |event| events.push(event));
        parser.finish(Ending::Closed, &mut |event| events.push(event));
        assert!(events.is_empty() && parser.counts().unknown_shapes == 1, "{events:?}");
    }

    #[test]
    fn a_site_can_add_notices_only_as_labels() {
        let store = GrammarStore::open(None).unwrap();
        for wide in ["", "New", "You have ", "a:"] {
            let texts = with_version(9).replace("\"begins\": \"New Objective:\"", &format!("\"begins\": \"{wide}\""));
            assert!(!store.accept(&texts), "{wide}");
        }
        assert!(
            store.accept(&with_version(9).replace("\"begins\": \"New Objective:\"", "\"begins\": \"Neues Ziel:\""))
        );
    }

    #[test]
    fn a_site_cannot_choose_words_that_are_not_redacted() {
        let store = GrammarStore::open(None).unwrap();
        let spy =
            with_shape("login", "<Legacy login response>", " Sekret Tester_Two[{handle}]", " Sekret Tester_Two[a]");
        assert!(store.accept(&spy));
        let redacted = redact(&store.current(), "<Legacy login response> Sekret Success Tester_Two", None).unwrap();
        assert_eq!(redacted, "<Legacy login response> x x x");
    }

    #[test]
    fn notices_are_read_in_the_languages_that_are_installed_beside_a_log() {
        let folder = tempfile::tempdir().unwrap();
        let language = folder.path().join(LANGUAGES).join("spanish_(spain)");
        std::fs::create_dir_all(&language).unwrap();
        std::fs::write(language.join(TEXTS), "mobiGlas_ui_MissionEvent_Complete=Contrato completado: %s\n").unwrap();
        let store = GrammarStore::open(None).unwrap();
        let elsewhere = store.for_log(Path::new("elsewhere/Game.log"));
        assert_eq!(elsewhere.phrases(), &gamelog::Phrases::default());
        let backup = store.for_log(&folder.path().join(BACKUPS).join("ended.log"));
        assert_ne!(backup.phrases(), elsewhere.phrases());
        // They stay with a newer grammar.
        assert!(store.accept(&with_version(8)));
        assert_eq!(store.current().phrases(), backup.phrases());
    }

    #[test]
    fn a_stored_grammar_is_used_at_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(GRAMMAR_FILE), with_version(7)).unwrap();
        assert_eq!(GrammarStore::open(Some(folder.path())).unwrap().current().version(), 7);
    }
}
