//! Section of the guild rosters: their age, and which fail.

use crate::app::App;
use crate::domain::times::DAY_MS;
use crate::error::AppError;
use crate::features::rosters::disabled_reason;
use crate::store::rosters::{self, RosterRow};
use crate::views::admin::{AdminFact, AdminSection, Cell, Tone};

/// Listed guilds.
const MAX_GUILDS: i64 = 20;

/// Counts by age, the queue, and the newest and failing rosters.
pub(super) async fn section(app: &App) -> Result<AdminSection, AppError> {
    let settings = &app.settings.rosters;
    let now = app.store.now().0;
    let (counts, listed) = app
        .store
        .read(move |conn| {
            let counts = rosters::freshness(conn, now, [now - DAY_MS, now - 7 * DAY_MS])?;
            Ok((counts, rosters::newest(conn, MAX_GUILDS)?))
        })
        .await?;
    let [within_a_day, within_a_week] = counts.since;
    let (tone, summary) = match (disabled_reason(app).await?, counts.failing) {
        (Some(why), _) => (Tone::Off, why.to_owned()),
        (None, 0) => (Tone::Ok, "Member lists are read from the game's site in the background.".to_owned()),
        (None, 1) => (Tone::Warn, "The member list of one guild could not be read.".to_owned()),
        (None, n) => (Tone::Warn, format!("The member lists of {n} guilds could not be read.")),
    };
    let heads = ["Guild", "Read", "Named", "Affiliates", "Without a name", "In all", "Next", "Problem"];
    let facts = vec![
        AdminFact::new("Guilds", counts.guilds),
        AdminFact::new("Read within a day", within_a_day),
        AdminFact::new("Read within a week", within_a_week),
        AdminFact::new("Read before that", counts.read - within_a_week),
        AdminFact::new("Never read", counts.guilds - counts.read),
        AdminFact::new("Waiting to be read", counts.due),
        AdminFact::new("Failing", counts.failing),
        AdminFact::new("Oldest list", counts.oldest.unwrap_or(0).div_euclid(1000)).with_unit("at"),
        AdminFact::new("Pages each minute", i64::from(settings.pages_per_minute)),
    ];
    let rows = listed.iter().map(|(tag, roster)| (row(tag, roster), Vec::new()));
    Ok(AdminSection::new(tone, summary).with_facts(facts).with_rows(&heads, rows))
}

fn row(tag: &str, roster: &RosterRow) -> Vec<Option<Cell>> {
    vec![
        Some(tag.into()),
        roster.read_at.map(Cell::time),
        Some(roster.main_members.into()),
        Some(roster.affiliates.into()),
        Some(roster.unnamed.into()),
        Some(roster.total.into()),
        Some(Cell::time(roster.next_at)),
        roster.last_error.as_deref().map(Cell::from),
    ]
}
