//! How the game words its notices in the language of a player, as `global.ini` of a game folder tells.

use super::grammar::{Notice, is_label};
use super::text::strip_markup;

/// The keys of `global.ini` whose texts begin the notices that are read. The keys are the same in all languages.
const KEYS: [(&str, Notice); 7] = [
    ("mobiGlas_ui_MissionEvent_Activated", Notice::Accepted),
    ("mobiGlas_ui_MissionEvent_Complete", Notice::Complete),
    ("mobiGlas_ui_MissionEvent_Fail", Notice::Failed),
    ("mobiGlas_ui_MissionEvent_Deactivate", Notice::Withdrawn),
    ("mobiGlas_ui_ObjectiveEvent_Activated", Notice::NewObjective),
    ("mobiGlas_ui_ObjectiveEvent_Complete", Notice::ObjectiveComplete),
    ("crafting_hud_notification_received_blueprint", Notice::Blueprint),
];

/// The beginnings of notices in the languages of `global.ini` files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Phrases(Vec<(String, Notice)>);

impl Phrases {
    /// Adds what a `global.ini` tells: lines `key=text` or `key,P=text`, in UTF-8. Texts that are no labels are ignored.
    pub fn add(&mut self, ini: &[u8]) {
        for line in ini.split(|byte| *byte == b'\n').filter(|line| line.contains(&b'=')) {
            let Some((notice, text)) = KEYS.iter().find_map(|(key, notice)| Some((*notice, text_of(line, key)?)))
            else {
                continue;
            };
            let text = strip_markup(&String::from_utf8_lossy(text));
            // The name of the contract takes the place of `%s` or `~mission(title)`.
            let begins = text.split(['%', '~']).next().unwrap_or_default().trim();
            let is_new = !self.0.iter().any(|(known, _)| known == begins);
            if is_new && is_label(begins) {
                self.0.push((begins.to_owned(), notice));
            }
        }
    }

    /// The meaning of a notification and its text after the known beginning.
    pub(super) fn find<'t>(&self, text: &'t str) -> Option<(Notice, &'t str)> {
        self.0.iter().find_map(|(begins, notice)| Some((*notice, text.strip_prefix(begins.as_str())?)))
    }
}

/// The text of a line of `global.ini` with this key.
fn text_of<'l>(line: &'l [u8], key: &str) -> Option<&'l [u8]> {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    let rest = line.strip_prefix(key.as_bytes())?;
    rest.strip_prefix(b",P").unwrap_or(rest).strip_prefix(b"=")
}
