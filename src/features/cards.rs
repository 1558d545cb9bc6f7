//! Share cards of players and guilds: which may be shown, their content, and their cache.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use sha2::{Digest, Sha256};

use crate::app::{App, CardFace, Cards, DrawnCard};
use crate::cards::{Card, Figure, Kind};
use crate::domain::hex;
use crate::domain::names::fold_for_lookup;
use crate::domain::scores::Scores;
use crate::domain::times::HOUR_SECS;
use crate::domain::viewer::Viewer;
use crate::error::AppError;
use crate::features::{guilds, players, uploads};
use crate::store::{leaderboard, players as stored};
use crate::views::players::PlayerPage;

/// The maximum age of scores on a card. Names, pictures and visibility are always current.
const SCORES_TTL: Duration = Duration::from_secs(60);
/// How long a request waits for a free drawing slot.
const SLOT_WAIT: Duration = Duration::from_secs(5);

fn missing() -> AppError {
    AppError::NotFound("Card not found.".into())
}

/// The card of a player. Hidden players have none.
pub async fn player(app: &App, handle: &str) -> Result<Arc<DrawnCard>, AppError> {
    let folded = fold_for_lookup(handle).ok_or_else(missing)?;
    let row = app.store.read(move |conn| stored::find_by_handle(conn, &folded)).await?;
    let row = row.filter(|row| !row.is_hidden).ok_or_else(missing)?;
    let face = CardFace {
        name: row.player_name,
        plain: row.handle.clone(),
        guild_id: row.guild_id,
        picture: row.profile_image,
    };
    let card = async || match players::profile(app, &Viewer::Guest, &row.handle).await? {
        PlayerPage::Full(page) => {
            let tagged = |(tag, name)| format!("[{tag}] {name}");
            let rank = |rank: Option<i64>, of: &str| rank.map(|rank| format!("#{rank} {of}"));
            Ok(Card {
                kind: Kind::Player,
                name: page.player_name,
                plain: page.handle,
                line: page.org_short.zip(page.org_name).map(tagged).unwrap_or_default(),
                rank: rank(page.rank_overall, "overall")
                    .or(rank(page.rank_career, "in career"))
                    .or(rank(page.rank_missions, "in missions")),
                figures: figures(&scores_of(app, row.id).await?),
                site: app.settings.site.name.clone(),
                patch: page.patch,
            })
        }
        PlayerPage::Hidden(_) => Err(missing()),
    };
    get_or_draw(app, (Kind::Player, row.id), face, card).await
}

/// The card of a guild.
pub async fn guild(app: &App, tag: &str) -> Result<Arc<DrawnCard>, AppError> {
    let row = guilds::find(&app.store, tag).await?;
    let face = CardFace { name: row.name, plain: row.tag.clone(), guild_id: None, picture: row.guild_image };
    let sums = row.scores;
    let card = async || {
        let page = guilds::profile(app, &row.tag).await?;
        Ok(Card {
            kind: Kind::Guild,
            line: format!("[{}] {} members, {} active", page.short, page.member_count, page.active_member_count),
            name: page.name,
            plain: page.short,
            rank: page.rank_overall.map(|rank| format!("#{rank} overall")),
            figures: figures(&sums),
            site: app.settings.site.name.clone(),
            patch: page.patch,
        })
    };
    get_or_draw(app, (Kind::Guild, row.id), face, card).await
}

/// Returns the cached card if it is current, or draws it.
async fn get_or_draw(
    app: &App,
    key: (Kind, i64),
    face: CardFace,
    card: impl AsyncFnOnce() -> Result<Card, AppError>,
) -> Result<Arc<DrawnCard>, AppError> {
    let fresh = || app.cards.drawn.get(&key).filter(|old| old.face == face && old.counted_at.elapsed() < SCORES_TTL);
    if let Some(drawn) = fresh() {
        return Ok(drawn);
    }
    let slot = tokio::time::timeout(SLOT_WAIT, app.cards.slots.acquire()).await;
    let _slot = slot.ok().and_then(Result::ok).ok_or(AppError::Overloaded)?;
    // Another request may have drawn the same card in the meantime.
    if let Some(drawn) = fresh() {
        return Ok(drawn);
    }
    let (card, counted_at) = (card().await?, Instant::now());
    let (png, tag) = match app.cards.drawn.get(&key).filter(|old| old.face == face && old.card == card) {
        Some(old) => (old.png.clone(), old.tag.clone()),
        None => {
            let picture = match &face.picture {
                Some(path) => uploads::read_by_path(&app.uploads, path).await?,
                None => None,
            };
            let (cards, wanted) = (Arc::clone(&app.cards.renderer), card.clone());
            let work = tokio::task::spawn_blocking(move || cards.draw(&wanted, picture.as_ref()));
            let png = Bytes::from(work.await.map_err(AppError::internal)?.map_err(AppError::internal)?);
            let tag = hex::encode(&Sha256::digest(&png)[..12]);
            (png, tag)
        }
    };
    let drawn = Arc::new(DrawnCard { png, tag, face, card, counted_at });
    app.cards.drawn.insert(key, Arc::clone(&drawn));
    Ok(drawn)
}

/// Loads the fonts before the first request. Blocking.
pub fn warm_up(cards: &Cards) {
    if let Err(error) = cards.renderer.warm_up() {
        tracing::error!(%error, "share cards cannot be drawn");
    }
}

async fn scores_of(app: &App, player_id: i64) -> Result<Scores, AppError> {
    let found = app.store.read(move |conn| leaderboard::score_of(conn, player_id)).await?;
    Ok(found.map(|row| row.scores).unwrap_or_default())
}

/// The figures of fights, or those of the career where there are none.
fn figures(scores: &Scores) -> Vec<Figure> {
    let figure = |label, value, color| Figure { label, value: abbreviate(value), color };
    let missions = |label| figure(label, scores.missions_completed, "#a58bff");
    if scores.overall() > 0 {
        return vec![
            figure("PVP", scores.pu_player_kills, "#ff6b5e"),
            figure("PVE", scores.pve_kills, "#58d6a4"),
            figure("Vehicles", scores.vehicle_destructions, "#f5c451"),
            missions("Missions"),
        ];
    }
    vec![
        figure("Career", scores.career, "#4fc3f7"),
        missions("Contracts"),
        figure("Universe hours", scores.universe_time / HOUR_SECS, "#9fb4cc"),
        figure("Ships flown", scores.ships_flown, "#ff9f5a"),
    ]
}

/// Formats with `k` from 1,000 and `M` from 1,000,000, one decimal.
fn abbreviate(value: i64) -> String {
    let tenths = |unit: i64| (value as f64 / unit as f64 * 10.0).round() / 10.0;
    match value {
        ..1_000 => value.to_string(),
        // Values that round to 1000.0k are formatted in millions.
        1_000..999_950 => format!("{:.1}k", tenths(1_000)),
        _ => format!("{:.1}M", tenths(1_000_000)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_without_fights_shows_the_career() {
        let peaceful =
            Scores { missions_completed: 9, career: 115, ships_flown: 4, universe_time: 25_300, ..Scores::default() };
        let shown =
            |scores| figures(&scores).into_iter().map(|figure| (figure.label, figure.value)).collect::<Vec<_>>();
        let expected = [("Career", "115"), ("Contracts", "9"), ("Universe hours", "7"), ("Ships flown", "4")];
        assert_eq!(shown(peaceful), expected.map(|(label, value)| (label, value.to_owned())));
        assert_eq!(shown(Scores { pve_kills: 1, ..peaceful })[1], ("PVE", "1".to_owned()));
    }

    #[test]
    fn numbers_are_abbreviated_as_on_the_site() {
        let written = [0, 999, 1_000, 1_049, 12_350, 999_949, 999_950, 2_665_916].map(abbreviate);
        assert_eq!(written, ["0", "999", "1.0k", "1.0k", "12.4k", "999.9k", "1.0M", "2.7M"]);
    }
}
