//! Text of chat messages: escaped names, numbers, and leaderboard lines.

use super::players::PlayerRow;
use crate::domain::scores::Metric;
use crate::domain::times::HOUR_SECS;

/// The accent color of embeds.
pub const ACCENT_COLOR: u32 = 0x00ff_b347;

/// Escapes Discord's markup and mentions.
pub fn escape_markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars().filter(|c| !c.is_control()) {
        if "\\*_~`|>[]()#@<:".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
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

/// Returns the translation key of a metric.
pub fn metric_key(metric: Metric) -> &'static str {
    match metric {
        Metric::Overall => "overall",
        Metric::PuPlayerKills => "pvp",
        Metric::PveKills => "pve",
        Metric::VehicleDestructions => "vehicles",
        Metric::MissionsCompleted => "missions",
        Metric::Playtime => "playtime",
    }
}

/// Formats a number as `12,345`.
pub fn format_number(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if value < 0 {
        out.push('-');
    }
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(format_number(0), "0");
        assert_eq!(format_number(1_234_567), "1,234,567");
        assert_eq!(format_number(-999), "-999");
    }

    #[test]
    fn names_cannot_become_markup_or_mentions() {
        assert_eq!(escape_markdown("a_b*c"), "a\\_b\\*c");
        assert_eq!(escape_markdown("<@&123>"), "\\<\\@&123\\>");
        assert_eq!(escape_markdown("a\nb"), "ab");
    }
}
