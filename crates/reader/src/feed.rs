//! Output on a terminal: one readable line or one JSON object per event.

use std::io::Write;

use gamelog::catalogue;
use gamelog::events::{Event, EventKind, GameMode, Identifier};
use gamelog::npcs::{NameKind, classify_name};
use gamelog::times::EpochMillis;
use gamelog::upload::to_ndjson_line;
use i18n::Texts;
use i18n::format_number;

use super::note::{Note, Sink};

/// Writes a readable line for each event and note.
pub struct Feed<W> {
    out: W,
    texts: &'static Texts,
    is_colored: bool,
    is_hint_given: bool,
    /// The first write error.
    failure: Option<std::io::Error>,
}

/// Writes one JSON object per event. Notes are written to `notes`, so that programs can parse the output.
pub struct JsonLines<W, N> {
    out: W,
    notes: Feed<N>,
    failure: Option<std::io::Error>,
}

/// Colors by kind of event. The text carries the same information.
const RED: &str = "\x1b[31m";
const GREEN: &str = "\x1b[32m";
const YELLOW: &str = "\x1b[33m";
const VIOLET: &str = "\x1b[35m";
const FAINT: &str = "\x1b[2m";
const PLAIN: &str = "\x1b[0m";

impl<W: Write> Feed<W> {
    /// `is_colored` must be false if the output is not a terminal.
    pub fn new(out: W, texts: &'static Texts, is_colored: bool) -> Self {
        Self { out, texts, is_colored, is_hint_given: false, failure: None }
    }

    fn line(&mut self, color: &str, text: &str) {
        let result = if self.is_colored && !color.is_empty() {
            writeln!(self.out, "{color}{text}{PLAIN}")
        } else {
            writeln!(self.out, "{text}")
        };
        self.failure = self.failure.take().or_else(|| result.and_then(|()| self.out.flush()).err());
    }
}

impl<W: Write, N: Write> JsonLines<W, N> {
    pub fn new(out: W, notes: Feed<N>) -> Self {
        Self { out, notes, failure: None }
    }
}

impl<W: Write + Send> Sink for Feed<W> {
    fn event(&mut self, event: &Event) {
        let color = match event.identifier.kind() {
            EventKind::Kill if event.victim_is_npc == Some(true) => GREEN,
            EventKind::Kill => RED,
            EventKind::SoftDeath | EventKind::Destruction | EventKind::InstantDestruction => YELLOW,
            EventKind::MissionAccepted | EventKind::MissionCompleted | EventKind::MissionOther => VIOLET,
            _ => "",
        };
        let time = event.event_time.date_and_time().unwrap_or_default();
        let mode = match event.game_mode {
            Some(GameMode::Pu) => "PU",
            Some(GameMode::Ac) => "AC",
            None => "  ",
        };
        let text = sentence(self.texts, event);
        self.line(color, &format!("{time}  {mode}  {text}"));
    }

    fn note(&mut self, note: &Note) {
        // Changes with every event; `apogee watch status` shows it.
        if matches!(note, Note::Queued(_)) {
            return;
        }
        let mut text = note_text(self.texts, note);
        if matches!(note, Note::UnknownShapes(_)) && !std::mem::replace(&mut self.is_hint_given, true) {
            text = format!("{text} {}", self.texts.text("samples_hint"));
        }
        self.line(FAINT, &text);
    }

    fn failure(&mut self) -> Option<std::io::Error> {
        self.failure.take()
    }
}

impl<W: Write + Send, N: Write + Send> Sink for JsonLines<W, N> {
    fn event(&mut self, event: &Event) {
        let result = self.out.write_all(&to_ndjson_line(event)).and_then(|()| self.out.flush());
        self.failure = self.failure.take().or(result.err());
    }

    fn note(&mut self, note: &Note) {
        self.notes.note(note);
    }

    /// Write errors of events only. Reading continues without notes.
    fn failure(&mut self) -> Option<std::io::Error> {
        self.failure.take()
    }
}

/// The sentence for an event.
pub fn sentence(texts: &Texts, event: &Event) -> String {
    let name = |name: &Option<String>, is_npc: Option<bool>| match name.as_deref() {
        None => texts.text("somebody").to_owned(),
        Some(name) if is_npc.unwrap_or(classify_name(name) == NameKind::Npc) => catalogue::npc_name(name).into_owned(),
        Some(handle) => handle.to_owned(),
    };
    let killer = name(&event.killer, event.killer_is_npc);
    let victim = name(&event.victim, event.victim_is_npc);
    let player = name(&event.player_name, event.player_is_npc);
    let vehicle =
        event.vehicle_name.as_deref().map(|class| catalogue::vehicle_name(class).into_owned()).unwrap_or_default();
    let contract = event.contract_name.as_deref().map(|class| catalogue::mission_title(class).into_owned());
    let contract = contract.as_deref().unwrap_or("?");
    let text = event.text.as_deref().unwrap_or("…");
    let place = event.zone.as_deref().map(catalogue::place_name).unwrap_or_default();
    let mode = event.sub_game_mode.as_deref().map(catalogue::game_mode_name).unwrap_or_default();
    let amount = format_number(event.amount.unwrap_or_default());
    let key = match event.identifier.kind() {
        EventKind::Kill => return kill_sentence(texts, event, &killer, &victim),
        EventKind::SoftDeath | EventKind::Destruction | EventKind::InstantDestruction => {
            return loss_sentence(texts, event, &killer, &victim, &vehicle);
        }
        EventKind::MissionCompleted => "mission_complete",
        EventKind::MissionOther if event.identifier != Identifier::Objective => "mission_updated",
        EventKind::Connection if event.game_mode == Some(GameMode::Ac) => "arrived_ac",
        EventKind::Connection => "arrived_pu",
        _ => event.identifier.as_str(),
    };
    let values = [
        ("player", player.as_str()),
        ("vehicle", &vehicle),
        ("contract", contract),
        ("text", text),
        ("place", &place),
        ("mode", &mode),
        ("amount", &amount),
    ];
    texts.format(key, &values)
}

fn loss_sentence(texts: &Texts, event: &Event, killer: &str, victim: &str, vehicle: &str) -> String {
    let owned = match &event.victim {
        Some(_) => texts.format("ship_of", &[("owner", victim), ("vehicle", vehicle)]),
        None => vehicle.to_owned(),
    };
    let mut line = texts.format(event.identifier.as_str(), &[("vehicle", &owned)]);
    if event.killer.is_some() {
        line += &format!(" – {}", texts.format("vehicle_by", &[("killer", killer)]));
    }
    line + &place_of(event)
}

fn kill_sentence(texts: &Texts, event: &Event, killer: &str, victim: &str) -> String {
    match (&event.killer, &event.victim) {
        (None, _) => texts.format("killed_by_nobody", &[("victim", victim)]) + &place_of(event),
        (Some(one), Some(other)) if one.eq_ignore_ascii_case(other) => texts.format("suicide", &[("victim", victim)]),
        _ => {
            let mut line = texts.format("kill", &[("killer", killer), ("victim", victim)]);
            if let Some(weapon) = event.weapon.as_deref().filter(|weapon| *weapon != "unknown") {
                let weapon = catalogue::weapon_name(weapon);
                line += &format!(" – {}", texts.format("with_weapon", &[("weapon", &weapon)]));
            }
            line + &place_of(event)
        }
    }
}

/// The sentence for a note.
pub fn note_text(texts: &Texts, note: &Note) -> String {
    let say = |key: &str, values: &[(&str, &str)]| texts.format(key, values);
    match note {
        Note::Reading(path) => say("reading", &[("path", &path.display().to_string())]),
        Note::Waiting(path) => say("waiting", &[("path", &path.display().to_string())]),
        Note::Uploaded { accepted, duplicates } => {
            say("uploaded", &[("accepted", &accepted.to_string()), ("duplicates", &duplicates.to_string())])
        }
        Note::Unclaimed(player) => say("unclaimed", &[("handle", &player.handle), ("url", &player.url)]),
        Note::Claimed(handle) => say("claimed", &[("handle", handle)]),
        Note::ForeignLog(log) => {
            let time = log.first.and_then(EpochMillis::date_and_time).unwrap_or_default();
            say("foreign_log", &[("handle", &log.handle), ("time", &time)])
        }
        Note::Rejected { error, .. } => say("rejected", &[("error", error)]),
        Note::AheadOfClock(count) => say("early", &[("count", &count.to_string())]),
        Note::Retry { error, secs } => say("retry", &[("error", error), ("secs", &secs.to_string())]),
        Note::KeyRejected { error } => say("key_refused", &[("error", error)]),
        Note::UnknownShapes(count) => say("unknown_shapes", &[("count", &count.to_string())]),
        Note::Untimed { path, lines } => {
            say("untimed", &[("path", &path.display().to_string()), ("count", &lines.to_string())])
        }
        Note::LogsWithheld { handle, logs } => say("withheld", &[("handle", handle), ("count", &logs.to_string())]),
        Note::Nameless(count) => say("nameless", &[("count", &count.to_string())]),
        Note::QueueFull => say("queue_full", &[]),
        Note::Queued(state) => say("waits", &[("count", &state.waiting.to_string())]),
        Note::Unreadable { path, error } => {
            say("unreadable", &[("path", &path.display().to_string()), ("error", error)])
        }
    }
}

/// The location of an event. Unknown locations are omitted.
fn place_of(event: &Event) -> String {
    let known = event.zone.as_deref().filter(|zone| !matches!(*zone, "" | "unknown" | "0"));
    known.map_or_else(String::new, |zone| format!(" · {}", catalogue::place_name(zone)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::note::UnclaimedPlayer;
    use crate::queue_state::ForeignLog;
    use i18n::Language;

    fn kill() -> Event {
        Event {
            killer: Some("space-man_27".into()),
            victim: Some("Kopion_Grunt_2636093660430".into()),
            victim_is_npc: Some(true),
            weapon: Some("behr_lmg_ballistic_01_2529333258789".into()),
            zone: Some("pyro4".into()),
            game_mode: Some(GameMode::Pu),
            ..Event::new(Identifier::Kill, EpochMillis(1_744_385_768_178))
        }
    }

    fn shown(is_colored: bool) -> String {
        let mut out = Vec::new();
        Feed::new(&mut out, Language::En.reader(), is_colored).event(&kill());
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_line_has_time_place_and_event() {
        let wanted = "2025-04-11 15:36:08  PU  space-man_27 killed Kopion Grunt – with FS-9 LMG · Pyro IV, Pyro\n";
        assert_eq!(shown(false), wanted);
    }

    #[test]
    fn raw_class_names_are_never_shown() {
        let raw = |identifier| Event {
            killer: Some("Tester_One".into()),
            victim: Some("PU_Pilots-Human-Criminal-Pilot_Light_2597483240720".into()),
            victim_is_npc: Some(true),
            player_name: Some("Tester_One".into()),
            vehicle_name: Some("AEGS_Gladius_2562525119604".into()),
            weapon: Some("KLWE_LaserRepeater_S3_2562525119604".into()),
            zone: Some("OOC_Stanton_2a_Cellin".into()),
            contract_name: Some("HH_Pyro_RegionC_DerelictOutpost_EliminateAll".into()),
            sub_game_mode: Some("EA_SquadronBattle".into()),
            game_mode: Some(GameMode::Ac),
            ..Event::new(identifier, EpochMillis(1_744_385_768_178))
        };
        for language in Language::ALL {
            for identifier in Identifier::ALL {
                let text = sentence(language.reader(), &raw(*identifier)).replace("Tester_One", "");
                assert!(!text.contains('_') && !text.contains("2562525119604") && !text.contains('{'), "{text}");
            }
        }
    }

    #[test]
    fn notes_about_claims_name_the_player_and_the_remedy() {
        let (handle, url) = ("Tester_One".to_owned(), "https://stats.example.org/player/claim".to_owned());
        let notes = [
            (Note::Unclaimed(UnclaimedPlayer { handle: handle.clone(), url: url.clone() }), url.as_str()),
            (Note::Claimed(handle.clone()), ""),
            (Note::ForeignLog(ForeignLog { handle, first: Some(kill().event_time) }), "2025-04-11 15:36:08"),
        ];
        for language in Language::ALL {
            for (note, part) in &notes {
                let text = note_text(language.reader(), note);
                assert!(text.contains("Tester_One") && text.contains(part) && !text.contains('{'), "{text}");
            }
        }
    }

    #[test]
    fn colors_are_only_for_terminals() {
        assert!(!shown(false).contains('\x1b'));
        assert!(shown(true).contains('\x1b'));
    }

    #[test]
    fn json_lines_are_events_and_nothing_else() {
        let (mut out, mut notes) = (Vec::new(), Vec::new());
        let mut lines = JsonLines::new(&mut out, Feed::new(&mut notes, Language::De.reader(), false));
        lines.event(&kill());
        lines.note(&Note::QueueFull);
        let back: Event = serde_json::from_slice(&out).unwrap();
        assert_eq!(back, kill());
        assert!(!notes.is_empty());
    }
}
