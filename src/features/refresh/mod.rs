//! Reading players and guilds anew from the game's site: when somebody asks, and by and by.

mod pages;
mod rounds;

use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::app::App;
use crate::domain::names::{GuildTag, Handle, fold_for_lookup};
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::store::players;
use crate::upstream::game_site::Errand;

pub use pages::{Taken, announce, take_asked, take_citizen, take_organization};
pub use rounds::{Rounds, Step};

/// Between two readings of one player on demand.
pub const REFRESH_REST: Duration = Duration::from_secs(300);

/// Reads a player anew, for the owner or an admin; their guild follows by itself.
pub async fn update(app: &Arc<App>, member: &Member, handle: &str) -> Result<(), AppError> {
    let folded = fold_for_lookup(handle).ok_or_else(|| AppError::player_not_found(handle))?;
    let player = app.store.read(move |conn| players::find_by_handle(conn, &folded)).await?;
    let player = player.ok_or_else(|| AppError::player_not_found(handle))?;
    if !member.may_edit_player(player.id) {
        return Err(AppError::Forbidden("You can only update your own claimed profile.".into()));
    }
    let own = Handle::parse(&player.handle).map_err(|_| AppError::player_not_found(handle))?;
    let turn = Turn::take(app, player.id)?;
    let taken = read_player(app, &own, Errand::ForSomeone).await?;
    turn.used();
    let guild = taken.org_short.as_deref().and_then(|tag| GuildTag::parse(tag).ok());
    if let Some(tag) = guild {
        let app = Arc::clone(app);
        tokio::spawn(async move {
            if let Err(error) = read_guild(&app, &tag, Errand::Background).await {
                tracing::info!(%error, %tag, "a guild could not be read from the game's site");
            }
        });
    }
    Ok(())
}

/// A player's turn to be read; given back when it comes to nothing.
struct Turn<'a> {
    app: &'a App,
    player_id: i64,
    is_used: bool,
}

impl<'a> Turn<'a> {
    fn take(app: &'a App, player_id: i64) -> Result<Self, AppError> {
        let entry = app.refreshed.entry(player_id).or_insert_with(Instant::now);
        if entry.is_fresh() {
            return Ok(Self { app, player_id, is_used: false });
        }
        let left = REFRESH_REST.saturating_sub(entry.value().elapsed()).as_secs() + 1;
        Err(AppError::RateLimited {
            sentence: format!("This profile was updated a moment ago. Please wait {left} seconds."),
            retry_after_secs: left,
        })
    }

    fn used(mut self) {
        self.is_used = true;
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        if !self.is_used {
            self.app.refreshed.invalidate(&self.player_id);
        }
    }
}

async fn read_player(app: &Arc<App>, handle: &Handle, errand: Errand) -> Result<Taken, AppError> {
    let page = app.game_site.citizen(handle, errand).await?;
    let (now, after) = (App::now().0, Arc::clone(app));
    let take = match errand {
        Errand::ForSomeone => take_asked,
        Errand::Background => take_citizen,
    };
    app.store.write_then(move |tx| take(tx, &page, now), move |taken| announce(&after, taken)).await
}

async fn read_guild(app: &Arc<App>, tag: &GuildTag, errand: Errand) -> Result<Taken, AppError> {
    let page = app.game_site.organization(tag, errand).await?;
    let (now, after) = (App::now().0, Arc::clone(app));
    app.store.write_then(move |tx| take_organization(tx, &page, now), move |taken| announce(&after, taken)).await
}
