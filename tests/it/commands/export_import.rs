//! `apogee export` and `apogee import`, between SQLite and PostgreSQL.

use super::backup_restore::{content, site_with_content, text};
use crate::support::*;

on_both!(
    images_of_other_sites_are_rejected,
    a_copy_to_the_other_database_and_back_is_the_same,
    a_locked_database_is_not_reported_as_invalid_lines,
    players_of_more_guilds_than_one_statement_allows_are_imported,
    an_import_restores_no_ended_session_and_no_revoked_key,
);

fn other(on: Backend) -> Backend {
    match on {
        Backend::Sqlite => Backend::Postgres,
        Backend::Postgres => Backend::Sqlite,
    }
}

/// A hash of exported content.
fn hash(content: &str) -> String {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    content.hash(&mut hasher);
    format!("{:x} over {} lines", hasher.finish(), content.lines().count())
}

async fn a_copy_to_the_other_database_and_back_is_the_same(on: Backend) {
    let (mut first, _) = site_with_content(on).await;
    first.stop();
    let there = first.data_dir().join("there.ndjson.gz");
    first.command(&["export", "all", text(&there)]);
    let mut second = Server::prepare(other(on));
    second.command(&["import", "all", text(&there)]);
    let back = second.data_dir().join("back.ndjson");
    second.command(&["export", "all", text(&back)]);
    let mut third = Server::prepare(on);
    third.command(&["import", "all", text(&back)]);
    let expected = content(&first);
    assert!(expected.lines().count() > 50);
    assert_eq!(hash(&content(&second)), hash(&expected));
    assert_eq!(hash(&content(&third)), hash(&expected));
    // Importing again changes nothing, not even the number of equal visits.
    third.command(&["import", "all", text(&back)]);
    assert_eq!(hash(&content(&third)), hash(&expected));
    assert_eq!(third.database.number("SELECT COUNT(*) FROM visits"), 3);
    // Derived data is equal as well.
    for server in [&mut first, &mut second, &mut third] {
        server.run();
    }
    for path in
        ["/api/players/leaderboard", "/api/player/ann-1", "/api/player/ann-1/activity", "/api/search/fast?q=bob"]
    {
        let expected = first.get(path).await.text();
        assert_eq!(second.get(path).await.text(), expected, "{path}");
        assert_eq!(third.get(path).await.text(), expected, "{path}");
    }
}

async fn a_locked_database_is_not_reported_as_invalid_lines(on: Backend) {
    let server = Server::prepare(on);
    let file = server.data_dir().join("p.csv");
    std::fs::write(&file, "handle,player_name\nAnn-1,Ann\n").unwrap();
    match on {
        Backend::Sqlite => {
            use diesel::connection::SimpleConnection;
            use diesel::prelude::*;
            let path = server.database.url.strip_prefix("sqlite:").unwrap().to_owned();
            let mut other = SqliteConnection::establish(&path).unwrap();
            other.batch_execute("BEGIN IMMEDIATE").unwrap();
            let failed = server.try_command(&["import", "players", text(&file)]);
            assert_eq!(failed.code, 1);
            assert!(failed.error.contains("locked") && !failed.error.contains("line "), "{failed:?}");
            other.batch_execute("ROLLBACK").unwrap();
        }
        Backend::Postgres => server.database.run("ALTER TABLE players RENAME TO players_gone"),
    }
    if on == Backend::Postgres {
        let failed = server.try_command(&["import", "players", text(&file)]);
        assert_eq!(failed.code, 1);
        assert!(!failed.error.contains("line 2"), "{failed:?}");
        server.database.run("ALTER TABLE players_gone RENAME TO players");
    }
    server.command(&["import", "players", text(&file)]);
    assert_eq!(server.database.number("SELECT COUNT(*) FROM players"), 1);
}

async fn players_of_more_guilds_than_one_statement_allows_are_imported(on: Backend) {
    const GUILDS: i64 = 17_000;
    let server = Server::prepare(on);
    let file = server.data_dir().join("p.csv");
    let lines: String = (0..GUILDS).map(|n| format!("Pilot-{n},Pilot {n},G{n},Guild {n}\n")).collect();
    std::fs::write(&file, format!("handle,player_name,org_short,org_name\n{lines}")).unwrap();
    server.command(&["import", "players", text(&file)]);
    let of_guilds = "SELECT COUNT(DISTINCT p.guild_id) FROM players p JOIN guilds g ON g.id = p.guild_id \
        WHERE g.name = 'Guild ' || substr(p.handle, 7)";
    assert_eq!(server.database.number(of_guilds), GUILDS);
}

async fn images_of_other_sites_are_rejected(on: Backend) {
    let server = Server::prepare(on);
    let file = server.data_dir().join("p.ndjson");
    let line =
        |handle: &str, field: &str, value: &str| format!("{}\n", serde_json::json!({ "handle": handle, field: value }));
    let good = line("Ann-1", "profile_image", "/uploads/a.webp") + &line("Bob-1", "banner_image", "");
    for (field, address) in [
        ("profile_image", "https://example.org/a.png"),
        ("banner_image", "HTTP://example.org/a.png"),
        ("profile_image", "//example.org/a.png"),
    ] {
        std::fs::write(&file, good.clone() + &line("Cyd-2", field, address)).unwrap();
        let failed = server.try_command(&["import", "players", text(&file)]);
        let said = failed.error;
        assert_eq!(failed.code, 1, "{said}");
        assert!(said.contains("line 3") && said.contains(field) && said.contains(address), "{said}");
        assert!(said.contains("on another site"), "{said}");
    }
    assert_eq!(server.database.number("SELECT COUNT(*) FROM players WHERE handle = 'Cyd-2'"), 0);
    std::fs::write(&file, "org_short,org_name,guild_image\nALPHA,Alpha,https://example.org/a.png\n").unwrap();
    let guilds = server.data_dir().join("g.csv");
    std::fs::rename(&file, &guilds).unwrap();
    let failed = server.try_command(&["import", "guilds", text(&guilds)]);
    assert!(failed.error.contains("guild_image"), "{failed:?}");
}

async fn an_import_restores_no_ended_session_and_no_revoked_key(on: Backend) {
    let mut server = Server::prepare(on);
    let _discord = server.with_discord().await;
    server.run();
    let token = server.sign_in("7001").await;
    let key = server.key("reader");
    server.stop();
    let file = server.data_dir().join("before.ndjson");
    server.command(&["export", "all", text(&file)]);
    server.run();
    assert_eq!(server.as_user(&token, reqwest::Method::POST, "/api/auth/logout", None).await.status, 200);
    server.command(&["key", "revoke", "reader"]);
    server.stop();
    server.command(&["import", "all", text(&file)]);
    server.run();
    assert_eq!(server.as_user(&token, reqwest::Method::GET, "/api/player/me", None).await.code(), "UNAUTHORIZED");
    assert_eq!(server.try_send(&key, &[]).await.status, 401);
}
