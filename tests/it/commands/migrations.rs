//! Databases of other versions: older ones are copied before a migration, newer ones are rejected.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::backup_restore::{content, site_with_content};
use crate::support::*;

on_both!(t16_a_newer_database_is_rejected_and_both_versions_are_named, t17_up_down_and_up_again_gives_the_same_schema,);

/// The migration directories, oldest first.
fn migrations(on: Backend) -> Vec<PathBuf> {
    let side = if on == Backend::Sqlite { "sqlite" } else { "postgres" };
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("migrations").join(side);
    let all: BTreeSet<PathBuf> = std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).collect();
    assert!(!all.is_empty());
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
        let sentence = refused.error;
        assert_eq!(refused.code, 1, "{command:?}: {sentence}");
        assert!(sentence.contains("29991231000000") && sentence.contains(&newest), "{command:?}: {sentence}");
    }
    server.database.run("DELETE FROM __diesel_schema_migrations WHERE version = '29991231000000'");
    assert_eq!(content(&server), before, "nothing was changed");
    // An unreadable schema version is an error and not an empty database.
    server.database.run("ALTER TABLE __diesel_schema_migrations RENAME TO stamp_gone");
    let refused = server.try_command(&["serve", "--listen", "127.0.0.1:0"]);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert_eq!(server.database.number("SELECT COUNT(*) FROM events"), 52);
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t17_a_database_is_copied_before_a_migration() {
    let (mut server, _) = site_with_content(Backend::Sqlite).await;
    server.stop();
    let before = content(&server);
    // The version of a database that lacks the newest migration. It has all tables, so the migration fails.
    let newest = version(migrations(Backend::Sqlite).last().unwrap());
    let rename = |from: &str, to: &str| {
        let sql = format!("UPDATE __diesel_schema_migrations SET version = '{to}' WHERE version = '{from}'");
        server.database.run(&sql);
    };
    rename(&newest, "20200101000000");
    assert_ne!(server.try_command(&["key", "list"]).code, 0);
    rename("20200101000000", &newest);
    let copies = || std::fs::read_dir(server.data_dir().join("backups")).unwrap().map(|e| e.unwrap().path());
    let [copy] = &copies().collect::<Vec<_>>()[..] else { panic!("expected one copy") };
    assert!(copy.file_name().unwrap().to_str().unwrap().contains(&newest), "{copy:?}");
    use diesel::prelude::*;
    let mut old = SqliteConnection::establish(copy.to_str().unwrap()).unwrap();
    let [events, newer] = ["events", "__diesel_schema_migrations WHERE version <> '20200101000000'"].map(|table| {
        diesel::dsl::sql::<diesel::sql_types::BigInt>(&format!("SELECT COUNT(*) FROM {table}"))
            .get_result::<i64>(&mut old)
            .unwrap()
    });
    assert_eq!((events, newer), (52, 0), "the copy has the older version");
    assert_eq!(content(&server), before, "a migration that failed changed nothing");
    // A start with nothing to migrate makes no copy.
    assert_eq!(copies().count(), 1);
}
