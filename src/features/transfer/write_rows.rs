//! Writes imported rows, and distinguishes invalid rows from database errors.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::rows::Row;
use crate::error::AppError;
use crate::store::Store;
use crate::store::transfer::{self, Table};

/// Attempts on a locked database. The store waits some seconds in each.
const MAX_ATTEMPTS: usize = 3;

/// Writes rows, with retries while the database is locked.
pub async fn write_with_retry(
    store: &Store,
    table: &'static Table,
    rows: &Arc<Vec<(u64, Row)>>,
    range: std::ops::Range<usize>,
) -> Result<(), AppError> {
    let mut attempts = 0;
    loop {
        attempts += 1;
        let (all, range) = (Arc::clone(rows), range.clone());
        match store.write(move |tx| write_rows(tx, table, &all[range.clone()])).await {
            Err(AppError::Overloaded) if attempts < MAX_ATTEMPTS => {}
            outcome => return outcome,
        }
    }
}

/// Writes rows, one statement per set of columns.
fn write_rows(tx: &mut crate::store::Tx, table: &Table, rows: &[(u64, Row)]) -> Result<(), AppError> {
    transfer::disable_statement_timeout(tx)?;
    /// Places of the provided columns, and of the defaulted ones.
    type Columns = (Vec<usize>, Vec<usize>);
    let mut by_columns: BTreeMap<Columns, Vec<&Map<String, Value>>> = BTreeMap::new();
    for (_, row) in rows {
        let name = |place: &usize| table.columns[*place].name;
        let given = (0..table.columns.len()).filter(|place| row.fields.contains_key(name(place)));
        let columns: Columns = given.partition(|place| !row.defaulted.contains(&name(place)));
        by_columns.entry(columns).or_default().push(&row.fields);
    }
    for ((provided, defaulted), fields) in by_columns {
        let json = serde_json::to_string(&fields).map_err(AppError::internal)?;
        transfer::import_rows(tx, table, &provided, &defaulted, &json)?;
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

/// Whether the error is caused by a row rather than by the database. Neither database has an error kind for values that do
/// not fit a column, so these are recognized by their message.
pub fn is_row_error(error: &AppError) -> bool {
    use diesel::result::{DatabaseErrorKind as K, Error};
    const VALUE_ERRORS: [&str; 6] =
        ["datatype mismatch", "too big", "too long", "out of range", "invalid input syntax", "invalid byte sequence"];
    match database_error(error) {
        Some(Error::DatabaseError(K::Unknown, info)) => VALUE_ERRORS.iter().any(|text| info.message().contains(text)),
        Some(Error::DatabaseError(kind, _)) => {
            matches!(kind, K::UniqueViolation | K::NotNullViolation | K::ForeignKeyViolation | K::CheckViolation)
        }
        _ => false,
    }
}

pub fn row_error_message(error: &AppError) -> String {
    database_error(error).map_or_else(|| error.to_string(), |e| format!("rejected by the database: {e}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use diesel::result::{DatabaseErrorKind as K, Error};

    fn is_row_fault(kind: K, text: &str) -> bool {
        let error = Error::DatabaseError(kind, Box::new(text.to_owned()));
        is_row_error(&AppError::internal(crate::store::StoreError::Query(error)))
    }

    #[test]
    fn database_errors_are_not_row_errors() {
        for text in ["database is locked", "attempt to write a readonly database", "disk I/O error", "out of memory"] {
            assert!(!is_row_fault(K::Unknown, text), "{text}");
        }
        assert!(!is_row_fault(K::ClosedConnection, "server closed the connection"));
        assert!(is_row_fault(K::Unknown, "value \"99999999999999999999\" is out of range for type bigint"));
        assert!(is_row_fault(K::NotNullViolation, "NOT NULL constraint failed: players.handle"));
    }
}
