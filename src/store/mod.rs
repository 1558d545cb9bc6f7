//! All SQL of Apogee: row types and query functions, one file per noun, and the ways to run them.
//! Only `features` calls [`Store::read`] and [`Store::write`]; the functions take a connection or a transaction.
//! Never here: rules of what counts or who may, HTTP, JSON shapes.

pub mod account;
pub mod activity;
pub mod changes;
pub mod claims;
pub mod commits;
pub mod conn;
pub mod database_size;
pub mod demo;
pub mod entries;
pub mod guilds;
pub mod ingest;
pub mod keys;
pub mod leaderboard;
pub mod leases;
pub mod listen;
pub mod membership;
pub mod patch;
pub mod players;
pub mod reader;
pub mod recount;
pub mod rosters;
pub mod schema;
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

use conn::{AnyConn, ConnectionManager, ConnectionMode, DatabaseUrl, Pool};
use tokio::sync::Semaphore;
pub use writer::Tx;

/// How long a read waits for a connection.
const READ_WAIT: Duration = Duration::from_secs(5);

const SQLITE_MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/sqlite");
const POSTGRES_MIGRATIONS: EmbeddedMigrations = embed_migrations!("migrations/postgres");

/// Why the database could not be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("the database address '{0}' is neither sqlite:PATH nor postgres://…")]
    Address(String),
    #[error("the database could not be opened: {0}")]
    Open(String),
    #[error(
        "the database is newer than this program: it knows migration {theirs}, this program knows them up to {ours}; \
         use the program that made it, or a newer one"
    )]
    Newer { theirs: String, ours: String },
    #[error("a migration failed: {0}")]
    Migration(String),
    #[error(
        "before a migration a copy of the database is kept, which takes {needed_mib} MiB, and {free_mib} MiB are free: \
         make room first. Nothing was changed."
    )]
    NoRoom { needed_mib: u64, free_mib: u64 },
    #[error("the database is busy")]
    Busy,
    #[error("the disk of the database is full")]
    Full,
    #[error("the database is shutting down")]
    Closed,
    #[error("a transaction, or a step after its commit, panicked")]
    Panicked,
    #[error(transparent)]
    Query(#[from] diesel::result::Error),
}

/// The database: many readers; writes in transactions, one after the other on SQLite, side by side on Postgres.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    place: DatabaseUrl,
    read: Pool,
    /// One for each connection: threads that only wait for one would each keep memory of their own.
    turns: Arc<Semaphore>,
    writer: writer::Writer,
}

impl Store {
    /// Opens the database, makes it when there is none, and brings its schema up to date.
    pub fn open(url: &str) -> Result<Self, StoreError> {
        Self::open_for(url, ConnectionMode::ReadWrite)
    }

    /// The same for commands that write millions of rows; see [`ConnectionMode::BulkLoad`].
    pub fn open_for_load(url: &str) -> Result<Self, StoreError> {
        Self::open_for(url, ConnectionMode::BulkLoad)
    }

    fn open_for(url: &str, mode: ConnectionMode) -> Result<Self, StoreError> {
        sqlite_setup::set_up();
        let place = DatabaseUrl::parse(url).ok_or_else(|| StoreError::Address(hide_password(url)))?;
        if let DatabaseUrl::Sqlite(path) = &place
            && std::path::Path::new(path).exists()
        {
            snapshot::back_up_before_migration(std::path::Path::new(path))?;
        }
        let readers = std::thread::available_parallelism().map_or(4, usize::from).clamp(4, 16) as u32;
        let manager = ConnectionManager { place: place.clone(), mode };
        let open = |e: r2d2::Error| StoreError::Open(e.to_string());
        let write = conn::pool(manager.clone(), if matches!(place, DatabaseUrl::Sqlite(_)) { 1 } else { readers * 2 })
            .map_err(open)?;
        let mut first = write.get().map_err(open)?;
        snapshot::refuse_old_sqlite(&mut first)?;
        migrate(&mut first)?;
        drop(first);
        let read = match &place {
            DatabaseUrl::Postgres(_) => write.clone(),
            DatabaseUrl::Sqlite(_) => {
                conn::pool(ConnectionManager { mode: ConnectionMode::ReadOnly, ..manager }, readers).map_err(open)?
            }
        };
        let writer = writer::Writer::start(&place, write)?;
        let turns = Arc::new(Semaphore::new(read.max_size() as usize));
        Ok(Self { inner: Arc::new(Inner { place, read, turns, writer }) })
    }

    pub fn is_postgres(&self) -> bool {
        matches!(self.inner.place, DatabaseUrl::Postgres(_))
    }

    /// Runs queries on a blocking thread.
    pub async fn read<T: Send + 'static>(
        &self,
        act: impl FnOnce(&mut AnyConn) -> Result<T, diesel::result::Error> + Send + 'static,
    ) -> Result<T, StoreError> {
        let turn = tokio::time::timeout(READ_WAIT, Arc::clone(&self.inner.turns).acquire_owned());
        let turn = turn.await.map_err(|_| StoreError::Busy)?.map_err(|_| StoreError::Closed)?;
        let pool = self.inner.read.clone();
        tokio::task::spawn_blocking(move || {
            let _turn = turn;
            let mut conn = pool.get().map_err(|_| StoreError::Busy)?;
            Ok(act(&mut conn)?)
        })
        .await
        .map_err(|_| StoreError::Closed)?
    }

    /// Runs one transaction and returns once it is on disk.
    pub async fn write<T, E>(&self, act: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Retryable + Send + 'static,
    {
        self.write_then(act, |_| {}).await
    }

    /// Like [`Store::write`]; `then` runs right after the commit, even when the caller has gone away meanwhile. When `then`
    /// panics, the call fails with [`StoreError::Panicked`] and what was committed stays.
    pub async fn write_then<T, E>(
        &self,
        act: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
        then: impl FnOnce(&T) + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Retryable + Send + 'static,
    {
        self.inner.writer.run(act, then).await
    }

    /// How many transactions, and steps after their commits, have panicked.
    pub fn panics(&self) -> u64 {
        self.inner.writer.panics()
    }

    /// Runs queries that all see the database as it was at one moment.
    pub fn read_snapshot<T, E: From<StoreError>>(
        &self,
        act: impl FnOnce(&mut AnyConn) -> Result<T, E>,
    ) -> Result<T, E> {
        use diesel::connection::SimpleConnection;
        let mut conn = self.inner.read.get().map_err(|_| StoreError::Busy)?;
        // SQLite takes its picture at the first query of a transaction anyway.
        let begin = if conn.is_postgres() { "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" } else { "BEGIN" };
        conn.batch_execute(begin).map_err(StoreError::Query)?;
        let seen = act(&mut conn);
        conn.batch_execute("ROLLBACK").map_err(StoreError::Query)?;
        seen
    }

    /// A connection of its own that hears what other processes tell; `None` on SQLite, which has one process.
    pub fn listen(&self) -> Option<Result<listen::Listener, StoreError>> {
        match &self.inner.place {
            DatabaseUrl::Postgres(url) => Some(listen::Listener::open(url)),
            DatabaseUrl::Sqlite(_) => None,
        }
    }

    /// The same as [`Store::read`] for callers that have a thread of their own.
    pub fn read_blocking<T>(
        &self,
        act: impl FnOnce(&mut AnyConn) -> Result<T, diesel::result::Error>,
    ) -> Result<T, StoreError> {
        let mut conn = self.inner.read.get().map_err(|_| StoreError::Busy)?;
        Ok(act(&mut conn)?)
    }
}

/// Tells whether running the same transaction again may succeed (Postgres: deadlock, serialization).
pub trait Retryable {
    fn is_retryable(&self) -> bool;
}

impl StoreError {
    /// Tells apart what passes by itself from what is broken. SQLite has no kinds of its own for it, only texts.
    pub(crate) fn classify(error: diesel::result::Error) -> Self {
        let text = error.to_string();
        if text.contains("disk is full") || text.contains("No space left on device") {
            Self::Full
        } else if is_locked(&text) || is_line_cut(&error, &text) {
            Self::Busy
        } else {
            Self::Query(error)
        }
    }

    /// The same failure again, for each of those it hit.
    fn again(&self) -> Self {
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
            // Two transactions may meet a new player at the same moment; the second then finds it.
            Self::Query(Error::DatabaseError(DatabaseErrorKind::UniqueViolation, _)) => true,
            _ => false,
        }
    }
}

fn is_locked(text: &str) -> bool {
    text.contains("database is locked") || text.contains("database table is locked")
}

/// Whether PostgreSQL went away in the middle of a request: it comes back.
fn is_line_cut(error: &diesel::result::Error, text: &str) -> bool {
    use diesel::result::{DatabaseErrorKind, Error};
    matches!(error, Error::DatabaseError(DatabaseErrorKind::ClosedConnection, _))
        || ["server closed the connection", "terminating connection", "no connection to the server"]
            .iter()
            .any(|said| text.contains(said))
}

/// The version of the newest migration that this program knows.
pub fn newest_migration() -> String {
    known_migrations().into_iter().max().unwrap_or_default()
}

/// The versions of all migrations; both databases have the same.
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
            // Two processes may start at once: the second waits here and then finds nothing to do.
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
        return Err(StoreError::Newer { theirs: version.to_string(), ours: newest_migration() });
    }
    conn.run_pending_migrations(known).map_err(failed)?;
    Ok(())
}

/// Database addresses reach messages; passwords never do.
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
    fn t13_a_database_that_went_away_passes_by_itself_and_a_wrong_query_does_not() {
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
