//! T06: a process that is killed while it creates or changes the tables of a database leaves nothing to repair by hand.
//!
//! `tests/faults/disk_faults.c` kills the process in its N-th write to its data directory or in its N-th message to PostgreSQL.
//! `make daily` runs all N.

use crate::faults::disk_faults::DiskFaults;
use crate::support::*;

on_both!(
    #[ignore = "daily: injects faults"]
    t06_a_migration_killed_in_any_write_needs_no_manual_repair
);

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

/// Kills a first start on an empty database in each of its writes, then starts again without faults.
async fn t06_a_migration_killed_in_any_write_needs_no_manual_repair(on: Backend) {
    let layered = || {
        let mut server = Server::unmigrated(on).into_process();
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
    let mut killed = 0;
    for at in 1..=writes {
        let (server, layer) = layered();
        layer.arm_kill(at, at % 2 == 0);
        let ended = server.try_command(&["key", "list"]);
        killed += u64::from(ended.code != 0);
        layer.disarm();
        server.command(&["key", "list"]);
        assert_eq!(schema(on, &server), expected, "killed in write {at}");
        assert_eq!(server.database.number("SELECT COUNT(*) FROM players"), 0);
    }
    println!("T06 on {on:?}: {killed} of {writes} runs were killed");
    // The number of writes depends on the machine's load, so a run may end before the chosen write. Half is the minimum that proves
    // that the fault layer reaches the migrations.
    assert!(killed * 2 >= writes, "{killed} of {writes} runs were killed");
}
