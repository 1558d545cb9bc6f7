//! The saved settings of a reader (site, key, language, filter) and the folders where they are stored.

use std::fs::{File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use i18n::Language;
use serde::{Deserialize, Serialize};

use super::error::ReaderError;
use super::filter::{Filter, Selector};
use super::installs::{Roots, find_logs};
use super::upload::{Server, endpoint};

const SETTINGS_FILE: &str = "reader.json";
const PAGE_FILE: &str = "page.url";
const PAGE_LOCK: &str = "page.lock";
/// How long a start waits for another start to store the address of its page.
const CLAIM_TIMEOUT: Duration = Duration::from_secs(5);
const CLAIM_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The settings of one reader. Missing keys have their default; unknown keys are ignored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ReaderSettings {
    /// The site's origin, without a path.
    pub server: Option<String>,
    /// The ingest key. The file is readable by its owner only.
    pub key: Option<String>,
    /// A language code as in `--language`. Default: the system's language.
    pub language: Option<String>,
    /// Types of events that are neither shown nor sent.
    pub hide: Vec<String>,
    /// Live logs, or folders of the game. Default: the usual folders.
    pub logs: Vec<PathBuf>,
    /// The logs of earlier runs are not read.
    pub skips_backups: bool,
    /// Redacted lines of unknown shape may be sent.
    pub sends_samples: bool,
    /// Uploads are paused.
    pub is_paused: bool,
}

impl ReaderSettings {
    /// Loads the settings of a folder, or the defaults if there are none.
    pub fn load(home: &Path) -> Result<Self, ReaderError> {
        let path = home.join(SETTINGS_FILE);
        match std::fs::read(&path) {
            Ok(text) => serde_json::from_slice(&text).map_err(|error| ReaderError::file(path, "parsed")(error.into())),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(ReaderError::file(path, "read")(error)),
        }
    }

    /// Saves the settings atomically: after a crash the file holds the old or the new ones.
    pub fn save(&self, home: &Path) -> Result<(), ReaderError> {
        std::fs::create_dir_all(home).map_err(ReaderError::file(home, "created"))?;
        let path = home.join(SETTINGS_FILE);
        let fresh = path.with_extension("new");
        let text =
            serde_json::to_vec_pretty(self).map_err(|error| ReaderError::file(&path, "written")(error.into()))?;
        write_private(&fresh, &text).map_err(ReaderError::file(&fresh, "written"))?;
        std::fs::rename(&fresh, &path).map_err(ReaderError::file(&path, "written"))
    }

    /// The site to upload to, if the reader has a key.
    pub fn site(&self) -> Option<Server> {
        Some(Server { url: self.server.clone()?, key: self.key.clone()? })
    }

    /// The logs of the settings, or those of the usual folders.
    pub fn log_paths(&self) -> Vec<PathBuf> {
        if self.logs.is_empty() { find_logs(&Roots::from_env()) } else { self.logs.clone() }
    }

    /// The filter. Unknown names are ignored.
    pub fn filter(&self) -> Filter {
        let hide = self.hide.iter().filter_map(|name| name.parse::<Selector>().ok()).collect();
        Filter { hide, ..Filter::default() }
    }

    /// The selected language, the system's, or English.
    pub fn language(&self) -> Language {
        let chosen = self.language.as_deref().and_then(|code| code.parse().ok());
        chosen.or_else(Language::of_system).unwrap_or_default()
    }
}

/// Writes a file that only its owner may read. On other systems than Unix, the folder of the user's data is already private.
fn write_private(path: &Path, text: &[u8]) -> std::io::Result<()> {
    let mut options = File::options();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text)?;
    file.sync_all()
}

/// The result of claiming the page of a home folder.
pub enum PageClaim {
    /// This process may serve the page until the lock is dropped.
    Acquired(PageLock),
    /// A running reader serves the page at this address.
    Running(String),
}

/// The right to serve the page of a home folder, with the file that holds its address.
pub struct PageLock {
    path: PathBuf,
    /// The system releases it with the process, so an address without the lock is stale.
    _lock: File,
}

impl PageLock {
    /// Stores the address of the page for further starts.
    pub fn set(&self, url: &str) -> Result<(), ReaderError> {
        write_private(&self.path, url.as_bytes()).map_err(ReaderError::file(&self.path, "written"))
    }
}

impl Drop for PageLock {
    fn drop(&mut self) {
        // Best effort: without the lock the file is ignored.
        let _ = std::fs::remove_file(&self.path);
    }
}

/// Claims the page of a home folder. The claim depends on a file lock only, not on a listening port.
pub fn claim_page(home: &Path) -> Result<PageClaim, ReaderError> {
    std::fs::create_dir_all(home).map_err(ReaderError::file(home, "created"))?;
    let (path, lock_path) = (home.join(PAGE_FILE), home.join(PAGE_LOCK));
    let lock = File::options().create(true).truncate(false).write(true).open(&lock_path);
    let lock = lock.map_err(ReaderError::file(&lock_path, "opened"))?;
    let began = Instant::now();
    loop {
        match lock.try_lock() {
            Ok(()) => {
                // A file left by a killed reader.
                let _ = std::fs::remove_file(&path);
                return Ok(PageClaim::Acquired(PageLock { path, _lock: lock }));
            }
            Err(TryLockError::Error(error)) => return Err(ReaderError::file(&lock_path, "locked")(error)),
            Err(TryLockError::WouldBlock) => {}
        }
        match std::fs::read_to_string(&path) {
            Ok(url) if !url.is_empty() => return Ok(PageClaim::Running(url)),
            _ if began.elapsed() > CLAIM_TIMEOUT => return Err(ReaderError::InUse(home.to_owned())),
            _ => std::thread::sleep(CLAIM_POLL_INTERVAL),
        }
    }
}

/// The folder of all readers: in the given data directory, or in the user's data folder.
pub fn home_dir(named: Option<&Path>) -> PathBuf {
    if let Some(data_dir) = named {
        return data_dir.join("reader");
    }
    let var = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let own = if cfg!(windows) {
        var("LOCALAPPDATA").map(|folder| folder.join("Apogee"))
    } else {
        let data = var("XDG_DATA_HOME").or_else(|| Some(var("HOME")?.join(".local/share")));
        data.map(|folder| folder.join("apogee"))
    };
    own.unwrap_or_else(|| PathBuf::from("data")).join("reader")
}

/// The folder of the queue for a site. Its name is valid on every file system.
pub fn queue_folder(home: &Path, server: Option<&Server>) -> PathBuf {
    let url = server.map_or("local", |server| server.url.as_str());
    let host = url.split_once("://").map_or(url, |(_, host)| host);
    let name = host.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' || c == '-' { c } else { '_' });
    home.join(name.collect::<String>())
}

/// Parses an address as users type it: `stats.example.org` means HTTPS. Returns `None` if it is invalid.
pub fn parse_origin(typed: &str) -> Option<String> {
    let typed = typed.trim();
    let url = if typed.contains("://") { typed.to_owned() } else { format!("https://{typed}") };
    endpoint(&url, "").ok().map(|url| url.origin().ascii_serialization())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_survive_and_their_file_is_private() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(ReaderSettings::load(home.path()).unwrap(), ReaderSettings::default());
        let settings = ReaderSettings {
            server: Some("https://example.org".into()),
            key: Some("apogee_test".into()),
            hide: vec!["pve".into(), "of-a-later-version".into()],
            ..ReaderSettings::default()
        };
        settings.save(home.path()).unwrap();
        settings.save(home.path()).unwrap();
        assert_eq!(ReaderSettings::load(home.path()).unwrap(), settings);
        assert_eq!(settings.filter().hide.len(), 1);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(home.path().join(SETTINGS_FILE)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_page_is_reported_only_while_its_reader_runs() {
        let home = tempfile::tempdir().unwrap();
        let claim = || claim_page(home.path()).unwrap();
        let PageClaim::Acquired(own) = claim() else { panic!("nobody runs") };
        own.set("http://127.0.0.1:1/#token").unwrap();
        assert!(matches!(claim(), PageClaim::Running(url) if url == "http://127.0.0.1:1/#token"));
        drop(own);
        assert!(!home.path().join(PAGE_FILE).exists());
        // A file left by a killed reader, with another program on its port.
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/#token", listener.local_addr().unwrap());
        std::fs::write(home.path().join(PAGE_FILE), url).unwrap();
        assert!(matches!(claim(), PageClaim::Acquired(_)));
    }

    #[test]
    fn a_broken_file_is_named_and_not_overwritten() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join(SETTINGS_FILE), b"{").unwrap();
        assert!(ReaderSettings::load(home.path()).unwrap_err().to_string().contains(SETTINGS_FILE));
    }

    #[test]
    fn addresses_are_accepted_with_and_without_scheme() {
        assert_eq!(parse_origin(" stats.example.org/players ").as_deref(), Some("https://stats.example.org"));
        assert_eq!(parse_origin("http://127.0.0.1:8080/").as_deref(), Some("http://127.0.0.1:8080"));
        for wrong in ["", "ftp://example.org", "https://"] {
            assert_eq!(parse_origin(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn each_site_has_a_folder_with_a_portable_name() {
        let server = Server { url: "http://127.0.0.1:8080".into(), key: "k".into() };
        assert_eq!(queue_folder(Path::new("home"), Some(&server)), Path::new("home/127.0.0.1_8080"));
        assert_eq!(queue_folder(Path::new("home"), None), Path::new("home/local"));
    }
}
