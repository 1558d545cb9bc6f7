//! One connection type for both databases, its pool, and multi-row inserts with upserts, which Diesel's shared subset lacks.

use std::ops::Range;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::query_dsl::methods::LoadQuery;
use diesel::sql_types::BigInt;

use super::Tx;

/// A connection to SQLite or PostgreSQL.
#[derive(diesel::MultiConnection)]
pub enum AnyConn {
    Postgres(PgConnection),
    Sqlite(SqliteConnection),
}

impl AnyConn {
    pub fn is_postgres(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }
}

/// A parsed database address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// Path of the SQLite file.
    Sqlite(String),
    Postgres(String),
}

impl DatabaseUrl {
    /// Parses `sqlite:PATH` or `postgres://…`.
    pub fn parse(url: &str) -> Option<Self> {
        if let Some(path) = url.strip_prefix("sqlite:") {
            let path = path.strip_prefix("//").unwrap_or(path);
            return (!path.is_empty()).then(|| Self::Sqlite(path.to_owned()));
        }
        let is_postgres = url.starts_with("postgres://") || url.starts_with("postgresql://");
        is_postgres.then(|| Self::Postgres(url.to_owned()))
    }
}

/// The path of a SQLite database; `None` for PostgreSQL.
pub fn sqlite_path(url: &str) -> Option<PathBuf> {
    match DatabaseUrl::parse(url)? {
        DatabaseUrl::Sqlite(path) => Some(PathBuf::from(path)),
        DatabaseUrl::Postgres(_) => None,
    }
}

/// Opens connections for a pool.
#[derive(Debug, Clone)]
pub struct ConnectionManager {
    pub url: DatabaseUrl,
    pub mode: ConnectionMode,
}

/// The purpose of a SQLite connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionMode {
    /// Every write fails.
    ReadOnly,
    ReadWrite,
    /// For commands that write millions of rows and can be repeated: a commit reaches the disk some seconds later. Neither a kill
    /// nor a power failure damages the database.
    BulkLoad,
}

// busy_timeout comes first, because setting the journal mode needs a lock. No memory map is used: its pages would count as memory
// of the process, and the system caches the file anyway. A checkpoint writes each changed page once: after 48 MB of log it takes less
// than three times as long as after 16 MB, so that ingest gains about a tenth.
const SQLITE_SETUP: &str = "PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
    PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY; \
    PRAGMA wal_autocheckpoint = 12000; PRAGMA journal_size_limit = 67108864;";

impl r2d2::ManageConnection for ConnectionManager {
    type Connection = AnyConn;
    type Error = diesel::r2d2::Error;

    fn connect(&self) -> Result<AnyConn, Self::Error> {
        use diesel::r2d2::Error as E;
        match &self.url {
            DatabaseUrl::Postgres(url) => {
                let mut conn = PgConnection::establish(&with_timeouts(url)).map_err(E::ConnectionError)?;
                // PostgreSQL keeps plans of prepared statements, including those made while a table was small and a sequential scan
                // was cheapest. Every query has an index.
                conn.batch_execute(
                    "SET application_name = 'apogee'; SET statement_timeout = '30s'; SET TIME ZONE 'UTC'; \
                     SET enable_seqscan = off; SET jit = off",
                )
                .map_err(E::QueryError)?;
                Ok(AnyConn::Postgres(conn))
            }
            DatabaseUrl::Sqlite(path) => {
                let mut conn = SqliteConnection::establish(path).map_err(E::ConnectionError)?;
                conn.batch_execute(SQLITE_SETUP).map_err(E::QueryError)?;
                let rest = match self.mode {
                    ConnectionMode::ReadOnly => "PRAGMA query_only = ON; PRAGMA cache_size = -8192",
                    ConnectionMode::ReadWrite => "PRAGMA cache_size = -65536",
                    // The handles of new rows are in random order, so each batch touches most pages of that index. They stay in
                    // memory, and a checkpoint runs every 512 MB of log instead of every 48 MB.
                    ConnectionMode::BulkLoad => {
                        "PRAGMA cache_size = -262144; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 131072"
                    }
                };
                conn.batch_execute(rest).map_err(E::QueryError)?;
                Ok(AnyConn::Sqlite(conn))
            }
        }
    }

    fn is_valid(&self, conn: &mut AnyConn) -> Result<(), Self::Error> {
        conn.batch_execute("SELECT 1").map_err(diesel::r2d2::Error::QueryError)
    }

    fn has_broken(&self, conn: &mut AnyConn) -> bool {
        use diesel::r2d2::R2D2Connection;
        std::thread::panicking() || conn.is_broken()
    }
}

/// Adds timeouts that detect an unreachable server within seconds instead of 15 minutes. Options in the address take precedence.
fn with_timeouts(url: &str) -> String {
    const DEADLINES: [(&str, &str); 5] = [
        ("connect_timeout", "4"),
        ("tcp_user_timeout", "4000"),
        ("keepalives_idle", "10"),
        ("keepalives_interval", "5"),
        ("keepalives_count", "2"),
    ];
    let mut url = url.to_owned();
    for (name, value) in DEADLINES {
        if !url.contains(&format!("{name}=")) {
            let sign = if url.contains('?') { '&' } else { '?' };
            url = format!("{url}{sign}{name}={value}");
        }
    }
    url
}

pub type Pool = r2d2::Pool<ConnectionManager>;

/// Builds a pool that waits at most five seconds for a free connection.
pub fn pool(manager: ConnectionManager, size: u32) -> Result<Pool, r2d2::Error> {
    // A pooled connection to PostgreSQL may have died; one to SQLite cannot.
    let check = matches!(manager.url, DatabaseUrl::Postgres(_));
    r2d2::Pool::builder()
        .max_size(size)
        .min_idle(Some(1))
        .test_on_check_out(check)
        .connection_timeout(Duration::from_secs(5))
        .error_handler(Box::new(r2d2::NopErrorHandler))
        .build(manager)
}

/// How an upsert changes a column of an existing row.
#[derive(Debug, Clone, Copy)]
pub enum Merge {
    Replace,
    Add,
    Max,
    Min,
    /// Keeps the stored value unless it is `NULL`.
    Fill,
    /// The career score of the merged universe time and contracts: see [`career_of_day`](crate::domain::scores::career_of_day).
    Career,
}

/// A multi-row `INSERT … VALUES (…), (…)`; built by [`bulk!`]. Any number of rows is written, in several statements.
pub struct Bulk<R> {
    pub head: String,
    pub rows: Vec<R>,
    pub tail: String,
}

/// Maximum number of rows of a statement; a power of two.
const MAX_ROWS: usize = 128;

impl<R> Bulk<R> {
    /// Merges into rows with the same key instead of failing. Without columns to merge, existing rows are unchanged.
    pub fn on_conflict(mut self, table: &str, keys: &[&str], merges: &[(&str, Merge)]) -> Self {
        use std::fmt::Write;
        let mut tail = format!(" ON CONFLICT ({}) DO ", keys.join(", "));
        if merges.is_empty() {
            tail.push_str("NOTHING");
        } else {
            tail.push_str("UPDATE SET ");
        }
        for (i, (column, merge)) in merges.iter().enumerate() {
            if i > 0 {
                tail.push_str(", ");
            }
            // Writing to a String cannot fail.
            let _ = match merge {
                Merge::Replace => write!(tail, "{column} = excluded.{column}"),
                Merge::Add => write!(tail, "{column} = {table}.{column} + excluded.{column}"),
                Merge::Fill => write!(tail, "{column} = COALESCE({table}.{column}, excluded.{column})"),
                Merge::Min => write!(
                    tail,
                    "{column} = CASE WHEN excluded.{column} < {table}.{column} THEN excluded.{column} ELSE {table}.{column} END"
                ),
                Merge::Career => {
                    let time = format!("(({table}.universe_time + excluded.universe_time) / 360)");
                    let contracts = format!("({table}.missions_completed + excluded.missions_completed)");
                    let most =
                        format!("CASE WHEN 5 * {contracts} < 10 * {time} THEN 5 * {contracts} ELSE 10 * {time} END");
                    write!(tail, "{column} = {time} + {most}")
                }
                Merge::Max => write!(
                    tail,
                    "{column} = CASE WHEN excluded.{column} > {table}.{column} THEN excluded.{column} ELSE {table}.{column} END"
                ),
            };
        }
        self.tail = tail;
        self
    }

    /// Returns columns of the written rows.
    pub fn returning<S: Expression>(self, columns: S) -> BulkReturning<R, S> {
        BulkReturning { bulk: self, columns }
    }

    /// Writes all rows; returns how many were inserted or changed. After an error, some rows are written: the transaction has to be rolled
    /// back.
    pub fn execute(self, tx: &mut Tx) -> QueryResult<usize>
    where
        R: QueryFragment<MultiBackend>,
    {
        self.statements(tx, None::<()>).map(|statement| statement.execute(&mut **tx)).sum()
    }

    /// The numbers of rows are powers of two, so that few different statements are prepared, and kept by the connection.
    fn statements<S: Clone>(
        self,
        tx: &Tx,
        columns: Option<S>,
    ) -> impl Iterator<Item = BulkStatement<R, S>> + use<R, S> {
        // SQLite otherwise keeps what each statement overwrites, to be able to undo it alone.
        let verb = if tx.is_postgres() { "INSERT" } else { "INSERT OR FAIL" };
        let bulk = Rc::new(self);
        let mut next = 0;
        std::iter::from_fn(move || {
            let count = 1 << (bulk.rows.len() - next).min(MAX_ROWS).checked_ilog2()?;
            let rows = next..next + count;
            next += count;
            Some(BulkStatement { verb, bulk: Rc::clone(&bulk), rows, columns: columns.clone() })
        })
    }
}

/// A [`Bulk`] that returns columns of the written rows.
pub struct BulkReturning<R, S> {
    bulk: Bulk<R>,
    columns: S,
}

impl<R, S: Clone> BulkReturning<R, S> {
    /// Like [`Bulk::execute`]; returns the columns of the rows that were inserted or changed.
    pub fn get_results<'q, U>(self, tx: &mut Tx) -> QueryResult<Vec<U>>
    where
        BulkStatement<R, S>: LoadQuery<'q, AnyConn, U>,
    {
        let mut results = Vec::with_capacity(self.bulk.rows.len());
        for statement in self.bulk.statements(tx, Some(self.columns)) {
            results.append(&mut statement.get_results(&mut **tx)?);
        }
        Ok(results)
    }

    /// Writes one row; returns its columns.
    pub fn get_result<'q, U>(self, tx: &mut Tx) -> QueryResult<U>
    where
        BulkStatement<R, S>: LoadQuery<'q, AnyConn, U>,
    {
        self.get_results(tx)?.pop().ok_or(diesel::NotFound)
    }
}

/// One statement of a [`Bulk`].
pub struct BulkStatement<R, S> {
    verb: &'static str,
    bulk: Rc<Bulk<R>>,
    rows: Range<usize>,
    columns: Option<S>,
}

impl<R: QueryFragment<MultiBackend>, S: QueryFragment<MultiBackend>> QueryFragment<MultiBackend>
    for BulkStatement<R, S>
{
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, MultiBackend>) -> QueryResult<()> {
        out.push_sql(self.verb);
        out.push_sql(&self.bulk.head);
        for (i, row) in self.bulk.rows[self.rows.clone()].iter().enumerate() {
            out.push_sql(if i == 0 { "(" } else { "), (" });
            row.walk_ast(out.reborrow())?;
        }
        out.push_sql(")");
        out.push_sql(&self.bulk.tail);
        if let Some(columns) = &self.columns {
            out.push_sql(" RETURNING ");
            columns.walk_ast(out)?;
        }
        Ok(())
    }
}

impl<R, S> QueryId for BulkStatement<R, S> {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl<R, S: Expression> Query for BulkStatement<R, S> {
    type SqlType = S::SqlType;
}
impl<R, S> RunQueryDsl<AnyConn> for BulkStatement<R, S> {}

/// A number that SQL text computes from one id, which stands for each `?`. Unlike `diesel::sql_query`, the text is prepared once per
/// connection, and conditions of partial indexes can be written as the indexes have them.
pub struct NumberOf {
    pub sql: &'static str,
    pub id: i64,
}

impl QueryFragment<MultiBackend> for NumberOf {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, MultiBackend>) -> QueryResult<()> {
        for (i, part) in self.sql.split('?').enumerate() {
            if i > 0 {
                out.push_bind_param::<BigInt, _>(&self.id)?;
            }
            out.push_sql(part);
        }
        Ok(())
    }
}

impl QueryId for NumberOf {
    type QueryId = ();
    const HAS_STATIC_QUERY_ID: bool = false;
}
impl Query for NumberOf {
    type SqlType = BigInt;
}
impl RunQueryDsl<AnyConn> for NumberOf {}

pub fn column_name<C: Column>(_: C) -> &'static str {
    C::NAME
}

/// `bulk!(table, rows, |row| { column: value, …, ..Type: values })` builds a [`Bulk`]; columns and types are checked by the compiler.
/// The last part stands for the columns of [`ColumnGroup`](super::scores::ColumnGroup).
macro_rules! bulk {
    ($table:ident, $rows:expr, |$row:pat_param| { $($column:ident : $value:expr),+ $(, ..$figures:ty : $all:expr)? $(,)? }) => {
        $crate::store::conn::Bulk {
            head: format!(
                " INTO {} ({}) VALUES ",
                stringify!($table),
                [
                    [$($crate::store::conn::column_name($crate::store::schema::$table::$column)),+].as_slice(),
                    $(&<$figures as $crate::store::scores::ColumnGroup>::columns(),)?
                ]
                .concat()
                .join(", "),
            ),
            rows: $rows
                .into_iter()
                .map(|$row| (
                    $(diesel::expression::AsExpression::<diesel::dsl::SqlTypeOf<$crate::store::schema::$table::$column>>::as_expression($value),)+
                    $($crate::store::scores::ColumnGroup::values($all),)?
                ))
                .collect::<Vec<_>>(),
            tail: String::new(),
        }
    };
}
pub(in crate::store) use bulk;
