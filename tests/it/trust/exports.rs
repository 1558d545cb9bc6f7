//! Public exports: they give the figures of the site, name nobody who is hidden, and show edited rows.

use std::io::Read;

use flate2::read::GzDecoder;

use super::*;

const HOUR: i64 = 3_600_000;

on_both!(
    an_export_gives_the_figures_of_the_site,
    a_changed_row_is_found,
    decisions_that_are_pending_are_taken_as_stated,
    no_export_names_a_hidden_player,
    a_file_that_is_no_export_is_reported,
);

/// A running site with an admin.
async fn running(on: Backend) -> (Server, mock_server::MockServer) {
    let (mut server, discord) = site(on).await;
    server.env("APOGEE_ADMIN_DISCORD_IDS", ADMIN);
    server.run();
    (server, discord)
}

/// Events of all kinds and grades: kills that repeat, both sides of a fight, strangers, sessions, missions and a guild.
async fn fill(server: &Server) {
    know(server, &["Real-Ace", "Far-Out", "Own-Alt"]);
    server.database.run("INSERT INTO guilds (tag, name, name_folded, created_at) VALUES ('NOVA', 'Nova', 'nova', 1)");
    server.database.run("UPDATE players SET guild_id = (SELECT id FROM guilds WHERE tag = 'NOVA')");
    let at = now() / 1000 * 1000 - 10 * DAY;
    let operator = server.key("operator");
    let strangers: Vec<Value> =
        (0..25).map(|n| kill("Real-Ace", &format!("Foe-{n}")).pu().at(at + n * 60_000).json()).collect();
    server.take(&operator, &strangers).await;
    let repeated: Vec<Value> =
        (0..9).map(|n| kill("Real-Ace", "Own-Alt").pu().at(at + DAY + n * 600_000).json()).collect();
    server.take(&operator, &repeated).await;
    server.take(&operator, &npc_kills("Far-Out", 7, at)).await;
    let hull = |at: i64| {
        loss("vehicle_destruction", "Real-Ace", "Far-Out").pu().with("vehicle_name", "AEGS_Sabre_123456").at(at).json()
    };
    server.take(&operator, &[hull(at + 5_000), own("login", "Far-Out").at(at - HOUR).json()]).await;
    server.take(&operator, &[own("mission_completed", "Far-Out").with("contract_name", "Bounty").at(at).json()]).await;
    let (ace, foe) = (owner(server, "5001", "Real-Ace").await, owner(server, "5002", "Real-Foe").await);
    establish(server, &["5001", "5002"]);
    let fight = |at: i64| kill("Real-Ace", "Real-Foe").pu().at(at).json();
    ace.take(server, &[fight(at + 3 * DAY), fight(at + 4 * DAY)]).await;
    foe.send(server, &[fight(at + 3 * DAY + 400)]).await;
    let stranger = owner(server, "5003", "Other-1").await;
    stranger.send(server, &[kill("Real-Ace", "Foe-1").pu().at(at + 5 * DAY).json()]).await;
    server.command(&["moderate", "void", "--player", "Foe-3", "--reason", "invented"]);
}

/// Writes an export as an admin does; returns its files.
async fn export(server: &Server) -> Vec<Value> {
    let token = server.sign_in(ADMIN).await;
    let _ = std::fs::remove_dir_all(server.data_dir().join("exports"));
    let began = Instant::now();
    loop {
        let list = server.read("/api/export").await["data"].as_array().unwrap().clone();
        if let Some(newest) = list.first() {
            return newest["files"].as_array().unwrap().clone();
        }
        assert!(began.elapsed() < Duration::from_secs(90), "no export is written: {}", server.log());
        let started = server.as_user(&token, Method::POST, "/api/admin/jobs/public-export/run", None).await;
        assert!([200, 404].contains(&started.status.as_u16()), "{}", started.text());
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

fn name_of<'a>(files: &'a [Value], format: &str) -> &'a str {
    files.iter().find(|file| file["format"] == format).and_then(|file| file["name"].as_str()).unwrap()
}

async fn content(server: &Server, name: &str) -> String {
    let file = server.get(&format!("/export/{name}")).await;
    assert_eq!((file.status.as_u16(), file.header("content-encoding")), (200, None));
    assert_eq!(file.header("content-type"), Some("application/gzip"));
    let mut text = String::new();
    GzDecoder::new(&file.bytes[..]).read_to_string(&mut text).unwrap();
    text
}

/// Whether the figures of an export are those of its events, and what the command prints.
fn recompute(server: &Server, export: &str) -> (bool, String) {
    let output = server.try_command(&["recompute", export]);
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    (output.status.success(), text)
}

async fn an_export_gives_the_figures_of_the_site(on: Backend) {
    let (server, _discord) = running(on).await;
    fill(&server).await;
    assert!(server.database.number("SELECT COUNT(*) FROM events WHERE reasons = 2") > 0);
    night(&server).await;
    let files = export(&server).await;
    let (is_equal, text) = recompute(&server, &server.url("/"));
    assert!(is_equal && text.contains("repeated kills 6"), "{text}");
    // The same from a file, whose figures are those of the leaderboards.
    let path = server.data_dir().join("exports").join(name_of(&files, "ndjson"));
    let (is_equal, text) = recompute(&server, path.to_str().unwrap());
    assert!(is_equal, "{text}");
    let lines = content(&server, name_of(&files, "ndjson")).await;
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let ace = lines.iter().find(|line| line["type"] == "player" && line["player"] == "Real-Ace").unwrap();
    let board = server.read("/api/players/leaderboard?sortBy=overall").await["players"].as_array().unwrap().clone();
    let row = board.iter().find(|row| row["handle"] == "Real-Ace").unwrap();
    let figures = ["pu_player_kills", "pve_kills", "vehicle_destructions", "missions_completed", "playtime"];
    assert_eq!(ace["scores"].as_array().unwrap()[..5], figures.map(|figure| row[figure].clone()));
    let grades: std::collections::BTreeSet<&str> =
        lines.iter().filter(|line| line["type"] == "event").filter_map(|line| line["grade"].as_str()).collect();
    assert_eq!(grades.into_iter().collect::<Vec<_>>(), ["confirmed", "operator", "self_reported", "third_party"]);
    let events = lines.iter().filter(|line| line["type"] == "event").count();
    assert_eq!(events as i64, server.database.number("SELECT COUNT(*) FROM events"));
    let csv = content(&server, name_of(&files, "csv")).await;
    assert_eq!(csv.lines().count(), events + 1);
}

async fn a_changed_row_is_found(on: Backend) {
    let (server, _discord) = running(on).await;
    fill(&server).await;
    night(&server).await;
    let id = "(SELECT id FROM players WHERE handle = 'Real-Ace')";
    let changes = [
        (
            format!("UPDATE player_scores SET pu_player_kills = pu_player_kills + 1 WHERE player_id = {id}"),
            "player kills",
        ),
        (format!("UPDATE player_scores SET confirmed_pve_kills = 5 WHERE player_id = {id}"), "confirmed NPC kills"),
        ("UPDATE events SET game_mode = 2 WHERE id = 1".to_owned(), "player kills"),
        ("UPDATE events SET grade = 2 WHERE grade = 4".to_owned(), "graded confirmed"),
        ("UPDATE events SET reasons = 0 WHERE reasons = 1024".to_owned(), "repeated kill"),
        ("UPDATE guilds SET playtime = 99 WHERE tag = 'NOVA'".to_owned(), "guild NOVA"),
    ];
    let before = server.database.words("SELECT CAST(COUNT(*) AS TEXT) AS value FROM events");
    for (sql, what) in changes {
        server.database.run(&sql);
        export(&server).await;
        let (is_equal, text) = recompute(&server, &server.url("/"));
        assert!(!is_equal && text.contains(what), "{sql}: {text}");
    }
    assert_eq!(server.database.words("SELECT CAST(COUNT(*) AS TEXT) AS value FROM events"), before);
}

async fn decisions_that_are_pending_are_taken_as_stated(on: Backend) {
    let (server, _discord) = running(on).await;
    fill(&server).await;
    night(&server).await;
    // These kills are repeats that the next night withholds.
    let key = server.key("later");
    let late: Vec<Value> =
        (0..5).map(|n| kill("Real-Ace", "Own-Alt").pu().at(now() - 2 * DAY + n * 600_000).json()).collect();
    server.take(&key, &late).await;
    export(&server).await;
    let (is_equal, text) = recompute(&server, &server.url("/"));
    assert!(is_equal, "{text}");
}

async fn no_export_names_a_hidden_player(on: Backend) {
    let (server, _discord) = running(on).await;
    fill(&server).await;
    night(&server).await;
    let files = export(&server).await;
    let name = name_of(&files, "ndjson").to_owned();
    assert!(content(&server, &name).await.contains("\"Far-Out\""));
    server.database.run(
        "UPDATE players SET is_hidden = TRUE, feed_changes = feed_changes + 1 WHERE handle = 'Far-Out'; \
         UPDATE player_scores SET is_hidden = TRUE WHERE handle_folded = 'far-out'",
    );
    assert_eq!(server.get(&format!("/export/{name}")).await.status, 404);
    assert_eq!(server.read("/api/export").await["data"], json!([]));
    let files = export(&server).await;
    for format in ["ndjson", "csv"] {
        let text = content(&server, name_of(&files, format)).await.to_lowercase();
        assert!(!text.contains("far-out") && text.contains("#1") && text.contains("real-ace"), "{format}");
    }
    let (is_equal, text) = recompute(&server, &server.url("/"));
    assert!(is_equal, "{text}");
    // Names that only accounts reported are numbered too.
    let ace = account_key(&server, "5001").await;
    server.send_from_log(&ace, &log_of("Real-Ace"), &[kill("Real-Ace", "New-Name").pu().at(now() - HOUR).json()]).await;
    let files = export(&server).await;
    assert!(!content(&server, name_of(&files, "ndjson")).await.contains("New-Name"));
}

async fn a_file_that_is_no_export_is_reported(on: Backend) {
    let (server, _discord) = running(on).await;
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let head = json!({"type": "export", "format": 1, "site": "x", "created_at": 1, "rules": 1, "repeat_share": 5});
    let newer = json!({"type": "export", "format": 1, "site": "x", "created_at": 1, "rules": 99, "repeat_share": 5});
    for (path, sentence) in [
        (file("a", "hello\n"), "not a public export"),
        (file("b", ""), "not a public export"),
        (file("c", &format!("{head}\n{{\"type\":\"event\"}}\n")), "line 2"),
        (file("d", &format!("{newer}\n")), "version 99"),
        (dir.path().join("missing").to_str().unwrap().to_owned(), "missing"),
        (server.url("/"), "publishes no export"),
    ] {
        let (is_equal, text) = recompute(&server, &path);
        assert!(!is_equal && text.contains(sentence) && !text.contains("panicked"), "{path}: {text}");
    }
    assert_eq!(server.get("/export/..%2Fapogee.db").await.status, 404);
    assert_eq!(server.get("/export/nothing.json").await.status, 404);
}
