//! What the game's site says, taken in: names, guild, picture; and what follows when a player changes guilds.

use crate::app::App;
use crate::domain::names::GuildTag;
use crate::error::AppError;
use crate::features::changes::{self, Change, Noted, Touched};
use crate::features::settings::show;
use crate::store::changes::hold;
use crate::store::guilds::NewGuild;
use crate::store::membership::{self, GuildFacts, SiteFacts};
use crate::store::players::{self, NewPlayer, PlayerRow};
use crate::store::{Tx, guilds};
use crate::upstream::game_site::{Citizen, Organization, OrganizationPage};

/// What taking in a page changed.
#[derive(Debug, Default)]
pub struct Taken {
    pub player: Option<PlayerRow>,
    /// Tag of the guild the player is in now.
    pub org_short: Option<String>,
    pub guild_id: Option<i64>,
    touched: Touched,
    noted: Option<Noted>,
}

impl Taken {
    /// Tells of what changed, as the last thing that touches it.
    fn note(mut self, tx: &mut Tx) -> Result<Self, AppError> {
        self.noted = Some(changes::note(tx, Change::Touched(self.touched.clone()))?);
        Ok(self)
    }
}

/// Takes in the page of a player, who is made when new here.
pub fn take_citizen(tx: &mut Tx, page: &Citizen, now: i64) -> Result<Taken, AppError> {
    let taken = read_in(tx, page, now)?;
    taken.note(tx)
}

/// The same for somebody who asked: the rest until the next time holds in every process.
pub fn take_asked(tx: &mut Tx, page: &Citizen, now: i64) -> Result<Taken, AppError> {
    let mut taken = read_in(tx, page, now)?;
    taken.touched.refreshed.clone_from(&taken.touched.players);
    taken.note(tx)
}

/// The same for a player who is claimed with it: a hidden one is shown again, since the former owner hid it.
pub fn take_claimed(tx: &mut Tx, page: &Citizen, now: i64) -> Result<Taken, AppError> {
    let mut taken = read_in(tx, page, now)?;
    if let Some(player) = taken.player.as_mut().filter(|player| player.is_hidden) {
        show(tx, player.id, &mut taken.touched)?;
        player.is_hidden = false;
    }
    taken.note(tx)
}

fn read_in(tx: &mut Tx, page: &Citizen, now: i64) -> Result<Taken, AppError> {
    let mut taken = Taken::default();
    let folded = page.handle.folded();
    let new = NewPlayer {
        handle: page.handle.to_string(),
        handle_folded: folded.clone(),
        player_name: page.moniker.clone(),
        player_geid: None,
        guild_id: None,
        created_at: now,
    };
    taken.touched.new_players = players::insert_missing(tx, &[new])?.len() as i64;
    let gone = || AppError::player_not_found(page.handle.as_str());
    let id = players::find_by_handle(tx, &folded)?.ok_or_else(gone)?.id;
    players::lock(tx, &[id])?;
    let player = players::find_by_id(tx, id)?.ok_or_else(gone)?;
    if is_somebody_else(&player, page) && players::is_claimed(tx, id)? {
        return Err(AppError::Conflict(format!(
            "The game's site now shows somebody else as {}. What is known here stays as it is.",
            page.handle
        )));
    }
    hold(tx)?;
    let (guild, guild_rank) = match &page.main_org {
        Organization::Shown(org) => (Some(take_guild(tx, &mut taken, &org.sid, &org.name, now)?), org.rank.clone()),
        // One that is kept secret there is kept secret here.
        Organization::Redacted | Organization::None => (None, None),
    };
    if let (Some(id), Organization::Shown(org)) = (guild, &page.main_org) {
        // The guild's own page was not read.
        let facts = GuildFacts { site_member_count: None, site_logo_url: org.logo_url.clone(), site_read_at: None };
        membership::set_guild_facts(tx, id, &facts)?;
        taken.org_short = Some(org.sid.to_string());
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
    taken.touched.players.push(id);
    taken.touched.guilds.extend(moved.iter().map(|(id, ..)| *id));
    taken.touched.guild_figures = moved;
    taken.guild_id = guild;
    taken.player = players::find_by_id(tx, id)?;
    Ok(taken)
}

/// Handles can change hands; the number of the citizen does not.
fn is_somebody_else(player: &PlayerRow, page: &Citizen) -> bool {
    match (player.citizen_record.as_deref(), page.citizen_record) {
        (Some(known), Some(told)) => known != told.to_string(),
        _ => false,
    }
}

/// Takes in the page of an organization, which is made when new here.
pub fn take_organization(tx: &mut Tx, page: &OrganizationPage, now: i64) -> Result<Taken, AppError> {
    let mut taken = Taken::default();
    hold(tx)?;
    let id = take_guild(tx, &mut taken, &page.sid, &page.name, now)?;
    let facts = GuildFacts {
        site_member_count: page.member_count.map(i64::from),
        site_logo_url: page.logo_url.clone(),
        site_read_at: Some(now),
    };
    membership::set_guild_facts(tx, id, &facts)?;
    taken.guild_id = Some(id);
    taken.org_short = Some(page.sid.to_string());
    taken.note(tx)
}

fn take_guild(tx: &mut Tx, taken: &mut Taken, tag: &GuildTag, name: &str, now: i64) -> Result<i64, AppError> {
    let known = guilds::find_by_tag(tx, tag.as_str())?;
    if let Some(guild) = &known
        && guild.name == name
    {
        taken.touched.guilds.push(guild.id);
        return Ok(guild.id);
    }
    let new = NewGuild { tag: tag.to_string(), name: name.to_owned(), created_at: now };
    let (_, id) = guilds::upsert(tx, &[new])?.into_iter().next().ok_or_else(AppError::guild_not_found)?;
    taken.touched.new_guilds += i64::from(known.is_none());
    taken.touched.guilds.push(id);
    Ok(id)
}

/// What follows from a committed page. Called on the thread of the commit, also when the caller has gone away.
pub fn announce(app: &App, taken: &Taken) {
    if let Some(noted) = &taken.noted {
        changes::take(app, noted);
    }
}
