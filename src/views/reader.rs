//! Login of log readers, and samples of unknown lines.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::domain::device_login::LoginState;
use crate::store::reader::UnknownLineRow;

/// A login request of a reader.
#[derive(Debug, Deserialize, ToSchema)]
pub struct LoginStart {
    /// Name of the machine, and of the key in its owner's list.
    #[serde(default)]
    pub name: String,
}

/// A login that waits for confirmation.
#[derive(Debug, Serialize, ToSchema)]
pub struct LoginStarted {
    /// Code that the owner types or compares, such as `BCDF-GHJK`.
    pub code: String,
    /// The ingest key, inactive until the code is confirmed.
    pub key: String,
    /// The page on which the owner confirms the code.
    pub confirm_url: String,
    /// Seconds until the code expires.
    pub expires_in: i64,
    /// Seconds between two requests for the login state.
    pub interval: u64,
}

/// State of a login.
#[derive(Debug, Serialize, ToSchema)]
pub struct LoginStatus {
    pub state: LoginState,
}

/// A pending login as its owner sees it.
#[derive(Debug, Serialize, ToSchema)]
pub struct PendingReaderLogin {
    pub code: String,
    pub name: String,
    /// Epoch seconds.
    #[serde(rename = "asked_at")]
    pub started_at: i64,
    pub expires_at: i64,
    /// Whether reader and owner are in the same network.
    pub is_near: bool,
}

/// The owner's decision.
#[derive(Debug, Deserialize, ToSchema)]
pub struct LoginDecision {
    pub allow: bool,
}

/// Lines that a reader could not parse, sent with its user's consent.
#[derive(Debug, Deserialize, ToSchema)]
pub struct SampleBatch {
    /// Patch that the log names.
    #[serde(default)]
    pub patch: String,
    pub samples: Vec<Sample>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Sample {
    /// The line, without names and numbers.
    pub line: String,
    pub count: i64,
}

#[derive(Debug, Serialize, ToSchema)]
pub struct SamplesAccepted {
    pub taken: usize,
}

#[derive(Serialize, ToSchema)]
pub struct Samples {
    pub samples: Vec<UnknownLineRow>,
}
