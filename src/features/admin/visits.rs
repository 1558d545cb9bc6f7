//! Page visits for the plots of the admin page.

use std::collections::{BTreeMap, HashMap};

use crate::domain::times::Day;
use crate::error::AppError;
use crate::features::visits::{REFERRER, VISITOR};
use crate::store::{Store, visits};
use crate::views::admin::{AdminBar, AdminDay, AdminVisits};

const DAYS: i32 = 30;
const MAX_BARS: usize = 12;

/// Daily totals of the last 30 days, and the most visited pages and referrers.
pub async fn totals(store: &Store) -> Result<AdminVisits, AppError> {
    let today = store.now().day().0;
    let from = today - DAYS + 1;
    let rows = store.read(move |conn| visits::days(conn, from)).await?;
    let Some(first) = rows.iter().map(|row| row.0).min() else { return Ok(AdminVisits::default()) };
    // A plot needs more than one day to be visible.
    let first = first.min(today - 6);
    let mut days: BTreeMap<i32, AdminDay> =
        (first..=today).map(|day| (day, AdminDay { day: Day(day).iso(), ..AdminDay::default() })).collect();
    let mut loads: HashMap<i32, (i64, i64)> = HashMap::new();
    let (mut pages, mut referrers) = (HashMap::new(), HashMap::new());
    for (day, path, kind, count, total_ms) in rows {
        let Some(sums) = days.get_mut(&day) else { continue };
        match kind.as_str() {
            "page_view" => {
                sums.views += count;
                *pages.entry(path).or_insert(0) += count;
            }
            "error" => sums.errors += count,
            "performance" => {
                let load = loads.entry(day).or_default();
                load.0 += count;
                load.1 += total_ms;
            }
            VISITOR => sums.visitors += count,
            REFERRER => *referrers.entry(path).or_insert(0) += count,
            _ => {}
        }
    }
    for (day, (count, total_ms)) in loads {
        if let Some(sums) = days.get_mut(&day) {
            sums.load_ms = Some(total_ms / count.max(1));
        }
    }
    Ok(AdminVisits { days: days.into_values().collect(), pages: bars(pages), referrers: bars(referrers) })
}

fn bars(counts: HashMap<String, i64>) -> Vec<AdminBar> {
    let mut bars: Vec<AdminBar> = counts.into_iter().map(|(label, value)| AdminBar { label, value }).collect();
    bars.sort_by(|a, b| b.value.cmp(&a.value).then_with(|| a.label.cmp(&b.label)));
    bars.truncate(MAX_BARS);
    bars
}
