//! Loads ranks and counts from the database.

use std::collections::HashMap;

use crate::domain::day_start_ranks::DayStartRanks;
use crate::domain::ranks::Ranks;
use crate::domain::scores::Scores;
use crate::domain::times::Day;
use crate::store::changes::ChangePosition;
use crate::store::conn::AnyConn;
use crate::store::{Store, StoreError, changes, guilds, leaderboard, players};

use super::ProjectionError;

/// The figures of players, or of guilds.
pub(super) struct Loaded {
    pub ranks: Ranks,
    pub day_start: DayStartRanks,
    pub count: i64,
}

/// The figures of players and guilds at one moment.
pub(super) struct Figures {
    /// The newest change that they include.
    pub position: ChangePosition,
    pub players: Loaded,
    pub guilds: Loaded,
}

impl Figures {
    /// Loads while other processes may write.
    pub fn load(store: &Store) -> Result<Self, ProjectionError> {
        Self::load_with(store, |conn| Ok(player_ranks(conn, (0, i64::MAX))?))
    }

    /// Loads at the start, when no other process writes to a SQLite database: two threads read half of the players each.
    pub fn load_first(store: &Store) -> Result<Self, ProjectionError> {
        if store.is_postgres() {
            return Self::load(store);
        }
        Self::load_with(store, |conn| player_ranks_by_halves(store, conn))
    }

    fn load_with(
        store: &Store,
        player_ranks: impl FnOnce(&mut AnyConn) -> Result<Ranks, ProjectionError>,
    ) -> Result<Self, ProjectionError> {
        let day = store.now().day();
        store.read_snapshot(|conn| {
            let (player_ranks, guild_ranks) = (player_ranks(conn)?, guild_ranks(conn)?);
            let [player_day_start, guild_day_start] = day_starts(conn, day, [&player_ranks, &guild_ranks])?;
            Ok(Self {
                position: changes::newest(conn)?,
                players: Loaded { ranks: player_ranks, day_start: player_day_start, count: players::count(conn)? },
                guilds: Loaded { ranks: guild_ranks, day_start: guild_day_start, count: guilds::count(conn)? },
            })
        })
    }
}

fn player_ranks(conn: &mut AnyConn, ids: (i64, i64)) -> diesel::QueryResult<Ranks> {
    let mut ranks = Ranks::default();
    leaderboard::for_each_visible(conn, ids, |scores| ranks.change(&Scores::default(), &scores))?;
    Ok(ranks)
}

fn player_ranks_by_halves(store: &Store, conn: &mut AnyConn) -> Result<Ranks, ProjectionError> {
    let half = leaderboard::last_id(conn)? / 2;
    std::thread::scope(|scope| {
        let first = scope.spawn(|| store.read_blocking(|conn| player_ranks(conn, (0, half))));
        let mut ranks = player_ranks(conn, (half + 1, i64::MAX))?;
        let first = first.join().map_err(|_| StoreError::Closed)??;
        ranks.merge(&first);
        Ok(ranks)
    })
}

fn guild_ranks(conn: &mut AnyConn) -> diesel::QueryResult<Ranks> {
    let mut ranks = Ranks::default();
    guilds::for_each_score(conn, |scores| ranks.change(&Scores::default(), &scores))?;
    Ok(ranks)
}

/// The ranks of players and guilds at the start of the day: the current ones without the gains of the day.
fn day_starts(conn: &mut AnyConn, day: Day, ranks: [&Ranks; 2]) -> diesel::QueryResult<[DayStartRanks; 2]> {
    let mut gains: HashMap<i64, Scores> = HashMap::new();
    let mut guild_gains = HashMap::<i64, Scores>::new();
    leaderboard::for_each_since_day(conn, day.0, |row| {
        let scores = row.scores;
        if let Some(guild_id) = row.guild_id {
            *guild_gains.entry(guild_id).or_default() += scores;
        }
        if !row.is_hidden {
            gains.insert(row.player_id, scores);
        }
    })?;
    let ids: Vec<i64> = gains.keys().copied().collect();
    let rows = leaderboard::scores_of(conn, &ids)?.into_iter();
    let changed = rows.filter_map(|row| Some((row.player_id, row.scores - *gains.get(&row.player_id)?, row.scores)));
    let players = DayStartRanks::new(day, ranks[0], changed);
    let guild_rows = guilds::find_many(conn, &guild_gains.keys().copied().collect::<Vec<_>>())?;
    let changed = guild_rows.iter().map(|row| (row.id, row.scores));
    let guilds = DayStartRanks::new(day, ranks[1], changed.map(|(id, now)| (id, now - guild_gains[&id], now)));
    Ok([players, guilds])
}
