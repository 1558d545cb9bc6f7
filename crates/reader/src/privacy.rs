//! The privacy notice shown before the first upload, and the record that it was shown.

use std::path::Path;

use i18n::Texts;

use super::error::ReaderError;

/// Increased when more data is sent than before. The notice is then shown again.
const NOTICE_VERSION: u32 = 3;

/// The notice as lines: what is sent to a site, and what never is.
pub fn notice(texts: &Texts, server: &str) -> Vec<String> {
    let keys = ["privacy_title", "privacy_sent", "privacy_never", "privacy_choice", "privacy_ban"];
    keys.map(|key| texts.format(key, &[("server", server)])).into()
}

/// The notice for the page, which offers switches instead of flags.
pub fn page_notice(texts: &Texts, server: &str) -> Vec<String> {
    ["privacy_sent", "privacy_never", "privacy_ban"].map(|key| texts.format(key, &[("server", server)])).into()
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
    use i18n::Language;

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
