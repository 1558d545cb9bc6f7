//! Applies rosters: players join, leave or change rank in small transactions that are replicated.

use std::collections::HashMap;
use std::sync::Arc;

use super::{LOW_PRIORITY_INTERVAL_MS, Roster, RosterDownload};
use crate::app::App;
use crate::domain::times::HOUR_MS;
use crate::error::AppError;
use crate::features::players::list as list_players;
use crate::store::changes::{self, Change, EntityChange, lock_sequence};
use crate::store::membership::{self, GuildFacts};
use crate::store::players::{self, PlayerRow, lock};
use crate::store::rosters::{self, RosterRow};
use crate::store::{Store, Tx, distinct, guilds};

/// The number of players per transaction, small so that other writers do not wait long.
pub(super) const BATCH_PLAYERS: i64 = 200;

/// A player who joins or leaves a guild, or whose rank changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct GuildMove {
    pub player_id: i64,
    /// The player's guild when the plan was created.
    pub from: Option<i64>,
    pub to: Option<i64>,
    pub rank: Option<String>,
    /// When the roster was read, in epoch milliseconds. A player page that was read later takes precedence.
    pub read_at: i64,
}

/// The changes that a roster requires.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub moves: Vec<GuildMove>,
    /// The number of players who would leave the guild, and the number in it.
    pub leaving: i64,
    pub present: i64,
}

/// Compares a roster with stored players. A partial roster removes no member.
pub(super) async fn plan(store: &Store, guild_id: i64, roster: &Roster, read_at: i64) -> Result<Plan, AppError> {
    let handles: Vec<String> = roster.main.keys().cloned().collect();
    let (listed, present) = store
        .read(move |conn| {
            Ok((rosters::find_players_by_handle(conn, &handles)?, rosters::list_members(conn, guild_id)?))
        })
        .await?;
    let is_older = |player: &&PlayerRow| player.site_read_at.is_none_or(|at| at < read_at);
    let rank_of = |player: &PlayerRow| roster.main.get(&player.handle_folded).cloned().flatten();
    let joins = listed
        .iter()
        .filter(is_older)
        .filter(|player| player.guild_id != Some(guild_id) || player.guild_rank != rank_of(player))
        .map(|player| (player, Some(guild_id), rank_of(player)));
    let leaves = present
        .iter()
        .filter(is_older)
        .filter(|player| !roster.is_partial && !roster.main.contains_key(&player.handle_folded))
        .map(|player| (player, None, None));
    let leaving = leaves.clone().count() as i64;
    let moves = joins.chain(leaves).map(|(player, to, rank)| GuildMove {
        player_id: player.id,
        from: player.guild_id,
        to,
        rank,
        read_at,
    });
    Ok(Plan { moves: moves.collect(), leaving, present: present.len() as i64 })
}

/// Applies moves in batches.
pub(super) async fn move_players(app: &Arc<App>, moves: &[GuildMove]) -> Result<(), AppError> {
    for part in moves.chunks(BATCH_PLAYERS as usize) {
        let part = part.to_vec();
        app.store.write(move |tx| write(tx, &part)).await?;
    }
    Ok(())
}

fn write(tx: &mut Tx, moves: &[GuildMove]) -> Result<(), AppError> {
    let ids = distinct(moves.iter().map(|one| one.player_id));
    if ids.is_empty() {
        return Ok(());
    }
    // Locks are always taken in this order: players, clock, guilds.
    lock(tx, &ids)?;
    let now: HashMap<i64, PlayerRow> =
        players::find_many(tx, &ids)?.into_iter().map(|player| (player.id, player)).collect();
    let mut entities = EntityChange::default();
    list_players(tx, &ids, &mut entities)?;
    lock_sequence(tx)?;
    for one in moves {
        // Skip players who were moved, or whose page was read, since the plan was created.
        let is_as_planned =
            |player: &&PlayerRow| player.guild_id == one.from && player.site_read_at.is_none_or(|at| at < one.read_at);
        let Some(player) = now.get(&one.player_id).filter(is_as_planned) else { continue };
        let moved = membership::move_player(tx, player.id, one.from, one.to)?;
        if player.guild_rank != one.rank {
            rosters::set_rank(tx, player.id, one.rank.as_deref())?;
        }
        entities.players.push(player.id);
        entities.guilds.extend(moved.iter().map(|(id, ..)| *id));
        entities.guild_figures.extend(moved);
    }
    entities.guilds = distinct(entities.guilds.into_iter());
    if !entities.players.is_empty() {
        changes::record(tx, Change::Entities(entities))?;
    }
    Ok(())
}

/// Stores an applied roster and schedules its next download.
pub(super) async fn store(app: &Arc<App>, download: RosterDownload) -> Result<(), AppError> {
    let RosterDownload { guild, roster, began_at, .. } = download;
    let every = i64::from(app.settings.rosters.every_hours) * HOUR_MS;
    // A guild that is claimed or viewed is read more often.
    let is_wanted = guild.views > 0 || app.store.read(move |conn| guilds::is_claimed(conn, guild.id)).await?;
    let row = RosterRow {
        guild_id: guild.id,
        read_at: Some(began_at),
        main_members: roster.main.len() as i64,
        affiliates: roster.affiliates,
        unnamed: roster.unnamed,
        total: roster.total,
        is_partial: roster.is_partial,
        next_at: app.store.now().0 + if is_wanted { every } else { every.max(LOW_PRIORITY_INTERVAL_MS) },
        failures: 0,
        last_error: None,
    };
    let act = move |tx: &mut Tx| {
        lock_sequence(tx)?;
        rosters::put(tx, &row)?;
        rosters::replace_members(tx, row.guild_id, &roster.main)?;
        // The guild's own page was not read.
        let facts = GuildFacts { site_member_count: Some(row.total), site_logo_url: None, site_read_at: None };
        membership::set_guild_facts(tx, row.guild_id, &facts)?;
        let entities = EntityChange { guilds: vec![row.guild_id], ..EntityChange::default() };
        Ok::<_, AppError>(changes::record(tx, Change::Entities(entities))?)
    };
    app.store.write(act).await
}
