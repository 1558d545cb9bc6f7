//! Logs whose channel is known late: the game names the shard that a player joins after the first events of its log.

use crate::domain::log_header::LogHeader;
use crate::error::AppError;
use crate::store::{Store, Tx, logs};

use super::restate::restate;

/// The number of events per transaction.
const CHUNK: i64 = 500;

/// The stored events of a log no longer count, because the log names another channel than LIVE now. The log itself is updated with the
/// next batch, so that a request that fails is repeated.
pub(super) async fn uncount_log(store: &Store, key_id: i64, log: LogHeader) -> Result<(), AppError> {
    let Some(log_id) = store.read(move |conn| logs::live_log(conn, key_id, &log)).await? else { return Ok(()) };
    loop {
        let ids = store.read(move |conn| logs::counted_events(conn, log_id, CHUNK)).await?;
        if ids.is_empty() {
            return Ok(());
        }
        let now = store.now();
        let act = move |tx: &mut Tx| {
            restate(
                tx,
                &ids,
                |row, state| if row.log_id == Some(log_id) { state.of_other_channel() } else { state },
                now,
            )
        };
        store.write(act).await?;
    }
}
