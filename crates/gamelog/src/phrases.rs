//! How the game words its notices in the language of a player, as `global.ini` of a game folder tells.

use super::notice::{Notice, is_label};
use super::text::strip_markup;

/// The keys of `global.ini` whose texts begin notices, as in its English edition; the keys are the same in all languages. `None` for notices
/// that are not read, but have the text of another one in some languages.
const KEYS: [(&str, Option<Notice>); 9] = [
    ("mobiGlas_ui_MissionEvent_Available", None),
    ("mobiGlas_ui_MissionEvent_Activated", Some(Notice::Accepted)),
    ("mobiGlas_ui_MissionEvent_Complete", Some(Notice::Complete)),
    ("mobiGlas_ui_MissionEvent_Fail", Some(Notice::Failed)),
    ("mobiGlas_ui_MissionEvent_Deactivate", Some(Notice::Withdrawn)),
    ("mobiGlas_ui_ObjectiveEvent_Activated", Some(Notice::NewObjective)),
    ("mobiGlas_ui_ObjectiveEvent_Complete", Some(Notice::ObjectiveComplete)),
    ("crafting_hud_notification_received_blueprint", Some(Notice::Blueprint)),
    ("hud_incapacitated_landingZoneRescue_notification", Some(Notice::Downed)),
];

/// The beginnings of notices in the languages of `global.ini` files; `None` for those with several meanings.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Phrases(Vec<(String, Option<Notice>)>);

impl Phrases {
    /// Adds what a `global.ini` tells: lines `key=text` or `key,P=text`, in UTF-8. Texts that do not begin with a label are ignored.
    pub fn add(&mut self, ini: &[u8]) {
        for line in ini.split(|byte| *byte == b'\n') {
            let Some((notice, text)) = KEYS.iter().find_map(|(key, notice)| Some((*notice, text_of(line, key)?)))
            else {
                continue;
            };
            let begins = label_of(&String::from_utf8_lossy(text));
            match self.0.iter_mut().find(|(known, _)| *known == begins) {
                Some((_, meaning)) => *meaning = meaning.filter(|_| *meaning == notice),
                None if is_label(&begins) => self.0.push((begins, notice)),
                None => {}
            }
        }
    }

    /// The meaning of a notification and its text after the known beginning.
    pub(super) fn find<'t>(&self, text: &'t str) -> Option<(Notice, &'t str)> {
        self.0.iter().find_map(|(begins, notice)| Some(((*notice)?, text.strip_prefix(begins.as_str())?)))
    }
}

/// How a notice with this text begins in a log. What it names takes the place of `%s` or `~mission(title)`; the game adds a colon to the
/// whole text.
fn label_of(text: &str) -> String {
    let text = strip_markup(text);
    match text.split_once(['%', '~']) {
        Some((label, _)) => label.trim().to_owned(),
        None => format!("{}:", text.trim()),
    }
}

/// The text of a line of `global.ini` with this key.
fn text_of<'l>(line: &'l [u8], key: &str) -> Option<&'l [u8]> {
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    let rest = line.strip_prefix(key.as_bytes())?;
    rest.strip_prefix(b",P").unwrap_or(rest).strip_prefix(b"=")
}
