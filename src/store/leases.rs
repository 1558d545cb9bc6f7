//! Who runs a timed job now, when several processes share the database.

use diesel::prelude::*;

use super::conn::bulk;
use super::schema::*;
use super::writer::Tx;

/// Takes or renews the lease of a job until a moment; false while somebody else holds it. Times are in epoch milliseconds.
pub fn take(tx: &mut Tx, name: &str, holder: &str, now: i64, until: i64) -> QueryResult<bool> {
    bulk!(job_leases, [()], |()| { name: name, holder: "", until_at: 0i64 })
        .on_conflict("job_leases", &["name"], &[])
        .execute(tx)?;
    let taken = diesel::update(
        job_leases::table.find(name).filter(job_leases::holder.eq(holder).or(job_leases::until_at.le(now))),
    )
    .set((job_leases::holder.eq(holder), job_leases::until_at.eq(until)))
    .execute(&mut **tx)?;
    Ok(taken == 1)
}

/// Gives a lease back, so that another process need not wait for its end.
pub fn give_back(tx: &mut Tx, holder: &str) -> QueryResult<()> {
    diesel::update(job_leases::table.filter(job_leases::holder.eq(holder)))
        .set(job_leases::until_at.eq(0i64))
        .execute(&mut **tx)?;
    Ok(())
}
