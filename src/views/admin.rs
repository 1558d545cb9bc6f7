//! The admin page: sections with facts, rows and actions, errors, and visits.

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::times::EpochMillis;

/// State of a section.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Tone {
    #[default]
    Ok,
    Warn,
    Error,
    /// Not configured.
    Off,
}

/// A text or an integer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(untagged)]
pub enum Cell {
    Number(i64),
    Text(String),
}

impl Cell {
    /// Epoch milliseconds as UTC date and time.
    pub fn time(ms: i64) -> Self {
        EpochMillis(ms).date_and_time().map_or(Self::Number(ms), |text| format!("{text} UTC").into())
    }
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

/// A named value.
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

/// An action: a POST to the path, without a body.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AdminAction {
    pub label: &'static str,
    pub path: String,
}

/// The cells of a row, and its actions.
pub type AdminRow = (Vec<Option<Cell>>, Vec<AdminAction>);

/// A table with actions for each row.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct AdminRows {
    pub heads: Vec<&'static str>,
    pub rows: Vec<Vec<Option<Cell>>>,
    /// One list per row.
    pub acts: Vec<Vec<AdminAction>>,
}

/// A section of the admin page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct AdminSection {
    /// `database`, `index`, `upstreams`, `queues`, `jobs`, `statsfeed`, `webhooks`, `webhook-log`, `rosters`, `sessions`, `keys`, `reader`.
    pub id: &'static str,
    pub title: &'static str,
    pub tone: Tone,
    /// One sentence about the state.
    pub summary: String,
    /// In display order.
    pub facts: Vec<AdminFact>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<AdminRows>,
}

impl AdminSection {
    pub fn new(tone: Tone, summary: impl Into<String>) -> Self {
        Self { tone, summary: summary.into(), ..Self::default() }
    }

    pub fn with_facts(self, facts: Vec<AdminFact>) -> Self {
        Self { facts, ..self }
    }

    /// Adds a table.
    pub fn with_rows(self, heads: &[&'static str], rows: impl IntoIterator<Item = AdminRow>) -> Self {
        let (rows, acts) = rows.into_iter().unzip();
        Self { rows: Some(AdminRows { heads: heads.to_vec(), rows, acts }), ..self }
    }
}

/// An error since the start of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AdminError {
    /// Epoch seconds.
    pub at: i64,
    /// The code of the response, or the name of the component.
    pub code: String,
    pub message: String,
    pub request_id: Option<String>,
    /// The pattern of the route, not the requested path.
    pub path: Option<String>,
}

/// Totals of a day.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct AdminDay {
    /// `YYYY-MM-DD`
    pub day: String,
    pub views: i64,
    pub visitors: i64,
    pub errors: i64,
    /// Average page load time; null without page loads.
    pub load_ms: Option<i64>,
}

/// A named number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AdminBar {
    pub label: String,
    pub value: i64,
}

/// Totals of visits in the last thirty days.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct AdminVisits {
    /// Oldest first, at least a week, including days without visits; empty if there were no visits.
    pub days: Vec<AdminDay>,
    /// Most viewed first.
    pub pages: Vec<AdminBar>,
    pub referrers: Vec<AdminBar>,
}

/// The admin page. It contains no secrets, so it can be copied into a report.
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
