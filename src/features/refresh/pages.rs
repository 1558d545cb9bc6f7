//! Applies pages of the game's site: names, guild, picture, and a move between guilds.

use crate::domain::names::GuildTag;
use crate::error::AppError;
use crate::features::players::list as list_players;
use crate::features::settings::unhide;
use crate::store::changes::{self, Change, EntityChange, lock_sequence};
use crate::store::guilds::NewGuild;
use crate::store::membership::{self, GuildFacts, SiteFacts};
use crate::store::players::{self, NewPlayer, PlayerRow};
use crate::store::{Tx, guilds};
use crate::upstream::game_site::{Citizen, Organization, OrganizationPage};

/// The changes of applying a page.
#[derive(Debug, Default)]
pub struct AppliedPage {
    pub player: Option<PlayerRow>,
    /// Tag of the player's current guild.
    pub org_short: Option<String>,
    pub guild_id: Option<i64>,
    entities: EntityChange,
}

impl AppliedPage {
    /// Records the change, as the last step of the transaction.
    fn record(mut self, tx: &mut Tx) -> Result<Self, AppError> {
        changes::record(tx, Change::Entities(std::mem::take(&mut self.entities)))?;
        Ok(self)
    }
}

/// Applies the page of a player, who is inserted if new.
pub fn apply_citizen(tx: &mut Tx, page: &Citizen, now: i64) -> Result<AppliedPage, AppError> {
    let applied = update_player(tx, page, now)?;
    applied.record(tx)
}

/// Applies a page that a user requested. The cooldown then holds in every process.
pub fn apply_requested_citizen(tx: &mut Tx, page: &Citizen, now: i64) -> Result<AppliedPage, AppError> {
    let mut applied = update_player(tx, page, now)?;
    applied.entities.refreshed.clone_from(&applied.entities.players);
    applied.record(tx)
}

/// Applies the page of a player who is being claimed. A hidden player becomes visible, since the former owner hid it.
pub fn apply_claimed_citizen(tx: &mut Tx, page: &Citizen, now: i64) -> Result<AppliedPage, AppError> {
    let mut applied = update_player(tx, page, now)?;
    if let Some(player) = applied.player.as_mut().filter(|player| player.is_hidden) {
        unhide(tx, player.id, &mut applied.entities)?;
        player.is_hidden = false;
    }
    applied.record(tx)
}

fn update_player(tx: &mut Tx, page: &Citizen, now: i64) -> Result<AppliedPage, AppError> {
    let mut applied = AppliedPage::default();
    let folded = page.handle.folded();
    let new = NewPlayer {
        handle: page.handle.to_string(),
        handle_folded: folded.clone(),
        player_name: page.moniker.clone(),
        player_geid: None,
        guild_id: None,
        created_at: now,
        is_listed: true,
    };
    applied.entities.new_players = players::insert_missing(tx, &[new])?.len() as i64;
    let known: Vec<i64> = players::find_refs(tx, std::slice::from_ref(&folded))?.iter().map(|known| known.id).collect();
    list_players(tx, &known, &mut applied.entities)?;
    let gone = || AppError::player_not_found(page.handle.as_str());
    let id = players::find_by_handle(tx, &folded)?.ok_or_else(gone)?.id;
    players::lock(tx, &[id])?;
    let player = players::find_by_id(tx, id)?.ok_or_else(gone)?;
    if is_somebody_else(&player, page) && players::is_claimed(tx, id)? {
        return Err(AppError::Conflict(format!(
            "The game's site now shows a different person as {}. The stored profile is unchanged.",
            page.handle
        )));
    }
    lock_sequence(tx)?;
    let (guild, guild_rank) = match &page.main_org {
        Organization::Shown(org) => (Some(upsert_guild(tx, &mut applied, &org.sid, &org.name, now)?), org.rank.clone()),
        // A redacted guild is not shown here either.
        Organization::Redacted | Organization::None => (None, None),
    };
    if let (Some(id), Organization::Shown(org)) = (guild, &page.main_org) {
        // The guild's own page was not read.
        let facts = GuildFacts { site_member_count: None, site_logo_url: org.logo_url.clone(), site_read_at: None };
        membership::set_guild_facts(tx, id, &facts)?;
        applied.org_short = Some(org.sid.to_string());
    }
    let facts = SiteFacts {
        handle: page.handle.to_string(),
        player_name: page.moniker.clone(),
        citizen_record: page.citizen_record.map(|number| number.to_string()).or(player.citizen_record),
        guild_rank,
        site_avatar_url: page.avatar_url.clone(),
        site_read_at: Some(now),
    };
    membership::set_facts(tx, id, &facts)?;
    let moved = membership::move_player(tx, id, player.guild_id, guild)?;
    applied.entities.players.push(id);
    applied.entities.guilds.extend(moved.iter().map(|(id, ..)| *id));
    applied.entities.guild_figures = moved;
    applied.guild_id = guild;
    applied.player = players::find_by_id(tx, id)?;
    Ok(applied)
}

/// Handles can be reassigned; citizen records cannot.
fn is_somebody_else(player: &PlayerRow, page: &Citizen) -> bool {
    match (player.citizen_record.as_deref(), page.citizen_record) {
        (Some(known), Some(current)) => known != current.to_string(),
        _ => false,
    }
}

/// Applies the page of an organization, which is inserted if new.
pub fn apply_organization(tx: &mut Tx, page: &OrganizationPage, now: i64) -> Result<AppliedPage, AppError> {
    let mut applied = AppliedPage::default();
    lock_sequence(tx)?;
    let id = upsert_guild(tx, &mut applied, &page.sid, &page.name, now)?;
    let facts = GuildFacts {
        site_member_count: page.member_count.map(i64::from),
        site_logo_url: page.logo_url.clone(),
        site_read_at: Some(now),
    };
    membership::set_guild_facts(tx, id, &facts)?;
    applied.guild_id = Some(id);
    applied.org_short = Some(page.sid.to_string());
    applied.record(tx)
}

fn upsert_guild(tx: &mut Tx, applied: &mut AppliedPage, tag: &GuildTag, name: &str, now: i64) -> Result<i64, AppError> {
    let known = guilds::find_by_tag(tx, tag.as_str())?;
    if let Some(guild) = &known
        && guild.name == name
    {
        applied.entities.guilds.push(guild.id);
        return Ok(guild.id);
    }
    let new = NewGuild { tag: tag.to_string(), name: name.to_owned(), created_at: now };
    let (_, id) = guilds::upsert(tx, &[new])?.into_iter().next().ok_or_else(AppError::guild_not_found)?;
    applied.entities.new_guilds += i64::from(known.is_none());
    applied.entities.guilds.push(id);
    Ok(id)
}
