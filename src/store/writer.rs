//! Runs transactions: on SQLite, one thread commits waiting transactions in groups; on PostgreSQL, each takes a connection.

use std::ops::{Deref, DerefMut};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, OnceLock};

use diesel::Connection;
use diesel::connection::{AnsiTransactionManager, SimpleConnection, TransactionManager};
use diesel::sqlite::SqliteConnection;
use tokio::sync::{mpsc, oneshot};

use super::changes::RecordedChange;
use super::conn::{AnyConn, DatabaseUrl, Pool};
use super::{Retryable, StoreError};

/// Number of transactions that may wait for the SQLite writer; further ones fail with [`StoreError::Busy`].
const QUEUE_CAPACITY: usize = 4_096;
/// Maximum number of committed groups whose changes are not applied yet; then the writer waits.
const MAX_UNAPPLIED: usize = 4;
/// Maximum number of transactions per commit; bounds the delay of the first one.
const MAX_GROUP: usize = 256;
/// Attempts of a PostgreSQL transaction that fails with a retryable error.
const MAX_ATTEMPTS: usize = 5;

/// A connection inside a transaction. Functions that write take this type, so they cannot run outside of one.
pub struct Tx<'a> {
    conn: &'a mut AnyConn,
    changes: Vec<RecordedChange>,
}

impl Tx<'_> {
    /// Has a recorded change applied after the commit; see [`super::changes::record`].
    pub(super) fn add_change(&mut self, change: RecordedChange) {
        self.changes.push(change);
    }
}

impl Deref for Tx<'_> {
    type Target = AnyConn;
    fn deref(&self) -> &AnyConn {
        self.conn
    }
}

impl DerefMut for Tx<'_> {
    fn deref_mut(&mut self) -> &mut AnyConn {
        self.conn
    }
}

/// Runs a transaction; returns its outcome with the changes that it recorded.
fn run_in_transaction<T, E>(
    conn: &mut AnyConn,
    transaction: &mut impl FnMut(&mut Tx) -> Result<T, E>,
) -> Result<Committed<T>, E> {
    let mut tx = Tx { conn, changes: Vec::new() };
    let value = transaction(&mut tx)?;
    Ok((value, tx.changes))
}

/// The value that a transaction returns, and the changes that it recorded.
type Committed<T> = (T, Vec<RecordedChange>);

/// What applies committed changes.
type Subscriber = Box<dyn Fn(Vec<RecordedChange>) + Send + Sync>;

pub(super) struct Writer {
    backend: Backend,
    after_commit: AfterCommit,
}

/// What happens after a commit.
#[derive(Clone, Default)]
struct AfterCommit {
    subscriber: Arc<OnceLock<Subscriber>>,
    panics: Panics,
}

impl AfterCommit {
    /// Has the changes applied. A panic fails this call; the transaction remains committed.
    fn apply<T, E: From<StoreError>>(&self, (value, changes): Committed<T>) -> Result<T, E> {
        if let Some(subscriber) = self.subscriber.get().filter(|_| !changes.is_empty()) {
            self.panics.catch("the effect of a commit", || subscriber(changes))?;
        }
        Ok(value)
    }
}

enum Backend {
    Sqlite(mpsc::Sender<Box<dyn Job>>),
    Postgres(Pool),
}

/// Counts transactions, and effects of their commits, that panicked.
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
    /// The transaction ended: it is on disk, or this job alone was rolled back. Has its changes applied, then replies.
    fn committed(self: Box<Self>, after_commit: &AfterCommit);
    /// The whole group was rolled back. A job that had failed before reports its own error.
    fn failed(self: Box<Self>, why: StoreError);
}

/// Requests a rollback to the savepoint; the job keeps its outcome.
struct RollBack;

struct TransactionJob<F, T, E> {
    transaction: F,
    outcome: Option<Result<Committed<T>, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<F, T, E> Job for TransactionJob<F, T, E>
where
    F: FnMut(&mut Tx) -> Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + Send,
{
    fn run(&mut self, conn: &mut AnyConn) -> Result<(), RollBack> {
        self.outcome = None;
        let result = run_in_transaction(conn, &mut self.transaction);
        let undo = result.is_err();
        self.outcome = Some(result);
        if undo { Err(RollBack) } else { Ok(()) }
    }

    fn committed(self: Box<Self>, after_commit: &AfterCommit) {
        let Self { outcome, reply, .. } = *self;
        let outcome = outcome.unwrap_or_else(|| Err(StoreError::Closed.into()));
        // If the caller was cancelled, nobody receives the reply.
        let _ = reply.send(outcome.and_then(|committed| after_commit.apply(committed)));
    }

    fn failed(self: Box<Self>, why: StoreError) {
        let outcome = match self.outcome {
            Some(Err(own)) => own,
            _ => why.into(),
        };
        let _ = self.reply.send(Err(outcome));
    }
}

impl Writer {
    pub fn start(url: &DatabaseUrl, pool: Pool) -> Result<Self, StoreError> {
        let after_commit = AfterCommit::default();
        if matches!(url, DatabaseUrl::Postgres(_)) {
            return Ok(Self { backend: Backend::Postgres(pool), after_commit });
        }
        let (sender, receiver) = mpsc::channel(QUEUE_CAPACITY);
        let (committed, to_apply) = std::sync::mpsc::sync_channel(MAX_UNAPPLIED);
        let (panics, own) = (after_commit.panics.clone(), after_commit.clone());
        spawn("sqlite-writer", move || run_writer(&pool, receiver, &committed, &panics))?;
        // Changes are applied in the order of their commits, while the next group is written.
        spawn("after-commit", move || {
            for job in to_apply.iter().flatten() {
                let _ = own.panics.catch("a reply", || job.committed(&own));
            }
        })?;
        Ok(Self { backend: Backend::Sqlite(sender), after_commit })
    }

    /// Sets what applies committed changes. The first one remains.
    pub fn on_commit(&self, subscriber: Subscriber) {
        let _ = self.after_commit.subscriber.set(subscriber);
    }

    /// Number of transactions, and of effects of their commits, that have panicked.
    pub fn panics(&self) -> u64 {
        self.after_commit.panics.0.load(Ordering::Relaxed)
    }

    pub async fn run<T, E>(&self, transaction: impl FnMut(&mut Tx) -> Result<T, E> + Send + 'static) -> Result<T, E>
    where
        T: Send + 'static,
        E: From<StoreError> + Retryable + Send + 'static,
    {
        match &self.backend {
            Backend::Postgres(pool) => {
                let (pool, after_commit) = (pool.clone(), self.after_commit.clone());
                // Applying changes may read: the connection is returned first.
                let alone = move || run_on_connection(&pool, transaction).and_then(|done| after_commit.apply(done));
                let panicked = || self.after_commit.panics.add("a transaction");
                let done = tokio::task::spawn_blocking(alone).await;
                done.map_err(|end| if end.is_panic() { panicked() } else { StoreError::Closed })?
            }
            Backend::Sqlite(sender) => {
                let (reply, answer) = oneshot::channel();
                let job = TransactionJob { transaction, outcome: None, reply };
                sender.try_send(Box::new(job)).map_err(|_| StoreError::Busy)?;
                answer.await.map_err(|_| StoreError::Closed)?
            }
        }
    }
}

fn spawn(name: &str, run: impl FnOnce() + Send + 'static) -> Result<(), StoreError> {
    let thread = std::thread::Builder::new().name(name.into());
    thread.spawn(run).map(drop).map_err(|e| StoreError::Open(e.to_string()))
}

fn run_on_connection<T, E>(pool: &Pool, mut transaction: impl FnMut(&mut Tx) -> Result<T, E>) -> Result<Committed<T>, E>
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
        let outcome = conn.transaction(|conn| run_in_transaction(conn, &mut transaction).map_err(Stop::Own));
        let error = match outcome {
            Ok(committed) => return Ok(committed),
            Err(Stop::Own(error)) => error,
            Err(Stop::Database(error)) => E::from(StoreError::classify(error)),
        };
        if attempts == MAX_ATTEMPTS || !error.is_retryable() {
            return Err(error);
        }
    }
}

type Jobs = Vec<Box<dyn Job>>;

/// Body of the writer thread. A panic that is not caught below ends one group, whose callers receive [`StoreError::Closed`].
fn run_writer(pool: &Pool, mut waiting: mpsc::Receiver<Box<dyn Job>>, committed: &SyncSender<Jobs>, panics: &Panics) {
    while panics.catch("the writer", || write_in_groups(pool, &mut waiting, committed, panics)).is_err() {}
}

fn write_in_groups(
    pool: &Pool,
    waiting: &mut mpsc::Receiver<Box<dyn Job>>,
    committed: &SyncSender<Jobs>,
    panics: &Panics,
) {
    let mut group = Vec::with_capacity(MAX_GROUP);
    while waiting.blocking_recv_many(&mut group, MAX_GROUP) > 0 {
        let ended = match pool.get() {
            Ok(mut conn) => commit_group(&mut conn, std::mem::take(&mut group), panics),
            Err(_) => fail_all(std::mem::take(&mut group), StoreError::Busy),
        };
        // The receiver lives as long as this sender.
        let _ = committed.send(ended);
    }
}

/// Why the transaction of a group cannot be committed.
enum GroupError {
    /// A job requested a rollback, and has no savepoint.
    NoSavepoint,
    /// The job at this index panicked, so the state of its savepoint is unknown.
    Panicked(usize, StoreError),
    /// The savepoint of a job is gone: SQLite rolled back the whole transaction (I/O error, full disk, out of memory). Any further
    /// statement would be committed on its own.
    RolledBack(diesel::result::Error),
}

/// Commits jobs together; returns those whose transaction ended. Savepoints are used only if one of several jobs fails: with one, SQLite
/// keeps the former state of every changed page in memory, in a list that each statement scans. A recount of millions of rows took a
/// gigabyte and quadratic time.
fn commit_group(conn: &mut AnyConn, mut group: Jobs, panics: &Panics) -> Jobs {
    let mut has_savepoints = false;
    while !group.is_empty() {
        if let Err(error) = begin(conn) {
            return roll_back_all(group, error);
        }
        let with_savepoints = has_savepoints && group.len() > 1;
        let done = match run_all(conn, &mut group, with_savepoints, panics) {
            Ok(()) => commit(conn),
            Err(GroupError::RolledBack(error)) => Err(error),
            Err(GroupError::NoSavepoint) => {
                rollback(conn);
                // A single job reports its own error.
                if group.len() == 1 {
                    return group;
                }
                has_savepoints = true;
                continue;
            }
            Err(GroupError::Panicked(index, panicked)) => {
                rollback(conn);
                group.remove(index).failed(panicked);
                // The other jobs run again.
                continue;
            }
        };
        return match done {
            Ok(()) => group,
            Err(error) => {
                rollback(conn);
                roll_back_all(group, error)
            }
        };
    }
    group
}

/// Runs the jobs, up to the first that breaks the transaction.
fn run_all(
    conn: &mut AnyConn,
    group: &mut [Box<dyn Job>],
    has_savepoints: bool,
    panics: &Panics,
) -> Result<(), GroupError> {
    let is_single = group.len() == 1;
    for (index, job) in group.iter_mut().enumerate() {
        if has_savepoints {
            conn.batch_execute("SAVEPOINT job").map_err(GroupError::RolledBack)?;
        }
        let ran =
            panics.catch("a transaction", || job.run(conn)).map_err(|error| GroupError::Panicked(index, error))?;
        match (ran, has_savepoints) {
            // Both statements fail if the savepoint is gone, whatever the job did with the error.
            (Ok(()), true) => conn.batch_execute("RELEASE job").map_err(GroupError::RolledBack)?,
            (Err(RollBack), true) => {
                conn.batch_execute("ROLLBACK TO job; RELEASE job").map_err(GroupError::RolledBack)?;
            }
            // The commit fails if the transaction is gone.
            (Ok(()), false) if is_single => {}
            (Ok(()), false) => check_transaction(conn).map_err(GroupError::RolledBack)?,
            (Err(RollBack), false) => return Err(GroupError::NoSavepoint),
        }
    }
    Ok(())
}

/// Fails if SQLite rolled the transaction back while a job ignored the error.
fn check_transaction(conn: &mut AnyConn) -> diesel::QueryResult<()> {
    // SQLite refuses a transaction within a transaction. It has no statement that asks.
    match conn.batch_execute("BEGIN") {
        Err(_) => Ok(()),
        Ok(()) => Err(diesel::result::Error::RollbackTransaction),
    }
}

fn roll_back_all(group: Jobs, error: diesel::result::Error) -> Jobs {
    let why = StoreError::classify(error);
    tracing::error!(error = %why, transactions = group.len(), "a group of transactions was rolled back");
    fail_all(group, why)
}

/// Fails all jobs; returns none, like a group of which no transaction ended.
fn fail_all(group: Jobs, why: StoreError) -> Jobs {
    for job in group {
        job.failed(why.duplicate());
    }
    Vec::new()
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
    use crate::store::changes::{self, Change};
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

    fn job(transaction: impl FnMut(&mut Tx) -> Result<(), StoreError> + Send + 'static) -> (Box<dyn Job>, Answer) {
        let (reply, answer) = oneshot::channel();
        (Box::new(TransactionJob { transaction, outcome: None, reply }), answer)
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
        (0..20).map(|n| job(transaction(n))).unzip()
    }

    fn commit_and_reply(conn: &mut AnyConn, jobs: Jobs, after_commit: &AfterCommit) {
        for job in commit_group(conn, jobs, &after_commit.panics) {
            job.committed(after_commit);
        }
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
            commit_and_reply(&mut conn, jobs, &AfterCommit::default());
            assert_eq!(answers.iter_mut().filter_map(|answer| is_taken(answer).then_some(())).count(), 0, "job {at}");
            assert_eq!(count(&mut conn), 0, "job {at}");
            conn.batch_execute("PRAGMA max_page_count = 1000000").unwrap();
            let (jobs, mut answers) = group(99, |_| Ok(()));
            commit_and_reply(&mut conn, jobs, &AfterCommit::default());
            assert!(answers.iter_mut().all(is_taken) && count(&mut conn) == 20, "job {at}");
        }
    }

    #[test]
    fn no_other_job_is_on_disk_if_one_ignored_that_sqlite_rolled_the_group_back() {
        for at in 0..20 {
            let dir = tempfile::tempdir().unwrap();
            let mut conn = database(&dir);
            let (jobs, mut answers) = group(at, |tx| {
                let _ = limit_database_size(tx);
                Ok(())
            });
            commit_and_reply(&mut conn, jobs, &AfterCommit::default());
            assert!(!answers.iter_mut().any(is_taken), "job {at}");
            // What that job itself does afterwards is in no transaction.
            assert!(count(&mut conn) <= 1, "job {at}");
        }
    }

    #[test]
    fn a_failed_job_does_not_affect_the_others_of_its_group() {
        let dir = tempfile::tempdir().unwrap();
        let mut conn = database(&dir);
        let (jobs, mut answers) = group(7, |tx| Ok(tx.batch_execute("INSERT INTO numbers (n) VALUES (0), (0)")?));
        commit_and_reply(&mut conn, jobs, &AfterCommit::default());
        let taken: Vec<bool> = answers.iter_mut().map(is_taken).collect();
        assert_eq!(taken.iter().position(|taken| !taken), Some(7));
        assert_eq!((taken.iter().filter(|taken| **taken).count(), count(&mut conn)), (19, 19));
    }

    #[test]
    fn a_panic_in_a_transaction_fails_only_that_transaction() {
        for at in [0, 9, 19] {
            let dir = tempfile::tempdir().unwrap();
            let (mut conn, after_commit) = (database(&dir), AfterCommit::default());
            let (jobs, mut answers) = group(at, |_| panic!("on purpose"));
            commit_and_reply(&mut conn, jobs, &after_commit);
            let taken: Vec<bool> = answers.iter_mut().map(is_taken).collect();
            assert_eq!(taken.iter().position(|taken| !taken), Some(at));
            assert_eq!((taken.iter().filter(|taken| **taken).count(), count(&mut conn)), (19, 19));
            assert_eq!(after_commit.panics.0.load(Ordering::Relaxed), 1);
        }
    }

    #[tokio::test]
    async fn a_panic_in_the_effect_of_a_commit_fails_only_that_call() {
        let dir = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", dir.path().join("t.db").display());
        let store = crate::store::Store::open(&url).unwrap();
        store.on_commit(|changes| assert_ne!(changes[0].position.id, 10));
        let record = |tx: &mut Tx| Ok::<_, StoreError>(changes::record(tx, Change::IngestKeys)?);
        let writes: Vec<_> = (0..20).map(|_| store.write(record)).collect();
        for (n, write) in (1..).zip(writes) {
            assert_eq!(write.await.is_ok(), n != 10, "write {n}");
        }
        assert_eq!(store.panics(), 1);
    }

    #[tokio::test]
    async fn only_changes_of_committed_transactions_are_applied() {
        let dir = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", dir.path().join("t.db").display());
        let store = crate::store::Store::open(&url).unwrap();
        let (send, receive) = std::sync::mpsc::channel();
        store.on_commit(move |changes| changes.iter().for_each(|change| send.send(change.position.id).unwrap()));
        for fails in [false, true, false] {
            let act = move |tx: &mut Tx| {
                changes::record(tx, Change::IngestKeys)?;
                if fails { Err(StoreError::Busy) } else { Ok(()) }
            };
            assert_eq!(store.write(act).await.is_err(), fails);
        }
        assert_eq!(receive.try_iter().collect::<Vec<_>>(), [1, 2]);
    }
}
