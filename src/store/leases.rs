//! Leases: the process that holds one does the work under it, until the lease expires or is released.

use diesel::prelude::*;

use super::conn::{AnyConn, bulk};
use super::schema::leases;
use super::writer::Tx;

/// The state of a lease; times in epoch milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = leases)]
pub struct LeaseRow {
    pub holder: String,
    /// From then on, other processes may acquire the lease.
    pub expires_at: i64,
    /// The work is suspended until then, whichever process holds the lease.
    pub paused_until: i64,
}

pub fn find(conn: &mut AnyConn, name: &str) -> QueryResult<Option<LeaseRow>> {
    leases::table.find(name).select(LeaseRow::as_select()).first(conn).optional()
}

/// Acquires a lease, or renews that of `holder`. Returns `None` if another process holds it.
pub fn acquire(tx: &mut Tx, name: &str, holder: &str, now: i64, expires_at: i64) -> QueryResult<Option<LeaseRow>> {
    let available = leases::table.find(name).filter(leases::holder.eq(holder).or(leases::expires_at.le(now)));
    let lease = |paused_until| LeaseRow { holder: holder.to_owned(), expires_at, paused_until };
    let acquired: Option<i64> = diesel::update(available)
        .set((leases::holder.eq(holder), leases::expires_at.eq(expires_at)))
        .returning(leases::paused_until)
        .get_result(&mut **tx)
        .optional()?;
    if let Some(paused_until) = acquired {
        return Ok(Some(lease(paused_until)));
    }
    let inserted = bulk!(leases, [()], |_| { name: name, holder: holder, expires_at: expires_at })
        .on_conflict("leases", &["name"], &[])
        .execute(tx)?;
    Ok((inserted > 0).then(|| lease(0)))
}

/// Suspends the work under a lease until `until`.
pub fn pause(tx: &mut Tx, name: &str, until: i64) -> QueryResult<usize> {
    diesel::update(leases::table.find(name)).set(leases::paused_until.eq(until)).execute(&mut **tx)
}

/// Releases a lease before it expires.
pub fn release(tx: &mut Tx, name: &str, holder: &str) -> QueryResult<usize> {
    let own = leases::table.find(name).filter(leases::holder.eq(holder));
    diesel::update(own).set(leases::expires_at.eq(0)).execute(&mut **tx)
}

/// Releases all leases of a holder.
pub fn release_all(tx: &mut Tx, holder: &str) -> QueryResult<usize> {
    diesel::update(leases::table.filter(leases::holder.eq(holder))).set(leases::expires_at.eq(0)).execute(&mut **tx)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Store, StoreError};

    #[tokio::test]
    async fn a_lease_has_one_holder_and_its_pause_holds_for_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&format!("sqlite:{}", dir.path().join("t.db").display())).unwrap();
        let checks = |tx: &mut Tx| {
            let acquire = |tx: &mut Tx, holder: &str, now: i64| {
                acquire(tx, "job", holder, now, now + 10).map(|lease| lease.map(|lease| lease.paused_until))
            };
            assert_eq!(acquire(tx, "one", 0)?, Some(0));
            assert_eq!(acquire(tx, "two", 9)?, None);
            assert_eq!(acquire(tx, "one", 9)?, Some(0), "renewed until 19");
            assert_eq!(acquire(tx, "two", 18)?, None);
            assert_eq!(pause(tx, "job", 7)?, 1);
            assert_eq!(acquire(tx, "two", 19)?, Some(7), "expired");
            assert_eq!((release(tx, "job", "one")?, acquire(tx, "one", 20)?), (0, None), "only the holder releases it");
            assert_eq!((release(tx, "job", "two")?, acquire(tx, "one", 20)?), (1, Some(7)));
            assert_eq!((release_all(tx, "one")?, acquire(tx, "two", 20)?), (1, Some(7)));
            let expected = LeaseRow { holder: "two".into(), expires_at: 30, paused_until: 7 };
            assert_eq!(find(tx, "job")?, Some(expected));
            Ok::<_, StoreError>(())
        };
        store.write(checks).await.unwrap();
    }
}
