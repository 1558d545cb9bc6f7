//! T06: whoever is killed while making or changing the tables of a database leaves nothing to be mended by hand.
//!
//! `tests/faults/nth_write.c` kills the program in its N-th write to its folder or in its N-th message to PostgreSQL. Some N run in
//! `make test`, all of them by `make faults`.

use crate::nth_write::Writes;
use crate::support::*;

/// What the tables of a database are, one line for each piece.
fn schema(on: Backend, server: &Server) -> Vec<String> {
    server.database.words(match on {
        Backend::Sqlite => "SELECT coalesce(sql, name) AS value FROM sqlite_master ORDER BY type, name",
        Backend::Postgres => {
            "SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default) AS value \
               FROM information_schema.columns WHERE table_schema = current_schema() \
             UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() ORDER BY 1"
        }
    })
}

/// Kills every `step`-th of the writes of a first start on an empty database, then starts again without.
async fn killed_at_each(on: Backend, step: impl Fn(u64) -> u64) {
    let layered = || {
        let mut server = Server::unmigrated(on);
        if on == Backend::Postgres {
            server.env("FAULT_SENDS", "1");
        }
        let layer = Writes::under(&mut server);
        (server, layer)
    };
    let (whole, layer) = layered();
    whole.command(&["key", "list"]);
    let (writes, expected) = (layer.calls(), schema(on, &whole));
    assert!(writes > 10 && expected.len() > 50, "{writes} writes, {} lines", expected.len());
    let (mut rounds, mut killed) = (0, 0);
    let step = step(writes) as usize;
    for at in (1..=writes).step_by(step) {
        let (server, layer) = layered();
        layer.arm_kill(at, at % 2 == 0);
        let ended = server.try_command(&["key", "list"]);
        killed += u64::from(!ended.status.success());
        layer.disarm();
        server.command(&["key", "list"]);
        assert_eq!(schema(on, &server), expected, "killed in write {at}");
        assert_eq!(server.database.number("SELECT COUNT(*) FROM players"), 0);
        rounds += 1;
    }
    println!("T06 on {on:?}: {rounds} of {writes} writes, {killed} killed");
    assert!(killed * 10 > rounds * 8, "{killed} of {rounds}: some writes are not made every time, most are");
}

on_both!(t06_a_migration_that_was_killed_needs_no_repair_by_hand);

async fn t06_a_migration_that_was_killed_needs_no_repair_by_hand(on: Backend) {
    killed_at_each(on, |writes| writes / 8).await;
}

mod in_full {
    use super::Backend;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "hundreds of rounds"]
    async fn t06_a_migration_that_was_killed_in_any_write_needs_no_repair_by_hand() {
        for on in [Backend::Sqlite, Backend::Postgres] {
            super::killed_at_each(on, |_| 1).await;
        }
    }
}
