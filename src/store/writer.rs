//! Runs transactions: on SQLite, one thread commits waiting transactions in groups; on PostgreSQL, each takes a connection.

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

/// Number of transactions that may wait for the SQLite writer; further ones fail with [`StoreError::Busy`].
const QUEUE_CAPACITY: usize = 4_096;
/// Maximum number of transactions per commit; bounds the delay of the first one.
const MAX_GROUP: usize = 256;
/// Attempts of a PostgreSQL transaction that fails with a retryable error.
const MAX_ATTEMPTS: usize = 5;

/// A connection inside a transaction. Functions that write take this type, so they cannot run outside of one.
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
    backend: Backend,
    panics: Panics,
}

enum Backend {
    Sqlite(mpsc::Sender<Box<dyn Job>>),
    Postgres(Pool),
}

/// Counts transactions, and callbacks after their commits, that panicked.
#[derive(Debug, Clone, Default)]
struct Panics(Arc<AtomicU64>);

impl Panics {
    fn add(&self, what: &str) -> StoreError {
        self.0.fetch_add(1, Ordering::Relaxed);
        tracing::error!("{what} panicked");
        StoreError::Panicked
    }

    /// Runs a step; a panic becomes an error of this step.
    fn catch<T>(&self, what: &str, step: impl FnOnce() -> T) -> Result<T, StoreError> {
        catch_unwind(AssertUnwindSafe(step)).map_err(|_| self.add(what))
    }
}

/// A transaction that waits for the SQLite writer.
trait Job: Send {
    /// Runs inside a transaction or a savepoint; `Err` rolls it back.
    fn run(&mut self, conn: &mut AnyConn) -> Result<(), RollBack>;
    /// The transaction ended: it is on disk, or this job alone was rolled back.
    fn committed(self: Box<Self>, panics: &Panics);
    /// The whole group was rolled back. A job that had failed before reports its own error.
    fn failed(self: Box<Self>, why: StoreError);
}

/// Requests a rollback to the savepoint; the job keeps its outcome.
struct RollBack;

struct TransactionJob<F, H, T, E> {
    transaction: F,
    then: H,
    outcome: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<F, H, T, E> Job for TransactionJob<F, H, T, E>
where
    F: FnMut(&mut Tx) -> Result<T, E> + Send,
    H: FnOnce(&T) + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn run(&mut self, conn: &mut AnyConn) -> Result<(), RollBack> {
        self.outcome = None;
        let result = (self.transaction)(&mut Tx(conn));
        let undo = result.is_err();
        self.outcome = Some(result);
        if undo { Err(RollBack) } else { Ok(()) }
    }

    fn committed(self: Box<Self>, panics: &Panics) {
        let Self { then, outcome, reply, .. } = *self;
        let outcome = outcome.unwrap_or_else(|| Err(StoreError::Closed.into()));
        // If the caller was cancelled, nobody receives the reply.
        let _ = reply.send(outcome.and_then(|value| run_after_commit(panics, value, then)));
    }

    fn failed(self: Box<Self>, why: StoreError) {
        let outcome = match self.outcome {
            Some(Err(own)) => own,
            _ => why.into(),
        };
        let _ = self.reply.send(Err(outcome));
    }
}

/// Runs the callback after a commit. A panic fails this call; the transaction remains committed.
fn run_after_commit<T, E: From<StoreError>>(panics: &Panics, value: T, then: impl FnOnce(&T)) -> Result<T, E> {
    panics.catch("a callback after a commit", || then(&value))?;
    Ok(value)
}

impl Writer {
    pub fn start(url: &DatabaseUrl, pool: Pool) -> Result<Self, StoreError> {
        let panics = Panics::default();
        if matches!(url, DatabaseUrl::Postgres(_)) {
            return Ok(Self { backend: Backend::Postgres(pool), panics });
        }
        let (sender, receiver) = mpsc::channel(QUEUE_CAPACITY);
        let counted = panics.clone();
        std::thread::Builder::new()
            .name("sqlite-writer".into())
            .spawn(move || run_writer(&pool, receiver, &counted))
            .map_err(|e| StoreError::Open(e.to_string()))?;
        Ok(Self { backend: Backend::Sqlite(sender), panics })
    }

    /// Number of transactions, and of callbacks after their commits, that have panicked.
    pub fn panics(&self) -> u64 {
        self.panics.0.load(Ordering::Relaxed)
    }

    pub async fn run<T, E>(
        &self,
        transaction: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static,
        then: impl FnOnce(&T) + Send + 'static,
    ) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Retryable + Send + 'static,
    {
        match &self.backend {
            Backend::Postgres(pool) => {
                let (pool, panics) = (pool.clone(), self.panics.clone());
                let alone = move || {
                    run_on_connection(&pool, transaction).and_then(|value| run_after_commit(&panics, value, then))
                };
                tokio::task::spawn_blocking(alone)
                    .await
                    .map_err(|end| if end.is_panic() { self.panics.add("a transaction") } else { StoreError::Closed })?
            }
            Backend::Sqlite(sender) => {
                let (reply, answer) = oneshot::channel();
                let job = TransactionJob { transaction, then, outcome: None, reply };
                sender.try_send(Box::new(job)).map_err(|_| StoreError::Busy)?;
                answer.await.map_err(|_| StoreError::Closed)?
            }
        }
    }
}

/// Releases the connection before the callback after the commit runs, because that may read.
fn run_on_connection<T, E>(pool: &Pool, mut transaction: impl FnMut(&mut Tx) -> Result<T, E>) -> Result<T, E>
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
    let mut attempts = 0;
    loop {
        attempts += 1;
        let outcome = conn.transaction(|conn| transaction(&mut Tx(conn)).map_err(Stop::Own));
        let error = match outcome {
            Ok(value) => return Ok(value),
            Err(Stop::Own(error)) => error,
            Err(Stop::Database(error)) => E::from(StoreError::classify(error)),
        };
        if attempts == MAX_ATTEMPTS || !error.is_retryable() {
            return Err(error);
        }
    }
}

/// Body of the writer thread. A panic that is not caught below ends one group, whose callers receive [`StoreError::Closed`].
fn run_writer(pool: &Pool, mut waiting: mpsc::Receiver<Box<dyn Job>>, panics: &Panics) {
    while panics.catch("the writer", || write_in_groups(pool, &mut waiting, panics)).is_err() {}
}

fn write_in_groups(pool: &Pool, waiting: &mut mpsc::Receiver<Box<dyn Job>>, panics: &Panics) {
    let mut group = Vec::with_capacity(MAX_GROUP);
    while waiting.blocking_recv_many(&mut group, MAX_GROUP) > 0 {
        match pool.get() {
            Ok(mut conn) => commit_group(&mut conn, std::mem::take(&mut group), panics),
            Err(_) => group.drain(..).for_each(|job| job.failed(StoreError::Busy)),
        }
    }
}

/// Commits a single job without a savepoint. With one, SQLite keeps the former state of every changed page in memory, in a list
/// that each statement scans: a recount of millions of rows took a gigabyte and quadratic time.
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
        // The job reports its own error; its changes are rolled back.
        Ok(Err(RollBack)) => {
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
enum GroupError {
    /// The job at this index panicked, so the state of its savepoint is unknown.
    Panicked(usize, StoreError),
    /// The savepoint of a job is gone: SQLite rolled back the whole transaction (I/O error, full disk, out of memory). Any further
    /// statement would be committed on its own.
    RolledBack(diesel::result::Error),
}

fn commit_group(conn: &mut AnyConn, mut group: Vec<Box<dyn Job>>, panics: &Panics) {
    while group.len() > 1 {
        if let Err(error) = begin(conn) {
            return fail_all(group, error);
        }
        let done = match run_all(conn, &mut group, panics) {
            Ok(()) => commit(conn),
            Err(GroupError::RolledBack(error)) => Err(error),
            Err(GroupError::Panicked(index, panicked)) => {
                rollback(conn);
                group.remove(index).failed(panicked);
                // The other jobs run again.
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
fn run_all(conn: &mut AnyConn, group: &mut [Box<dyn Job>], panics: &Panics) -> Result<(), GroupError> {
    for (index, job) in group.iter_mut().enumerate() {
        conn.batch_execute("SAVEPOINT job").map_err(GroupError::RolledBack)?;
        let ran =
            panics.catch("a transaction", || job.run(conn)).map_err(|error| GroupError::Panicked(index, error))?;
        // Both statements fail if the savepoint is gone, whatever the job did with the error.
        let end = if ran.is_ok() { "RELEASE job" } else { "ROLLBACK TO job; RELEASE job" };
        conn.batch_execute(end).map_err(GroupError::RolledBack)?;
    }
    Ok(())
}

fn fail_all(group: Vec<Box<dyn Job>>, error: diesel::result::Error) {
    let why = StoreError::classify(error);
    tracing::error!(error = %why, transactions = group.len(), "a group of transactions was rolled back");
    for job in group {
        job.failed(why.duplicate());
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
        // Fails if SQLite has rolled back already; then nothing is left to undo.
        let _ = c.batch_execute("ROLLBACK");
        // The transaction manager still counts the savepoints that were rolled back.
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

    /// A connection to a new database with an empty table `numbers`.
    fn database(dir: &tempfile::TempDir) -> AnyConn {
        let path = dir.path().join("t.db").display().to_string();
        let manager = ConnectionManager { url: DatabaseUrl::Sqlite(path), mode: ConnectionMode::ReadWrite };
        let mut conn = manager.connect().unwrap();
        conn.batch_execute("CREATE TABLE numbers (n INTEGER PRIMARY KEY, body BLOB)").unwrap();
        conn
    }

    fn job(
        transaction: impl FnMut(&mut Tx) -> Result<(), StoreError> + Send + 'static,
        then: impl FnOnce(&()) + Send + 'static,
    ) -> (Box<dyn Job>, Answer) {
        let (reply, answer) = oneshot::channel();
        (Box::new(TransactionJob { transaction, then, outcome: None, reply }), answer)
    }

    /// 20 jobs that each write their number; the one at index `at` runs `other` first.
    fn group(at: usize, other: fn(&mut Tx) -> Result<(), StoreError>) -> (Vec<Box<dyn Job>>, Vec<Answer>) {
        let transaction = move |n: usize| {
            move |tx: &mut Tx| {
                if n == at {
                    other(tx)?;
                }
                Ok(tx.batch_execute(&format!("INSERT INTO numbers (n) VALUES ({n})"))?)
            }
        };
        (0..20).map(|n| job(transaction(n), |()| ())).unzip()
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

    /// Limits the size of the database, so that SQLite rolls back the whole transaction, as it does after an I/O error.
    fn limit_database_size(tx: &mut Tx) -> Result<(), StoreError> {
        tx.batch_execute("PRAGMA max_page_count = 2; INSERT INTO numbers VALUES (100, zeroblob(100000))")?;
        Ok(())
    }

    #[test]
    fn no_job_of_a_group_is_on_disk_after_sqlite_rolled_the_group_back() {
        for at in 0..20 {
            let dir = tempfile::tempdir().unwrap();
            let mut conn = database(&dir);
            let (jobs, mut answers) = group(at, limit_database_size);
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
    fn a_failed_job_does_not_affect_the_others_of_its_group() {
        let dir = tempfile::tempdir().unwrap();
        let mut conn = database(&dir);
        let (jobs, mut answers) = group(7, |tx| Ok(tx.batch_execute("INSERT INTO numbers (n) VALUES (0), (0)")?));
        commit_group(&mut conn, jobs, &Panics::default());
        let taken: Vec<bool> = answers.iter_mut().map(is_taken).collect();
        assert_eq!(taken.iter().position(|taken| !taken), Some(7));
        assert_eq!((taken.iter().filter(|taken| **taken).count(), count(&mut conn)), (19, 19));
    }

    #[test]
    fn a_panic_in_a_transaction_fails_only_that_transaction() {
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
    async fn a_panic_in_a_callback_after_a_commit_fails_only_that_call() {
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
