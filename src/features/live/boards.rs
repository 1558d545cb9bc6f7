//! Leaderboards as topics of the live stream: the top 100, then the rows that changed.
//!
//! Each process publishes from its own projections. A leaderboard without subscribers is not read.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::app::App;
use crate::domain::scores::Metric;
use crate::domain::windows::Window;
use crate::error::AppError;
use crate::features::leaderboard::{self, BoardQuery};
use crate::live::{StateUpdate, Topic};
use crate::projections::Projections;
use crate::views::guilds::GuildRow;
use crate::views::players::PlayerRow;

/// How many rows a topic has.
const TOP: i64 = 100;
/// Movement, active members and windows change without a commit: a leaderboard is read again after this time.
const MAX_AGE: Duration = Duration::from_secs(60);

/// The entities that a leaderboard ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Noun {
    Players,
    Guilds,
}

/// A leaderboard with a topic, such as `board:players:overall` or `board:guilds:playtime:7d`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BoardTopic {
    noun: Noun,
    metric: Metric,
    window: Window,
}

static BOARDS: LazyLock<HashMap<Topic, BoardTopic>> = LazyLock::new(|| {
    let nouns = [Noun::Players, Noun::Guilds].into_iter();
    let all = nouns.flat_map(|noun| {
        Metric::ALL.into_iter().flat_map(move |metric| {
            Window::NAMES.into_iter().map(move |(_, window)| BoardTopic { noun, metric, window })
        })
    });
    all.map(|board| (board.topic(), board)).collect()
});

impl BoardTopic {
    /// Parses the name of a topic. The window `all` is optional.
    pub fn parse(name: &str) -> Option<Self> {
        let mut parts = name.strip_prefix("board:")?.split(':');
        let noun = match parts.next()? {
            "players" => Noun::Players,
            "guilds" => Noun::Guilds,
            _ => return None,
        };
        let metric = Metric::parse(parts.next()?)?;
        let window = parts.next().unwrap_or("all");
        let (_, window) = Window::NAMES.into_iter().find(|(name, _)| *name == window)?;
        parts.next().is_none().then_some(Self { noun, metric, window })
    }

    pub fn topic(self) -> Topic {
        Topic::new(&self.name())
    }

    /// Whether a topic is a leaderboard.
    pub fn is_board(topic: Topic) -> bool {
        BOARDS.contains_key(&topic)
    }

    fn name(self) -> String {
        let noun = match self.noun {
            Noun::Players => "players",
            Noun::Guilds => "guilds",
        };
        let metric = self.metric.as_str();
        let window = Window::NAMES.iter().find(|(_, window)| *window == self.window).map_or("all", |(name, _)| name);
        match self.window {
            Window::All => format!("board:{noun}:{metric}"),
            _ => format!("board:{noun}:{metric}:{window}"),
        }
    }

    fn query(self) -> BoardQuery {
        BoardQuery::top(self.metric, self.window, TOP)
    }
}

/// A row of a leaderboard.
trait Row: PartialEq + Serialize {
    /// The handle or tag.
    fn key(&self) -> &str;
}

impl Row for PlayerRow {
    fn key(&self) -> &str {
        &self.handle
    }
}

impl Row for GuildRow {
    fn key(&self) -> &str {
        &self.org_short
    }
}

/// The data of an event `board`.
#[derive(Serialize)]
struct BoardEvent<'a, R> {
    topic: &'a str,
    /// Whether `rows` is the top 100 in order. Otherwise it has the rows that differ from the previous state.
    is_snapshot: bool,
    rows: Vec<&'a R>,
    /// Handles or tags that are no longer among the top 100.
    removed: Vec<&'a str>,
    /// How many players or guilds the leaderboard ranks.
    total: i64,
}

/// The state that a leaderboard was read from: while it is unchanged, so are the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Basis {
    generation: u64,
    epoch: u64,
    counted_at: Option<Instant>,
}

/// The last published state of a leaderboard.
struct Published<R> {
    rows: Vec<R>,
    total: i64,
    basis: Basis,
    read_at: Instant,
}

/// The last published states of the watched leaderboards. Those that are counted have a feed of their kind, because a count may take
/// seconds.
pub struct BoardFeed {
    is_counted: bool,
    players: HashMap<BoardTopic, Published<PlayerRow>>,
    guilds: HashMap<BoardTopic, Published<GuildRow>>,
}

impl BoardFeed {
    pub fn of_all_time() -> Self {
        Self { is_counted: false, players: HashMap::new(), guilds: HashMap::new() }
    }

    pub fn counted() -> Self {
        Self { is_counted: true, ..Self::of_all_time() }
    }

    /// Publishes the changes of the watched leaderboards.
    pub async fn publish(&mut self, app: &App) {
        let own = BOARDS.iter().filter(|(_, board)| board.query().is_counted() == self.is_counted);
        for (topic, board) in own {
            let outcome = match (app.projections.live().has_subscribers(*topic), board.noun) {
                (false, _) => {
                    self.players.remove(board);
                    self.guilds.remove(board);
                    Ok(())
                }
                (true, Noun::Players) => {
                    publish(&app.projections, *board, &mut self.players, async |query| {
                        leaderboard::players(app, query).await
                    })
                    .await
                }
                (true, Noun::Guilds) => {
                    let read = async |query| {
                        leaderboard::guilds(app, query).await.map(|(rows, pagination)| (rows, pagination.total))
                    };
                    publish(&app.projections, *board, &mut self.guilds, read).await
                }
            };
            if let Err(error) = outcome {
                tracing::warn!(%error, board = board.name(), "a board could not be read for the live stream");
            }
        }
    }
}

async fn publish<R: Row>(
    projections: &Projections,
    board: BoardTopic,
    published: &mut HashMap<BoardTopic, Published<R>>,
    read: impl AsyncFnOnce(BoardQuery) -> Result<(Vec<R>, i64), AppError>,
) -> Result<(), AppError> {
    // Read before the rows: after a commit or a retraction meanwhile the leaderboard is read again.
    let (generation, epoch) = (projections.generation(), projections.live().epoch());
    let basis = Basis { generation, epoch, counted_at: projections.window_counted_at(board.window) };
    let lacks_state = projections.live().lacks_state(board.topic());
    let before = published.get(&board);
    if !lacks_state && before.is_some_and(|it| it.basis == basis && it.read_at.elapsed() < MAX_AGE) {
        return Ok(());
    }
    let read_at = Instant::now();
    let (rows, total) = read(board.query()).await?;
    let is_changed = before.is_none_or(|before| before.rows != rows || before.total != total);
    if is_changed || lacks_state {
        let update = update(board, before, &rows, total, is_changed)?;
        if !projections.live().publish_states(epoch, vec![update]) {
            return Ok(());
        }
    }
    // The read may have counted the window.
    let basis = Basis { counted_at: projections.window_counted_at(board.window), ..basis };
    published.insert(board, Published { rows, total, basis, read_at });
    Ok(())
}

fn update<R: Row>(
    board: BoardTopic,
    before: Option<&Published<R>>,
    rows: &[R],
    total: i64,
    is_changed: bool,
) -> Result<StateUpdate, AppError> {
    let name = board.name();
    let (topic, all) = (name.as_str(), rows.iter().collect());
    let snapshot = json(&BoardEvent { topic, is_snapshot: true, rows: all, removed: Vec::new(), total })?;
    let delta = before.map(|before| {
        let (rows, removed) = difference(&before.rows, rows);
        json(&BoardEvent { topic, is_snapshot: false, rows, removed, total })
    });
    Ok(StateUpdate { name: "board", topic: board.topic(), snapshot, delta: delta.transpose()?, is_changed })
}

/// The rows that are new, differ or moved, and the keys of removed rows. Positions count in addition to ranks: a row with a shared rank
/// can move without a changed figure.
fn difference<'a, R: Row>(before: &'a [R], now: &'a [R]) -> (Vec<&'a R>, Vec<&'a str>) {
    let places: HashMap<&str, usize> = now.iter().enumerate().map(|(place, row)| (row.key(), place)).collect();
    let changed = now.iter().enumerate().filter(|(place, row)| before.get(*place) != Some(*row));
    let removed = before.iter().map(Row::key).filter(|key| !places.contains_key(key));
    (changed.map(|(_, row)| row).collect(), removed.collect())
}

fn json(body: &impl Serialize) -> Result<String, AppError> {
    serde_json::to_string(body).map_err(AppError::internal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_parsed_from_their_text_form() {
        for board in BOARDS.values() {
            assert_eq!(BoardTopic::parse(&board.name()), Some(*board));
        }
        assert_eq!(BOARDS.len(), 80);
        assert_eq!(BoardTopic::parse("board:players:overall:all"), BoardTopic::parse("board:players:overall"));
        for name in ["board:players", "board:players:kd", "board:players:overall:7d:x", "board:guilds:overall:8d"] {
            assert_eq!(BoardTopic::parse(name), None, "{name}");
        }
    }

    #[derive(Debug, PartialEq, Serialize)]
    struct Line(&'static str, i64);

    impl Row for Line {
        fn key(&self) -> &str {
            self.0
        }
    }

    #[test]
    fn a_delta_contains_changed_moved_and_removed_rows() {
        let before = [Line("ann", 9), Line("bob", 5), Line("cyd", 5), Line("dot", 1)];
        let now = [Line("ann", 9), Line("cyd", 5), Line("bob", 6), Line("eve", 1)];
        let (changed, removed) = difference(&before, &now);
        assert_eq!((changed, removed), (vec![&now[1], &now[2], &now[3]], vec!["dot"]));
    }
}
