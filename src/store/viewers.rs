//! Who has viewed which profile on a day, as salted hashes, and the salt of the day. Nothing of an earlier day is kept.

use diesel::prelude::*;

use super::conn::bulk;
use super::schema::{profile_viewers, view_salts};
use super::writer::Tx;

/// The salt of a day: that of the process which needed it first, else `fresh`.
pub fn salt(tx: &mut Tx, day: i32, fresh: &str) -> QueryResult<String> {
    bulk!(view_salts, [(day, fresh)], |(day, salt)| { day: day, salt: salt })
        .on_conflict("view_salts", &["day"], &[])
        .execute(tx)?;
    view_salts::table.find(day).select(view_salts::salt).first(&mut **tx)
}

/// Notes a viewer of a profile; whether it is the first time on that day.
pub fn add(tx: &mut Tx, day: i32, viewer: i64) -> QueryResult<bool> {
    let added = bulk!(profile_viewers, [(day, viewer)], |(day, viewer)| { day: day, viewer: viewer })
        .on_conflict("profile_viewers", &["day", "viewer"], &[])
        .execute(tx)?;
    Ok(added > 0)
}

/// Deletes the salts and viewers of earlier days; gives how many rows went.
pub fn delete_before(tx: &mut Tx, day: i32) -> QueryResult<usize> {
    let salts = diesel::delete(view_salts::table.filter(view_salts::day.lt(day))).execute(&mut **tx)?;
    let viewers = diesel::delete(profile_viewers::table.filter(profile_viewers::day.lt(day))).execute(&mut **tx)?;
    Ok(salts + viewers)
}
