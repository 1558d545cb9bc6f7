//! A database for one test: a file in its own folder, or a database of its own on the Postgres server.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::sql_types::{BigInt, Text};

/// Which database a test body runs on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    Sqlite,
    Postgres,
}

/// The database of one test; a Postgres one is dropped with it.
pub struct Database {
    pub url: String,
    place: Place,
}

enum Place {
    File(String),
    Server {
        admin: String,
        name: String,
    },
    /// Somebody else's, on a Postgres server.
    Guest,
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

/// The address of the Postgres server, without a database at its end.
fn postgres_server() -> String {
    let url = std::env::var("TEST_PG_URL").unwrap_or_else(|_| "postgres://postgres@127.0.0.1:5433".into());
    url.trim_end_matches('/').to_owned()
}

impl Database {
    pub fn make(backend: Backend, dir: &Path) -> Self {
        match backend {
            Backend::Sqlite => {
                let file = dir.join("apogee.db").display().to_string();
                Self { url: format!("sqlite:{file}"), place: Place::File(file) }
            }
            Backend::Postgres => Self::make_on_server(),
        }
    }

    /// A Postgres database that is there already, and stays.
    pub fn of(url: &str) -> Self {
        Self { url: url.to_owned(), place: Place::Guest }
    }

    fn make_on_server() -> Self {
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
        conn.batch_execute(&format!("CREATE DATABASE {name}")).unwrap();
        Self { url: format!("{server}/{name}"), place: Place::Server { admin, name } }
    }

    /// Runs statements on the database, beside the program.
    pub fn run(&self, sql: &str) {
        match &self.place {
            Place::File(file) => self.sqlite(file).batch_execute(sql),
            Place::Server { .. } | Place::Guest => PgConnection::establish(&self.url).unwrap().batch_execute(sql),
        }
        .unwrap_or_else(|error| panic!("{error}: {sql}"));
    }

    /// The one number that a query gives.
    pub fn number(&self, sql: &str) -> i64 {
        let query = diesel::sql_query(format!("SELECT CAST(({sql}) AS BIGINT) AS value"));
        let rows: Vec<Number> = match &self.place {
            Place::File(file) => query.load(&mut self.sqlite(file)),
            Place::Server { .. } | Place::Guest => query.load(&mut PgConnection::establish(&self.url).unwrap()),
        }
        .unwrap_or_else(|error| panic!("{error}: {sql}"));
        rows[0].value
    }

    /// The column `value` of a query.
    pub fn words(&self, sql: &str) -> Vec<String> {
        let query = diesel::sql_query(sql);
        let rows: Vec<Word> = match &self.place {
            Place::File(file) => query.load(&mut self.sqlite(file)),
            Place::Server { .. } | Place::Guest => query.load(&mut PgConnection::establish(&self.url).unwrap()),
        }
        .unwrap_or_else(|error| panic!("{error}: {sql}"));
        rows.into_iter().map(|row| row.value).collect()
    }

    /// Cuts every connection and takes no new one (Postgres).
    pub fn refuse_connections(&self) {
        self.on_server(|name| {
            format!(
                "ALTER DATABASE {name} WITH ALLOW_CONNECTIONS FALSE; \
                 SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
            )
        });
    }

    /// Takes connections again (Postgres).
    pub fn accept_connections(&self) {
        self.on_server(|name| format!("ALTER DATABASE {name} WITH ALLOW_CONNECTIONS TRUE"));
    }

    fn on_server(&self, sql: impl Fn(&str) -> String) {
        let Place::Server { admin, name } = &self.place else { panic!("only a server can be asked for this") };
        let mut conn = PgConnection::establish(admin).unwrap();
        // One statement at a time: some of them refuse to run inside a transaction.
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
        if let Place::Server { admin, name } = &self.place {
            let dropped = PgConnection::establish(admin)
                .map(|mut conn| conn.batch_execute(&format!("DROP DATABASE {name} WITH (FORCE)")));
            if !matches!(dropped, Ok(Ok(()))) {
                eprintln!("the database {name} could not be dropped");
            }
        }
    }
}
