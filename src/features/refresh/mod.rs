//! Refreshes players and guilds from the game's site, on request and in the background.

mod background;
mod pages;

use std::sync::Arc;
use std::time::Instant;

use crate::app::App;
use crate::domain::names::{GuildTag, Handle, fold_for_lookup};
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::projections::REFRESH_COOLDOWN;
use crate::store::{guilds, players};
use crate::upstream::game_site::{OrganizationPage, Priority};

pub use background::{BackgroundRefresh, Outcome};
pub use pages::{AppliedPage, apply_citizen, apply_claimed_citizen, apply_organization, apply_requested_citizen};

/// Refreshes a player for its owner or an admin, then its guild in the background.
pub async fn update(app: &Arc<App>, member: &Member, handle: &str) -> Result<(), AppError> {
    let folded = fold_for_lookup(handle).ok_or_else(|| AppError::player_not_found(handle))?;
    let player = app.store.read(move |conn| players::find_by_handle(conn, &folded)).await?;
    let player = player.ok_or_else(|| AppError::player_not_found(handle))?;
    if !member.may_edit_player(player.id) {
        return Err(AppError::Forbidden("You can only update your own claimed profile.".into()));
    }
    let own = Handle::parse(&player.handle).map_err(|_| AppError::player_not_found(handle))?;
    let cooldown = Cooldown::start(app, player.id)?;
    let applied = read_player(app, &own, Priority::User(member.user_id)).await?;
    cooldown.confirm();
    let guild = applied.org_short.as_deref().and_then(|tag| GuildTag::parse(tag).ok());
    if let Some(tag) = guild {
        let app = Arc::clone(app);
        tokio::spawn(async move {
            if let Err(error) = read_guild(&app, &tag, Priority::Background).await {
                tracing::info!(%error, %tag, "a guild could not be read from the game's site");
            }
        });
    }
    Ok(())
}

/// The cooldown of a player's refresh. Dropping it without `confirm` cancels the cooldown.
struct Cooldown<'a> {
    app: &'a App,
    player_id: i64,
    is_confirmed: bool,
}

impl<'a> Cooldown<'a> {
    fn start(app: &'a App, player_id: i64) -> Result<Self, AppError> {
        let entry = app.projections.refreshed().entry(player_id).or_insert_with(Instant::now);
        if entry.is_fresh() {
            return Ok(Self { app, player_id, is_confirmed: false });
        }
        let left = REFRESH_COOLDOWN.saturating_sub(entry.value().elapsed()).as_secs() + 1;
        Err(AppError::RateLimited {
            sentence: format!("This profile was updated a moment ago. Please wait {left} seconds."),
            retry_after_secs: left,
        })
    }

    fn confirm(mut self) {
        self.is_confirmed = true;
    }
}

impl Drop for Cooldown<'_> {
    fn drop(&mut self) {
        if !self.is_confirmed {
            self.app.projections.refreshed().invalidate(&self.player_id);
        }
    }
}

async fn read_player(app: &Arc<App>, handle: &Handle, priority: Priority) -> Result<AppliedPage, AppError> {
    let page = app.game_site.citizen(handle, priority).await?;
    let now = app.store.now().0;
    let apply = match priority {
        Priority::User(_) => apply_requested_citizen,
        Priority::Background => apply_citizen,
    };
    app.store.write(move |tx| apply(tx, &page, now)).await
}

async fn read_guild(app: &Arc<App>, tag: &GuildTag, priority: Priority) -> Result<AppliedPage, AppError> {
    let page = confirmed_organization(app, tag, priority).await?;
    let now = app.store.now().0;
    app.store.write(move |tx| apply_organization(tx, &page, now)).await
}

/// Reads the page of an organization. The site sometimes shows wrong member counts, so a count that differs by more than a
/// fifth is read twice; if the two disagree, the stored count remains.
async fn confirmed_organization(app: &App, tag: &GuildTag, priority: Priority) -> Result<OrganizationPage, AppError> {
    let first = app.game_site.organization(tag, priority).await?;
    let own = tag.clone();
    let known = app.store.read(move |conn| guilds::find_by_tag(conn, own.as_str())).await?;
    let (Some(known), Some(first_count)) = (known.and_then(|guild| guild.site_member_count), first.member_count) else {
        return Ok(first);
    };
    if !is_jump(known, first_count.into()) {
        return Ok(first);
    }
    let second = app.game_site.organization(tag, priority).await?;
    let does_agree = second.member_count.is_some_and(|count| !is_jump(first_count.into(), count.into()));
    if does_agree {
        return Ok(second);
    }
    tracing::warn!(%tag, known, first = first_count, second = ?second.member_count, "two pages disagree on the member count; the stored count is used");
    Ok(OrganizationPage { member_count: None, ..second })
}

/// Whether a count changed by more than a fifth.
const fn is_jump(from: i64, to: i64) -> bool {
    (to - from).abs() * 5 > from
}
