//! Log readers: device login, grammar, and unknown lines.

use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::{LazyLock, PoisonError};
use std::time::{Duration, Instant};

use crate::app::{App, Attempts};
use crate::domain::addresses;
use crate::domain::device_login::{
    ATTEMPT_WINDOW_SECS, LOGIN_LIFETIME_MS, LoginState, MAX_LOGIN_STARTS, MAX_SAMPLE_BATCHES, MAX_WRONG_CODES,
    POLL_INTERVAL_SECS, code, name, parse_code,
};
use crate::domain::times::EpochMillis;
use crate::domain::viewer::Member;
use crate::error::AppError;
use crate::features::{keys, secret};
use crate::gamelog::{Grammar, GrammarError, MAX_REDACTED_BYTES, redact};
use crate::store::keys as key_store;
use crate::store::reader::{self, LoginRow, UnknownLineRow};
use crate::views::reader::{LoginStarted, LoginStatus, PendingReaderLogin, SampleBatch, SampleView};

/// A file in the data directory that replaces the built-in grammar if it is newer.
const GRAMMAR_FILE: &str = "grammar.json";
/// The built-in grammar. Parsing it compiles hundreds of patterns, so it is done once.
static BUILT_IN: LazyLock<Result<Grammar, GrammarError>> = LazyLock::new(Grammar::built_in);

/// Stored unknown lines.
const MAX_SAMPLES: i64 = 2_000;
const MAX_SAMPLES_PER_UPLOAD: usize = 50;
const MAX_SAMPLES_LISTED: i64 = 200;
const MAX_PATCH_CHARS: usize = 40;
/// Limit of one reported count.
const MAX_SAMPLE_COUNT: i64 = 1_000_000;

/// Starts a device login: creates a code for the user, and a key that is inactive until the code is confirmed.
pub async fn start_login(app: &App, device_name: &str, address: Option<IpAddr>) -> Result<LoginStarted, AppError> {
    limit(app, "login", address, MAX_LOGIN_STARTS)?;
    let key = keys::new_key()?;
    let now = EpochMillis::now().0;
    let login = LoginRow {
        key_hash: secret::hash(&key),
        code: String::new(),
        name: name(device_name),
        network: network(address, &secret::hash(&key)),
        state: LoginState::Waiting.code(),
        created_at: now,
    };
    for _ in 0..3 {
        let login = LoginRow { code: code(secret::bytes().map_err(AppError::internal)?), ..login.clone() };
        let new_code = login.code.clone();
        let is_new = app
            .store
            .write(move |tx| {
                reader::delete_before(tx, now - LOGIN_LIFETIME_MS)?;
                Ok::<_, AppError>(reader::insert(tx, &login)?)
            })
            .await?;
        if is_new {
            return Ok(LoginStarted {
                confirm_url: format!("{}/connect?code={new_code}", app.public_url),
                code: new_code,
                key,
                expires_in: LOGIN_LIFETIME_MS / 1000,
                interval: POLL_INTERVAL_SECS,
            });
        }
    }
    Err(AppError::Overloaded)
}

/// The status of the login of this key.
pub async fn login_status(app: &App, key: &str) -> Result<LoginStatus, AppError> {
    let hash = secret::hash(key);
    let (login, known) = app
        .store
        .read(move |conn| Ok((reader::find_by_key(conn, &hash)?, key_store::find_by_hash(conn, &hash)?)))
        .await?;
    // A confirmed key exists longer than its login.
    if known.is_some_and(|key| key.revoked_at.is_none()) {
        return Ok(LoginStatus { state: LoginState::Confirmed.into() });
    }
    match login {
        Some(login) if is_pending(&login) => Ok(LoginStatus { state: LoginState::from_code(login.state).into() }),
        _ => Err(AppError::NotFound("This code has expired. Start the reader's login again.".into())),
    }
}

/// The login that a user is about to confirm.
pub async fn pending_login(
    app: &App,
    member: &Member,
    typed: &str,
    address: Option<IpAddr>,
) -> Result<PendingReaderLogin, AppError> {
    let login = find_pending(app, member, typed).await?;
    let is_near = login.network == network(address, &login.key_hash);
    let expires_at = login.created_at + LOGIN_LIFETIME_MS;
    Ok(PendingReaderLogin::new(login, expires_at, is_near))
}

/// Confirms or denies a login. A confirmed key belongs to the user.
pub async fn answer_login(app: &App, member: &Member, typed: &str, allow: bool) -> Result<LoginStatus, AppError> {
    let login = find_pending(app, member, typed).await?;
    let state = if allow { LoginState::Confirmed } else { LoginState::Refused };
    let (user_id, now) = (member.user_id, EpochMillis::now().0);
    let is_done = app
        .store
        .write(move |tx| {
            let is_done = reader::set_state(tx, &login.code, state, now - LOGIN_LIFETIME_MS)?;
            if is_done && allow {
                keys::insert_own(tx, &login.name, &login.key_hash, user_id, now)?;
            }
            Ok::<_, AppError>(is_done)
        })
        .await?;
    if !is_done {
        return Err(unknown_code());
    }
    tracing::info!(user = user_id, allow, "a log reader login was answered");
    Ok(LoginStatus { state: state.into() })
}

async fn find_pending(app: &App, member: &Member, typed: &str) -> Result<LoginRow, AppError> {
    let tries = tries(app, format!("code {}", member.user_id));
    refuse_after(&tries, MAX_WRONG_CODES, "Too many wrong codes. Please wait a few minutes before trying again.")?;
    let found = match parse_code(typed) {
        Some(code) => app.store.read(move |conn| reader::find_by_code(conn, &code)).await?,
        None => None,
    };
    match found.filter(|login| is_pending(login) && login.state == LoginState::Waiting.code()) {
        Some(login) => Ok(login),
        None => {
            note(&tries);
            Err(unknown_code())
        }
    }
}

fn unknown_code() -> AppError {
    AppError::NotFound("No reader is waiting for this code. Codes are valid for ten minutes and for one use.".into())
}

fn is_pending(login: &LoginRow) -> bool {
    EpochMillis::now().0 - login.created_at < LOGIN_LIFETIME_MS
}

/// A hash of the caller's network that can only be compared within one login.
fn network(address: Option<IpAddr>, key_hash: &str) -> String {
    address.map_or_else(String::new, |address| secret::hash(&format!("{} {key_hash}", addresses::network(address))))
}

/// The newest grammar: that of the data directory if it is valid and newer than the built-in one.
pub async fn grammar(app: &App) -> Result<String, AppError> {
    let file = app.settings.data_dir.join(GRAMMAR_FILE);
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

/// Stores lines that a reader could not parse. They are redacted again: names and numbers are never stored.
pub async fn store_samples(app: &App, lot: SampleBatch, address: Option<IpAddr>) -> Result<usize, AppError> {
    limit(app, "sample", address, MAX_SAMPLE_BATCHES)?;
    if lot.samples.len() > MAX_SAMPLES_PER_UPLOAD {
        return Err(AppError::invalid_parameter("samples", &format!("at most {MAX_SAMPLES_PER_UPLOAD} lines")));
    }
    let now = EpochMillis::now().0;
    let rows = tokio::task::spawn_blocking(move || masked(&lot, now)).await.map_err(AppError::internal)??;
    let taken = rows.len();
    if taken > 0 {
        app.store.write(move |tx| reader::add_unknown_lines(tx, &rows, MAX_SAMPLES).map_err(AppError::from)).await?;
    }
    Ok(taken)
}

/// Redacts and deduplicates the lines.
fn masked(lot: &SampleBatch, now: i64) -> Result<Vec<UnknownLineRow>, AppError> {
    let patch: String = lot.patch.chars().filter(|c| !c.is_control()).take(MAX_PATCH_CHARS).collect();
    let grammar = BUILT_IN.as_ref().map_err(|error| AppError::Internal(error.to_string().into()))?;
    let mut rows: Vec<UnknownLineRow> = Vec::new();
    for sample in &lot.samples {
        let line = redact(grammar, &sample.line, None).ok_or_else(|| {
            AppError::invalid_parameter(
                "samples.line",
                &format!("a line that begins like a known one, up to {MAX_REDACTED_BYTES} bytes"),
            )
        })?;
        if !(1..=MAX_SAMPLE_COUNT).contains(&sample.count) {
            return Err(AppError::invalid_parameter("samples.count", "a whole number from 1 to 1000000"));
        }
        match rows.iter_mut().find(|row| row.line == line) {
            Some(row) => row.told += sample.count,
            None => rows.push(UnknownLineRow {
                line,
                patch: patch.clone(),
                told: sample.count,
                first_at: now,
                last_at: now,
            }),
        }
    }
    Ok(rows)
}

/// The unknown lines, for admins who maintain the grammar.
pub async fn samples(app: &App, member: &Member) -> Result<Vec<SampleView>, AppError> {
    if !member.is_admin {
        return Err(AppError::Forbidden("Only admins of this site can read this.".into()));
    }
    let rows = app.store.read(|conn| reader::unknown_lines(conn, MAX_SAMPLES_LISTED)).await?;
    Ok(rows.into_iter().map(SampleView::from).collect())
}

fn tries(app: &App, of: String) -> Attempts {
    app.accounts.device_logins(of)
}

fn limit(app: &App, what: &str, address: Option<IpAddr>, most: usize) -> Result<(), AppError> {
    let Some(address) = address else { return Ok(()) };
    let tries = tries(app, format!("{what} {}", addresses::network(address)));
    refuse_after(&tries, most, "Too many attempts from this address. Please wait a few minutes before trying again.")?;
    note(&tries);
    Ok(())
}

fn refuse_after(tries: &Attempts, most: usize, sentence: &str) -> Result<(), AppError> {
    let mut tries = tries.lock().unwrap_or_else(PoisonError::into_inner);
    let (now, window) = (Instant::now(), Duration::from_secs(ATTEMPT_WINDOW_SECS));
    tries.retain(|at| now.duration_since(*at) < window);
    match tries.first().filter(|_| tries.len() >= most) {
        Some(first) => Err(AppError::RateLimited {
            sentence: sentence.to_owned(),
            retry_after_secs: (window - now.duration_since(*first)).as_secs() + 1,
        }),
        None => Ok(()),
    }
}

fn note(tries: &Attempts) {
    tries.lock().unwrap_or_else(PoisonError::into_inner).push(Instant::now());
}
