//! The error of all use cases, with its HTTP status, code and message. Messages never include the text of a library's error.

use std::sync::Arc;

use serde::Serialize;
use utoipa::ToSchema;

use crate::domain::json::JsonError;
use crate::files::{FilesError, PictureError};
use crate::projections::ProjectionError;
use crate::store::{Retryable, StoreError};
use crate::upstream::discord::DiscordError;
use crate::upstream::game_site::SiteError;

/// Values in error messages are truncated to this length.
const MAX_VALUE_CHARS: usize = 40;

/// The machine-readable code of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Code {
    Validation,
    CodeNotFound,
    Unauthorized,
    TokenExpired,
    Forbidden,
    ClaimRequired,
    SuspiciousAccessBlocked,
    NotFound,
    MethodNotAllowed,
    Conflict,
    PayloadTooLarge,
    UnsupportedMediaType,
    RateLimitExceeded,
    UpstreamUnavailable,
    Overloaded,
    Internal,
}

impl Code {
    /// Returns the HTTP status of the code.
    pub fn status(self) -> u16 {
        match self {
            Self::Validation | Self::CodeNotFound => 400,
            Self::Unauthorized | Self::TokenExpired => 401,
            Self::Forbidden | Self::ClaimRequired | Self::SuspiciousAccessBlocked => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::Conflict => 409,
            Self::PayloadTooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::RateLimitExceeded => 429,
            Self::Internal => 500,
            Self::UpstreamUnavailable => 502,
            Self::Overloaded => 503,
        }
    }
}

/// Who has claimed the player of a log, other than the sender's account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ClaimedBy {
    Nobody,
    Other,
}

/// An error of a use case. Its `Display` text is shown to users.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AppError {
    #[error("{0}")]
    Validation(String),
    #[error("{0}")]
    CodeNotFound(String),
    #[error("{0}")]
    Unauthorized(String),
    #[error("Your session has expired. Please log in again.")]
    TokenExpired,
    #[error("{0}")]
    Forbidden(String),
    /// An account uploads the log of a player that it has not claimed.
    #[error("{sentence}")]
    ClaimRequired { sentence: String, claimed_by: ClaimedBy },
    #[error("This address sends too many requests and is blocked for a while.")]
    SuspiciousAccess { retry_after_secs: u64 },
    #[error("{0}")]
    NotFound(String),
    #[error("This path does not support that method.")]
    MethodNotAllowed,
    #[error("{0}")]
    Conflict(String),
    #[error("{0}")]
    PayloadTooLarge(String),
    #[error("{0}")]
    UnsupportedMediaType(String),
    #[error("{sentence}")]
    RateLimited { sentence: String, retry_after_secs: u64 },
    #[error("{0}")]
    Upstream(String),
    #[error("The server is overloaded. Please try again in a moment.")]
    Overloaded,
    #[error("The server's disk is full, so nothing can be stored right now. Reading still works.")]
    StorageFull,
    /// A transaction that lost a race. The store runs it again, so clients see this only after the last attempt.
    #[error("The server is overloaded. Please try again in a moment.")]
    RetryTransaction,
    #[error("Something went wrong on our side.")]
    Internal(#[source] Arc<dyn std::error::Error + Send + Sync>),
}

impl AppError {
    pub fn code(&self) -> Code {
        match self {
            Self::Validation(_) => Code::Validation,
            Self::CodeNotFound(_) => Code::CodeNotFound,
            Self::Unauthorized(_) => Code::Unauthorized,
            Self::TokenExpired => Code::TokenExpired,
            Self::Forbidden(_) => Code::Forbidden,
            Self::ClaimRequired { .. } => Code::ClaimRequired,
            Self::SuspiciousAccess { .. } => Code::SuspiciousAccessBlocked,
            Self::NotFound(_) => Code::NotFound,
            Self::MethodNotAllowed => Code::MethodNotAllowed,
            Self::Conflict(_) => Code::Conflict,
            Self::PayloadTooLarge(_) => Code::PayloadTooLarge,
            Self::UnsupportedMediaType(_) => Code::UnsupportedMediaType,
            Self::RateLimited { .. } => Code::RateLimitExceeded,
            Self::Upstream(_) => Code::UpstreamUnavailable,
            Self::Overloaded | Self::StorageFull | Self::RetryTransaction => Code::Overloaded,
            Self::Internal(_) => Code::Internal,
        }
    }

    /// Returns the value of `Retry-After`, if a retry can succeed.
    pub fn retry_after_secs(&self) -> Option<u64> {
        match self {
            Self::RateLimited { retry_after_secs, .. } | Self::SuspiciousAccess { retry_after_secs } => {
                Some(*retry_after_secs)
            }
            Self::Overloaded | Self::RetryTransaction => Some(1),
            Self::StorageFull => Some(30),
            _ => None,
        }
    }

    pub fn internal(error: impl std::error::Error + Send + Sync + 'static) -> Self {
        Self::Internal(Arc::new(error))
    }

    /// A parameter or field that is missing or invalid; `expected` describes what is accepted.
    pub fn invalid_parameter(name: &str, expected: &str) -> Self {
        Self::Validation(format!("invalid {name}: expected {expected}"))
    }

    /// A parameter or field with a value that is not accepted. The message contains the start of the value.
    pub fn invalid_value(name: &str, value: &str, expected: &str) -> Self {
        let excerpt: String = value.chars().filter(|c| !c.is_control()).take(MAX_VALUE_CHARS).collect();
        let ellipsis = if excerpt.len() < value.len() { "…" } else { "" };
        Self::Validation(format!("invalid {name} '{excerpt}{ellipsis}': expected {expected}"))
    }

    pub fn player_not_found(handle: &str) -> Self {
        Self::NotFound(format!("Player \"{handle}\" not found"))
    }

    pub fn guild_not_found() -> Self {
        Self::NotFound("Guild not found".into())
    }
}

impl From<StoreError> for AppError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Busy | StoreError::Closed => Self::Overloaded,
            StoreError::Full => Self::StorageFull,
            other => Self::Internal(Arc::new(other)),
        }
    }
}

impl From<ProjectionError> for AppError {
    fn from(error: ProjectionError) -> Self {
        match error {
            ProjectionError::Store(error) => error.into(),
            other => Self::internal(other),
        }
    }
}

impl From<JsonError> for AppError {
    fn from(error: JsonError) -> Self {
        Self::Validation(error.to_string())
    }
}

impl From<diesel::result::Error> for AppError {
    fn from(error: diesel::result::Error) -> Self {
        StoreError::classify(error).into()
    }
}

impl From<DiscordError> for AppError {
    fn from(error: DiscordError) -> Self {
        let sentence = match error {
            DiscordError::InvalidGrant => {
                let sentence = "This sign-in code was already used or has expired. Please sign in with Discord again.";
                return Self::Unauthorized(sentence.into());
            }
            DiscordError::TimedOut => "Discord did not respond in time. Please try again.",
            DiscordError::Unreachable(_) | DiscordError::ServerError(_) | DiscordError::InvalidResponse(_) => {
                "Discord could not be reached or failed. Please try again in a moment."
            }
            DiscordError::RateLimited { .. } | DiscordError::CircuitOpen { .. } => {
                "Discord is currently unavailable. Please try to sign in again in a minute."
            }
            DiscordError::Unauthorized | DiscordError::Forbidden { .. } | DiscordError::NoBotToken => {
                "Discord rejected this site's credentials. The site's owner must correct them."
            }
            DiscordError::NotFound { .. } | DiscordError::Rejected { .. } => {
                "Discord rejected the request. Please try again."
            }
        };
        Self::Upstream(sentence.into())
    }
}

impl From<SiteError> for AppError {
    fn from(error: SiteError) -> Self {
        let sentence = match error {
            SiteError::NotFound => return Self::NotFound("This name was not found on the game's site.".into()),
            SiteError::TimedOut(_) => "The game's site did not respond in time. Please try again.",
            SiteError::Unreachable(_) => "The game's site could not be reached. Please try again in a moment.",
            SiteError::Blocked { .. } | SiteError::Busy { .. } => {
                "The game's site is currently rejecting requests. Please try again in a minute."
            }
            SiteError::TooLarge(_) | SiteError::ChangedMarkup(_) | SiteError::BadRedirect(_) => {
                "The game's site sent a page that cannot be parsed. Stored data is unchanged."
            }
        };
        Self::Upstream(sentence.into())
    }
}

impl From<FilesError> for AppError {
    fn from(error: FilesError) -> Self {
        match error {
            FilesError::Full => Self::StorageFull,
            other => Self::internal(other),
        }
    }
}

impl From<PictureError> for AppError {
    fn from(error: PictureError) -> Self {
        let sentence = sentence(&error.to_string());
        match error {
            PictureError::TooManyBytes { .. }
            | PictureError::TooManyPixels { .. }
            | PictureError::TooMuchMemory { .. }
            | PictureError::TooManyScans { .. } => Self::PayloadTooLarge(sentence),
            PictureError::UnsupportedType { .. } => Self::UnsupportedMediaType(sentence),
            PictureError::Unreadable => Self::Validation(sentence),
            PictureError::Busy => Self::Overloaded,
        }
    }
}

/// Capitalizes an error and ends it with a period.
fn sentence(cause: &str) -> String {
    let mut letters = cause.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}

impl Retryable for AppError {
    fn is_retryable(&self) -> bool {
        match self {
            Self::RetryTransaction => true,
            Self::Internal(source) => source.downcast_ref::<StoreError>().is_some_and(Retryable::is_retryable),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_serialize_to_their_documented_names() {
        let name = |code: Code| serde_json::to_value(code).unwrap();
        assert_eq!(name(Code::RateLimitExceeded), "RATE_LIMIT_EXCEEDED");
        assert_eq!(name(Code::SuspiciousAccessBlocked), "SUSPICIOUS_ACCESS_BLOCKED");
    }

    #[test]
    fn messages_do_not_contain_errors_of_libraries() {
        let error = AppError::internal(std::io::Error::other("secret path"));
        assert!(!error.to_string().contains("secret"));
    }
}
