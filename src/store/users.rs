//! Users: people who signed in with Discord, and what they own.

use diesel::prelude::*;

use super::conn::AnyConn;
use super::logs;
use super::schema::*;
use super::writer::Tx;

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
    /// Since when an admin blocks the account.
    pub blocked_at: Option<i64>,
}

/// A person as Discord describes them; identified by the id alone.
#[derive(Debug, Clone, Insertable, AsChangeset)]
#[diesel(table_name = users, treat_none_as_null = true)]
pub struct NewUser {
    pub discord_id: String,
    pub discord_username: String,
    pub discord_global_name: Option<String>,
    pub discord_avatar: Option<String>,
    pub discord_discriminator: Option<String>,
    pub discord_email: Option<String>,
    #[diesel(column_name = last_seen_at)]
    pub at: i64,
}

/// Inserts a user or updates the data from Discord; ownership is unchanged.
pub fn upsert(tx: &mut Tx, new: &NewUser) -> QueryResult<UserRow> {
    let known = diesel::update(users::table.filter(users::discord_id.eq(&new.discord_id)))
        .set(new)
        .returning(users::id)
        .get_result::<i64>(&mut **tx)
        .optional()?;
    let id = match known {
        Some(id) => id,
        None => diesel::insert_into(users::table)
            .values((new, users::linked_at.eq(new.at)))
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
    diesel::delete(patch_reports::table.filter(patch_reports::user_id.eq(id))).execute(&mut **tx)?;
    diesel::delete(users::table.find(id)).execute(&mut **tx)?;
    Ok(())
}

/// Blocks an account, or ends that with `None`.
pub fn set_blocked(tx: &mut Tx, id: i64, at: Option<i64>) -> QueryResult<()> {
    diesel::update(users::table.find(id)).set(users::blocked_at.eq(at)).execute(&mut **tx)?;
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
    Ok(())
}

/// The handle of the player that a user has claimed.
pub fn handle_of(conn: &mut AnyConn, user_id: i64) -> QueryResult<Option<String>> {
    let owned = players::table.inner_join(users::table.on(users::player_id.eq(players::id.nullable())));
    owned.filter(users::id.eq(user_id)).select(players::handle).first(conn).optional()
}

/// The user who claimed the player with this folded handle.
pub fn owner_of_handle(conn: &mut AnyConn, folded: &str) -> QueryResult<Option<i64>> {
    let owned = players::table.inner_join(users::table.on(users::player_id.eq(players::id.nullable())));
    owned.filter(players::handle_folded.eq(folded)).select(users::id).first(conn).optional()
}
