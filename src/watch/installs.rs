//! Where the game is usually installed, on Windows and in the Wine prefixes of Linux.

use std::path::{Path, PathBuf};

use super::log_file::LIVE_LOG;

/// Folders of the game beside each other, one for each channel.
const CHANNELS: [&str; 6] = ["LIVE", "PTU", "EPTU", "HOTFIX", "TECH-PREVIEW", "4.0_PREVIEW"];
/// Below a drive of Windows, or of a Wine prefix.
const BELOW_DRIVE: [&str; 5] = [
    "Program Files/Roberts Space Industries/StarCitizen",
    "Roberts Space Industries/StarCitizen",
    "Games/Roberts Space Industries/StarCitizen",
    "Games/StarCitizen",
    "StarCitizen",
];
/// Wine prefixes below a home folder, as the usual installers name them.
const PREFIXES: [&str; 7] = [
    "Games/star-citizen",
    "Games/starcitizen",
    ".wine",
    ".local/share/lutris/runners/wine/star-citizen",
    ".local/share/bottles/bottles/Star-Citizen",
    ".var/app/com.usebottles.bottles/data/bottles/bottles/Star-Citizen",
    "Games/Heroic/Prefixes/default/Star Citizen",
];
/// Where Steam keeps the prefixes of games that run in Proton.
const STEAM: [&str; 3] = [
    ".steam/steam/steamapps/compatdata",
    ".local/share/Steam/steamapps/compatdata",
    ".var/app/com.valvesoftware.Steam/data/Steam/steamapps/compatdata",
];

/// What the search may look at; a test gives its own.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    /// Drives, such as `C:\`.
    pub drives: Vec<PathBuf>,
    /// Home folders.
    pub homes: Vec<PathBuf>,
    /// Wine prefixes that the user names, as in `WINEPREFIX`.
    pub prefixes: Vec<PathBuf>,
}

impl Roots {
    /// Those of this machine.
    pub fn of_this_machine() -> Self {
        let var = |name: &str| std::env::var_os(name).map(PathBuf::from);
        let drives = if cfg!(windows) {
            ('C'..='Z').map(|letter| PathBuf::from(format!("{letter}:\\"))).collect()
        } else {
            Vec::new()
        };
        Self {
            drives,
            homes: var("HOME").or_else(|| var("USERPROFILE")).into_iter().collect(),
            prefixes: var("WINEPREFIX").into_iter().collect(),
        }
    }
}

/// The live logs of every channel that is installed; the log itself need not be there yet.
pub fn find(roots: &Roots) -> Vec<PathBuf> {
    let mut drives = roots.drives.clone();
    let in_homes = roots.homes.iter().flat_map(|home| {
        let known = PREFIXES.iter().map(move |prefix| home.join(prefix));
        let steam =
            STEAM.iter().flat_map(move |steam| folders_of(&home.join(steam)).into_iter().map(|game| game.join("pfx")));
        known.chain(steam)
    });
    for prefix in roots.prefixes.iter().cloned().chain(in_homes) {
        drives.extend([prefix.join("drive_c"), prefix.join("pfx/drive_c")]);
    }
    let mut found = Vec::new();
    for drive in drives {
        for place in BELOW_DRIVE {
            for channel in CHANNELS {
                let folder = drive.join(place).join(channel);
                if folder.is_dir() {
                    found.push(folder.join(LIVE_LOG));
                }
            }
        }
    }
    // A folder reached by two names is one installation.
    found.sort();
    found.dedup_by_key(|log| log.parent().and_then(|folder| folder.canonicalize().ok()));
    found
}

/// The live log that a path of the command line stands for: a file, or the folder it lies in.
pub fn live_log(path: &Path) -> PathBuf {
    if path.is_dir() { path.join(LIVE_LOG) } else { path.to_owned() }
}

fn folders_of(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect()
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
            Roots { drives: vec![root.path().join("c")], homes: vec![root.path().join("home")], prefixes: Vec::new() };
        let found = find(&roots);
        let channel = |log: &PathBuf| log.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        let mut channels: Vec<String> = found.iter().map(channel).collect();
        channels.sort();
        assert_eq!(channels, ["HOTFIX", "LIVE", "PTU"]);
        assert!(found.iter().all(|log| log.ends_with("Game.log")));
    }

    #[test]
    fn nothing_installed_is_nothing_found() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(find(&Roots { homes: vec![root.path().to_owned()], ..Roots::default() }), Vec::<PathBuf>::new());
    }
}
