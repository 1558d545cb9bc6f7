//! Text of chat messages: lengths, escaped names, and leaderboard lines.

use i18n::format_number;
use unicode_segmentation::UnicodeSegmentation;

use super::players::PlayerRow;
use crate::domain::scores::Metric;
use crate::domain::times::HOUR_SECS;

/// The accent color of embeds.
pub const ACCENT_COLOR: u32 = 0x00ff_b347;

/// Limits of Discord, in UTF-16 code units.
pub const MAX_TITLE_UNITS: usize = 256;
pub const MAX_DESCRIPTION_UNITS: usize = 4_096;
pub const MAX_FIELD_NAME_UNITS: usize = 256;
pub const MAX_FIELD_VALUE_UNITS: usize = 1_024;
pub const MAX_FOOTER_UNITS: usize = 2_048;
pub const MAX_CHOICE_UNITS: usize = 100;
pub const MAX_LABEL_UNITS: usize = 80;

/// The length of a text as Discord counts it: in UTF-16 code units.
pub fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// The beginning of a text with at most `max_units` UTF-16 code units. It ends between two characters as they are shown, so that
/// no emoji loses a part, unless the first one is longer than the limit.
pub fn truncate(text: &str, max_units: usize) -> &str {
    let mut units = 0;
    let is_beyond = |c: char| {
        units += c.len_utf16();
        units > max_units
    };
    let Some(end) = text.find(is_beyond) else { return text };
    let shown = text.grapheme_indices(true).map(|(at, _)| at).take_while(|at| *at <= end).last();
    text.get(..shown.filter(|at| *at > 0).unwrap_or(end)).unwrap_or_default()
}

/// Escapes Discord's markup and mentions.
pub fn escape_markdown(text: &str) -> String {
    let escaped = |c: char| "\\*_~`|>[]()#@<:".contains(c).then_some('\\').into_iter().chain([c]);
    text.chars().filter(|c| !c.is_control()).flat_map(escaped).collect()
}

/// Returns the value of a metric.
pub fn metric_value(player: &PlayerRow, metric: Metric) -> i64 {
    match metric {
        Metric::Overall => player.overall,
        Metric::PuPlayerKills => player.pu_player_kills,
        Metric::PveKills => player.pve_kills,
        Metric::VehicleDestructions => player.vehicle_destructions,
        Metric::MissionsCompleted => player.missions_completed,
        Metric::Playtime => player.playtime,
        Metric::Career => player.career,
        Metric::ShipsFlown => player.ships_flown,
    }
}

/// Formats a leaderboard line.
pub fn leaderboard_line(rank: i64, handle: &str, metric: Metric, figure: i64) -> String {
    let figure = if metric == Metric::Playtime {
        format!("{} h", format_number(figure / HOUR_SECS))
    } else {
        format_number(figure)
    };
    format!("**#{rank}** {} – {figure}", escape_markdown(handle))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_to_utf16_units_between_shown_characters() {
        for (text, max_units, expected) in [
            ("abc", 3, "abc"),
            ("abc", 2, "ab"),
            ("a\u{1d519}b", 3, "a\u{1d519}"),
            ("a\u{1d519}b", 2, "a"),
            // A family, a flag, and a letter with two accents.
            ("a\u{1f468}\u{200d}\u{1f469}", 5, "a"),
            ("\u{1f1e9}\u{1f1ea}\u{1f1eb}\u{1f1f7}", 6, "\u{1f1e9}\u{1f1ea}"),
            ("xe\u{301}\u{323}", 3, "x"),
            // A character of any length that is longer than the limit.
            ("e\u{301}\u{323}", 2, "e\u{301}"),
            ("", 0, ""),
        ] {
            assert_eq!(truncate(text, max_units), expected, "{text:?} {max_units}");
        }
        let name =
            "\u{1d519}\u{1d52c}\u{1d526}\u{1d521} \u{1f680}\u{1f6f0}\u{fe0f} Runners_of_the__Outer__Rim".repeat(5);
        for max_units in 0..=utf16_len(&name) {
            assert!(utf16_len(truncate(&name, max_units)) <= max_units);
        }
    }

    #[test]
    fn names_cannot_become_markup_or_mentions() {
        assert_eq!(escape_markdown("a_b*c"), "a\\_b\\*c");
        assert_eq!(escape_markdown("<@&123>"), "\\<\\@&123\\>");
        assert_eq!(escape_markdown("a\nb"), "ab");
    }
}
