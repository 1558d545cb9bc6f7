//! What one process tells the others of what it committed, and what follows from it in each of them.
//!
//! A change is noted inside its transaction and gets a number there, in the order of commits. After the commit it takes
//! effect here, in its turn; every other process hears of it from Postgres and does the same. SQLite has one process.

mod apply;
mod follow;

use serde::{Deserialize, Serialize};

use crate::app::{App, Effect};
use crate::domain::scores::Scores;
use crate::error::AppError;
use crate::features::ingest::IngestChange;
use crate::store::Tx;
use crate::store::changes::{self, ChangePosition};
use crate::store::ingest::FiveScores;

pub use follow::{Follower, forget_old};

/// Something that was committed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Events(IngestChange),
    Touched(Touched),
    /// Ids of commits that are new, oldest first.
    Commits(Vec<String>),
    /// An ingest key was revoked.
    Keys,
    /// More than can be told: everything derived is built anew.
    Everything,
}

/// Players and guilds that something else than an event changed.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Touched {
    /// Those that search and boards have to read anew; each whose name, picture, guild or figures changed.
    pub players: Vec<i64>,
    pub guilds: Vec<i64>,
    /// Figures that count for ranks, before and after; all 0 while hidden.
    pub player_figures: Vec<(FiveScores, FiveScores)>,
    /// Guild, before and after.
    pub guild_figures: Vec<(i64, FiveScores, FiveScores)>,
    pub new_players: i64,
    pub new_guilds: i64,
    /// Handles that must not be shown any more.
    pub hidden: Vec<String>,
    /// Players that were just read from the game's site on demand.
    pub refreshed: Vec<i64>,
}

/// A change with its place among all others; to be handed to [`take`] after the commit.
#[derive(Debug, Clone)]
pub struct Noted {
    place: ChangePosition,
    change: Change,
}

/// Notes a change inside its transaction, as the last thing in it.
pub fn note(tx: &mut Tx, change: Change) -> Result<Noted, AppError> {
    let messages = match &change {
        Change::Commits(ids) => ids.len() as i64,
        // One for each guild whose members or sums changed, see `apply`.
        Change::Touched(touched) => (touched.guilds.len() + touched.players.len()) as i64,
        _ => 0,
    };
    let body = serde_json::to_string(&change).map_err(AppError::internal)?;
    let place = changes::publish(tx, App::now().0, messages, &body)?;
    Ok(Noted { place, change })
}

/// Lets a noted change take effect here. Called on the thread of the commit.
pub fn take(app: &App, noted: &Noted) {
    let Noted { place, change } = noted.clone();
    app.in_order([(place.id, Box::new(move |app: &App| apply::apply(app, place, &change)) as Effect)]);
}

/// Tells the other processes that everything derived has to be built anew; here that was done.
pub async fn everything(app: &App) -> Result<(), AppError> {
    let noted = app.store.write(|tx| note(tx, Change::Everything)).await?;
    app.in_order([(noted.place.id, Box::new(|_: &App| {}) as Effect)]);
    Ok(())
}

fn scores(s: FiveScores) -> Scores {
    Scores {
        pu_player_kills: s[0],
        pve_kills: s[1],
        vehicle_destructions: s[2],
        missions_completed: s[3],
        playtime: s[4],
    }
}
