//! Rows into tables, and whose fault it is when one does not go in.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::rows::Row;
use crate::app::App;
use crate::error::AppError;
use crate::store::transfer::{self, Table};

/// How often a locked database is tried; the store itself waits some seconds each time.
const TRIES: usize = 3;

/// Writes rows; waits for a database that somebody else keeps locked, each time as long as the store does.
pub async fn put_when_free(
    app: &App,
    table: &'static Table,
    rows: &Arc<Vec<(u64, Row)>>,
    places: std::ops::Range<usize>,
) -> Result<(), AppError> {
    let mut tries = 0;
    loop {
        tries += 1;
        let (all, places) = (Arc::clone(rows), places.clone());
        match app.store.write(move |tx| put(tx, table, &all[places.clone()])).await {
            Err(AppError::Overloaded) if tries < TRIES => {}
            outcome => return outcome,
        }
    }
}

/// Writes rows, those with the same columns in one statement.
fn put(tx: &mut crate::store::Tx, table: &Table, rows: &[(u64, Row)]) -> Result<(), AppError> {
    transfer::no_time_limit(tx)?;
    type Columns<'a> = (&'a [usize], &'a [usize]);
    let mut alike: BTreeMap<Columns, Vec<&Map<String, Value>>> = BTreeMap::new();
    for (_, row) in rows {
        alike.entry((&row.given, &row.filled)).or_default().push(&row.fields);
    }
    for ((given, filled), fields) in alike {
        let json = serde_json::to_string(&fields).map_err(AppError::internal)?;
        transfer::put(tx, table, given, filled, &json)?;
    }
    Ok(())
}

fn database_error(error: &AppError) -> Option<&diesel::result::Error> {
    let AppError::Internal(source) = error else { return None };
    match source.downcast_ref::<crate::store::StoreError>() {
        Some(crate::store::StoreError::Query(error)) => Some(error),
        _ => None,
    }
}

/// Whether the rows are to blame, and not the database. Neither database has a kind of its own for values that do not fit
/// a column; only their texts tell them from a locked, read-only or failing one.
pub fn is_of_a_row(error: &AppError) -> bool {
    use diesel::result::{DatabaseErrorKind as K, Error};
    const OF_VALUES: [&str; 6] =
        ["datatype mismatch", "too big", "too long", "out of range", "invalid input syntax", "invalid byte sequence"];
    match database_error(error) {
        Some(Error::DatabaseError(K::Unknown, info)) => OF_VALUES.iter().any(|text| info.message().contains(text)),
        Some(Error::DatabaseError(kind, _)) => {
            matches!(kind, K::UniqueViolation | K::NotNullViolation | K::ForeignKeyViolation | K::CheckViolation)
        }
        _ => false,
    }
}

pub fn sentence(error: &AppError) -> String {
    database_error(error).map_or_else(|| error.to_string(), |e| format!("the database does not take it: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use diesel::result::{DatabaseErrorKind as K, Error};

    fn is_rows_fault(kind: K, text: &str) -> bool {
        let error = Error::DatabaseError(kind, Box::new(text.to_owned()));
        is_of_a_row(&AppError::internal(crate::store::StoreError::Query(error)))
    }

    #[test]
    fn a_database_that_fails_is_not_blamed_on_lines() {
        for text in ["database is locked", "attempt to write a readonly database", "disk I/O error", "out of memory"] {
            assert!(!is_rows_fault(K::Unknown, text), "{text}");
        }
        assert!(!is_rows_fault(K::ClosedConnection, "server closed the connection"));
        assert!(is_rows_fault(K::Unknown, "value \"99999999999999999999\" is out of range for type bigint"));
        assert!(is_rows_fault(K::NotNullViolation, "NOT NULL constraint failed: players.handle"));
    }
}
