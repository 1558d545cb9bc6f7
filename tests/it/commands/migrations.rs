//! Databases of other versions: older ones are migrated after a copy, newer ones are rejected.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::backup_restore::{content, site_with_content};
use crate::support::*;

on_both!(
    t16_a_newer_database_is_rejected_and_both_versions_are_named,
    t17_up_down_and_up_again_gives_the_same_schema,
    the_tag_none_means_no_guild_in_imports_and_older_databases,
    rows_of_renamed_tables_and_columns_survive_a_migration,
    events_of_older_databases_are_graded_and_only_known_patches_are_adopted,
);

fn said(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The migration directories, oldest first.
fn migrations(on: Backend) -> Vec<PathBuf> {
    let side = if on == Backend::Sqlite { "sqlite" } else { "postgres" };
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("migrations").join(side);
    let all: BTreeSet<PathBuf> = std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).collect();
    assert!(all.len() > 3);
    all.into_iter().collect()
}

/// The version of a migration directory.
fn version(folder: &std::path::Path) -> String {
    let name = folder.file_name().unwrap().to_str().unwrap();
    name.split('_').next().unwrap().replace('-', "")
}

fn undo(server: &Server, folder: &std::path::Path) {
    server.database.run(&std::fs::read_to_string(folder.join("down.sql")).unwrap());
    server.database.run(&format!("DELETE FROM __diesel_schema_migrations WHERE version = '{}'", version(folder)));
}

/// Undoes the newest migrations of a stopped site on SQLite.
pub fn undo_newest(server: &Server, count: usize) {
    for folder in migrations(Backend::Sqlite).iter().rev().take(count) {
        undo(server, folder);
    }
}

/// Undoes the migrations of a stopped site, down to the one with this directory name.
pub fn undo_from(server: &Server, on: Backend, name: &str) {
    let is_later = |folder: &&PathBuf| folder.file_name().unwrap().to_str().unwrap() >= name;
    for folder in migrations(on).iter().rev().filter(is_later) {
        undo(server, folder);
    }
}

async fn t16_a_newer_database_is_rejected_and_both_versions_are_named(on: Backend) {
    let (mut server, _) = site_with_content(on).await;
    server.stop();
    let before = content(&server);
    server.database.run("INSERT INTO __diesel_schema_migrations (version) VALUES ('29991231000000')");
    let newest = version(migrations(on).last().unwrap());
    let commands: [&[&str]; 4] = [
        &["serve", "--listen", "127.0.0.1:0"],
        &["export", "players", "x.csv"],
        &["backup", "x.tar.zst"],
        &["key", "list"],
    ];
    for command in commands {
        let refused = server.try_command(command);
        let sentence = said(&refused);
        assert_eq!(refused.status.code(), Some(1), "{command:?}: {sentence}");
        assert!(sentence.contains("29991231000000") && sentence.contains(&newest), "{command:?}: {sentence}");
    }
    server.database.run("DELETE FROM __diesel_schema_migrations WHERE version = '29991231000000'");
    assert_eq!(content(&server), before, "nothing was changed");
    // An unreadable schema version is an error and not an empty database.
    server.database.run("ALTER TABLE __diesel_schema_migrations RENAME TO stamp_gone");
    let refused = server.try_command(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.status.code(), Some(1), "{}", said(&refused));
    assert_eq!(server.database.number("SELECT COUNT(*) FROM events"), 51);
}

/// Tables, columns and indexes of the database.
fn schema(server: &Server, on: Backend) -> Vec<String> {
    let sql = match on {
        Backend::Sqlite => {
            "SELECT coalesce(sql, name) AS value FROM sqlite_master WHERE name NOT LIKE '%diesel%' ORDER BY type, name"
        }
        Backend::Postgres => {
            "SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || coalesce(' ' || column_default, '') \
             || coalesce(' ' || collation_name, '') AS value FROM information_schema.columns WHERE table_schema = 'public' \
             AND table_name NOT LIKE '%diesel%' UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' \
             AND indexdef NOT LIKE '%diesel%' ORDER BY 1"
        }
    };
    let schema = server.database.words(sql);
    assert!(schema.len() > 20);
    schema
}

async fn t17_up_down_and_up_again_gives_the_same_schema(on: Backend) {
    let server = Server::prepare(on);
    let before = schema(&server, on);
    for folder in migrations(on).iter().rev() {
        undo(&server, folder);
    }
    server.command(&["key", "list"]);
    assert_eq!(schema(&server, on), before);
}

async fn the_tag_none_means_no_guild_in_imports_and_older_databases(on: Backend) {
    let mut server = Server::prepare(on);
    let file = server.data_dir().join("players.csv");
    std::fs::write(&file, "handle,org_short,org_name\nFresh-1,NONE,No Organization\nOld-1,KITES,The Kites\n").unwrap();
    server.command(&["import", "players", file.to_str().unwrap()]);
    // As imported by an older version.
    server.database.run("UPDATE guilds SET tag = 'NONE', name = 'NONE', name_folded = 'none' WHERE tag = 'KITES'");
    let folder = migrations(on).into_iter().find(|folder| folder.ends_with("2026-11-22-000070_no_guild")).unwrap();
    server.database.run(&std::fs::read_to_string(folder.join("up.sql")).unwrap());
    server.run();
    for handle in ["fresh-1", "old-1"] {
        let player = &server.read(&format!("/api/player/{handle}")).await["player"];
        assert_eq!(player["org_short"], serde_json::Value::Null, "{handle}");
    }
    assert_eq!(server.read("/api/stats/counts").await["orgs"], 0);
    assert_eq!(server.get("/api/guild/NONE").await.status, 404);
}

/// Rows in every table and column that the migrations 90 and 91 rename, under their earlier names.
const OLD_ROWS: &str = "\
    INSERT INTO job_leases (name, holder, until_at) VALUES ('backup', 'one', 901); \
    INSERT INTO bot_leases (name, holder, until_at, rest_until) VALUES ('statsfeed', 'two', 902, 903); \
    INSERT INTO changes (id, made_at, event_id, nth, body) VALUES (1, 911, 912, 913, '{}'); \
    UPDATE event_clock SET last_nth = 914 WHERE one = 1; \
    INSERT INTO demo_universe (one, seed, players, guilds, events, key_id, created_at) VALUES (1, 915, 1, 1, 1, 1, 1); \
    INSERT INTO players (handle, handle_folded, player_name, created_at) VALUES ('Ann-1', 'ann-1', 'Ann', 1); \
    INSERT INTO former_handles (handle_folded, player_id, handle, until_at) SELECT 'was', id, 'Was', 916 FROM players; \
    INSERT INTO users (discord_id, discord_username, linked_at, last_seen_at) VALUES ('1', 'ann', 1, 1); \
    INSERT INTO claim_tries (user_id, tried_at, kind) SELECT id, 917, 1 FROM users; \
    INSERT INTO reader_samples (line, patch, told, first_at, last_at) VALUES ('line', 'p', 918, 919, 920); \
    INSERT INTO statsfeed_channels (server_id, channel_id, kind, filter, last_event_id, created_at) \
        VALUES ('1', '2', 'general-statsfeed', '{}', 0, 1); \
    INSERT INTO statsfeed_state (feed_id, board_at) SELECT id, 921 FROM statsfeed_channels; \
    INSERT INTO statsfeed_outbox (feed_id, body, made_at, tried_at, event_ids) SELECT id, '', 922, 923, '[1]' FROM statsfeed_channels; \
    INSERT INTO github_deliveries (id, taken_at) VALUES ('d', 924); \
    INSERT INTO webhook_places (name, last_event_id) VALUES ('mine', 925); \
    INSERT INTO webhook_deliveries (message_id, webhook, event, body, made_at, next_at, tries, done_at, is_taken) \
        VALUES ('m', 'mine', 'note', '{}', 926, 1, 927, 928, TRUE)";
/// The numbers of [`OLD_ROWS`] under the earlier and under the current names.
const NUMBERS: [(&str, &str, i64); 28] = [
    ("until_at FROM job_leases", "expires_at FROM leases WHERE name = 'backup' AND holder = 'one'", 901),
    ("until_at FROM bot_leases", "expires_at FROM leases WHERE name = 'statsfeed' AND holder = 'two'", 902),
    ("rest_until FROM bot_leases", "paused_until FROM leases WHERE name = 'statsfeed'", 903),
    ("COUNT(*) FROM job_leases", "COUNT(*) - 1 FROM leases", 1),
    ("made_at FROM changes", "created_at FROM changes", 911),
    ("event_id FROM changes", "event_id FROM changes", 912),
    ("nth FROM changes", "message_offset FROM changes", 913),
    ("last_nth FROM event_clock WHERE one = 1", "message_count FROM event_clock WHERE id = 1", 914),
    ("seed FROM demo_universe WHERE one = 1", "seed FROM demo_universe WHERE id = 1", 915),
    ("until_at FROM former_handles", "replaced_at FROM former_handles", 916),
    ("tried_at FROM claim_tries", "attempted_at FROM claim_attempts", 917),
    ("COUNT(*) FROM claim_tries WHERE kind = 1", "COUNT(*) FROM claim_attempts WHERE kind = 1", 1),
    ("told FROM reader_samples", "report_count FROM unknown_lines", 918),
    ("first_at FROM reader_samples", "first_reported_at FROM unknown_lines", 919),
    ("last_at FROM reader_samples", "last_reported_at FROM unknown_lines", 920),
    ("COUNT(*) FROM reader_samples WHERE line = 'line'", "COUNT(*) FROM unknown_lines WHERE line = 'line'", 1),
    ("board_at FROM statsfeed_state", "board_due_at FROM statsfeed_state", 921),
    ("made_at FROM statsfeed_outbox", "created_at FROM statsfeed_outbox", 922),
    ("tried_at FROM statsfeed_outbox", "attempted_at FROM statsfeed_outbox", 923),
    (
        "COUNT(*) FROM statsfeed_outbox WHERE event_ids = '[1]'",
        "COUNT(*) FROM statsfeed_outbox WHERE event_ids = '[1]'",
        1,
    ),
    ("taken_at FROM github_deliveries", "received_at FROM github_deliveries", 924),
    ("last_event_id FROM webhook_places", "last_event_id FROM webhook_positions", 925),
    ("COUNT(*) FROM webhook_places WHERE name = 'mine'", "COUNT(*) FROM webhook_positions WHERE name = 'mine'", 1),
    ("made_at FROM webhook_deliveries", "created_at FROM webhook_deliveries", 926),
    ("tries FROM webhook_deliveries", "attempts FROM webhook_deliveries", 927),
    ("done_at FROM webhook_deliveries", "done_at FROM webhook_deliveries", 928),
    ("COUNT(*) FROM webhook_deliveries WHERE is_taken", "COUNT(*) FROM webhook_deliveries WHERE is_delivered", 1),
    ("COUNT(*) FROM search_changes WHERE kind = 1", "COUNT(*) FROM search_changes WHERE kind = 1", 2),
];

async fn rows_of_renamed_tables_and_columns_survive_a_migration(on: Backend) {
    let server = Server::prepare(on);
    undo_from(&server, on, "2026-11-22-000090");
    server.database.run(OLD_ROWS);
    let number = |query: &str| server.database.number(&format!("SELECT {query}"));
    for _ in 0..2 {
        server.command(&["key", "list"]);
        for (_, current, expected) in NUMBERS {
            assert_eq!(number(current), expected, "{current}");
        }
        undo_from(&server, on, "2026-11-22-000090");
        for (earlier, _, expected) in NUMBERS {
            assert_eq!(number(earlier), expected, "{earlier}");
        }
    }
    // The triggers that restores of earlier versions lost are there again.
    let drop_triggers = match on {
        Backend::Sqlite => "SELECT 1",
        Backend::Postgres => "DROP FUNCTION note_player_change() CASCADE",
    };
    server.database.run(drop_triggers);
    server.command(&["key", "list"]);
    server.database.run("UPDATE players SET player_name = 'Bob'");
    assert_eq!(server.database.number("SELECT COUNT(*) FROM search_changes WHERE kind = 1"), 3);
}

async fn events_of_older_databases_are_graded_and_only_known_patches_are_adopted(on: Backend) {
    let mut server = Server::start(on).await;
    let (operator, account) = (server.key("operator"), server.key("account"));
    let won = |player: &str, patch: &str| kill(player, NPC).pu().with("patch", patch).id("1").json();
    server.take(&operator, &[won("Ann-1", "4.2.0")]).await;
    server.take(&account, &[won("Bob-1", "4.9.0")]).await;
    server.stop();
    undo_from(&server, on, "2026-11-22-000092_trust");
    // As an older version stored them.
    server.database.run(
        "UPDATE ingest_keys SET user_id = 1 WHERE name = 'account'; \
         INSERT INTO patches (version, name) VALUES (999009000, 'JOIN evil.example 999.9'); \
         UPDATE patches SET name = 'sc-alpha-4.2.0' WHERE version = 4002000; \
         UPDATE events SET patch_version = 999009000 \
         WHERE ingest_key_id = (SELECT id FROM ingest_keys WHERE name = 'account')",
    );
    server.run();
    for (name, grade) in [("operator", 1), ("account", 0)] {
        let sql = format!(
            "SELECT e.grade FROM events e JOIN ingest_keys k ON k.id = e.ingest_key_id WHERE k.name = '{name}'"
        );
        assert_eq!(server.database.number(&sql), grade, "{name}");
    }
    assert_eq!(server.read("/api/patch").await["data"]["patch"], "ALPHA 4.2.0");
    assert_eq!(server.read("/api/player/bob-1").await["player"]["pve_kills"], 1, "events of accounts still count");
    assert_eq!(server.read("/api/player/bob-1/activity").await["data"][0]["patch"], serde_json::Value::Null);
    assert!(!content(&server).contains("evil"));
    assert_eq!(server.send(&operator, &[won("Ann-1", "4.2.0")]).await["duplicates"], 1);
    assert_eq!(server.send(&account, &[won("Bob-1", "4.2.0")]).await["duplicates"], 1);
    // An export and its import give the same grades and patches.
    let (file, before) = (server.data_dir().join("all.ndjson"), content(&server));
    std::fs::write(&file, &before).unwrap();
    let other = Server::prepare(on);
    other.command(&["import", "all", file.to_str().unwrap()]);
    assert_eq!(content(&other), before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t17_a_database_is_copied_before_a_migration() {
    let (mut server, _) = site_with_content(Backend::Sqlite).await;
    server.stop();
    let newest = migrations(Backend::Sqlite).pop().unwrap();
    undo(&server, &newest);
    server.run();
    let copies: Vec<PathBuf> =
        std::fs::read_dir(server.data_dir().join("backups")).unwrap().map(|e| e.unwrap().path()).collect();
    let [copy] = &copies[..] else { panic!("expected one copy: {copies:?}") };
    assert!(copy.file_name().unwrap().to_str().unwrap().contains(&version(&newest)), "{copy:?}");
    use diesel::prelude::*;
    let mut old = SqliteConnection::establish(copy.to_str().unwrap()).unwrap();
    let [events, known] = ["events", "__diesel_schema_migrations"].map(|table| {
        diesel::dsl::sql::<diesel::sql_types::BigInt>(&format!("SELECT COUNT(*) FROM {table}"))
            .get_result::<i64>(&mut old)
            .unwrap()
    });
    assert_eq!(events, 51);
    assert_eq!(known as usize, migrations(Backend::Sqlite).len() - 1, "the copy has the older schema");
    assert_eq!(server.read("/api/player/ann-1").await["player"]["handle"], "Ann-1");
    // The next start has nothing to migrate.
    server.restart();
    assert_eq!(std::fs::read_dir(server.data_dir().join("backups")).unwrap().count(), 1);
}
