//! How transactions run: on SQLite one thread groups what waits into one commit, on Postgres each takes a connection.

use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};

use diesel::Connection;
use diesel::connection::{AnsiTransactionManager, TransactionManager};
use diesel::sqlite::SqliteConnection;
use tokio::sync::{mpsc, oneshot};

use super::conn::{AnyConn, Place, Pool};
use super::{Retryable, StoreError};

/// How many transactions may wait for the SQLite writer before callers are told that it is overloaded.
const QUEUE: usize = 4_096;
/// How many waiting transactions share one commit at most; bounds how long the first one waits.
const GROUP: usize = 256;
/// How often a Postgres transaction that lost a race is run again.
const TRIES: usize = 5;

/// A connection inside a transaction. Functions that write take this type, so that none runs outside of one.
pub struct Tx<'a>(&'a mut AnyConn);

impl Deref for Tx<'_> {
    type Target = AnyConn;
    fn deref(&self) -> &AnyConn {
        self.0
    }
}

impl DerefMut for Tx<'_> {
    fn deref_mut(&mut self) -> &mut AnyConn {
        self.0
    }
}

pub(super) enum Writer {
    Sqlite(mpsc::Sender<Box<dyn Job>>),
    Postgres(Pool),
}

/// One transaction waiting for the SQLite writer.
pub(super) trait Job: Send {
    /// Runs inside a transaction or a savepoint; an error rolls it back.
    fn run(&mut self, conn: &mut AnyConn) -> Result<(), Undo>;
    /// The commit of the whole group is on disk.
    fn committed(self: Box<Self>);
    /// The commit of the whole group failed.
    fn failed(self: Box<Self>, why: StoreError);
}

/// Rolls a savepoint back; the real outcome is kept by the job.
pub(super) struct Undo;

impl From<diesel::result::Error> for Undo {
    fn from(_: diesel::result::Error) -> Self {
        Self
    }
}

struct Write<F, H, T, E> {
    act: F,
    then: H,
    outcome: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<F, H, T, E> Job for Write<F, H, T, E>
where
    F: FnMut(&mut Tx) -> Result<T, E> + Send,
    H: FnOnce(&T) + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn run(&mut self, conn: &mut AnyConn) -> Result<(), Undo> {
        let result = (self.act)(&mut Tx(conn));
        let undo = result.is_err();
        self.outcome = Some(result);
        if undo { Err(Undo) } else { Ok(()) }
    }

    fn committed(self: Box<Self>) {
        let outcome = self.outcome.unwrap_or_else(|| Err(StoreError::Closed.into()));
        if let Ok(value) = &outcome {
            (self.then)(value);
        }
        // Nobody waits any more when the caller went away; the work is done all the same.
        let _ = self.reply.send(outcome);
    }

    fn failed(self: Box<Self>, why: StoreError) {
        let _ = self.reply.send(Err(why.into()));
    }
}

impl Writer {
    pub fn start(place: &Place, pool: Pool) -> Result<Self, StoreError> {
        if matches!(place, Place::Postgres(_)) {
            return Ok(Self::Postgres(pool));
        }
        let (sender, receiver) = mpsc::channel(QUEUE);
        std::thread::Builder::new()
            .name("sqlite-writer".into())
            .spawn(move || write_in_groups(&pool, receiver))
            .map_err(|e| StoreError::Open(e.to_string()))?;
        Ok(Self::Sqlite(sender))
    }

    pub async fn run<T, E>(
        &self,
        act: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
        then: impl FnOnce(&T) + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Retryable + Send + 'static,
    {
        match self {
            Self::Postgres(pool) => {
                let pool = pool.clone();
                tokio::task::spawn_blocking(move || write_alone(&pool, act, then))
                    .await
                    .map_err(|_| StoreError::Closed)?
            }
            Self::Sqlite(sender) => {
                let (reply, answer) = oneshot::channel();
                let job = Write { act, then, outcome: None, reply };
                sender.try_send(Box::new(job)).map_err(|_| StoreError::Busy)?;
                answer.await.map_err(|_| StoreError::Closed)?
            }
        }
    }
}

fn write_alone<T, E>(pool: &Pool, mut act: impl FnMut(&mut Tx) -> Result<T, E>, then: impl FnOnce(&T)) -> Result<T, E>
where
    E: From<StoreError> + Retryable,
{
    enum Stop<E> {
        Own(E),
        Database(diesel::result::Error),
    }
    impl<E> From<diesel::result::Error> for Stop<E> {
        fn from(error: diesel::result::Error) -> Self {
            Self::Database(error)
        }
    }
    let mut conn = pool.get().map_err(|_| StoreError::Busy)?;
    let mut tries = 0;
    loop {
        tries += 1;
        let outcome = conn.transaction(|conn| act(&mut Tx(conn)).map_err(Stop::Own));
        let error = match outcome {
            Ok(value) => {
                // What follows may read, and would wait for the connection that it sits on.
                drop(conn);
                then(&value);
                return Ok(value);
            }
            Err(Stop::Own(error)) => error,
            Err(Stop::Database(error)) => E::from(StoreError::judge(error)),
        };
        if tries == TRIES || !error.is_retryable() {
            return Err(error);
        }
    }
}

fn write_in_groups(pool: &Pool, mut waiting: mpsc::Receiver<Box<dyn Job>>) {
    let mut group = Vec::with_capacity(GROUP);
    while waiting.blocking_recv_many(&mut group, GROUP) > 0 {
        match pool.get() {
            Ok(mut conn) => commit_group(&mut conn, std::mem::take(&mut group)),
            Err(_) => group.drain(..).for_each(|job| job.failed(StoreError::Busy)),
        }
    }
}

/// One job needs no savepoint. With one, SQLite would keep the former state of every page that it changes in memory, in a
/// list that each of its statements walks: the count of millions took a gigabyte and the square of its time.
fn commit_one(conn: &mut AnyConn, mut job: Box<dyn Job>) {
    if let Err(error) = begin(conn) {
        return fail_all(vec![job], error);
    }
    let done = match catch_unwind(AssertUnwindSafe(|| job.run(conn).is_ok())) {
        Ok(true) => commit(conn),
        // What the job says of itself is its answer; nothing of it stays.
        Ok(false) => {
            rollback(conn);
            return job.committed();
        }
        Err(_) => Err(diesel::result::Error::RollbackTransaction),
    };
    match done {
        Ok(()) => job.committed(),
        Err(error) => {
            rollback(conn);
            fail_all(vec![job], error);
        }
    }
}

fn commit_group(conn: &mut AnyConn, mut group: Vec<Box<dyn Job>>) {
    if group.len() == 1
        && let Some(job) = group.pop()
    {
        return commit_one(conn, job);
    }
    if let Err(error) = begin(conn) {
        return fail_all(group, error);
    }
    let mut crashed = Vec::new();
    for (index, job) in group.iter_mut().enumerate() {
        let ran = catch_unwind(AssertUnwindSafe(|| conn.transaction(|conn| job.run(conn)).is_ok()));
        if ran.is_err() {
            crashed.push(index);
            break;
        }
    }
    // A panic leaves the savepoint in an unknown state: the whole group is undone, nobody was told otherwise.
    let done = if crashed.is_empty() { commit(conn) } else { Err(diesel::result::Error::RollbackTransaction) };
    match done {
        Ok(()) => group.into_iter().for_each(|job| job.committed()),
        Err(error) => {
            rollback(conn);
            fail_all(group, error);
        }
    }
}

fn fail_all(group: Vec<Box<dyn Job>>, error: diesel::result::Error) {
    let why = StoreError::judge(error);
    tracing::error!(error = %why, transactions = group.len(), "a group of transactions was rolled back");
    for job in group {
        job.failed(why.again());
    }
}

fn begin(conn: &mut AnyConn) -> diesel::QueryResult<()> {
    match conn {
        AnyConn::Sqlite(c) => AnsiTransactionManager::begin_transaction_sql(c, "BEGIN IMMEDIATE"),
        AnyConn::Postgres(_) => Err(diesel::result::Error::NotInTransaction),
    }
}

fn commit(conn: &mut AnyConn) -> diesel::QueryResult<()> {
    match conn {
        AnyConn::Sqlite(c) => <AnsiTransactionManager as TransactionManager<SqliteConnection>>::commit_transaction(c),
        AnyConn::Postgres(_) => Err(diesel::result::Error::NotInTransaction),
    }
}

fn rollback(conn: &mut AnyConn) {
    use diesel::connection::SimpleConnection;
    if let AnyConn::Sqlite(c) = conn {
        // A full disk rolls back by itself; then there is nothing left to undo, and SQLite says so.
        let _ = c.batch_execute("ROLLBACK");
        // The manager still counts the savepoints of what was rolled back.
        *AnsiTransactionManager::transaction_manager_status_mut(c) = Default::default();
    }
}
