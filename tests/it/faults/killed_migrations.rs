//! T06: a process that is killed while it creates or changes the tables of a database leaves nothing to repair by hand.
//!
//! `tests/faults/disk_faults.c` kills the process in its N-th write to its data directory or in its N-th message to PostgreSQL.
//! `make test` runs some N, `make faults` all of them.

use crate::faults::disk_faults::DiskFaults;
use crate::support::*;

/// The tables, columns and indexes of a database, one line each.
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

/// Kills a first start on an empty database in each write that `chosen` names out of the counted ones, then starts again without faults.
async fn killed_at_each(on: Backend, chosen: impl Fn(u64) -> Vec<u64>) {
    let layered = || {
        let mut server = Server::unmigrated(on);
        if on == Backend::Postgres {
            server.env("FAULT_SENDS", "1");
        }
        let layer = DiskFaults::attach(&mut server);
        (server, layer)
    };
    let (whole, layer) = layered();
    whole.command(&["key", "list"]);
    let (writes, expected) = (layer.calls(), schema(on, &whole));
    assert!(writes > 10 && expected.len() > 50, "{writes} writes, {} lines", expected.len());
    let chosen = chosen(writes);
    let mut killed = 0;
    for &at in &chosen {
        let (server, layer) = layered();
        layer.arm_kill(at, at % 2 == 0);
        let ended = server.try_command(&["key", "list"]);
        killed += usize::from(!ended.status.success());
        layer.disarm();
        server.command(&["key", "list"]);
        assert_eq!(schema(on, &server), expected, "killed in write {at}");
        assert_eq!(server.database.number("SELECT COUNT(*) FROM players"), 0);
    }
    println!("T06 on {on:?}: {} of {writes} writes, {killed} killed", chosen.len());
    // The number of writes depends on the machine's load, so a run may end before the chosen write. Half is the minimum that proves
    // that the fault layer reaches the migrations.
    assert!(killed * 2 >= chosen.len(), "{killed} of {} runs were killed", chosen.len());
}

/// Eight numbers, spread evenly over the first three quarters of the writes, which nearly every run reaches.
fn spread(writes: u64) -> Vec<u64> {
    (0..8).map(|n| 1 + n * writes * 3 / 32).collect()
}

on_both!(t06_a_killed_migration_needs_no_manual_repair);

async fn t06_a_killed_migration_needs_no_manual_repair(on: Backend) {
    killed_at_each(on, spread).await;
}

mod in_full {
    use super::Backend;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "hundreds of rounds"]
    async fn t06_a_migration_killed_in_any_write_needs_no_manual_repair() {
        for on in [Backend::Sqlite, Backend::Postgres] {
            super::killed_at_each(on, |writes| (1..=writes).collect()).await;
        }
    }
}
