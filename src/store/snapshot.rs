//! Whole databases: consistent copies of a SQLite file, the state of a database without changing it, and staging schemas.

use std::path::Path;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

use super::conn::{self, AnyConn, ConnectionManager, ConnectionMode, DatabaseUrl};
use super::{StoreError, database_size, hide_password, known_migrations, transfer};

/// The content of a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DatabaseState {
    /// The newest applied migration; `None` in an empty database.
    pub schema: Option<String>,
    /// Number of migrations that this program would apply.
    pub pending: usize,
    /// Number of players, guilds, events and users; 0 in an empty database.
    pub counts: [i64; 4],
    pub size_bytes: u64,
}

impl DatabaseState {
    pub fn has_data(&self) -> bool {
        self.counts.iter().any(|count| *count > 0)
    }
}

fn names(conn: &mut AnyConn, query: &str) -> QueryResult<Vec<String>> {
    diesel::dsl::sql::<Text>(query).load(conn)
}

/// Older versions of SQLite may lose a page when a write and a checkpoint overlap.
const MIN_SQLITE_VERSION: [u32; 3] = [3, 51, 3];

/// Rejects a SQLite library with a known way to lose data; a build may link another version.
pub(super) fn check_sqlite_version(conn: &mut AnyConn) -> Result<(), StoreError> {
    if conn.is_postgres() {
        return Ok(());
    }
    let found = names(conn, "SELECT sqlite_version() AS name")?.concat();
    if is_supported_version(&found) {
        return Ok(());
    }
    let [a, b, c] = MIN_SQLITE_VERSION;
    Err(StoreError::Open(format!(
        "this program was built with SQLite {found}, which may lose data; the oldest supported version is {a}.{b}.{c}"
    )))
}

fn is_supported_version(version: &str) -> bool {
    let parts: Vec<u32> = version.split('.').map_while(|part| part.parse().ok()).collect();
    parts.len() == 3 && parts[..] >= MIN_SQLITE_VERSION[..]
}

fn connect(url: &str) -> Result<AnyConn, StoreError> {
    let parsed = DatabaseUrl::parse(url).ok_or_else(|| StoreError::InvalidUrl(hide_password(url)))?;
    let manager = ConnectionManager { url: parsed, mode: ConnectionMode::ReadWrite };
    r2d2::ManageConnection::connect(&manager).map_err(|e| StoreError::Open(e.to_string()))
}

/// Opens a SQLite file as it is: nothing about it is changed.
fn open_file(path: &Path) -> Result<AnyConn, StoreError> {
    let opened = SqliteConnection::establish(&path.to_string_lossy());
    opened.map(AnyConn::Sqlite).map_err(|e| StoreError::Open(e.to_string()))
}

/// Reads the state of a database without changing it; `None` if there is no file. A schema newer than this program is an error.
pub fn inspect(url: &str) -> Result<Option<DatabaseState>, StoreError> {
    if conn::sqlite_path(url).is_some_and(|path| !path.exists()) {
        return Ok(None);
    }
    let mut conn = connect(url)?;
    let applied = applied(&mut conn)?;
    let known = known_migrations();
    if let Some(theirs) = applied.iter().find(|version| !known.contains(version)) {
        return Err(StoreError::SchemaTooNew { theirs: theirs.clone(), ours: super::newest_migration() });
    }
    let counts = if applied.is_empty() { [0; 4] } else { transfer::counts(&mut conn)? };
    Ok(Some(DatabaseState {
        pending: known.len() - applied.len(),
        schema: applied.into_iter().max(),
        counts,
        size_bytes: database_size::total_bytes(&mut conn)?.unsigned_abs(),
    }))
}

/// The versions of the applied migrations.
fn applied(conn: &mut AnyConn) -> Result<Vec<String>, StoreError> {
    let tables = if conn.is_postgres() {
        "SELECT tablename::text AS name FROM pg_tables WHERE tablename = '__diesel_schema_migrations' AND schemaname = current_schema()"
    } else {
        "SELECT name FROM sqlite_master WHERE name = '__diesel_schema_migrations'"
    };
    if names(conn, tables)?.is_empty() {
        return Ok(Vec::new());
    }
    Ok(names(conn, "SELECT version AS name FROM __diesel_schema_migrations ORDER BY version")?)
}

/// Opens a file for writing that only its owner may read, and creates it if it is missing. Existing content remains.
pub fn open_private(path: &Path) -> std::io::Result<std::fs::File> {
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(false);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    options.open(path)
}

/// The directory of a file.
pub fn parent_dir(file: &Path) -> &Path {
    file.parent().filter(|path| !path.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Syncs the directory of a file, so that its name is on disk. On systems where directories cannot be opened, renaming is enough.
pub fn sync_parent_dir(file: &Path) -> std::io::Result<()> {
    if cfg!(unix) { std::fs::File::open(parent_dir(file))?.sync_all() } else { Ok(()) }
}

/// Copies a SQLite database as of one moment, while others may write to it, and checks the copy. `to` must be empty or missing;
/// only its owner may read it.
pub fn copy_sqlite(from: &Path, to: &Path) -> Result<(), StoreError> {
    let mut conn = open_file(from)?;
    conn.batch_execute("PRAGMA busy_timeout = 30000")?;
    open_private(to).map_err(|e| StoreError::Open(e.to_string()))?;
    diesel::sql_query("VACUUM INTO $1").bind::<Text, _>(to.to_string_lossy()).execute(&mut conn)?;
    delete_viewers(&mut open_file(to)?)?;
    check_integrity(to)?;
    // The copy counts only once it is on disk.
    std::fs::File::open(to).and_then(|file| file.sync_all()).map_err(|e| StoreError::Open(e.to_string()))
}

/// Deletes today's profile viewers and their salt, because a copy outlives the day. The bytes are overwritten.
fn delete_viewers(copy: &mut AnyConn) -> Result<(), StoreError> {
    const TABLES: &str =
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('view_salts', 'profile_viewers')";
    copy.batch_execute("PRAGMA journal_mode = MEMORY; PRAGMA secure_delete = ON")?;
    for table in names(copy, TABLES)? {
        copy.batch_execute(&format!("DELETE FROM {table}"))?;
    }
    Ok(())
}

/// Ends all sessions of a database that is about to replace another one, and marks its active ingest keys for review: some may have
/// been revoked after the backup. Returns the numbers of both. Runs pending migrations first. A SQLite database remains a single file.
pub fn revoke_access(url: &str, at: i64) -> Result<(usize, usize), StoreError> {
    let mut conn = match conn::sqlite_path(url) {
        Some(path) => {
            let mut conn = open_file(&path)?;
            conn.batch_execute("PRAGMA journal_mode = DELETE; PRAGMA foreign_keys = ON")?;
            conn
        }
        None => connect(url)?,
    };
    super::migrate(&mut conn)?;
    let revoke = |conn: &mut AnyConn| -> QueryResult<_> {
        Ok((super::sessions::end_for_all_users(conn, at)?, super::keys::mark_for_review(conn, at)?))
    };
    conn.transaction(revoke).map_err(StoreError::Query)
}

/// Number of other connections of this program to a PostgreSQL database; 0 for SQLite.
pub fn other_connections(url: &str) -> Result<i64, StoreError> {
    let mut conn = connect(url)?;
    if !conn.is_postgres() {
        return Ok(0);
    }
    let others = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() \
        AND pid <> pg_backend_pid() AND application_name = 'apogee'";
    Ok(diesel::dsl::sql::<BigInt>(others).get_result(&mut conn)?)
}

/// A second schema of a PostgreSQL database: filled first, then swapped with the schema in use, or dropped.
pub struct StagingSchema {
    url: String,
    name: String,
}

impl StagingSchema {
    /// Creates an empty schema; drops an earlier one with this name.
    pub fn create(url: &str, name: &str) -> Result<Self, StoreError> {
        connect(url)?.batch_execute(&format!("DROP SCHEMA IF EXISTS {name} CASCADE; CREATE SCHEMA {name}"))?;
        Ok(Self { url: url.to_owned(), name: name.to_owned() })
    }

    /// The address with which [`super::Store::open`] opens the schema.
    pub fn url(&self) -> String {
        in_schema(&self.url, &self.name)
    }

    /// Replaces the tables in use, with the functions of their triggers, by those of this schema, in one transaction. The replaced
    /// ones move to the schema `previous`. Returns whether there were any tables.
    pub fn swap(self, previous: &str) -> Result<bool, StoreError> {
        let mut conn = connect(&self.url)?;
        let name = &self.name;
        let had = conn.transaction(|conn| {
            conn.batch_execute("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '20s'")?;
            let here = names(conn, "SELECT current_schema()::text AS name")?.pop();
            let here = here.unwrap_or_else(|| "public".to_owned());
            let (ours, theirs) = (tables_and_functions(conn, name)?, tables_and_functions(conn, &here)?);
            let replaced: Vec<&String> = ours.iter().filter(|object| theirs.contains(object)).collect();
            if !replaced.is_empty() {
                conn.batch_execute(&format!("CREATE SCHEMA {previous}"))?;
            }
            let mut move_to = |object: &str, from: &str, to: &str| {
                let object = object.replacen(' ', &format!(" \"{from}\"."), 1);
                conn.batch_execute(&format!("ALTER {object} SET SCHEMA \"{to}\""))
            };
            replaced.iter().try_for_each(|object| move_to(object, &here, previous))?;
            ours.iter().try_for_each(|object| move_to(object, name, &here))?;
            conn.batch_execute(&format!("DROP SCHEMA {name} CASCADE"))?;
            diesel::QueryResult::Ok(replaced.iter().any(|object| object.starts_with("TABLE")))
        })?;
        Ok(had)
    }
}

/// The tables of a schema of a PostgreSQL database, and the functions of its triggers, such as `TABLE "players"`.
fn tables_and_functions(conn: &mut AnyConn, schema: &str) -> QueryResult<Vec<String>> {
    let query = format!(
        "SELECT 'TABLE \"' || tablename || '\"' AS name FROM pg_tables WHERE schemaname = '{schema}' \
         UNION ALL SELECT 'FUNCTION \"' || p.proname || '\"()' FROM pg_proc p \
         JOIN pg_namespace n ON n.oid = p.pronamespace \
         WHERE n.nspname = '{schema}' AND p.prorettype = 'pg_catalog.trigger'::regtype ORDER BY 1 DESC"
    );
    names(conn, &query)
}

impl Drop for StagingSchema {
    fn drop(&mut self) {
        // After `StagingSchema::swap` it no longer exists.
        let drop = format!("DROP SCHEMA IF EXISTS {} CASCADE", self.name);
        if let Err(error) = connect(&self.url).and_then(|mut conn| Ok(conn.batch_execute(&drop)?)) {
            tracing::warn!(%error, schema = self.name, "an unused schema could not be dropped");
        }
    }
}

/// The address of a PostgreSQL database with another schema in its search path.
fn in_schema(url: &str, name: &str) -> String {
    let option = format!("-csearch_path%3D{name}");
    match url.split_once("options=") {
        Some((before, after)) => format!("{before}options={option}%20{after}"),
        None => format!("{url}{}options={option}", if url.contains('?') { '&' } else { '?' }),
    }
}

/// Checks every page of a SQLite file; the error describes the damage.
pub fn check_integrity(path: &Path) -> Result<(), StoreError> {
    let results = names(&mut open_file(path)?, "SELECT integrity_check AS name FROM pragma_integrity_check")?;
    match results.first() {
        Some(first) if first == "ok" => Ok(()),
        Some(first) => Err(StoreError::Open(format!("{} is damaged: {first}", path.display()))),
        None => Err(StoreError::Open(format!("{} could not be checked", path.display()))),
    }
}

/// Copies a SQLite database to `backups/` next to it if migrations are pending.
pub fn back_up_before_migration(path: &Path) -> Result<(), StoreError> {
    let mut conn = connect(&format!("sqlite:{}", path.display()))?;
    let applied = applied(&mut conn)?;
    drop(conn);
    let is_current = known_migrations().iter().all(|version| applied.contains(version));
    if applied.is_empty() || is_current {
        return Ok(());
    }
    let failed = |e: std::io::Error| StoreError::Open(format!("the copy before a migration failed: {e}"));
    let folder = path.parent().unwrap_or(Path::new(".")).join("backups");
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let size = std::fs::metadata(path).map_err(failed)?.len();
    let free = fs4::available_space(&folder).map_err(failed)?;
    if free < size.saturating_mul(2) {
        return Err(StoreError::InsufficientSpace {
            needed_mib: size.saturating_mul(2).div_ceil(1 << 20),
            free_mib: free >> 20,
        });
    }
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let name = format!("before-{}-{}.db", super::newest_migration(), since.as_millis());
    let (partial, copy) = (folder.join(format!("{name}.partial")), folder.join(name));
    tracing::info!(mib = size >> 20, "copying the database before migrating it");
    copy_sqlite(path, &partial)?;
    std::fs::rename(&partial, &copy).and_then(|()| sync_parent_dir(&copy)).map_err(failed)?;
    tracing::info!(copy = %copy.display(), "copied the database before migrating it");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_contains_neither_viewers_nor_their_salt() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("a.db"), dir.path().join("b.db"));
        let open = |path: &Path| SqliteConnection::establish(&path.to_string_lossy()).unwrap();
        let tables = "CREATE TABLE view_salts (day INTEGER NOT NULL PRIMARY KEY, salt TEXT NOT NULL) WITHOUT ROWID; \
            CREATE TABLE profile_viewers (day INTEGER NOT NULL, viewer BIGINT NOT NULL, PRIMARY KEY (day, viewer)) WITHOUT ROWID; \
            INSERT INTO view_salts VALUES (1, 'salt-of-the-day'); INSERT INTO profile_viewers VALUES (1, 7)";
        open(&from).batch_execute(tables).unwrap();
        copy_sqlite(&from, &to).unwrap();
        let count = "SELECT (SELECT COUNT(*) FROM view_salts) + (SELECT COUNT(*) FROM profile_viewers) AS n";
        let rows = |path: &Path| diesel::dsl::sql::<BigInt>(count).get_result::<i64>(&mut open(path)).unwrap();
        assert_eq!((rows(&from), rows(&to)), (2, 0));
        let holds_salt =
            |path: &Path| std::fs::read(path).unwrap().windows(15).any(|bytes| bytes == b"salt-of-the-day");
        assert_eq!((holds_salt(&from), holds_salt(&to)), (true, false));
    }

    #[test]
    fn t12_the_embedded_sqlite_has_no_known_way_to_lose_data() {
        check_sqlite_version(&mut AnyConn::Sqlite(SqliteConnection::establish(":memory:").unwrap())).unwrap();
    }

    #[test]
    fn t12_versions_are_compared_by_their_numbers() {
        for good in ["3.51.3", "3.51.10", "3.52.0", "4.0.0"] {
            assert!(is_supported_version(good), "{good}");
        }
        for bad in ["3.51.2", "3.9.99", "3.51", "2.60.4", "", "x"] {
            assert!(!is_supported_version(bad), "{bad}");
        }
    }

    #[test]
    fn a_schema_can_be_added_to_any_address() {
        assert_eq!(in_schema("postgres://h/d", "x"), "postgres://h/d?options=-csearch_path%3Dx");
        assert_eq!(in_schema("postgres://h/d?a=b", "x"), "postgres://h/d?a=b&options=-csearch_path%3Dx");
        assert_eq!(in_schema("postgres://h/d?options=-cz", "x"), "postgres://h/d?options=-csearch_path%3Dx%20-cz");
    }
}
