//! Viewers of profiles per day, as salted hashes, and the salt of the day. Earlier days are deleted.

use diesel::prelude::*;

use super::conn::bulk;
use super::schema::{profile_viewers, view_salts};
use super::writer::Tx;

/// The salt of a day; `new_salt` if no process has stored one.
pub fn salt(tx: &mut Tx, day: i32, new_salt: &str) -> QueryResult<String> {
    bulk!(view_salts, [(day, new_salt)], |(day, salt)| { day: day, salt: salt })
        .on_conflict("view_salts", &["day"], &[])
        .execute(tx)?;
    view_salts::table.find(day).select(view_salts::salt).first(&mut **tx)
}

/// Adds a viewer of a profile; returns whether it is the first view of the day.
pub fn add(tx: &mut Tx, day: i32, viewer: i64) -> QueryResult<bool> {
    let added = bulk!(profile_viewers, [(day, viewer)], |(day, viewer)| { day: day, viewer: viewer })
        .on_conflict("profile_viewers", &["day", "viewer"], &[])
        .execute(tx)?;
    Ok(added > 0)
}

/// Deletes salts and viewers of earlier days; returns the number of rows.
pub fn delete_before(tx: &mut Tx, day: i32) -> QueryResult<usize> {
    let salts = diesel::delete(view_salts::table.filter(view_salts::day.lt(day))).execute(&mut **tx)?;
    let viewers = diesel::delete(profile_viewers::table.filter(profile_viewers::day.lt(day))).execute(&mut **tx)?;
    Ok(salts + viewers)
}
