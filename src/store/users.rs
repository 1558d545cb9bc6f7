//! Users: people who signed in with Discord, and what they own.

use std::collections::HashMap;

use diesel::prelude::*;

use super::conn::{AnyConn, bulk};
use super::logs;
use super::schema::*;
use super::writer::Tx;
use crate::domain::times::{Day, EpochMillis};
use crate::domain::trust::AccountAge;

/// A user; times in epoch milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Queryable, Selectable)]
#[diesel(table_name = users)]
pub struct UserRow {
    pub id: i64,
    pub discord_id: String,
    pub discord_username: String,
    pub discord_global_name: Option<String>,
    pub discord_avatar: Option<String>,
    pub discord_discriminator: Option<String>,
    pub discord_email: Option<String>,
    pub player_id: Option<i64>,
    pub guild_id: Option<i64>,
    pub linked_at: i64,
    pub last_seen_at: i64,
    /// Since when the account may not create keys.
    pub banned_at: Option<i64>,
}

/// A person as Discord describes them; identified by the id alone.
#[derive(Debug, Clone)]
pub struct NewUser {
    pub discord_id: String,
    pub discord_username: String,
    pub discord_global_name: Option<String>,
    pub discord_avatar: Option<String>,
    pub discord_discriminator: Option<String>,
    pub discord_email: Option<String>,
    pub at: i64,
}

/// Inserts a user or updates the data from Discord; ownership is unchanged.
pub fn upsert(tx: &mut Tx, new: &NewUser) -> QueryResult<UserRow> {
    let profile = (
        users::discord_username.eq(&new.discord_username),
        users::discord_global_name.eq(&new.discord_global_name),
        users::discord_avatar.eq(&new.discord_avatar),
        users::discord_discriminator.eq(&new.discord_discriminator),
        users::discord_email.eq(&new.discord_email),
        users::last_seen_at.eq(new.at),
    );
    let known = diesel::update(users::table.filter(users::discord_id.eq(&new.discord_id)))
        .set(profile)
        .returning(users::id)
        .get_result::<i64>(&mut **tx)
        .optional()?;
    let id = match known {
        Some(id) => id,
        None => diesel::insert_into(users::table)
            .values((users::discord_id.eq(&new.discord_id), users::linked_at.eq(new.at), profile))
            .returning(users::id)
            .get_result::<i64>(&mut **tx)?,
    };
    users::table.find(id).select(UserRow::as_select()).first(&mut **tx)
}

pub fn find(conn: &mut AnyConn, id: i64) -> QueryResult<Option<UserRow>> {
    users::table.find(id).select(UserRow::as_select()).first(conn).optional()
}

pub fn find_by_discord_id(conn: &mut AnyConn, discord_id: &str) -> QueryResult<Option<UserRow>> {
    users::table.filter(users::discord_id.eq(discord_id)).select(UserRow::as_select()).first(conn).optional()
}

pub fn owner_of_player(conn: &mut AnyConn, player_id: i64) -> QueryResult<Option<UserRow>> {
    users::table.filter(users::player_id.eq(player_id)).select(UserRow::as_select()).first(conn).optional()
}

pub fn owner_of_guild(conn: &mut AnyConn, guild_id: i64) -> QueryResult<Option<UserRow>> {
    users::table.filter(users::guild_id.eq(guild_id)).select(UserRow::as_select()).first(conn).optional()
}

/// Locks a user until the end of the transaction (PostgreSQL; SQLite has one writer).
pub fn lock(tx: &mut Tx, id: i64) -> QueryResult<()> {
    if let AnyConn::Postgres(conn) = &mut **tx {
        users::table.find(id).select(users::id).for_no_key_update().first::<i64>(conn).optional()?;
    }
    Ok(())
}

pub fn set_player(tx: &mut Tx, id: i64, player_id: Option<i64>) -> QueryResult<()> {
    diesel::update(users::table.find(id)).set(users::player_id.eq(player_id)).execute(&mut **tx)?;
    Ok(())
}

pub fn set_guild(tx: &mut Tx, id: i64, guild_id: Option<i64>) -> QueryResult<()> {
    diesel::update(users::table.find(id)).set(users::guild_id.eq(guild_id)).execute(&mut **tx)?;
    Ok(())
}

/// Deletes a user with sessions and claims; keys are revoked and lose their owner.
pub fn delete(tx: &mut Tx, id: i64, at: i64) -> QueryResult<()> {
    logs::delete_by_user(tx, id)?;
    let own_keys = || ingest_keys::table.filter(ingest_keys::user_id.eq(id));
    diesel::update(own_keys().filter(ingest_keys::revoked_at.is_null()))
        .set(ingest_keys::revoked_at.eq(at))
        .execute(&mut **tx)?;
    diesel::update(own_keys())
        .set((ingest_keys::user_id.eq(None::<i64>), ingest_keys::name.eq("deleted")))
        .execute(&mut **tx)?;
    diesel::delete(uploads::table.filter(uploads::user_id.eq(id))).execute(&mut **tx)?;
    diesel::delete(user_days::table.filter(user_days::user_id.eq(id))).execute(&mut **tx)?;
    diesel::delete(patch_reports::table.filter(patch_reports::user_id.eq(id))).execute(&mut **tx)?;
    diesel::delete(users::table.find(id)).execute(&mut **tx)?;
    Ok(())
}

/// Bans an account, or ends the ban with `None`.
pub fn set_banned(tx: &mut Tx, id: i64, at: Option<i64>) -> QueryResult<()> {
    diesel::update(users::table.find(id)).set(users::banned_at.eq(at)).execute(&mut **tx)?;
    Ok(())
}

/// Number of users, of users with a player, and of users with a guild.
pub fn counts(conn: &mut AnyConn) -> QueryResult<(i64, i64, i64)> {
    let all = users::table.count().get_result(conn)?;
    let players = users::table.filter(users::player_id.is_not_null()).count().get_result(conn)?;
    let guilds = users::table.filter(users::guild_id.is_not_null()).count().get_result(conn)?;
    Ok((all, players, guilds))
}

/// Updates when a user was last seen.
pub fn touch(tx: &mut Tx, id: i64, at: i64) -> QueryResult<()> {
    diesel::update(users::table.find(id)).set(users::last_seen_at.eq(at)).execute(&mut **tx)?;
    add_day(tx, &[id], EpochMillis(at).day())
}

/// Records that these users made an authenticated call on a day.
pub fn add_day(tx: &mut Tx, ids: &[i64], day: Day) -> QueryResult<()> {
    if ids.is_empty() {
        return Ok(());
    }
    bulk!(user_days, ids, |id| { user_id: *id, day: day.0 })
        .on_conflict("user_days", &["user_id", "day"], &[])
        .execute(tx)?;
    Ok(())
}

/// The days on which a user made an authenticated call, oldest first.
pub fn days_seen(conn: &mut AnyConn, id: i64) -> QueryResult<Vec<Day>> {
    let days = user_days::table.filter(user_days::user_id.eq(id)).order(user_days::day).select(user_days::day);
    Ok(days.load::<i32>(conn)?.into_iter().map(Day).collect())
}

/// The ages of the accounts of these users.
pub fn ages(conn: &mut AnyConn, ids: &[i64]) -> QueryResult<Vec<AccountAge>> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let days = user_days::table.filter(user_days::user_id.eq_any(ids)).group_by(user_days::user_id);
    let days: HashMap<i64, i64> =
        days.select((user_days::user_id, diesel::dsl::count_star())).load(conn)?.into_iter().collect();
    let users: Vec<(i64, i64)> =
        users::table.filter(users::id.eq_any(ids)).order(users::id).select((users::id, users::linked_at)).load(conn)?;
    let age = |(user_id, linked_at)| AccountAge {
        user_id,
        first_sign_in: EpochMillis(linked_at),
        days_seen: days.get(&user_id).copied().unwrap_or(0),
    };
    Ok(users.into_iter().map(age).collect())
}

/// Users seen on or after a day, oldest accounts first.
pub fn seen_since(conn: &mut AnyConn, day: Day, limit: i64) -> QueryResult<Vec<i64>> {
    let seen = user_days::table.filter(user_days::day.ge(day.0)).select(user_days::user_id);
    users::table.filter(users::id.eq_any(seen)).order(users::linked_at).limit(limit).select(users::id).load(conn)
}

/// The users who claimed the players with these folded handles, by handle.
pub fn owners_of_handles(conn: &mut AnyConn, folded: &[String]) -> QueryResult<HashMap<String, i64>> {
    if folded.is_empty() {
        return Ok(HashMap::new());
    }
    let owned = players::table.inner_join(users::table.on(users::player_id.eq(players::id.nullable())));
    let owned = owned.filter(players::handle_folded.eq_any(folded)).select((players::handle_folded, users::id));
    Ok(owned.load::<(String, i64)>(conn)?.into_iter().collect())
}
