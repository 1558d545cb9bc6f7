//! How much one account can report on a day.

use crate::domain::times::{DAY_MS, EpochMillis};
use crate::domain::trust::Reporter;
use crate::domain::trust::limits::{NEW_NAMES_A_DAY, REPORTS_A_DAY};
use crate::store::conn::AnyConn;
use crate::store::{key_days, names};

/// Seconds after which an account that sent too many new names tries again.
const NAMES_RETRY_SECS: u64 = 3_600;

/// Why a batch has to wait, and for how many seconds; `None` if it is within the quota. Each account has one quota for all its keys.
pub(super) fn wait_secs(
    conn: &mut AnyConn,
    reporter: Reporter,
    count: i64,
    now: EpochMillis,
) -> diesel::QueryResult<Option<(String, u64)>> {
    let keys = names::keys_of(conn, reporter.scope)?;
    if key_days::count_reports(conn, &keys, now.day().0)? + count > REPORTS_A_DAY {
        let sentence = format!("An account can report {REPORTS_A_DAY} events a day. Send the rest tomorrow (UTC).");
        let rest_ms = DAY_MS - now.0.rem_euclid(DAY_MS);
        return Ok(Some((sentence, rest_ms.unsigned_abs().div_ceil(1_000))));
    }
    if names::count_since(conn, reporter.scope, now.0 - DAY_MS)? >= NEW_NAMES_A_DAY {
        let sentence = format!("An account can report {NEW_NAMES_A_DAY} new names in 24 hours. Send the rest later.");
        return Ok(Some((sentence, NAMES_RETRY_SECS)));
    }
    Ok(None)
}
