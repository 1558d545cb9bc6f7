//! Leases for jobs that only one process runs: held until a time, then available to any process.

use diesel::prelude::*;

use super::conn::bulk;
use super::schema::job_leases as l;
use super::writer::Tx;

/// Acquires a lease until `until`; false if another process holds it. Times are epoch milliseconds.
pub fn acquire(tx: &mut Tx, name: &str, holder: &str, now: i64, until: i64) -> QueryResult<bool> {
    bulk!(job_leases, [(name, holder)], |(name, holder)| { name: name, holder: holder, until_at: 0i64 })
        .on_conflict("job_leases", &["name"], &[])
        .execute(tx)?;
    let free = l::table.filter(l::name.eq(name)).filter(l::until_at.le(now));
    let taken = diesel::update(free).set((l::holder.eq(holder), l::until_at.eq(until))).execute(&mut **tx)?;
    Ok(taken > 0)
}

/// Renews the lease if `holder` holds it, otherwise tries to acquire it.
pub fn renew_or_acquire(tx: &mut Tx, name: &str, holder: &str, now: i64, until: i64) -> QueryResult<bool> {
    let own = l::table.filter(l::name.eq(name)).filter(l::holder.eq(holder));
    let renewed = diesel::update(own).set(l::until_at.eq(until)).execute(&mut **tx)?;
    if renewed > 0 { Ok(true) } else { acquire(tx, name, holder, now, until) }
}

/// Releases all leases of a holder.
pub fn release_all(tx: &mut Tx, holder: &str) -> QueryResult<usize> {
    diesel::update(l::table.filter(l::holder.eq(holder))).set(l::until_at.eq(0)).execute(&mut **tx)
}

/// Releases a lease before it expires.
pub fn release(tx: &mut Tx, name: &str, holder: &str) -> QueryResult<usize> {
    let own = l::table.filter(l::name.eq(name)).filter(l::holder.eq(holder));
    diesel::update(own).set(l::until_at.eq(0)).execute(&mut **tx)
}
