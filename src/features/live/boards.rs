//! Leaderboards as topics of the live stream: the top 100, then the rows that changed.
//!
//! Each process publishes from its own projections. A leaderboard without subscribers is not read.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::app::App;
use crate::domain::scores::Metric;
use crate::domain::windows::Window;
use crate::error::AppError;
use crate::features::leaderboard::{self, BoardQuery};
use crate::live::{StateUpdate, Topic};

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
#[derive(Debug)]
struct Row {
    /// The handle or tag.
    key: String,
    json: Box<RawValue>,
}

impl Row {
    fn new(key: &str, row: &impl Serialize) -> Result<Self, AppError> {
        Ok(Self { key: key.to_owned(), json: to_raw_value(row).map_err(AppError::internal)? })
    }
}

/// The data of an event `board`.
#[derive(Serialize)]
struct BoardEvent<'a> {
    topic: &'a str,
    /// Whether `rows` is the top 100 in order. Otherwise it has the rows that differ from the previous state.
    is_snapshot: bool,
    rows: Vec<&'a RawValue>,
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
struct Published {
    rows: Vec<Row>,
    total: i64,
    basis: Basis,
    read_at: Instant,
}

/// The last published states of the watched leaderboards. Those that are counted have a feed of their kind, because a count may take
/// seconds.
pub struct BoardFeed {
    is_counted: bool,
    published: HashMap<BoardTopic, Published>,
}

impl BoardFeed {
    pub fn of_all_time() -> Self {
        Self { is_counted: false, published: HashMap::new() }
    }

    pub fn counted() -> Self {
        Self { is_counted: true, ..Self::of_all_time() }
    }

    /// Publishes the changes of the watched leaderboards.
    pub async fn publish(&mut self, app: &App) {
        let own = BOARDS.iter().filter(|(_, board)| board.query().is_counted() == self.is_counted);
        for (topic, board) in own {
            if !app.projections.live().has_subscribers(*topic) {
                self.published.remove(board);
            } else if let Err(error) = publish(app, *board, &mut self.published).await {
                tracing::warn!(%error, board = board.name(), "a board could not be read for the live stream");
            }
        }
    }
}

async fn publish(app: &App, board: BoardTopic, published: &mut HashMap<BoardTopic, Published>) -> Result<(), AppError> {
    let projections = &app.projections;
    // Read before the rows: after a commit or a retraction meanwhile the leaderboard is read again.
    let (generation, epoch) = (projections.generation(), projections.live().epoch());
    let basis = Basis { generation, epoch, counted_at: projections.window_counted_at(board.window) };
    let lacks_state = projections.live().lacks_state(board.topic());
    let before = published.get(&board);
    if !lacks_state && before.is_some_and(|it| it.basis == basis && it.read_at.elapsed() < MAX_AGE) {
        return Ok(());
    }
    let read_at = Instant::now();
    let (rows, total) = read(app, board).await?;
    let update = update(board, before, &rows, total)?;
    if (update.is_changed || lacks_state) && !projections.live().publish_states(epoch, vec![update]) {
        return Ok(());
    }
    // The read may have counted the window.
    let basis = Basis { counted_at: projections.window_counted_at(board.window), ..basis };
    published.insert(board, Published { rows, total, basis, read_at });
    Ok(())
}

/// The top of a leaderboard, and how many players or guilds it ranks.
async fn read(app: &App, board: BoardTopic) -> Result<(Vec<Row>, i64), AppError> {
    let (rows, total): (Result<_, _>, i64) = match board.noun {
        Noun::Players => {
            let (rows, total) = leaderboard::players(app, board.query()).await?;
            (rows.iter().map(|row| Row::new(&row.handle, row)).collect(), total)
        }
        Noun::Guilds => {
            let (rows, pagination) = leaderboard::guilds(app, board.query()).await?;
            (rows.iter().map(|row| Row::new(&row.org_short, row)).collect(), pagination.total)
        }
    };
    Ok((rows?, total))
}

fn update(board: BoardTopic, before: Option<&Published>, rows: &[Row], total: i64) -> Result<StateUpdate, AppError> {
    let name = board.name();
    let (topic, all) = (name.as_str(), rows.iter().map(|row| &*row.json).collect());
    let snapshot = json(&BoardEvent { topic, is_snapshot: true, rows: all, removed: Vec::new(), total })?;
    let (mut delta, mut is_changed) = (None, true);
    if let Some(before) = before {
        let (rows, removed) = difference(&before.rows, rows);
        is_changed = !rows.is_empty() || !removed.is_empty() || total != before.total;
        delta = Some(json(&BoardEvent { topic, is_snapshot: false, rows, removed, total })?);
    }
    Ok(StateUpdate { name: "board", topic: board.topic(), snapshot, delta, is_changed })
}

/// The rows that are new, differ or moved, and the keys of removed rows. Positions count in addition to ranks: a row with a shared rank
/// can move without a changed figure.
fn difference<'a>(before: &'a [Row], now: &'a [Row]) -> (Vec<&'a RawValue>, Vec<&'a str>) {
    let keys: HashSet<&str> = now.iter().map(|row| row.key.as_str()).collect();
    let is_same = |place: usize, row: &Row| before.get(place).is_some_and(|old| old.json.get() == row.json.get());
    let changed = now.iter().enumerate().filter(|(place, row)| !is_same(*place, row));
    let removed = before.iter().map(|row| row.key.as_str()).filter(|key| !keys.contains(key));
    (changed.map(|(_, row)| &*row.json).collect(), removed.collect())
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

    #[test]
    fn a_delta_contains_changed_moved_and_removed_rows() {
        let rows = |rows: [(&str, i64); 4]| rows.map(|row| Row::new(row.0, &row).unwrap());
        let before = rows([("ann", 9), ("bob", 5), ("cyd", 5), ("dot", 1)]);
        let now = rows([("ann", 9), ("cyd", 5), ("bob", 6), ("eve", 1)]);
        let (changed, removed) = difference(&before, &now);
        let changed: Vec<&str> = changed.into_iter().map(RawValue::get).collect();
        assert_eq!((changed, removed), (now[1..].iter().map(|row| row.json.get()).collect(), vec!["dot"]));
    }
}
