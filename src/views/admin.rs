//! How the server fares, for its admins: parts with figures and rows, what may be done about them, errors, visits.

use serde::Serialize;
use utoipa::ToSchema;

/// How a part is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    Ok,
    Warn,
    Error,
    /// Not set up.
    Off,
}

/// A text or a whole number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum Cell {
    Number(i64),
    Text(String),
}

impl From<i64> for Cell {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

/// A figure under its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AdminFact {
    pub label: &'static str,
    pub value: Cell,
    /// `bytes`, `seconds`, `ms`, or `at` for epoch seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'static str>,
}

impl AdminFact {
    pub fn new(label: &'static str, value: impl Into<Cell>) -> Self {
        Self { label, value: value.into(), unit: None }
    }

    pub fn with_unit(self, unit: &'static str) -> Self {
        Self { unit: Some(unit), ..self }
    }
}

/// Something an admin may do: a POST to the path, without a body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AdminAction {
    pub label: &'static str,
    pub path: String,
}

/// Things of one kind, each with what may be done about it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct AdminRows {
    pub heads: Vec<&'static str>,
    pub rows: Vec<Vec<Option<Cell>>>,
    /// One list for each row.
    pub acts: Vec<Vec<AdminAction>>,
}

/// One part of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AdminSection {
    /// `database`, `index`, `upstreams`, `queues`, `jobs`, `statsfeed`, `webhooks`, `webhook-log`, `rosters`, `sessions`, `keys`, `reader`.
    pub id: &'static str,
    pub title: &'static str,
    pub tone: Tone,
    /// One sentence on the state.
    pub summary: String,
    /// In the order to show them.
    pub facts: Vec<AdminFact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<AdminRows>,
}

/// An error that somebody met since the server started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AdminError {
    /// Epoch seconds.
    pub at: i64,
    /// The code of the answer, or what part of the program it was.
    pub code: String,
    pub message: String,
    pub request_id: Option<String>,
    /// The route, not the address that was asked for.
    pub path: Option<String>,
}

/// The sums of a day.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct AdminDay {
    /// `YYYY-MM-DD`
    pub day: String,
    pub views: i64,
    pub visitors: i64,
    pub errors: i64,
    /// Of the page loads of that day, on average; null without any.
    pub load_ms: Option<i64>,
}

/// A named number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AdminBar {
    pub label: String,
    pub value: i64,
}

/// Visits of the last thirty days, as sums.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct AdminVisits {
    /// Oldest first, a week at least, days without a visit included; empty while there was none at all.
    pub days: Vec<AdminDay>,
    /// Most viewed first.
    pub pages: Vec<AdminBar>,
    pub referrers: Vec<AdminBar>,
}

/// The whole page; it holds no secret and may be copied into a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AdminState {
    pub version: &'static str,
    /// Epoch seconds.
    pub started_at: i64,
    pub at: i64,
    pub sections: Vec<AdminSection>,
    /// Newest first.
    pub errors: Vec<AdminError>,
    pub visits: AdminVisits,
}
