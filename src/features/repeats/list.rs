//! What the rule withholds, for admins.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

use crate::domain::times::EpochMillis;
use crate::domain::trust::REPEAT_WINDOW_MS;
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::store::conn::AnyConn;
use crate::store::{Store, leaderboard, players, repeats};
use crate::views::repeats::{WithheldCircle, WithheldKiller, WithheldKills, WithheldPair};

use super::circles::read_links;

/// The withheld kills by killer, pair and circle, at most `limit` of each.
pub async fn list_withheld(store: &Store, viewer: &Member, share: u32, limit: i64) -> Result<WithheldKills, AppError> {
    if !viewer.is_admin {
        return Err(AppError::Forbidden("Only admins of this site can see withheld kills.".into()));
    }
    let now = EpochMillis::now();
    Ok(store.read(move |conn| read(conn, share, limit, now)).await?)
}

fn read(conn: &mut AnyConn, share: u32, limit: i64, now: EpochMillis) -> diesel::QueryResult<WithheldKills> {
    let killers = repeats::withheld_by_killer(conn, limit)?;
    let pairs = repeats::withheld_by_pair(conn, limit)?;
    let circles = largest_circles(conn, limit, now)?;
    let mut ids: BTreeSet<i64> = killers.iter().map(|(id, _)| *id).collect();
    ids.extend(pairs.iter().flat_map(|pair| [pair.low_id, pair.high_id]));
    ids.extend(circles.iter().flat_map(|(members, _)| members));
    let ids: Vec<i64> = ids.into_iter().collect();
    let names: HashMap<i64, String> =
        players::find_refs_by_id(conn, &ids)?.into_iter().map(|player| (player.id, player.handle)).collect();
    let name = |id: &i64| names.get(id).cloned().unwrap_or_default();
    let killer_ids: Vec<i64> = killers.iter().map(|(id, _)| *id).collect();
    let scores: HashMap<i64, i64> = leaderboard::scores_of(conn, &killer_ids)?
        .into_iter()
        .map(|row| (row.player_id, row.scores().pu_player_kills))
        .collect();
    let killer = |(id, withheld): &(i64, i64)| WithheldKiller {
        handle: name(id),
        withheld: *withheld,
        counted: scores.get(id).copied().unwrap_or_default(),
    };
    Ok(WithheldKills {
        total: repeats::count_withheld(conn)?,
        share,
        killers: killers.iter().map(killer).collect(),
        pairs: pairs
            .iter()
            .map(|pair| WithheldPair { players: [name(&pair.low_id), name(&pair.high_id)], withheld: pair.kills })
            .collect(),
        circles: circles
            .iter()
            .map(|(members, withheld)| WithheldCircle {
                players: members.iter().map(name).collect(),
                withheld: *withheld,
            })
            .collect(),
    })
}

/// The circles with the most withheld kills in the last 90 days.
fn largest_circles(conn: &mut AnyConn, limit: i64, now: EpochMillis) -> diesel::QueryResult<Vec<(BTreeSet<i64>, i64)>> {
    let mut circles = Vec::new();
    for members in read_links(conn)?.circles(now.0) {
        let ids: Vec<i64> = members.iter().copied().collect();
        let withheld = repeats::count_withheld_among(conn, &ids, now.0 - REPEAT_WINDOW_MS)?;
        circles.push((members, withheld));
    }
    circles.sort_by_key(|(_, withheld)| Reverse(*withheld));
    circles.truncate(usize::try_from(limit).unwrap_or_default());
    Ok(circles)
}
