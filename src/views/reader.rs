//! What a log reader and its owner are told while the reader gets its key, and lines that readers did not know.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::device_login::LoginState;
use crate::store::reader::{LoginRow, UnknownLineRow};

/// What a reader says of itself.
#[derive(Debug, Deserialize, ToSchema)]
pub struct LoginStart {
    /// The machine's name, under which the key will stand in its owner's list.
    #[serde(default)]
    pub name: String,
}

/// A login that waits to be confirmed.
#[derive(Debug, Serialize, ToSchema)]
pub struct LoginStarted {
    /// To be typed or compared by the owner, such as `BCDF-GHJK`.
    pub code: String,
    /// The ingest key. It opens nothing until the code is confirmed.
    pub key: String,
    /// The page where the code is confirmed.
    pub confirm_url: String,
    /// Seconds until the code dies.
    pub expires_in: i64,
    /// Seconds between two questions of how it stands.
    pub interval: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum LoginStateName {
    Waiting,
    Confirmed,
    Refused,
}

impl From<LoginState> for LoginStateName {
    fn from(state: LoginState) -> Self {
        match state {
            LoginState::Waiting => Self::Waiting,
            LoginState::Confirmed => Self::Confirmed,
            LoginState::Refused => Self::Refused,
        }
    }
}

/// How a login stands.
#[derive(Debug, Serialize, ToSchema)]
pub struct LoginStatus {
    pub state: LoginStateName,
}

/// What the owner sees before confirming.
#[derive(Debug, Serialize, ToSchema)]
pub struct PendingReaderLogin {
    pub code: String,
    pub name: String,
    /// Epoch seconds.
    pub asked_at: i64,
    pub expires_at: i64,
    /// The reader asked from the network that the owner looks from.
    pub is_near: bool,
}

impl PendingReaderLogin {
    pub fn new(login: LoginRow, expires_at: i64, is_near: bool) -> Self {
        Self {
            code: login.code,
            name: login.name,
            asked_at: login.created_at.div_euclid(1000),
            expires_at: expires_at.div_euclid(1000),
            is_near,
        }
    }
}

/// The owner's word.
#[derive(Debug, Deserialize, ToSchema)]
pub struct LoginDecision {
    pub allow: bool,
}

/// Lines that a reader did not know, sent with its user's yes.
#[derive(Debug, Deserialize, ToSchema)]
pub struct SampleBatch {
    /// The patch the log names.
    #[serde(default)]
    pub patch: String,
    pub samples: Vec<Sample>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Sample {
    /// The line without names and numbers.
    pub line: String,
    pub count: i64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct SamplesAccepted {
    pub taken: usize,
}

/// A line that readers told of.
#[derive(Debug, Serialize, ToSchema)]
pub struct SampleView {
    pub line: String,
    pub patch: String,
    pub told: i64,
    /// Epoch seconds.
    pub first_at: i64,
    pub last_at: i64,
}

impl From<UnknownLineRow> for SampleView {
    fn from(row: UnknownLineRow) -> Self {
        Self {
            line: row.line,
            patch: row.patch,
            told: row.told,
            first_at: row.first_at.div_euclid(1000),
            last_at: row.last_at.div_euclid(1000),
        }
    }
}
