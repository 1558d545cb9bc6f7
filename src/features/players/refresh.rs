//! What the game's site says, taken in: names, guild, picture; and what follows when a player changes guilds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::app::App;
use crate::domain::names::{GuildTag, Handle, fold_for_lookup};
use crate::domain::viewer::{Member, Viewer};
use crate::error::AppError;
use crate::features::changes::{self, Change, Noted, Touched};
use crate::store::changes::hold;
use crate::store::guilds::NewGuild;
use crate::store::membership::{self, GuildFacts, SiteFacts};
use crate::store::players::{self, NewPlayer, PlayerRow};
use crate::store::{Tx, guilds};
use crate::upstream::game_site::{Citizen, Errand, Organization, OrganizationPage};

/// Between two readings of one player on demand.
pub const REFRESH_REST: Duration = Duration::from_secs(300);

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

/// Takes in the page of a player, who is made when new here.
pub fn take_citizen(tx: &mut Tx, page: &Citizen, now: i64) -> Result<Taken, AppError> {
    let taken = read_in(tx, page, now)?;
    note_all(tx, taken)
}

/// What changed is told, as the last thing of the transaction.
fn note_all(tx: &mut Tx, mut taken: Taken) -> Result<Taken, AppError> {
    taken.noted = Some(changes::note(tx, Change::Touched(taken.touched.clone()))?);
    Ok(taken)
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
    hold(tx)?;
    let player = players::find_by_id(tx, id)?.ok_or_else(gone)?;
    let (guild, guild_rank) = match &page.main_org {
        Organization::Shown(org) => (Some(take_guild(tx, &mut taken, &org.sid, &org.name, now)?), org.rank.clone()),
        // One that is kept secret there is kept secret here.
        Organization::Redacted | Organization::None => (None, None),
    };
    if let (Some(id), Organization::Shown(org)) = (guild, &page.main_org) {
        let facts =
            GuildFacts { site_member_count: None, site_logo_url: org.logo_url.clone(), site_read_at: Some(now) };
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
    taken.touched.guild_figures = moved.into_iter().map(|(_, before, now)| (before, now)).collect();
    taken.guild_id = guild;
    taken.player = players::find_by_id(tx, id)?;
    Ok(taken)
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
    note_all(tx, taken)
}

fn take_guild(tx: &mut Tx, taken: &mut Taken, tag: &GuildTag, name: &str, now: i64) -> Result<i64, AppError> {
    let known = guilds::find_by_tag(tx, tag.as_str())?;
    if let Some(guild) = &known
        && guild.name == name
    {
        return Ok(guild.id);
    }
    let new = NewGuild { tag: tag.to_string(), name: name.to_owned(), created_at: now };
    let (_, id) = guilds::upsert(tx, &[new])?.into_iter().next().ok_or_else(AppError::guild_not_found)?;
    taken.touched.new_guilds += i64::from(known.is_none());
    taken.touched.guilds.push(id);
    Ok(id)
}

/// What follows from a committed page. Called on the thread of the commit.
pub fn announce(app: &App, taken: &Taken) {
    if let Some(noted) = &taken.noted {
        changes::take(app, noted);
    }
}

/// Reads a player anew from the game's site, for the owner or an admin.
pub async fn update(app: &Arc<App>, member: &Member, handle: &str) -> Result<(), AppError> {
    let folded = fold_for_lookup(handle).ok_or_else(|| AppError::player_not_found(handle))?;
    let player = app.store.read(move |conn| players::find_by_handle(conn, &folded)).await?;
    let player = player.ok_or_else(|| AppError::player_not_found(handle))?;
    if !Viewer::Member(member.clone()).may_edit_player(player.id) {
        return Err(AppError::Forbidden("You can only update your own claimed profile.".into()));
    }
    let own = Handle::parse(&player.handle).map_err(|_| AppError::player_not_found(handle))?;
    let began = Instant::now();
    let entry = app.refreshed.entry(player.id).or_insert(began);
    if !entry.is_fresh() {
        let left = REFRESH_REST.saturating_sub(entry.value().elapsed()).as_secs() + 1;
        return Err(AppError::RateLimited {
            sentence: format!("This profile was updated a moment ago. Please wait {left} seconds."),
            retry_after_secs: left,
        });
    }
    let page = app.game_site.citizen(&own, Errand::ForSomeone).await?;
    let (now, after) = (App::now().0, Arc::clone(app));
    let read = move |tx: &mut Tx| {
        let mut taken = read_in(tx, &page, now)?;
        // The rest between two readings holds in every process.
        taken.touched.refreshed.extend(taken.touched.players.clone());
        note_all(tx, taken)
    };
    app.store.write_then(read, move |taken| announce(&after, taken)).await?;
    Ok(())
}
