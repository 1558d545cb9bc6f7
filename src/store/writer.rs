//! How transactions run: on SQLite one thread groups what waits into one commit, on Postgres each takes a connection.

use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use diesel::Connection;
use diesel::connection::{AnsiTransactionManager, SimpleConnection, TransactionManager};
use diesel::sqlite::SqliteConnection;
use tokio::sync::{mpsc, oneshot};

use super::conn::{AnyConn, DatabaseUrl, Pool};
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

pub(super) struct Writer {
    way: Way,
    panics: Panics,
}

enum Way {
    Sqlite(mpsc::Sender<Box<dyn Job>>),
    Postgres(Pool),
}

/// Counts transactions, and steps after their commits, that panicked.
#[derive(Debug, Clone, Default)]
struct Panics(Arc<AtomicU64>);

impl Panics {
    fn add(&self, what: &str) -> StoreError {
        self.0.fetch_add(1, Ordering::Relaxed);
        tracing::error!("{what} panicked");
        StoreError::Panicked
    }

    /// Runs a step; a panic in it is an error of this step alone.
    fn catch<T>(&self, what: &str, step: impl FnOnce() -> T) -> Result<T, StoreError> {
        catch_unwind(AssertUnwindSafe(step)).map_err(|_| self.add(what))
    }
}

/// One transaction waiting for the SQLite writer.
trait Job: Send {
    /// Runs inside a transaction or a savepoint; `Err` undoes it.
    fn run(&mut self, conn: &mut AnyConn) -> Result<(), Undo>;
    /// The transaction of the whole group is over: on disk, or rolled back because this job alone wanted it.
    fn committed(self: Box<Self>, panics: &Panics);
    /// The transaction of the whole group was rolled back. A job that failed before that answers its own error.
    fn failed(self: Box<Self>, why: StoreError);
}

/// Rolls a savepoint back; the real outcome is kept by the job.
struct Undo;

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
        self.outcome = None;
        let result = (self.act)(&mut Tx(conn));
        let undo = result.is_err();
        self.outcome = Some(result);
        if undo { Err(Undo) } else { Ok(()) }
    }

    fn committed(self: Box<Self>, panics: &Panics) {
        let Self { then, outcome, reply, .. } = *self;
        let outcome = outcome.unwrap_or_else(|| Err(StoreError::Closed.into()));
        // Nobody waits any more when the caller went away; the work is done all the same.
        let _ = reply.send(outcome.and_then(|value| finish(panics, value, then)));
    }

    fn failed(self: Box<Self>, why: StoreError) {
        let outcome = match self.outcome {
            Some(Err(own)) => own,
            _ => why.into(),
        };
        let _ = self.reply.send(Err(outcome));
    }
}

/// Runs what follows a commit. A panic there is one failed answer; what was committed stays.
fn finish<T, E: From<StoreError>>(panics: &Panics, value: T, then: impl FnOnce(&T)) -> Result<T, E> {
    panics.catch("a step after a commit", || then(&value))?;
    Ok(value)
}

impl Writer {
    pub fn start(place: &DatabaseUrl, pool: Pool) -> Result<Self, StoreError> {
        let panics = Panics::default();
        if matches!(place, DatabaseUrl::Postgres(_)) {
            return Ok(Self { way: Way::Postgres(pool), panics });
        }
        let (sender, receiver) = mpsc::channel(QUEUE);
        let counted = panics.clone();
        std::thread::Builder::new()
            .name("sqlite-writer".into())
            .spawn(move || keep_writing(&pool, receiver, &counted))
            .map_err(|e| StoreError::Open(e.to_string()))?;
        Ok(Self { way: Way::Sqlite(sender), panics })
    }

    /// How many transactions, and steps after their commits, have panicked.
    pub fn panics(&self) -> u64 {
        self.panics.0.load(Ordering::Relaxed)
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
        match &self.way {
            Way::Postgres(pool) => {
                let (pool, panics) = (pool.clone(), self.panics.clone());
                let alone = move || write_alone(&pool, act).and_then(|value| finish(&panics, value, then));
                tokio::task::spawn_blocking(alone)
                    .await
                    .map_err(|end| if end.is_panic() { self.panics.add("a transaction") } else { StoreError::Closed })?
            }
            Way::Sqlite(sender) => {
                let (reply, answer) = oneshot::channel();
                let job = Write { act, then, outcome: None, reply };
                sender.try_send(Box::new(job)).map_err(|_| StoreError::Busy)?;
                answer.await.map_err(|_| StoreError::Closed)?
            }
        }
    }
}

/// The connection is free again before what follows the commit runs: that may read, and would wait for it.
fn write_alone<T, E>(pool: &Pool, mut act: impl FnMut(&mut Tx) -> Result<T, E>) -> Result<T, E>
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
            Ok(value) => return Ok(value),
            Err(Stop::Own(error)) => error,
            Err(Stop::Database(error)) => E::from(StoreError::classify(error)),
        };
        if tries == TRIES || !error.is_retryable() {
            return Err(error);
        }
    }
}

/// The writer's thread. A panic that nothing below caught ends one group, whose callers get [`StoreError::Closed`].
fn keep_writing(pool: &Pool, mut waiting: mpsc::Receiver<Box<dyn Job>>, panics: &Panics) {
    while panics.catch("the writer", || write_in_groups(pool, &mut waiting, panics)).is_err() {}
}

fn write_in_groups(pool: &Pool, waiting: &mut mpsc::Receiver<Box<dyn Job>>, panics: &Panics) {
    let mut group = Vec::with_capacity(GROUP);
    while waiting.blocking_recv_many(&mut group, GROUP) > 0 {
        match pool.get() {
            Ok(mut conn) => commit_group(&mut conn, std::mem::take(&mut group), panics),
            Err(_) => group.drain(..).for_each(|job| job.failed(StoreError::Busy)),
        }
    }
}

/// One job needs no savepoint. With one, SQLite would keep the former state of every page that it changes in memory, in a
/// list that each of its statements walks: the count of millions took a gigabyte and the square of its time.
fn commit_one(conn: &mut AnyConn, mut job: Box<dyn Job>, panics: &Panics) {
    if let Err(error) = begin(conn) {
        return fail_all(vec![job], error);
    }
    match panics.catch("a transaction", || job.run(conn)) {
        Ok(Ok(())) => match commit(conn) {
            Ok(()) => job.committed(panics),
            Err(error) => {
                rollback(conn);
                fail_all(vec![job], error);
            }
        },
        // The job's error is its answer; its changes are undone.
        Ok(Err(Undo)) => {
            rollback(conn);
            job.committed(panics);
        }
        Err(panicked) => {
            rollback(conn);
            job.failed(panicked);
        }
    }
}

/// Why the transaction of a group cannot be committed.
enum Broken {
    /// The job at this place panicked, which leaves its savepoint in an unknown state.
    Panicked(usize, StoreError),
    /// The savepoint of a job is gone: SQLite rolled the whole transaction back (an I/O error, a full disk, no memory).
    /// Any statement from here on would be committed alone.
    RolledBack(diesel::result::Error),
}

fn commit_group(conn: &mut AnyConn, mut group: Vec<Box<dyn Job>>, panics: &Panics) {
    while group.len() > 1 {
        if let Err(error) = begin(conn) {
            return fail_all(group, error);
        }
        let done = match run_all(conn, &mut group, panics) {
            Ok(()) => commit(conn),
            Err(Broken::RolledBack(error)) => Err(error),
            Err(Broken::Panicked(index, panicked)) => {
                rollback(conn);
                group.remove(index).failed(panicked);
                // The others have no part in it: they run again.
                continue;
            }
        };
        return match done {
            Ok(()) => group.into_iter().for_each(|job| job.committed(panics)),
            Err(error) => {
                rollback(conn);
                fail_all(group, error);
            }
        };
    }
    if let Some(job) = group.pop() {
        commit_one(conn, job, panics);
    }
}

/// Runs each job in its own savepoint, up to the first that breaks the transaction.
fn run_all(conn: &mut AnyConn, group: &mut [Box<dyn Job>], panics: &Panics) -> Result<(), Broken> {
    for (index, job) in group.iter_mut().enumerate() {
        conn.batch_execute("SAVEPOINT job").map_err(Broken::RolledBack)?;
        let ran = panics.catch("a transaction", || job.run(conn)).map_err(|error| Broken::Panicked(index, error))?;
        // Both fail when there is no such savepoint any more, whatever the job made of the error that it met.
        let end = if ran.is_ok() { "RELEASE job" } else { "ROLLBACK TO job; RELEASE job" };
        conn.batch_execute(end).map_err(Broken::RolledBack)?;
    }
    Ok(())
}

fn fail_all(group: Vec<Box<dyn Job>>, error: diesel::result::Error) {
    let why = StoreError::classify(error);
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
    if let AnyConn::Sqlite(c) = conn {
        // Fails when SQLite has rolled the transaction back already, which leaves nothing to undo.
        let _ = c.batch_execute("ROLLBACK");
        // The manager still counts the savepoints of what was rolled back.
        *AnsiTransactionManager::transaction_manager_status_mut(c) = Default::default();
    }
}

#[cfg(test)]
mod tests {
    use diesel::sql_types::BigInt;
    use diesel::{QueryableByName, RunQueryDsl};
    use r2d2::ManageConnection;

    use super::*;
    use crate::store::conn::{ConnectionManager, ConnectionMode};

    type Answer = oneshot::Receiver<Result<(), StoreError>>;

    /// A connection to a new database with an empty table of numbers.
    fn database(dir: &tempfile::TempDir) -> AnyConn {
        let path = dir.path().join("t.db").display().to_string();
        let manager = ConnectionManager { place: DatabaseUrl::Sqlite(path), mode: ConnectionMode::ReadWrite };
        let mut conn = manager.connect().unwrap();
        conn.batch_execute("CREATE TABLE numbers (n INTEGER PRIMARY KEY, body BLOB)").unwrap();
        conn
    }

    fn job(
        act: impl FnMut(&mut Tx) -> Result<(), StoreError> + Send + 'static,
        then: impl FnOnce(&()) + Send + 'static,
    ) -> (Box<dyn Job>, Answer) {
        let (reply, answer) = oneshot::channel();
        (Box::new(Write { act, then, outcome: None, reply }), answer)
    }

    /// 20 jobs that each write their number; the one at `at` runs `other` first.
    fn group(at: usize, other: fn(&mut Tx) -> Result<(), StoreError>) -> (Vec<Box<dyn Job>>, Vec<Answer>) {
        let act = move |n: usize| {
            move |tx: &mut Tx| {
                if n == at {
                    other(tx)?;
                }
                Ok(tx.batch_execute(&format!("INSERT INTO numbers (n) VALUES ({n})"))?)
            }
        };
        (0..20).map(|n| job(act(n), |()| ())).unzip()
    }

    fn is_taken(answer: &mut Answer) -> bool {
        answer.try_recv().unwrap().is_ok()
    }

    fn count(conn: &mut AnyConn) -> i64 {
        #[derive(QueryableByName)]
        struct Count {
            #[diesel(sql_type = BigInt)]
            n: i64,
        }
        diesel::sql_query("SELECT COUNT(*) AS n FROM numbers").get_result::<Count>(conn).unwrap().n
    }

    /// The database may not grow: SQLite then rolls the whole transaction back, as it does after an I/O error.
    fn fill_the_disk(tx: &mut Tx) -> Result<(), StoreError> {
        tx.batch_execute("PRAGMA max_page_count = 2; INSERT INTO numbers VALUES (100, zeroblob(100000))")?;
        Ok(())
    }

    #[test]
    fn no_job_of_a_group_is_on_disk_after_sqlite_rolled_it_back_whichever_job_met_the_error() {
        for at in 0..20 {
            let dir = tempfile::tempdir().unwrap();
            let mut conn = database(&dir);
            let (jobs, mut answers) = group(at, fill_the_disk);
            commit_group(&mut conn, jobs, &Panics::default());
            assert_eq!(answers.iter_mut().filter_map(|answer| is_taken(answer).then_some(())).count(), 0, "job {at}");
            assert_eq!(count(&mut conn), 0, "job {at}");
            conn.batch_execute("PRAGMA max_page_count = 1000000").unwrap();
            let (jobs, mut answers) = group(99, |_| Ok(()));
            commit_group(&mut conn, jobs, &Panics::default());
            assert!(answers.iter_mut().all(is_taken) && count(&mut conn) == 20, "job {at}");
        }
    }

    #[test]
    fn a_job_that_fails_on_its_own_takes_nothing_from_the_others() {
        let dir = tempfile::tempdir().unwrap();
        let mut conn = database(&dir);
        let (jobs, mut answers) = group(7, |tx| Ok(tx.batch_execute("INSERT INTO numbers (n) VALUES (0), (0)")?));
        commit_group(&mut conn, jobs, &Panics::default());
        let taken: Vec<bool> = answers.iter_mut().map(is_taken).collect();
        assert_eq!(taken.iter().position(|taken| !taken), Some(7));
        assert_eq!((taken.iter().filter(|taken| **taken).count(), count(&mut conn)), (19, 19));
    }

    #[test]
    fn a_transaction_that_panics_is_one_failed_answer() {
        for at in [0, 9, 19] {
            let dir = tempfile::tempdir().unwrap();
            let (mut conn, panics) = (database(&dir), Panics::default());
            let (jobs, mut answers) = group(at, |_| panic!("on purpose"));
            commit_group(&mut conn, jobs, &panics);
            let taken: Vec<bool> = answers.iter_mut().map(is_taken).collect();
            assert_eq!(taken.iter().position(|taken| !taken), Some(at));
            assert_eq!((taken.iter().filter(|taken| **taken).count(), count(&mut conn)), (19, 19));
            assert_eq!(panics.0.load(Ordering::Relaxed), 1);
        }
    }

    #[tokio::test]
    async fn a_step_after_a_commit_that_panics_is_one_failed_answer_and_the_writer_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", dir.path().join("t.db").display());
        let store = crate::store::Store::open(&url).unwrap();
        let mut writes: Vec<_> =
            (0..20).map(|n| store.write_then(move |_| Ok::<_, StoreError>(n), move |_| assert_ne!(n, 9))).collect();
        let last = writes.split_off(10);
        for (n, write) in writes.into_iter().enumerate() {
            assert_eq!(write.await.is_ok(), n != 9, "write {n}");
        }
        for write in last {
            assert!(write.await.is_ok());
        }
        assert_eq!(store.panics(), 1);
    }
}
