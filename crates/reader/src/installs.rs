//! Finds installations of the game on Windows and in Wine prefixes on Linux.

use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use gamelog::CHANNELS;

use super::log_file::{BACKUPS, LIVE_LOG};

/// Paths of the game on a Windows drive or in a Wine prefix.
const BELOW_DRIVE: [&str; 5] = [
    "Program Files/Roberts Space Industries/StarCitizen",
    "Roberts Space Industries/StarCitizen",
    "Games/Roberts Space Industries/StarCitizen",
    "Games/StarCitizen",
    "StarCitizen",
];
/// Wine prefixes in a home folder, as common installers name them.
const PREFIXES: [&str; 7] = [
    "Games/star-citizen",
    "Games/starcitizen",
    ".wine",
    ".local/share/lutris/runners/wine/star-citizen",
    ".local/share/bottles/bottles/Star-Citizen",
    ".var/app/com.usebottles.bottles/data/bottles/bottles/Star-Citizen",
    "Games/Heroic/Prefixes/default/Star Citizen",
];
/// Folders where Steam stores the prefixes of Proton games.
const STEAM: [&str; 3] = [
    ".steam/steam/steamapps/compatdata",
    ".local/share/Steam/steamapps/compatdata",
    ".var/app/com.valvesoftware.Steam/data/Steam/steamapps/compatdata",
];

/// Files in a home folder where the common Linux helper stores its prefix and the folder of the game.
const HELPER_NOTES: [&str; 2] = [".config/starcitizen-lug/winedir.conf", ".config/starcitizen-lug/gamedir.conf"];
/// The log of the game's launcher, in a folder of application data. It names the folders that the launcher starts.
const LAUNCHER_LOG: &str = "rsilauncher/logs/log.log";
/// Number of bytes read from the end of the launcher's log.
const MAX_LAUNCHER_LOG_BYTES: u64 = 1024 * 1024;

/// The folders to search. Tests pass their own.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    /// Drives, such as `C:\`.
    pub drives: Vec<PathBuf>,
    /// Home folders.
    pub homes: Vec<PathBuf>,
    /// Wine prefixes named by the user, as in `WINEPREFIX`.
    pub prefixes: Vec<PathBuf>,
    /// Folders of application data, as in `APPDATA`.
    pub app_data: Vec<PathBuf>,
}

impl Roots {
    /// The folders of this machine, from its environment.
    pub fn from_env() -> Self {
        let var = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let letters = ('C'..='Z').filter(|_| cfg!(windows));
        Self {
            drives: letters.map(|letter| PathBuf::from(format!("{letter}:\\"))).collect(),
            homes: var("HOME").or_else(|| var("USERPROFILE")).into_iter().collect(),
            prefixes: var("WINEPREFIX").into_iter().collect(),
            app_data: var("APPDATA").into_iter().collect(),
        }
    }
}

/// The paths of the live logs of all installed channels. The logs need not exist yet.
pub fn find_logs(roots: &Roots) -> Vec<PathBuf> {
    let mut drives = roots.drives.clone();
    let in_homes = roots.homes.iter().flat_map(|home| {
        let known = PREFIXES.iter().map(move |prefix| home.join(prefix));
        let steam =
            STEAM.iter().flat_map(move |steam| subfolders(&home.join(steam)).into_iter().map(|game| game.join("pfx")));
        known.chain(steam)
    });
    let notes = roots.homes.iter().flat_map(|home| HELPER_NOTES.map(|note| home.join(note)));
    let noted: Vec<PathBuf> = notes.filter_map(|note| read_note(&note)).collect();
    for prefix in roots.prefixes.iter().chain(&noted).cloned().chain(in_homes) {
        drives.extend([prefix.join("drive_c"), prefix.join("pfx/drive_c")]);
    }
    let below_drives = drives.iter().flat_map(|drive| BELOW_DRIVE.map(|place| drive.join(place)));
    // The second note of the helper names the folder of the game.
    let mut games: Vec<PathBuf> = below_drives.chain(noted.iter().cloned()).collect();
    games.extend(roots.app_data.iter().flat_map(|data| launched_folders(&data.join(LAUNCHER_LOG))));
    let channels = games.iter().flat_map(|game| channels_in(game));
    let mut found: Vec<PathBuf> = channels.map(|channel| channel.join(LIVE_LOG)).collect();
    // A folder reached by two paths is one installation.
    found.sort();
    found.dedup_by_key(|log| log.parent().and_then(|folder| folder.canonicalize().ok()));
    found
}

/// The channels in a folder of the game.
fn channels_in(game: &Path) -> impl Iterator<Item = PathBuf> {
    CHANNELS.map(|channel| game.join(channel)).into_iter().filter(|folder| folder.is_dir())
}

/// A path as copied from another program. If it does not exist, the blanks, quotes and invisible characters around it are removed:
/// Windows begins a path copied from a dialog with U+202A.
pub fn pasted_path(path: &Path) -> PathBuf {
    let is_around = |c: char| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '"' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    match path.to_str().filter(|_| !path.exists()) {
        Some(text) => PathBuf::from(text.trim_matches(is_around)),
        None => path.to_owned(),
    }
}

/// Expands the folder of the game to its channels. Any other path is returned unchanged.
pub fn expand_path(path: &Path) -> Vec<PathBuf> {
    let channels: Vec<PathBuf> = if path.join(LIVE_LOG).is_file() { Vec::new() } else { channels_in(path).collect() };
    if channels.is_empty() { vec![path.to_owned()] } else { channels }
}

/// Expands files, their folders, the folders of their backups, and folders of the game to paths of live logs.
pub fn live_logs(paths: &[PathBuf]) -> Vec<PathBuf> {
    let live_log = |path: PathBuf| match path.parent().filter(|_| path.is_dir()) {
        Some(folder) if path.file_name().is_some_and(|name| name == BACKUPS) => folder.join(LIVE_LOG),
        Some(_) => path.join(LIVE_LOG),
        None => path,
    };
    paths.iter().flat_map(|path| expand_path(path)).map(live_log).collect()
}

/// Reads a file whose first line is a folder.
fn read_note(note: &Path) -> Option<PathBuf> {
    let text = std::fs::read_to_string(note).ok()?;
    let path = PathBuf::from(text.lines().next()?.trim());
    path.is_absolute().then_some(path)
}

/// The folders of the game that the launcher has started.
fn launched_folders(log: &Path) -> Vec<PathBuf> {
    let Ok(mut file) = std::fs::File::open(log) else { return Vec::new() };
    let length = file.metadata().map_or(0, |file| file.len());
    let mut bytes = Vec::new();
    let begin = SeekFrom::Start(length.saturating_sub(MAX_LAUNCHER_LOG_BYTES));
    if file.seek(begin).and_then(|_| file.take(MAX_LAUNCHER_LOG_BYTES).read_to_end(&mut bytes)).is_err() {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut games: Vec<PathBuf> = text.lines().rev().filter_map(launched_folder).collect();
    games.dedup();
    games
}

/// Parses a line such as `Launching Star Citizen LIVE from (D:\\Games\\StarCitizen\\LIVE)` to the folder without the
/// channel.
fn launched_folder(line: &str) -> Option<PathBuf> {
    let (_, rest) = line.split_once("Launching Star Citizen ")?;
    let (_, rest) = rest.split_once(" from (")?;
    let (path, _) = rest.split_once(')')?;
    // The log is JSON, so backslashes are doubled.
    Path::new(&path.replace("\\\\", "\\")).parent().map(Path::to_owned)
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_are_found_on_drives_and_in_prefixes() {
        let root = tempfile::tempdir().unwrap();
        let make = |path: &str| std::fs::create_dir_all(root.path().join(path)).unwrap();
        make("c/Program Files/Roberts Space Industries/StarCitizen/LIVE");
        make("home/Games/star-citizen/drive_c/Program Files/Roberts Space Industries/StarCitizen/PTU");
        make(
            "home/.steam/steam/steamapps/compatdata/123/pfx/drive_c/Program Files/Roberts Space Industries/StarCitizen/HOTFIX",
        );
        make("c/Program Files/Roberts Space Industries/StarCitizen/Notes");
        let roots =
            Roots { drives: vec![root.path().join("c")], homes: vec![root.path().join("home")], ..Roots::default() };
        let found = find_logs(&roots);
        let channel = |log: &PathBuf| log.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        let mut channels: Vec<String> = found.iter().map(channel).collect();
        channels.sort();
        assert_eq!(channels, ["HOTFIX", "LIVE", "PTU"]);
        assert!(found.iter().all(|log| log.ends_with("Game.log")));
    }

    #[test]
    fn folders_noted_by_launcher_and_helper_are_found() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        let make = |path: &str| std::fs::create_dir_all(at(path)).unwrap();
        make("odd/place/StarCitizen/LIVE");
        make("prefix/drive_c/Program Files/Roberts Space Industries/StarCitizen/EPTU");
        make("home/.config/starcitizen-lug");
        make("data/rsilauncher/logs");
        std::fs::write(at("home/.config/starcitizen-lug/winedir.conf"), at("prefix").display().to_string() + "\n")
            .unwrap();
        let started = format!(
            "{{\"t\":\"x\"}}\nLaunching Star Citizen LIVE from ({})\n",
            at("odd/place/StarCitizen/LIVE").display()
        );
        std::fs::write(at("data/rsilauncher/logs/log.log"), started).unwrap();
        let roots = Roots { homes: vec![at("home")], app_data: vec![at("data")], ..Roots::default() };
        let found = find_logs(&roots);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.iter().any(|log| log.ends_with("odd/place/StarCitizen/LIVE/Game.log")));
        assert!(found.iter().any(|log| log.ends_with("EPTU/Game.log")));
    }

    #[cfg(windows)]
    #[test]
    fn escaped_backslashes_of_the_launcher_are_unescaped() {
        let line = r#""Launching Star Citizen LIVE from (D:\\Games\\StarCitizen\\LIVE)""#;
        assert_eq!(launched_folder(line), Some(PathBuf::from(r"D:\Games\StarCitizen")));
    }

    #[test]
    fn blanks_and_invisible_characters_around_a_pasted_path_are_ignored() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().to_str().unwrap();
        for (before, after) in [
            ("\u{202a}", ""),
            ("", " "),
            (" ", ""),
            ("", "\u{a0}"),
            ("", "\n"),
            ("\u{202a} ", "\u{202c}"),
            ("\"", "\" "),
        ] {
            assert_eq!(
                pasted_path(Path::new(&format!("{before}{folder}{after}"))),
                root.path(),
                "{before:?} {after:?}"
            );
        }
        let odd = root.path().join(" odd ");
        std::fs::create_dir(&odd).unwrap();
        assert_eq!(pasted_path(&odd), odd, "a path that exists is taken as it is");
    }

    #[test]
    fn a_game_folder_expands_to_its_channels() {
        let root = tempfile::tempdir().unwrap();
        let game = root.path().join("StarCitizen");
        let (live, ptu) = (game.join("LIVE"), game.join("PTU"));
        for folder in [&live, &ptu, &game.join("Notes")] {
            std::fs::create_dir_all(folder).unwrap();
        }
        let logs = [live.join("Game.log"), ptu.join("Game.log")];
        assert_eq!(live_logs(std::slice::from_ref(&game)), logs);
        assert_eq!(live_logs(std::slice::from_ref(&live)), logs[..1]);
        assert_eq!(live_logs(&[logs[1].clone()]), logs[1..]);
        let backups = live.join(BACKUPS);
        std::fs::create_dir(&backups).unwrap();
        assert_eq!(live_logs(&[backups]), logs[..1]);
        // A log directly in the folder takes precedence.
        std::fs::write(game.join("Game.log"), "").unwrap();
        assert_eq!(live_logs(std::slice::from_ref(&game)), [game.join("Game.log")]);
    }

    #[test]
    fn no_installation_gives_no_logs() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(
            find_logs(&Roots { homes: vec![root.path().to_owned()], ..Roots::default() }),
            Vec::<PathBuf>::new()
        );
    }
}
