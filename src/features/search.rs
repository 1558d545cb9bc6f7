//! Search suggestions for players and guilds.

use std::sync::Arc;

use crate::app::App;
use crate::domain::viewer::{Member, Viewer};
use crate::error::AppError;
use crate::projections::{Projections, entry};
use crate::search::{Entry, Hit, Kind, MatchKind};
use crate::store::entries;
use crate::views::search::{SearchResult, SearchType};

/// The maximum length of a query.
const MAX_QUERY_CHARS: usize = 256;

/// At most `limit` hits that everyone may see, best first. Queries shorter than two characters have none.
pub fn suggest(projections: &Projections, kind: Kind, text: &str, limit: usize) -> Result<Vec<SearchResult>, AppError> {
    let text = validate_query(text)?;
    let hits = projections.search().suggest(kind, text, limit).map_err(AppError::internal)?;
    Ok(hits.into_iter().map(result).collect())
}

/// Adds the hidden profiles that this viewer may see: the owner's own, or all for admins. `None` if there are none, so that the
/// shared response can be used.
pub async fn suggest_hidden(
    app: &App,
    viewer: &Viewer,
    kind: Kind,
    text: &str,
    limit: usize,
) -> Result<Option<Vec<SearchResult>>, AppError> {
    let text = validate_query(text)?;
    let only = match viewer.member() {
        Some(member) if member.is_admin => None,
        Some(Member { player_id: Some(own), .. }) => Some(*own),
        _ => return Ok(None),
    };
    if kind == Kind::Guild {
        return Ok(None);
    }
    let hidden = app.store.read(move |conn| entries::hidden_players(conn, only)).await?;
    if hidden.is_empty() {
        return Ok(None);
    }
    let hidden = hidden.into_iter().map(entry).collect();
    let hits = app.projections.search().suggest_with(hidden, kind, text, limit).map_err(AppError::internal)?;
    Ok(Some(hits.into_iter().map(result).collect()))
}

fn validate_query(text: &str) -> Result<&str, AppError> {
    let text = text.trim();
    if text.chars().nth(MAX_QUERY_CHARS).is_some() {
        return Err(AppError::invalid_parameter("q", &format!("at most {MAX_QUERY_CHARS} characters")));
    }
    Ok(text)
}

fn result(hit: Hit) -> SearchResult {
    let former_handle = if hit.matched == MatchKind::Former { hit.former } else { None };
    let Entry { kind, key, name, org_short, member_count, .. } = Arc::unwrap_or_clone(hit.entry);
    let is_player = kind == Kind::Player;
    SearchResult {
        r#type: if is_player { SearchType::Player } else { SearchType::Guild },
        handle: is_player.then(|| key.clone()),
        player_name: is_player.then(|| name.clone()),
        orgs: org_short.iter().filter(|_| is_player).cloned().collect(),
        org_short: if is_player { org_short } else { Some(key.clone()) },
        short: (!is_player).then_some(key),
        name: Some(name),
        member_count: (!is_player).then_some(member_count),
        former_handle,
    }
}
