//! All SQL of the program: row types and query functions, one file per noun, and the ways to run them.
//! Only `features` calls [`Store::read`] and [`Store::write`]; query functions take a connection or a transaction.
//! Never here: scoring rules, permissions, HTTP, JSON shapes.

pub mod account;
pub mod activity;
pub mod career;
pub mod changes;
pub mod claims;
pub mod commits;
pub mod conn;
pub mod database_size;
pub mod demo;
pub mod entries;
pub mod guilds;
pub mod ingest;
pub mod key_days;
pub mod keys;
pub mod leaderboard;
pub mod leases;
pub mod listen;
pub mod logs;
pub mod membership;
pub mod moderation;
pub mod patch;
pub mod players;
pub mod reader;
pub mod recount;
pub mod rosters;
pub mod schema;
mod scores;
pub mod search_changes;
pub mod sessions;
pub mod settings;
pub mod snapshot;
mod sqlite_setup;
pub mod statsfeed;
pub mod transfer;
pub mod uploads;
pub mod usage;
pub mod users;
pub mod viewers;
pub mod visits;
pub mod webhooks;
mod writer;

use std::sync::Arc;
use std::time::Duration;

use diesel_migrations::{EmbeddedMigrations, MigrationHarness, embed_migrations};

use changes::RecordedChange;
use conn::{AnyConn, ConnectionManager, ConnectionMode, DatabaseUrl, Pool};
use tokio::sync::Semaphore;
pub use writer::Tx;

use crate::domain::clock::Clock;
use crate::domain::times::EpochMillis;

/// How long a read waits for a connection.
const READ_TIMEOUT: Duration = Duration::from_secs(5);

const SQLITE_MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/sqlite");
const POSTGRES_MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/postgres");

/// Keys per statement; keeps the widest table below SQLite's limit of 32,766 bound values.
const CHUNK: usize = 1_000;

/// The rows of a query that gets the keys in parts.
fn in_chunks<K, T>(
    keys: &[K],
    mut query: impl FnMut(&[K]) -> diesel::QueryResult<Vec<T>>,
) -> diesel::QueryResult<Vec<T>> {
    let mut found = Vec::with_capacity(keys.len());
    for keys in keys.chunks(CHUNK) {
        found.extend(query(keys)?);
    }
    Ok(found)
}

/// The distinct values in ascending order, the order in which transactions lock rows.
pub fn distinct<T: Ord>(values: impl Iterator<Item = T>) -> Vec<T> {
    let mut values: Vec<T> = values.collect();
    values.sort_unstable();
    values.dedup();
    values
}

/// Errors of the database.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("invalid database address '{0}': expected sqlite:PATH or postgres://…")]
    InvalidUrl(String),
    #[error("the database could not be opened: {0}")]
    Open(String),
    #[error(
        "the database is newer than this program: migration {theirs} was applied, this program's newest is {ours}; \
         use the program that applied it, or a newer one"
    )]
    SchemaTooNew { theirs: String, ours: String },
    #[error("a migration failed: {0}")]
    Migration(String),
    #[error(
        "the copy of the database before a migration needs {needed_mib} MiB, but {free_mib} MiB are free: \
         free some space first. Nothing was changed."
    )]
    InsufficientSpace { needed_mib: u64, free_mib: u64 },
    #[error("the database is busy")]
    Busy,
    #[error("the disk of the database is full")]
    Full,
    #[error("the database is shutting down")]
    Closed,
    #[error("a transaction, or the effect of its commit, panicked")]
    Panicked,
    #[error(transparent)]
    Query(#[from] diesel::result::Error),
}

/// The database: concurrent reads; write transactions, which run one after the other on SQLite and concurrently on PostgreSQL.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    url: DatabaseUrl,
    read: Pool,
    /// One permit per connection. Callers wait here rather than on a blocking thread, which would hold memory.
    read_permits: Arc<Semaphore>,
    writer: writer::Writer,
    clock: Clock,
}

impl Store {
    /// Opens the database, creates it if it is missing, and runs pending migrations.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        Self::open_for(url, ConnectionMode::ReadWrite)
    }

    /// Like [`Store::open`], for commands that write millions of rows; see [`ConnectionMode::BulkLoad`].
    pub fn open_for_load(url: &str) -> Result<Self, StoreError> {
        Self::open_for(url, ConnectionMode::BulkLoad)
    }

    fn open_for(url: &str, mode: ConnectionMode) -> Result<Self, StoreError> {
        sqlite_setup::configure();
        let parsed = DatabaseUrl::parse(url).ok_or_else(|| StoreError::InvalidUrl(hide_password(url)))?;
        if let DatabaseUrl::Sqlite(path) = &parsed
            && std::path::Path::new(path).exists()
        {
            snapshot::back_up_before_migration(std::path::Path::new(path))?;
        }
        let readers = std::thread::available_parallelism().map_or(4, usize::from).clamp(4, 16) as u32;
        let manager = ConnectionManager { url: parsed.clone(), mode };
        let open = |e: r2d2::Error| StoreError::Open(e.to_string());
        let write = conn::pool(manager.clone(), if matches!(parsed, DatabaseUrl::Sqlite(_)) { 1 } else { readers * 2 })
            .map_err(open)?;
        let mut first = write.get().map_err(open)?;
        snapshot::check_sqlite_version(&mut first)?;
        migrate(&mut first)?;
        drop(first);
        let read = match &parsed {
            DatabaseUrl::Postgres(_) => write.clone(),
            DatabaseUrl::Sqlite(_) => {
                conn::pool(ConnectionManager { mode: ConnectionMode::ReadOnly, ..manager }, readers).map_err(open)?
            }
        };
        let writer = writer::Writer::start(&parsed, write)?;
        let read_permits = Arc::new(Semaphore::new(read.max_size() as usize));
        Ok(Self { inner: Arc::new(Inner { url: parsed, read, read_permits, writer, clock: Clock::default() }) })
    }

    /// The clock of the site. Its times are stored and compared.
    pub fn clock(&self) -> &Clock {
        &self.inner.clock
    }

    /// The current time of the site.
    pub fn now(&self) -> EpochMillis {
        self.inner.clock.now()
    }

    pub fn is_postgres(&self) -> bool {
        matches!(self.inner.url, DatabaseUrl::Postgres(_))
    }

    /// Runs queries on a blocking thread.
    pub async fn read<T: Send + 'static>(
        &self,
        query: impl FnOnce(&mut AnyConn) -> Result<T, diesel::result::Error> + Send + 'static,
    ) -> Result<T, StoreError> {
        let permit = tokio::time::timeout(READ_TIMEOUT, Arc::clone(&self.inner.read_permits).acquire_owned());
        let permit = permit.await.map_err(|_| StoreError::Busy)?.map_err(|_| StoreError::Closed)?;
        let pool = self.inner.read.clone();
        tokio::task::spawn_blocking(move || {
            let _permit = permit;
            let mut conn = pool.get().map_err(|_| StoreError::Busy)?;
            Ok(query(&mut conn)?)
        })
        .await
        .map_err(|_| StoreError::Closed)?
    }

    /// Runs a transaction; returns once it is on disk and the changes that it recorded are applied.
    pub async fn write<T, E>(&self, transaction: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Retryable + Send + 'static,
    {
        self.inner.writer.run(transaction).await
    }

    /// Sets what applies the changes that transactions record; see [`changes::record`]. It runs right after the commit on its thread,
    /// even if the caller has been cancelled. If it panics, the call fails with [`StoreError::Panicked`] and the transaction remains
    /// committed. The first one remains.
    pub fn on_commit(&self, apply: impl Fn(Vec<RecordedChange>) + Send + Sync + 'static) {
        self.inner.writer.on_commit(Box::new(apply));
    }

    /// Number of transactions, and of effects of their commits, that have panicked.
    pub fn panics(&self) -> u64 {
        self.inner.writer.panics()
    }

    /// Runs queries in one snapshot of the database, on the calling thread.
    pub fn read_snapshot<T, E: From<StoreError>>(
        &self,
        query: impl FnOnce(&mut AnyConn) -> Result<T, E>,
    ) -> Result<T, E> {
        use diesel::connection::SimpleConnection;
        let mut conn = self.inner.read.get().map_err(|_| StoreError::Busy)?;
        // On SQLite, the first query of a transaction starts the snapshot.
        let begin = if conn.is_postgres() { "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" } else { "BEGIN" };
        conn.batch_execute(begin).map_err(StoreError::Query)?;
        let seen = query(&mut conn);
        conn.batch_execute("ROLLBACK").map_err(StoreError::Query)?;
        seen
    }

    /// Opens a dedicated connection that receives notifications of other processes; `None` on SQLite, which has one process.
    pub fn listen(&self) -> Option<Result<listen::Listener, StoreError>> {
        match &self.inner.url {
            DatabaseUrl::Postgres(url) => Some(listen::Listener::open(url)),
            DatabaseUrl::Sqlite(_) => None,
        }
    }

    /// Runs queries on the calling thread, which may block.
    pub fn read_blocking<T>(
        &self,
        query: impl FnOnce(&mut AnyConn) -> Result<T, diesel::result::Error>,
    ) -> Result<T, StoreError> {
        let mut conn = self.inner.read.get().map_err(|_| StoreError::Busy)?;
        Ok(query(&mut conn)?)
    }
}

/// Whether running the same transaction again may succeed (deadlock or serialization failure on PostgreSQL).
pub trait Retryable {
    fn is_retryable(&self) -> bool;
}

impl StoreError {
    /// Separates temporary failures from lasting ones. SQLite reports some of them by their text only.
    pub(crate) fn classify(error: diesel::result::Error) -> Self {
        let text = error.to_string();
        if text.contains("disk is full") || text.contains("No space left on device") {
            Self::Full
        } else if is_locked(&text) || is_connection_lost(&error, &text) {
            Self::Busy
        } else {
            Self::Query(error)
        }
    }

    /// A copy of the error for each job of a failed group.
    fn duplicate(&self) -> Self {
        match self {
            Self::Busy => Self::Busy,
            Self::Full => Self::Full,
            other => Self::Query(diesel::result::Error::QueryBuilderError(other.to_string().into())),
        }
    }
}

impl Retryable for StoreError {
    fn is_retryable(&self) -> bool {
        use diesel::result::{DatabaseErrorKind, Error};
        match self {
            Self::Query(Error::DatabaseError(DatabaseErrorKind::SerializationFailure, _)) => true,
            Self::Query(Error::DatabaseError(DatabaseErrorKind::Unknown, info)) => info.message().contains("deadlock"),
            // Two transactions may insert the same new player; the second attempt finds it.
            Self::Query(Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _)) => true,
            _ => false,
        }
    }
}

fn is_locked(text: &str) -> bool {
    text.contains("database is locked") || text.contains("database table is locked")
}

/// Whether the connection to PostgreSQL was lost during a request.
fn is_connection_lost(error: &diesel::result::Error, text: &str) -> bool {
    use diesel::result::{DatabaseErrorKind, Error};
    matches!(error, Error::DatabaseError(DatabaseErrorKind::ClosedConnection, _))
        || ["server closed the connection", "terminating connection", "no connection to the server"]
            .iter()
            .any(|said| text.contains(said))
}

/// The version of the newest migration of this program.
pub fn newest_migration() -> String {
    known_migrations().into_iter().max().unwrap_or_default()
}

/// The versions of all migrations; both databases have the same ones.
fn known_migrations() -> Vec<String> {
    use diesel::migration::MigrationSource;
    let known = MigrationSource::<diesel::sqlite::Sqlite>::migrations(&SQLITE_MIGRATIONS).unwrap_or_default();
    known.iter().map(|m| m.name().version().to_string()).collect()
}

fn migrate(conn: &mut AnyConn) -> Result<(), StoreError> {
    match conn {
        AnyConn::Sqlite(c) => run_migrations(c, SQLITE_MIGRATIONS),
        AnyConn::Postgres(c) => {
            use diesel::connection::SimpleConnection;
            // If two processes start together, the second waits here and finds all migrations applied.
            c.batch_execute("SET statement_timeout = 0; SELECT pg_advisory_lock(7265726)")?;
            let done = run_migrations(c, POSTGRES_MIGRATIONS);
            c.batch_execute("SELECT pg_advisory_unlock(7265726); SET statement_timeout = '30s'")?;
            done
        }
    }
}

fn run_migrations<C: MigrationHarness<DB>, DB: diesel::backend::Backend>(
    conn: &mut C,
    known: EmbeddedMigrations,
) -> Result<(), StoreError>
where
    EmbeddedMigrations: diesel::migration::MigrationSource<DB>,
{
    use diesel::migration::MigrationSource;
    let failed = |e: Box<dyn std::error::Error + Send + Sync>| StoreError::Migration(e.to_string());
    let ours = MigrationSource::<DB>::migrations(&known).map_err(failed)?;
    let applied = conn.applied_migrations().map_err(failed)?;
    let foreign = applied.iter().find(|version| !ours.iter().any(|m| m.name().version() == **version));
    if let Some(version) = foreign {
        return Err(StoreError::SchemaTooNew { theirs: version.to_string(), ours: newest_migration() });
    }
    conn.run_pending_migrations(known).map_err(failed)?;
    Ok(())
}

/// Removes the password from a database address.
fn hide_password(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://…@{host}"),
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use diesel::result::{DatabaseErrorKind as Kind, Error};

    use super::*;

    #[test]
    fn t13_a_lost_connection_is_temporary_and_a_wrong_query_is_not() {
        let judged = |kind, said: &str| StoreError::classify(Error::DatabaseError(kind, Box::new(said.to_owned())));
        for (kind, said) in [
            (Kind::ClosedConnection, "server closed the connection unexpectedly"),
            (Kind::Unknown, "terminating connection due to administrator command"),
            (Kind::UnableToSendCommand, "no connection to the server\n"),
            (Kind::Unknown, "database is locked"),
        ] {
            assert!(matches!(judged(kind, said), StoreError::Busy), "{said}");
        }
        assert!(matches!(judged(Kind::Unknown, "no such column: x"), StoreError::Query(_)));
    }
}
