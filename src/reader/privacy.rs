//! What is said before the first upload, and that it was said.

use std::path::Path;

use super::ReaderError;
use super::words::Words;

/// Grows when more is sent than before; then the notice is shown again.
const NOTICE_VERSION: u32 = 1;

/// What is sent to a site and what never is, as lines for people.
pub fn notice(words: &Words, server: &str) -> Vec<String> {
    vec![
        words.say("privacy_title", &[]),
        words.say("privacy_sent", &[("server", server)]),
        words.say("privacy_never", &[]),
        words.say("privacy_choice", &[]),
        words.say("privacy_ban", &[]),
    ]
}

/// The same for the reader's page, which has switches in place of flags.
pub fn page_notice(words: &Words, server: &str) -> Vec<String> {
    let told = [("privacy_sent", Some(server)), ("privacy_never", None), ("privacy_ban", None)];
    told.map(|(key, server)| words.say(key, server.map(|server| ("server", server)).as_slice())).into()
}

/// The notice was shown for this folder before.
pub fn is_shown(folder: &Path) -> bool {
    marker(folder).exists()
}

/// Remembers that the notice was shown.
pub fn mark_shown(folder: &Path) -> Result<(), ReaderError> {
    std::fs::create_dir_all(folder).map_err(ReaderError::file(folder, "made"))?;
    let path = marker(folder);
    std::fs::write(&path, b"").map_err(ReaderError::file(&path, "written"))
}

fn marker(folder: &Path) -> std::path::PathBuf {
    folder.join(format!("notice-{NOTICE_VERSION}-shown"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reader::words::Language;

    #[test]
    fn the_notice_names_the_site_and_is_shown_once() {
        let folder = tempfile::tempdir().unwrap();
        let lines = notice(&Words::of(Language::French), "https://example.org");
        assert!(lines.iter().any(|line| line.contains("https://example.org")));
        assert!(!is_shown(folder.path()));
        mark_shown(folder.path()).unwrap();
        assert!(is_shown(folder.path()));
    }
}
