//! The privacy notice shown before the first upload, and the record that it was shown.

use std::path::Path;

use super::error::ReaderError;
use crate::i18n::Texts;

/// Increased when more data is sent than before. The notice is then shown again.
const NOTICE_VERSION: u32 = 3;

/// The notice as lines: what is sent to a site, and what never is.
pub fn notice(texts: &Texts, server: &str) -> Vec<String> {
    vec![
        texts.text("privacy_title").to_owned(),
        texts.format("privacy_sent", &[("server", server)]),
        texts.text("privacy_never").to_owned(),
        texts.text("privacy_choice").to_owned(),
        texts.text("privacy_ban").to_owned(),
    ]
}

/// The notice for the page, which offers switches instead of flags.
pub fn page_notice(texts: &Texts, server: &str) -> Vec<String> {
    let lines = [("privacy_sent", Some(server)), ("privacy_never", None), ("privacy_ban", None)];
    lines.map(|(key, server)| texts.format(key, server.map(|server| ("server", server)).as_slice())).into()
}

/// Returns true if the notice was shown for this folder.
pub fn is_shown(folder: &Path) -> bool {
    marker(folder).exists()
}

/// Records that the notice was shown.
pub fn mark_shown(folder: &Path) -> Result<(), ReaderError> {
    std::fs::create_dir_all(folder).map_err(ReaderError::file(folder, "created"))?;
    let path = marker(folder);
    std::fs::write(&path, b"").map_err(ReaderError::file(&path, "written"))
}

fn marker(folder: &Path) -> std::path::PathBuf {
    folder.join(format!("notice-{NOTICE_VERSION}-shown"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Language;

    #[test]
    fn the_notice_names_the_site_and_is_shown_once() {
        let folder = tempfile::tempdir().unwrap();
        let lines = notice(Language::Fr.reader(), "https://example.org");
        assert!(lines.iter().any(|line| line.contains("https://example.org")));
        assert!(!is_shown(folder.path()));
        mark_shown(folder.path()).unwrap();
        assert!(is_shown(folder.path()));
    }
}
