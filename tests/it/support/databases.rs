//! The database of a test: a file in a temporary directory, or a new database on the PostgreSQL server.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

use super::template;

/// The name of an SQLite database in its directory.
const FILE: &str = "apogee.db";

/// The database system that a test runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    Sqlite,
    Postgres,
}

/// The database of one test; one on PostgreSQL is dropped with this value.
pub struct Database {
    pub url: String,
    location: Location,
}

enum Location {
    File(String),
    Server {
        admin: String,
        name: String,
    },
    /// An existing database on a PostgreSQL server.
    Existing,
}

#[derive(QueryableByName)]
struct Number {
    #[diesel(sql_type = BigInt)]
    value: i64,
}

#[derive(QueryableByName)]
struct Word {
    #[diesel(sql_type = Text)]
    value: String,
}

/// The address of the PostgreSQL server without a database name.
fn postgres_server() -> String {
    let url = std::env::var("TEST_PG_URL").unwrap_or_else(|_| "postgres://postgres@127.0.0.1:5433".into());
    url.trim_end_matches('/').to_owned()
}

impl Database {
    /// A new database without tables.
    pub fn make(backend: Backend, dir: &Path) -> Self {
        match backend {
            Backend::Sqlite => Self::of_file(dir),
            Backend::Postgres => Self::make_on_server(None),
        }
    }

    /// A new, migrated database: a copy of the template.
    pub fn copy(backend: Backend, dir: &Path) -> Self {
        match backend {
            Backend::Sqlite => {
                let database = Self::of_file(dir);
                template::copy_sqlite(&dir.join(FILE));
                database
            }
            Backend::Postgres => Self::make_on_server(Some(template::postgres(&postgres_server()))),
        }
    }

    fn of_file(dir: &Path) -> Self {
        let file = dir.join(FILE).display().to_string();
        Self { url: format!("sqlite:{file}"), location: Location::File(file) }
    }

    /// An existing PostgreSQL database, which is not dropped.
    pub fn of(url: &str) -> Self {
        Self { url: url.to_owned(), location: Location::Existing }
    }

    fn make_on_server(template: Option<&str>) -> Self {
        static MADE: AtomicU64 = AtomicU64::new(0);
        let server = postgres_server();
        let admin = format!("{server}/postgres");
        let name = format!("apogee_test_{}_{}", std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
        let mut conn = PgConnection::establish(&admin).unwrap_or_else(|error| {
            panic!(
                "These tests need a PostgreSQL server at {server} ({error}). Start one and name it in TEST_PG_URL, \
                 such as TEST_PG_URL=postgres://postgres@127.0.0.1:5432, with a user that may create databases."
            )
        });
        let template = template.map_or_else(String::new, |template| format!(" TEMPLATE {template}"));
        conn.batch_execute(&format!("CREATE DATABASE {name}{template}")).unwrap();
        Self { url: format!("{server}/{name}"), location: Location::Server { admin, name } }
    }

    /// Runs statements on the database, next to the program.
    pub fn run(&self, sql: &str) {
        match &self.location {
            Location::File(file) => self.sqlite(file).batch_execute(sql),
            Location::Server { .. } | Location::Existing => {
                PgConnection::establish(&self.url).unwrap().batch_execute(sql)
            }
        }
        .unwrap_or_else(|error| panic!("{error}: {sql}"));
    }

    /// The number that a query returns.
    pub fn number(&self, sql: &str) -> i64 {
        let query = diesel::sql_query(format!("SELECT CAST(({sql}) AS BIGINT) AS value"));
        let rows: Vec<Number> = match &self.location {
            Location::File(file) => query.load(&mut self.sqlite(file)),
            Location::Server { .. } | Location::Existing => {
                query.load(&mut PgConnection::establish(&self.url).unwrap())
            }
        }
        .unwrap_or_else(|error| panic!("{error}: {sql}"));
        rows[0].value
    }

    /// The column `value` of a query.
    pub fn words(&self, sql: &str) -> Vec<String> {
        let query = diesel::sql_query(sql);
        let rows: Vec<Word> = match &self.location {
            Location::File(file) => query.load(&mut self.sqlite(file)),
            Location::Server { .. } | Location::Existing => {
                query.load(&mut PgConnection::establish(&self.url).unwrap())
            }
        }
        .unwrap_or_else(|error| panic!("{error}: {sql}"));
        rows.into_iter().map(|row| row.value).collect()
    }

    /// Closes every connection and rejects new ones (PostgreSQL).
    pub fn refuse_connections(&self) {
        self.on_server(|name| {
            format!(
                "ALTER DATABASE {name} WITH ALLOW_CONNECTIONS FALSE; \
                 SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
            )
        });
    }

    /// Accepts connections again (PostgreSQL).
    pub fn accept_connections(&self) {
        self.on_server(|name| format!("ALTER DATABASE {name} WITH ALLOW_CONNECTIONS TRUE"));
    }

    fn on_server(&self, sql: impl Fn(&str) -> String) {
        let Location::Server { admin, name } = &self.location else { panic!("only possible on PostgreSQL") };
        let mut conn = PgConnection::establish(admin).unwrap();
        // One statement at a time, because some cannot run inside a transaction.
        for statement in sql(name).split("; ") {
            conn.batch_execute(statement).unwrap();
        }
    }

    fn sqlite(&self, file: &str) -> SqliteConnection {
        let mut conn = SqliteConnection::establish(file).unwrap();
        conn.batch_execute("PRAGMA busy_timeout = 10000; PRAGMA foreign_keys = ON").unwrap();
        conn
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if let Location::Server { admin, name } = &self.location {
            let dropped = PgConnection::establish(admin)
                .map(|mut conn| conn.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")));
            if !matches!(dropped, Ok(Ok(()))) {
                eprintln!("the database {name} could not be dropped");
            }
        }
    }
}
