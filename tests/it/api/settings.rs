//! Settings: what owners can change, which changes are rejected, and which files are deleted.

use reqwest::Method;
use serde_json::{Value, json};

use super::leaderboard::insert_guilds;
use crate::support::*;

on_both!(
    omitted_fields_are_unchanged_and_null_clears,
    images_must_be_own_uploads_and_replaced_ones_are_deleted,
    at_most_four_unlocked_stickers_can_be_worn,
    only_the_owner_can_change_settings,
    a_guilds_owner_sets_logo_banner_and_a_discord_invite,
    guild_views_count_once_per_visitor,
);

const PLAYER: &str = "/api/player/settings";
const GUILD: &str = "/api/guild/settings";

/// Ann (501) owns Ann-1, Gus (502) owns the guild ALPHA, Bob (503) owns Bob-1, 504 owns nothing, 900 is the admin.
pub struct People {
    pub server: Server,
    _discord: mock_server::MockServer,
}

impl People {
    pub async fn on(on: Backend) -> Self {
        let mut server = Server::prepare(on);
        insert_guilds(&server);
        let discord = server.with_discord().await;
        server.env("APOGEE_ADMIN_DISCORD_IDS", "900");
        server.run();
        for person in ["501", "502", "503", "504", "900"] {
            server.sign_in(person).await;
        }
        for (person, column, of, key) in [
            ("501", "player_id", "players WHERE handle_folded", "ann-1"),
            ("503", "player_id", "players WHERE handle_folded", "bob-1"),
            ("502", "guild_id", "guilds WHERE tag", "ALPHA"),
        ] {
            server.database.run(&format!(
                "UPDATE users SET {column} = (SELECT id FROM {of} = '{key}') WHERE discord_id = '{person}'"
            ));
        }
        Self { server, _discord: discord }
    }

    pub async fn save(&self, person: &str, path: &str, body: Value) -> Response {
        let token = self.server.sign_in(person).await;
        self.server.as_user(&token, Method::POST, path, Some(&body)).await
    }

    async fn saves(&self, person: &str, path: &str, body: Value) -> Value {
        let response = self.save(person, path, body.clone()).await;
        assert_eq!(response.status, 200, "{body}: {}", response.text());
        response.json()
    }

    async fn refuses(&self, person: &str, path: &str, body: Value, code: &str) -> String {
        let response = self.save(person, path, body.clone()).await;
        assert_eq!(response.code(), code, "{person} {body}");
        response.json()["error"].as_str().unwrap().to_owned()
    }

    /// Inserts an uploaded picture of a user.
    fn picture(&self, person: &str, number: u32) -> String {
        let name = format!("{number:032x}.jpg");
        let folder = self.server.data_dir().join("uploads");
        std::fs::write(folder.join(&name), b"a picture").unwrap();
        self.server.database.run(&format!(
            "INSERT INTO uploads (user_id, path, kind, bytes, created_at) \
             SELECT id, '/uploads/{name}', 'profile-image', 9, {} FROM users WHERE discord_id = '{person}'",
            now()
        ));
        format!("/uploads/{name}")
    }

    fn is_file(&self, path: &str) -> bool {
        self.server.data_dir().join(path.trim_start_matches('/')).exists()
    }

    fn is_row(&self, path: &str) -> bool {
        self.server.database.number(&format!("SELECT COUNT(*) FROM uploads WHERE path = '{path}'")) == 1
    }

    /// Waits until a file is removed, which happens soon after the response.
    async fn loses(&self, path: &str) {
        eventually(&format!("{path} is removed"), async || !self.is_file(path)).await;
        assert!(!self.is_row(path), "{path}");
    }

    async fn settings(&self, handle: &str) -> Value {
        self.server.read(&format!("/api/player/settings/handle/{handle}")).await["settings"].clone()
    }
}

async fn omitted_fields_are_unchanged_and_null_clears(on: Backend) {
    let people = People::on(on).await;
    let nothing = json!({"profile_image": null, "banner_image": null, "is_profile_hidden": false,
        "sharing": {"pay": false, "places": false}, "profile_settings": null});
    assert_eq!(people.settings("Ann-1").await, nothing);
    let (picture, banner) = (people.picture("501", 1), people.picture("501", 2));
    let body = json!({"discordId": "501", "handle": "ANN-1", "profile_image": picture, "banner_image": banner,
        "profile_settings": {"stickers": []}});
    let saved = people.saves("501", PLAYER, body).await;
    assert_eq!(saved, json!({"success": true, "message": "Profile settings saved successfully!"}));
    let all = json!({"profile_image": picture, "banner_image": banner, "is_profile_hidden": false,
        "sharing": {"pay": false, "places": false}, "profile_settings": {"stickers": []}});
    assert_eq!(people.settings("ann-1").await, all);
    // Empty changes, unknown fields, and fields that this route does not accept.
    for body in [json!({}), json!({"handle": "Ann-1", "views": 9, "is_admin": true, "player_id": 1, "overall": 7})] {
        people.saves("501", PLAYER, body).await;
        assert_eq!(people.settings("ann-1").await, all);
    }
    let player = people.server.read("/api/player/ann-1").await["player"].clone();
    assert_eq!((&player["profileImage"], &player["bannerImage"]), (&json!(picture), &json!(banner)));
    assert_eq!((&player["profile_views"], &player["stickers"]), (&json!(0), &json!([])));
    people.saves("501", PLAYER, json!({"banner_image": null})).await;
    assert_eq!(people.settings("ann-1").await["banner_image"], Value::Null);
    assert_eq!(people.settings("ann-1").await["profile_image"], json!(picture));
    people.saves("501", PLAYER, json!({"profile_settings": null, "profile_hidden": null})).await;
    assert_eq!(people.settings("ann-1").await["profile_settings"], Value::Null);
    for wrong in [
        json!({"profile_image": 7}),
        json!({"profile_hidden": "yes"}),
        json!({"profile_settings": "no json"}),
        json!([]),
    ] {
        people.refuses("501", PLAYER, wrong, "VALIDATION").await;
    }

    // The owner reads and removes all settings.
    let token = people.server.sign_in("501").await;
    let path = format!("{PLAYER}/501");
    let own = people.server.as_user(&token, Method::GET, &path, None).await.json();
    assert_eq!(own["settings"]["profile_image"], json!(picture));
    people.saves("501", PLAYER, json!({"profile_hidden": true})).await;
    let removed = people.server.as_user(&token, Method::DELETE, &path, None).await;
    assert_eq!(removed.json()["success"], true);
    assert_eq!(people.settings("Ann-1").await, nothing);
    people.loses(&picture).await;
    people.loses(&banner).await;
}

async fn images_must_be_own_uploads_and_replaced_ones_are_deleted(on: Backend) {
    let people = People::on(on).await;
    let (first, second, of_bob) = (people.picture("501", 1), people.picture("501", 2), people.picture("503", 3));
    for path in [
        of_bob.as_str(),
        "/uploads/ffffffffffffffffffffffffffffffff.jpg",
        "/static/images/players/0.jpg",
        "https://evil.example/a.jpg",
        "data:image/png;base64,AAAA",
        "javascript:alert(1)",
        "/uploads/../apogee.db",
        "",
    ] {
        let sentence = people.refuses("501", PLAYER, json!({"profile_image": path}), "VALIDATION").await;
        assert!(sentence.contains("profile_image"), "{path}: {sentence}");
    }
    people.refuses("501", PLAYER, json!({"profile_image": first, "banner_image": first}), "VALIDATION").await;
    assert_eq!(
        people.settings("ann-1").await["profile_image"],
        Value::Null,
        "a rejected change is not applied partially"
    );
    people.saves("501", PLAYER, json!({"profile_image": first})).await;
    people.saves("501", PLAYER, json!({"profile_image": first})).await;
    people.refuses("501", PLAYER, json!({"banner_image": first}), "VALIDATION").await;
    // A replaced picture is deleted; a rejected change deletes nothing.
    people.refuses("501", PLAYER, json!({"profile_image": second, "banner_image": of_bob}), "VALIDATION").await;
    assert!(people.is_file(&first) && people.is_row(&first));
    people.saves("501", PLAYER, json!({"profile_image": second})).await;
    people.loses(&first).await;
    assert!(people.is_file(&second) && people.is_file(&of_bob));
    people.saves("501", PLAYER, json!({"profile_image": null})).await;
    people.loses(&second).await;
}

async fn at_most_four_unlocked_stickers_can_be_worn(on: Backend) {
    let people = People::on(on).await;
    let path = "/api/player/settings/stickers";
    let key = people.server.key("reader");
    let unlocked = async || -> Vec<String> {
        let response = people.server.read("/api/player/settings/handle/ann-1").await;
        let list = response["unlockedStickers"].as_array().unwrap().clone();
        assert_eq!(list.len(), 16);
        for sticker in &list {
            let id = sticker["id"].as_str().unwrap();
            assert_eq!(sticker["image"], json!(format!("/static/stickers/{id}.png")));
        }
        let open = list.iter().filter(|sticker| sticker["unlocked"] == true);
        open.map(|sticker| sticker["id"].as_str().unwrap().to_owned()).collect()
    };
    assert!(unlocked().await.is_empty());
    let sentence =
        people.refuses("501", path, json!({"playerHandle": "Ann-1", "stickers": ["683583"]}), "VALIDATION").await;
    assert!(sentence.contains("Banana for scale") && sentence.contains("first player kill"), "{sentence}");
    let event = 1_760_184_000_000_i64; // 2025-10-11, noon UTC
    let events = [
        kill("Ann-1", "Bob-1").pu(),
        own("seat_entered", "Ann-1").with("vehicle_name", "ANVL_Arrow").pu(),
        own("seat_entered", "Ann-1").with("vehicle_name", "AEGS_Gladius").pu(),
    ];
    people.server.take(&key, &in_a_row(event, events)).await;
    assert_eq!(unlocked().await, ["683583", "202510", "310846", "864219"]);
    let losses = (0..100).map(|_| loss("vehicle_soft_death", "Ann-1", "Bob-1").ac());
    people.server.take(&key, &in_a_row(event + DAY, losses)).await;
    people.server.database.run(
        "UPDATE players SET views = 500 WHERE handle = 'Ann-1'; \
         INSERT INTO sticker_grants (player_id, sticker_id, granted_at) SELECT id, '196404', 1 FROM players WHERE handle = 'Ann-1'",
    );
    assert_eq!(unlocked().await, ["196404", "775678", "683583", "202510", "947135", "310846", "864219"]);
    for (stickers, why) in [
        (json!(["683583", "202510", "310846", "864219", "947135"]), "at most 4"),
        (json!(["683583", 683_583]), "once"),
        (json!(["123456"]), "existing stickers"),
        (json!(["../../x"]), "existing stickers"),
        (json!(["683583", "412907"]), "Pioneer"),
        (Value::Null, "stickers"),
        (json!("683583"), "invalid stickers: expected a list"),
    ] {
        let sentence =
            people.refuses("501", path, json!({"playerHandle": "Ann-1", "stickers": stickers}), "VALIDATION").await;
        assert!(sentence.contains(why), "{stickers}: {sentence}");
    }
    assert_eq!(people.settings("ann-1").await["profile_settings"], Value::Null);
    let done = people.saves("501", path, json!({"playerHandle": "ann-1", "stickers": [683_583, "310846"]})).await;
    assert_eq!(done, json!({"success": true}));
    let board = people.server.read("/api/players/top").await["players"].clone();
    let ann = board.as_array().unwrap().iter().find(|row| row["handle"] == "Ann-1").unwrap();
    assert_eq!(ann["stickers"], json!(["683583", "310846"]));
    people.saves("501", PLAYER, json!({"profile_settings": "{\"stickers\":[\"775678\"]}"})).await;
    assert_eq!(people.server.read("/api/player/ann-1").await["player"]["stickers"], json!(["775678"]));
    people.saves("501", PLAYER, json!({"profile_settings": {"stickers": null}})).await;
    assert_eq!(people.server.read("/api/player/ann-1").await["player"]["stickers"], Value::Null);
}

async fn only_the_owner_can_change_settings(on: Backend) {
    let people = People::on(on).await;
    let claim_first = "You must have a claimed Star Citizen profile to edit settings. Please claim your profile first.";
    let own_only = "You can only edit your own claimed profile.";
    for (person, body, sentence) in [
        ("504", json!({"profile_hidden": true}), claim_first),
        ("504", json!({"handle": "Ann-1", "profile_hidden": true}), claim_first),
        ("502", json!({"handle": "Ann-1", "profile_hidden": true}), claim_first),
        ("503", json!({"handle": "Ann-1", "profile_hidden": true}), own_only),
        ("503", json!({"discordId": "501", "profile_hidden": true}), own_only),
        ("503", json!({"discordId": "501", "handle": "Bob-1", "profile_hidden": true}), own_only),
    ] {
        assert_eq!(people.refuses(person, PLAYER, body.clone(), "FORBIDDEN").await, sentence, "{person} {body}");
    }
    let worn = json!({"playerHandle": "Ann-1", "stickers": []});
    assert_eq!(people.refuses("503", "/api/player/settings/stickers", worn, "FORBIDDEN").await, own_only);
    people.refuses("501", PLAYER, json!({"handle": "nobody-here"}), "NOT_FOUND").await;
    let (ann, bob) = (people.server.sign_in("501").await, people.server.sign_in("503").await);
    let admin = people.server.sign_in("900").await;
    let nobody = people.server.sign_in("504").await;
    let none = people.server.as_user(&nobody, Method::GET, &format!("{PLAYER}/504"), None).await.json();
    assert_eq!(none, json!({"success": true, "settings": null}));
    people.saves("900", PLAYER, json!({"handle": "Ann-1", "profile_hidden": true})).await;
    let read = async |token: Option<&str>| {
        let path = "/api/player/settings/handle/ann-1";
        match token {
            Some(token) => people.server.as_user(token, Method::GET, path, None).await,
            None => people.server.get(path).await,
        }
    };
    assert_eq!(read(None).await.code(), "FORBIDDEN");
    assert_eq!(read(Some(&bob)).await.code(), "FORBIDDEN");
    for token in [&ann, &admin] {
        assert_eq!(read(Some(token)).await.json()["settings"]["is_profile_hidden"], true);
    }
    people.saves("900", PLAYER, json!({"discordId": "501", "profile_hidden": false})).await;
    assert_eq!(read(None).await.json()["settings"]["is_profile_hidden"], false);
    // Headers that claim an identity are ignored.
    let request = people.server.request(Method::POST, PLAYER).bearer_auth(&bob).header("x-user-handle", "Ann-1");
    let response = people.server.execute(request.json(&json!({"handle": "Ann-1", "profile_hidden": true}))).await;
    assert_eq!(response.code(), "FORBIDDEN");
}

async fn a_guilds_owner_sets_logo_banner_and_a_discord_invite(on: Backend) {
    let people = People::on(on).await;
    for (person, tag, sentence) in [
        ("501", "ALPHA", "You must be a guild owner to edit guild profiles."),
        ("504", "ALPHA", "You must be a guild owner to edit guild profiles."),
        ("502", "BETA", "You can only edit your own guild profile."),
    ] {
        let body = json!({"guildShort": tag, "discordLink": ""});
        assert_eq!(people.refuses(person, GUILD, body, "FORBIDDEN").await, sentence, "{person}");
    }
    let foreign = json!({"guildShort": "ALPHA", "discordId": "501"});
    people.refuses("502", GUILD, foreign, "FORBIDDEN").await;
    people.refuses("502", GUILD, json!({"guildShort": "NOPE"}), "NOT_FOUND").await;
    let (logo, banner) = (people.picture("502", 1), people.picture("502", 2));
    let all = json!({"guildShort": "alpha", "discordId": "502", "guildImage": logo, "bannerImage": banner,
        "discordLink": "https://discord.gg/alpha"});
    let saved = people.saves("502", GUILD, all).await;
    let settings = json!({"guild_image": logo, "banner_image": banner, "discord_link": "https://discord.gg/alpha"});
    assert_eq!(saved["settings"], settings);
    assert_eq!(people.server.read("/api/guild/settings/ALPHA").await["settings"], settings);
    for link in ["http://discord.gg/x", "https://evil.example/x", "javascript:alert(1)", "https://discord.gg.evil/x"] {
        let body = json!({"guildShort": "ALPHA", "discordLink": link, "guildImage": null});
        let sentence = people.refuses("502", GUILD, body, "VALIDATION").await;
        assert_eq!(sentence, "Discord link must start with https://discord.gg/");
    }
    assert_eq!(
        people.server.read("/api/guild/settings/ALPHA").await["settings"],
        settings,
        "a rejected change is not applied partially"
    );
    let longer = json!({"guildShort": "ALPHA", "discordLink": "https://discord.com/invite/alpha-1"});
    assert_eq!(people.saves("502", GUILD, longer).await["settings"]["guild_image"], json!(logo));
    let cleared = json!({"guildShort": "ALPHA", "discordLink": "", "guildImage": null});
    let saved = people.saves("502", GUILD, cleared).await;
    assert_eq!((&saved["settings"]["discord_link"], &saved["settings"]["guild_image"]), (&Value::Null, &Value::Null));
    people.loses(&logo).await;
    assert!(people.is_file(&banner));
    let by_admin = json!({"guildShort": "ALPHA", "bannerImage": null});
    people.saves("900", GUILD, by_admin).await;
    people.loses(&banner).await;
}

async fn guild_views_count_once_per_visitor(on: Backend) {
    let people = People::on(on).await;
    let view = async |tag: &str, from: &str| {
        let request = people.server.request(Method::POST, &format!("/api/guild/{tag}/view"));
        people.server.execute(request.header("x-forwarded-for", from)).await
    };
    // Behind a trusted proxy, forwarded addresses identify visitors.
    for (tag, from, views) in [
        ("ALPHA", "198.51.100.1", 1),
        ("alpha", "198.51.100.1", 1),
        ("ALPHA", "198.51.100.2", 2),
        ("BETA", "198.51.100.1", 1),
        ("ALPHA", "198.51.100.2", 2),
    ] {
        assert_eq!(view(tag, from).await.json(), json!({"success": true, "views": views}), "{tag} {from}");
    }
    assert_eq!(people.server.read("/api/guild/ALPHA").await["guild"]["profile_views"], 2);
    assert_eq!(view("NOPE", "198.51.100.1").await.code(), "NOT_FOUND");
    for (from, views) in [("198.51.100.1", 1), ("198.51.100.2", 2), ("198.51.100.1", 2)] {
        let request = people.server.request(Method::POST, "/api/player/ann-1/view").header("x-forwarded-for", from);
        assert_eq!(people.server.execute(request).await.json()["views"], views, "{from}");
    }
}
