//! Finding players and guilds while somebody types.

use crate::app::App;
use crate::error::AppError;
use crate::search::{Hit, Kind, Matched};
use crate::views::search::{SearchResult, SearchType};

/// How long a text may be, in bytes.
pub const MAX_QUERY: usize = 256;

/// At most `limit` hits, best first; nothing for fewer than two characters.
pub fn suggest(app: &App, kind: Kind, text: &str, limit: usize) -> Result<Vec<SearchResult>, AppError> {
    let text = text.trim();
    if text.len() > MAX_QUERY {
        return Err(AppError::parameter("q", "at most 256 bytes"));
    }
    let hits = app.search.suggest(kind, text, limit).map_err(AppError::internal)?;
    Ok(hits.into_iter().map(result).collect())
}

fn result(hit: Hit) -> SearchResult {
    let former_handle = if hit.matched == Matched::Former { hit.former } else { None };
    match hit.kind {
        Kind::Player => SearchResult {
            r#type: SearchType::Player,
            handle: Some(hit.key),
            player_name: Some(hit.name.clone()),
            orgs: hit.org_short.iter().cloned().collect(),
            org_short: hit.org_short,
            short: None,
            name: Some(hit.name),
            member_count: None,
            former_handle,
        },
        Kind::Guild => SearchResult {
            r#type: SearchType::Guild,
            handle: None,
            player_name: None,
            org_short: Some(hit.key.clone()),
            orgs: Vec::new(),
            short: Some(hit.key),
            name: Some(hit.name),
            member_count: Some(hit.member_count),
            former_handle,
        },
    }
}
