//! Whole databases: a consistent copy of a SQLite file, and what state a database is in without changing it.

use std::path::{Path, PathBuf};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

use super::conn::{AnyConn, Manager, Place, Use};
use super::{StoreError, hide_password, known_migrations, transfer};

/// What there is in a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct State {
    /// The newest migration that was applied; `None` in an empty database.
    pub schema: Option<String>,
    /// How many migrations this program would still run.
    pub pending: usize,
    /// Players, guilds, events, users; 0 in an empty database.
    pub counts: [i64; 4],
    pub size_bytes: u64,
}

impl State {
    pub fn has_data(&self) -> bool {
        self.counts.iter().any(|count| *count > 0)
    }
}

#[derive(QueryableByName)]
struct Named {
    #[diesel(sql_type = Text)]
    name: String,
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    n: i64,
}

/// The file of a SQLite database; `None` for Postgres.
pub fn file_of(url: &str) -> Option<PathBuf> {
    match Place::parse(url)? {
        Place::Sqlite(path) => Some(PathBuf::from(path)),
        Place::Postgres(_) => None,
    }
}

fn connect(url: &str) -> Result<AnyConn, StoreError> {
    let place = Place::parse(url).ok_or_else(|| StoreError::Address(hide_password(url)))?;
    let manager = Manager { place, use_for: Use::Write };
    r2d2::ManageConnection::connect(&manager).map_err(|e| StoreError::Open(e.to_string()))
}

/// Looks at a database without changing it; `None` when there is no file yet. A newer schema is an error.
pub fn inspect(url: &str) -> Result<Option<State>, StoreError> {
    if file_of(url).is_some_and(|path| !path.exists()) {
        return Ok(None);
    }
    let mut conn = connect(url)?;
    let applied = applied(&mut conn)?;
    let known = known_migrations();
    if let Some(theirs) = applied.iter().find(|version| !known.contains(version)) {
        return Err(StoreError::Newer { theirs: theirs.clone(), ours: super::newest_migration() });
    }
    let counts = if applied.is_empty() { [0; 4] } else { transfer::counts(&mut conn)? };
    let size = if conn.is_postgres() {
        "SELECT pg_database_size(current_database()) AS n"
    } else {
        "SELECT page_count * page_size AS n FROM pragma_page_count(), pragma_page_size()"
    };
    let size: Number = diesel::sql_query(size).get_result(&mut conn)?;
    Ok(Some(State {
        pending: known.len() - applied.len(),
        schema: applied.into_iter().max(),
        counts,
        size_bytes: size.n.unsigned_abs(),
    }))
}

/// The versions of the migrations that were applied.
fn applied(conn: &mut AnyConn) -> Result<Vec<String>, StoreError> {
    let tables = if conn.is_postgres() {
        "SELECT tablename::text AS name FROM pg_tables WHERE tablename = '__diesel_schema_migrations' AND schemaname = current_schema()"
    } else {
        "SELECT name FROM sqlite_master WHERE name = '__diesel_schema_migrations'"
    };
    if diesel::sql_query(tables).load::<Named>(conn)?.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<Named> =
        diesel::sql_query("SELECT version AS name FROM __diesel_schema_migrations ORDER BY version").load(conn)?;
    Ok(rows.into_iter().map(|row| row.name).collect())
}

/// Copies a SQLite database as of one moment, beside whoever writes to it, and checks the copy. `to` must not exist.
pub fn copy_sqlite(from: &Path, to: &Path) -> Result<(), StoreError> {
    let open = |e: diesel::ConnectionError| StoreError::Open(e.to_string());
    let mut conn = SqliteConnection::establish(&from.to_string_lossy()).map_err(open)?;
    conn.batch_execute("PRAGMA busy_timeout = 30000")?;
    diesel::sql_query("VACUUM INTO $1").bind::<Text, _>(to.to_string_lossy()).execute(&mut conn)?;
    check_sqlite(to)?;
    // The copy counts only once it is on disk.
    std::fs::File::open(to).and_then(|file| file.sync_all()).map_err(|e| StoreError::Open(e.to_string()))
}

/// Reads every page of a SQLite file; an error says what is wrong with it.
pub fn check_sqlite(path: &Path) -> Result<(), StoreError> {
    let open = |e: diesel::ConnectionError| StoreError::Open(e.to_string());
    let mut conn = SqliteConnection::establish(&path.to_string_lossy()).map_err(open)?;
    let said: Vec<Named> =
        diesel::sql_query("SELECT integrity_check AS name FROM pragma_integrity_check").load(&mut conn)?;
    match said.first() {
        Some(first) if first.name == "ok" => Ok(()),
        Some(first) => Err(StoreError::Open(format!("{} is damaged: {}", path.display(), first.name))),
        None => Err(StoreError::Open(format!("{} could not be checked", path.display()))),
    }
}

/// Keeps a copy of a SQLite database that is about to be changed by a migration, in `backups/` beside it.
pub fn before_migration(path: &Path) -> Result<(), StoreError> {
    let mut conn = connect(&format!("sqlite:{}", path.display()))?;
    let applied = applied(&mut conn)?;
    drop(conn);
    let is_current = known_migrations().iter().all(|version| applied.contains(version));
    if applied.is_empty() || is_current {
        return Ok(());
    }
    let failed = |e: std::io::Error| StoreError::Open(format!("the copy before a migration could not be made: {e}"));
    let folder = path.parent().unwrap_or(Path::new(".")).join("backups");
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let name = format!("before-{}-{}.db", super::newest_migration(), since.as_millis());
    let (partial, kept) = (folder.join(format!("{name}.partial")), folder.join(name));
    copy_sqlite(path, &partial)?;
    std::fs::rename(&partial, &kept).map_err(failed)?;
    tracing::info!(copy = %kept.display(), "a copy of the database was kept before it is brought up to date");
    Ok(())
}
