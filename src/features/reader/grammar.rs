//! The grammar that this site serves to log readers.

use std::path::PathBuf;
use std::sync::LazyLock;

use crate::config::Settings;
use crate::error::AppError;
use gamelog::{Grammar, GrammarError};

/// A file in the data directory that replaces the built-in grammar if it is newer.
const GRAMMAR_FILE: &str = "grammar.json";
/// The built-in grammar. Parsing it compiles hundreds of patterns, so it is done once.
pub(super) static BUILT_IN: LazyLock<Result<Grammar, GrammarError>> = LazyLock::new(Grammar::built_in);

/// The newest grammar: that of the data directory if it is valid and newer than the built-in one.
pub async fn grammar(settings: &Settings) -> Result<String, AppError> {
    let file = settings.data_dir.join(GRAMMAR_FILE);
    tokio::task::spawn_blocking(move || newest_grammar(file)).await.map_err(AppError::internal)
}

fn newest_grammar(file: PathBuf) -> String {
    let own = std::fs::read_to_string(file).ok();
    let newer = own.filter(|json| match (Grammar::parse_served(json), &*BUILT_IN) {
        (Ok(own), Ok(built_in)) => own.version() > built_in.version(),
        (Err(error), _) => {
            tracing::warn!(%error, "grammar.json in the data directory is invalid and not used");
            false
        }
        _ => false,
    });
    newer.unwrap_or_else(|| Grammar::BUILT_IN.to_owned())
}
