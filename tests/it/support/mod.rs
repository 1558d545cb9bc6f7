//! Shared parts of the tests: the real binary on a free port, a database per test, and events to send.
//! Used by all tests of this binary.
//! Never here: assertions about the program.

use std::time::{Duration, Instant};

pub mod accounts;
pub mod cluster;
pub mod databases;
pub mod events;
pub mod game_site;
pub mod inside;
pub mod pictures;
pub mod preload;
pub mod server;
pub mod streams;
mod template;
// The mock server of the library's tests; they use parts of it that these tests do not.
#[allow(dead_code)]
#[path = "../../../src/upstream/mock_server.rs"]
pub mod mock_server;

pub use cluster::Cluster;
pub use databases::Backend;
pub use events::*;
pub use inside::{inside, set_hidden};
pub use server::{Ended, Response, Server, fold, run_command};
pub use streams::{Frame, HANG, Stream};

/// Limit of [`eventually`]. A machine under load needs long; nothing is measured with it.
const EVENTUALLY: Duration = Duration::from_secs(120);

/// Waits until a check returns true. Panics with `what` after two minutes.
pub async fn eventually(what: &str, mut check: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    let mut pause = Duration::from_millis(10);
    while !check().await {
        assert!(began.elapsed() < EVENTUALLY, "never: {what}");
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_millis(200));
    }
}

/// A test of the body `super::$body` on one database.
macro_rules! on_one {
    ($body:ident, $backend:ident, $name:ident, $(#[$attribute:meta])*) => {
        #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
        $(#[$attribute])*
        async fn $name() {
            super::$body($crate::support::Backend::$backend).await;
        }
    };
}
pub(crate) use on_one;

/// Runs each of these test bodies on SQLite and on PostgreSQL. An attribute, such as `#[ignore]`, applies to both.
macro_rules! on_both {
    ($($(#[$attribute:meta])* $body:ident),+ $(,)?) => {
        $(
            mod $body {
                $crate::support::on_one!($body, Sqlite, on_sqlite, $(#[$attribute])*);
                $crate::support::on_one!($body, Postgres, on_postgres, $(#[$attribute])*);
            }
        )+
    };
}
pub(crate) use on_both;

/// Runs each of these test bodies on SQLite: what they test does not depend on the database. `make test-all` runs them on PostgreSQL,
/// too.
macro_rules! on_sqlite {
    ($($(#[$attribute:meta])* $body:ident),+ $(,)?) => {
        $(
            mod $body {
                $crate::support::on_one!($body, Sqlite, on_sqlite, $(#[$attribute])*);
                $crate::support::on_one!($body, Postgres, also_on_postgres, #[ignore = "make test-all"]);
            }
        )+
    };
}
pub(crate) use on_sqlite;
