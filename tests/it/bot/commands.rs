//! Slash commands: responses, languages, visibility and deferred responses.

use diesel::Connection;
use diesel::connection::SimpleConnection;

use super::*;

on_sqlite!(
    every_command_responds_with_the_sites_figures,
    responses_are_in_the_callers_language,
    private_responses_and_errors_are_ephemeral,
    options_are_autocompleted,
    a_slow_command_gets_a_deferred_response,
    subscribing_a_channel_requires_manage_server,
    commands_are_registered_and_servers_counted,
);

async fn filled(on: Backend) -> (Server, MockDiscord) {
    let discord = MockDiscord::start().await;
    let mut server = site_of(on, &discord);
    server.database.run(
        "INSERT INTO guilds (tag, name, name_folded, created_at) VALUES ('NOVA', 'Nova *Fleet*', 'nova *fleet*', 1); \
         INSERT INTO players (handle, handle_folded, player_name, guild_id, created_at) VALUES ('Ann_1', 'ann_1', 'Ann', 1, 1); \
         INSERT INTO players (handle, handle_folded, player_name, is_hidden, created_at) VALUES ('Hid-Den', 'hid-den', 'H', TRUE, 1)",
    );
    server.run();
    let key = server.key("reader");
    server.take(&key, &npc_kills("Ann_1", 7, now() - DAY)).await;
    server.take(&key, &npc_kills("Bob-1", 3, now() - DAY)).await;
    (server, discord)
}

/// The message data of a command's response.
async fn run(server: &Server, call: Value) -> Value {
    let response = interact(server, call).await;
    assert_eq!(response.status, 200, "{}", response.text());
    let json = response.json();
    assert_eq!(json["type"], 4, "{json}");
    json["data"].clone()
}

async fn every_command_responds_with_the_sites_figures(on: Backend) {
    let (server, _discord) = filled(on).await;
    let player = run(&server, command("player", &[("handle", json!("ann_1"))])).await;
    let embed = &player["embeds"][0];
    assert_eq!(embed["title"], "Ann\\_1", "names are escaped");
    assert_eq!(embed["url"], format!("{}/player/Ann_1", server.address));
    assert!(embed["description"].as_str().unwrap().starts_with("Nova \\*Fleet\\* \\[NOVA\\]"), "{embed}");
    assert_eq!(embed["fields"][0], json!({ "name": "Overall", "value": "7 (#1)", "inline": true }));
    let card = embed["image"]["url"].as_str().unwrap();
    assert!(card.starts_with(&format!("{}/og/player/Ann_1.png", server.address)), "{card}");
    assert_eq!(player["components"][0]["components"][0]["url"], embed["url"]);
    assert_eq!(player["allowed_mentions"], json!({ "parse": [] }));
    // A player without fights has a career.
    server.take(&server.key("operator"), &stay("Cid-1", 2)).await;
    let peaceful = run(&server, command("player", &[("handle", json!("cid-1"))])).await;
    let fields = &peaceful["embeds"][0]["fields"];
    assert_eq!(fields[0], json!({ "name": "Career", "value": "20 (#1)", "inline": true }));
    assert_eq!(fields[2], json!({ "name": "Universe hours", "value": "2.0", "inline": true }));
    let guild = run(&server, command("guild", &[("tag", json!("nova"))])).await;
    assert_eq!(guild["embeds"][0]["fields"][0]["value"], "7 (#1)");
    assert_eq!(guild["embeds"][0]["description"], "Ann\\_1 – 7");
    let top = run(&server, command("top", &[("by", json!("pve_kills")), ("window", json!("7d"))])).await;
    let board = top["embeds"][0]["description"].as_str().unwrap();
    assert_eq!(board, "*7 days*\n**#1** Ann\\_1 – 7\n**#2** Bob-1 – 3");
    let both = [("first", json!("Ann_1")), ("second", json!("Bob-1"))];
    let pair = run(&server, command("compare", &both)).await;
    assert_eq!(pair["embeds"][0]["fields"][2]["value"], "**7** : 3");
    let link = run(&server, command("link", &[])).await;
    assert!(link["embeds"][0]["description"].as_str().unwrap().contains(&format!("{}/link", server.address)));
    let help = run(&server, command("help", &[])).await;
    for name in ["player", "guild", "top", "compare", "statsfeed", "link", "help"] {
        assert!(help["embeds"][0]["description"].as_str().unwrap().contains(&format!("`/{name}`")), "{name}");
    }
}

async fn responses_are_in_the_callers_language(on: Backend) {
    let (server, _discord) = filled(on).await;
    for (locale, overall, nobody) in [
        ("de", "Gesamt", "Spieler nobody-1 nicht gefunden."),
        ("zh-CN", "总分", "未找到玩家 nobody-1。"),
        ("ja", "Overall", "Player nobody-1 not found."),
    ] {
        let mut call = command("player", &[("handle", json!("Ann_1"))]);
        call["locale"] = locale.into();
        assert_eq!(run(&server, call).await["embeds"][0]["fields"][0]["name"], overall, "{locale}");
        let mut call = command("player", &[("handle", json!("nobody-1"))]);
        call["locale"] = locale.into();
        assert_eq!(run(&server, call).await["embeds"][0]["description"], nobody, "{locale}");
    }
}

async fn private_responses_and_errors_are_ephemeral(on: Backend) {
    let (server, _discord) = filled(on).await;
    let open = run(&server, command("player", &[("handle", json!("Ann_1"))])).await;
    let private = [("handle", json!("Ann_1")), ("private", json!(true))];
    let private = run(&server, command("player", &private)).await;
    let failed = run(&server, command("player", &[("handle", json!("nobody-1"))])).await;
    assert_eq!((&open["flags"], &private["flags"], &failed["flags"]), (&json!(0), &json!(64), &json!(64)));
    let hidden = run(&server, command("player", &[("handle", json!("Hid-Den"))])).await;
    assert_eq!(hidden["embeds"][0]["description"], "This profile has been hidden by its owner.");
    assert!(!hidden.to_string().contains("fields"));
}

async fn options_are_autocompleted(on: Backend) {
    let (server, _discord) = filled(on).await;
    let choices = async |name: &str, subcommand: Option<&str>, option: &str, typed: &str| {
        let option = json!({ "name": option, "type": 3, "value": typed, "focused": true });
        let mut call = command(name, &[]);
        call["type"] = 4.into();
        call["data"]["options"] = match subcommand {
            None => json!([option]),
            Some(sub) => json!([{ "name": sub, "type": 1, "options": [option] }]),
        };
        let response = interact(&server, call).await.json();
        assert_eq!(response["type"], 8);
        let list = response["data"]["choices"].as_array().unwrap();
        list.iter().map(|choice| choice["value"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(choices("player", None, "handle", "an").await, ["Ann_1"]);
    assert_eq!(choices("guild", None, "tag", "nov").await, ["NOVA"]);
    assert_eq!(choices("statsfeed", Some("set"), "players", "Ann_1, bo").await, ["Ann_1, Bob-1"]);
    assert_eq!(choices("statsfeed", Some("set"), "events", "kills,mis").await, ["kills, missions"]);
    assert_eq!(
        choices("player", None, "handle", "hid").await,
        Vec::<String>::new(),
        "hidden players are not suggested"
    );
}

/// Blocks writes to the feeds until released.
enum Lock {
    Sqlite(diesel::SqliteConnection),
    Postgres(diesel::PgConnection),
}

impl Lock {
    fn take(server: &Server) -> Self {
        let url = &server.database.url;
        match url.strip_prefix("sqlite:") {
            Some(file) => {
                let mut conn = diesel::SqliteConnection::establish(file).unwrap();
                conn.batch_execute("PRAGMA busy_timeout = 10000; BEGIN EXCLUSIVE").unwrap();
                Self::Sqlite(conn)
            }
            None => {
                let mut conn = diesel::PgConnection::establish(url).unwrap();
                conn.batch_execute("BEGIN; LOCK TABLE statsfeed_channels IN ACCESS EXCLUSIVE MODE").unwrap();
                Self::Postgres(conn)
            }
        }
    }

    fn release(self) {
        match self {
            Self::Sqlite(mut conn) => conn.batch_execute("ROLLBACK").unwrap(),
            Self::Postgres(mut conn) => conn.batch_execute("ROLLBACK").unwrap(),
        }
    }
}

async fn a_slow_command_gets_a_deferred_response(on: Backend) {
    let (server, discord) = filled(on).await;
    let mut call = command("statsfeed", &[]);
    call["token"] = "aW50-late".into();
    let options = json!([{ "name": "kind", "type": 3, "value": "arena-commander" }, { "name": "private", "type": 5, "value": true }]);
    call["data"]["options"] = json!([{ "name": "set", "type": 1, "options": options }]);
    let lock = Lock::take(&server);
    // The database is blocked, and Discord still gets a response in time.
    let response = interact(&server, call).await.json();
    assert_eq!(response, json!({ "type": 5, "data": { "flags": 64 } }));
    assert_eq!(discord.deferred_response("aW50-late"), None);
    lock.release();
    let late = until("the deferred response", async || discord.deferred_response("aW50-late")).await;
    assert_eq!(late["embeds"][0]["description"], "This channel now receives the feed arena-commander.");
}

async fn subscribing_a_channel_requires_manage_server(on: Backend) {
    let (server, _discord) = filled(on).await;
    let set = |permissions: &str, options: Value| {
        let mut call = command("statsfeed", &[]);
        call["member"]["permissions"] = permissions.into();
        call["data"]["options"] = json!([{ "name": "set", "type": 1, "options": options }]);
        call
    };
    let kind = json!({ "name": "kind", "type": 3, "value": "general-statsfeed" });
    let refused = run(&server, set("0", json!([kind]))).await;
    assert_eq!(refused["embeds"][0]["description"], "This command requires the Manage Server permission.");
    let mut elsewhere = set("32", json!([kind]));
    elsewhere.as_object_mut().unwrap().remove("guild_id");
    assert_eq!(run(&server, elsewhere).await["embeds"][0]["description"], "This command works only on a server.");
    for (option, value) in
        [("kind", json!("everything")), ("guilds", json!("N O")), ("players", json!("a b")), ("events", json!("x"))]
    {
        let mut options = vec![kind.clone()];
        options.insert(usize::from(option != "kind"), json!({ "name": option, "type": 3, "value": value }));
        let wrong = run(&server, set("32", json!(options))).await;
        let sentence = wrong["embeds"][0]["description"].as_str().unwrap().to_owned();
        assert_eq!(sentence, format!("Invalid value for {option}."));
    }
    assert_eq!(server.database.number("SELECT COUNT(*) FROM statsfeed_channels"), 0);
    let more = [kind, json!({ "name": "guilds", "value": "nova" }), json!({ "name": "minimum", "value": 5 })];
    let done = run(&server, set("8", json!(more))).await;
    let sentence = done["embeds"][0]["description"].as_str().unwrap().to_owned();
    assert_eq!(
        sentence,
        "This channel now receives the feed general-statsfeed.\nGuilds: nova\nMinimum overall score: 5"
    );
    let mut call = command("statsfeed", &[]);
    call["data"]["options"] = json!([{ "name": "remove", "type": 1 }]);
    assert_eq!(run(&server, call.clone()).await["embeds"][0]["description"], "This channel is no longer a feed.");
    assert_eq!(run(&server, call).await["embeds"][0]["description"], "This channel is not a feed.");
}

async fn commands_are_registered_and_servers_counted(on: Backend) {
    let (server, discord) = filled(on).await;
    assert_eq!(server.command(&["bot", "register"]), "7 commands registered\n");
    let put = discord.calls().into_iter().find(|call| call.method == "PUT").unwrap();
    assert_eq!(put.path, format!("/applications/{APPLICATION}/commands"));
    assert_eq!((put.authorization.as_deref(), put.status), (Some("Bot the-bot-token"), 200));
    let names: Vec<&str> = put.body.as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["player", "guild", "top", "compare", "statsfeed", "link", "help"]);
    eventually("the number of servers", async || server.read("/api/config").await["site"]["bot_servers"] == "612")
        .await;
}
