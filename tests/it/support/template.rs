//! A migrated, empty database of each kind, made once per run and copied for each test.

use std::path::Path;
use std::sync::OnceLock;

use apogee::store::Store;
use diesel::connection::SimpleConnection;
use diesel::prelude::*;

/// The bytes of a migrated SQLite file.
pub fn sqlite() -> &'static [u8] {
    static BYTES: OnceLock<Vec<u8>> = OnceLock::new();
    BYTES.get_or_init(|| {
        let dir = tempfile::TempDir::new().unwrap();
        let file = dir.path().join("apogee.db");
        drop(Store::open(&format!("sqlite:{}", file.display())).unwrap());
        // Everything has to be in the file itself.
        let mut conn = SqliteConnection::establish(&file.display().to_string()).unwrap();
        conn.batch_execute("PRAGMA busy_timeout = 60000; PRAGMA wal_checkpoint(TRUNCATE)").unwrap();
        drop(conn);
        std::fs::read(&file).unwrap()
    })
}

/// Writes a copy of the SQLite database.
pub fn copy_sqlite(file: &Path) {
    std::fs::write(file, sqlite()).unwrap();
}

/// The name of a migrated PostgreSQL database on this server.
pub fn postgres(server: &str) -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| {
        let name = format!("apogee_template_{}", std::process::id());
        let mut admin = PgConnection::establish(&format!("{server}/postgres")).unwrap();
        admin.batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
        drop(Store::open(&format!("{server}/{name}")).unwrap());
        // A database with connections cannot be copied, and a pool closes its own in the background.
        admin.batch_execute(&format!("ALTER DATABASE {name} WITH ALLOW_CONNECTIONS FALSE")).unwrap();
        let end = format!("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'");
        admin.batch_execute(&end).unwrap();
        name
    })
}
