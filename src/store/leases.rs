//! Who does a job that only one process should do: held for a time, then free for whoever asks first.

use diesel::prelude::*;

use super::conn::bulk;
use super::schema::job_leases as l;
use super::writer::Tx;

/// Takes a lease until a moment; false when somebody else holds it. Times are epoch milliseconds.
pub fn acquire(tx: &mut Tx, name: &str, holder: &str, now: i64, until: i64) -> QueryResult<bool> {
    bulk!(job_leases, [(name, holder)], |(name, holder)| { name: name, holder: holder, until_at: 0i64 })
        .on_conflict("job_leases", &["name"], &[])
        .execute(tx)?;
    let free = l::table.filter(l::name.eq(name)).filter(l::until_at.le(now));
    let taken = diesel::update(free).set((l::holder.eq(holder), l::until_at.eq(until))).execute(&mut **tx)?;
    Ok(taken > 0)
}

/// The same for whoever goes on with a job again and again: the holder of a lease renews it.
pub fn renew_or_acquire(tx: &mut Tx, name: &str, holder: &str, now: i64, until: i64) -> QueryResult<bool> {
    let own = l::table.filter(l::name.eq(name)).filter(l::holder.eq(holder));
    let kept = diesel::update(own).set(l::until_at.eq(until)).execute(&mut **tx)?;
    if kept > 0 { Ok(true) } else { acquire(tx, name, holder, now, until) }
}

/// Gives back whatever somebody holds.
pub fn release_all(tx: &mut Tx, holder: &str) -> QueryResult<usize> {
    diesel::update(l::table.filter(l::holder.eq(holder))).set(l::until_at.eq(0)).execute(&mut **tx)
}

/// Gives a lease back before its time.
pub fn release(tx: &mut Tx, name: &str, holder: &str) -> QueryResult<usize> {
    let own = l::table.filter(l::name.eq(name)).filter(l::holder.eq(holder));
    diesel::update(own).set(l::until_at.eq(0)).execute(&mut **tx)
}
