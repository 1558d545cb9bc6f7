//! The OpenAPI description follows its specification and matches the actual responses.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Map, Value, json};

use crate::api::insert_guilds;
use crate::support::game_site::Citizen;
use crate::support::*;

on_sqlite!(responses_match_their_schemas);

/// `(method, path)` of every operation.
pub fn operations() -> BTreeSet<(String, String)> {
    described(&document())
}

fn described(document: &Value) -> BTreeSet<(String, String)> {
    let paths = document["paths"].as_object().unwrap();
    let methods = |item: &Value| {
        item.as_object()
            .unwrap()
            .keys()
            .filter(|key| matches!(key.as_str(), "get" | "post" | "put" | "delete"))
            .cloned()
            .collect::<Vec<_>>()
    };
    paths.iter().flat_map(|(path, item)| methods(item).into_iter().map(|m| (m, path.clone()))).collect()
}

fn document() -> Value {
    serde_json::from_str(&apogee::routes::openapi::text().unwrap()).unwrap()
}

/// Checks that `tests/browser/openapi.test.mjs`, which runs an independent validator, does not make.
#[test]
fn the_document_follows_the_openapi_specification() {
    let document = document();
    let schemes = document["components"]["securitySchemes"].as_object().unwrap();
    let mut ids = BTreeSet::new();
    for (method, path) in described(&document) {
        let operation = &document["paths"][&path][&method];
        let id = operation["operationId"].as_str().unwrap();
        assert!(ids.insert(id.to_owned()), "{method} {path}: operation id {id} is not unique");
        for (status, response) in operation["responses"].as_object().unwrap() {
            assert!(response["description"].as_str().is_some_and(|text| !text.is_empty()), "{method} {path} {status}");
        }
        let security =
            operation["security"].as_array().unwrap_or_else(|| panic!("{method} {path} has no security requirements"));
        for name in security.iter().flat_map(|one| one.as_object().unwrap().keys()) {
            assert!(schemes.contains_key(name), "{method} {path}: the security scheme {name} is not defined");
        }
        let is_guarded = operation["responses"]["401"].is_object() && path != "/api/auth/discord/callback";
        assert_eq!(is_guarded, !security.is_empty() && security[0] != json!({}), "{method} {path}: {security:?}");
    }
}

/// Returns where a value does not match its schema.
pub(crate) fn misfit(document: &Value, schema: &Value, value: &Value, at: &str) -> Result<(), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        let found = document.pointer(reference.trim_start_matches('#')).ok_or(format!("{at}: no {reference}"))?;
        return misfit(document, found, value, at);
    }
    for choice in ["oneOf", "anyOf"] {
        if let Some(options) = schema[choice].as_array() {
            let tried: Vec<String> =
                options.iter().filter_map(|option| misfit(document, option, value, at).err()).collect();
            if tried.len() == options.len() {
                return Err(format!(
                    "{at} fits none of {} shapes: {}",
                    options.len(),
                    tried.join("{at} matches none of {} schemas: {}")
                ));
            }
        }
    }
    if let Some(parts) = schema["allOf"].as_array() {
        return misfit(document, &merged(document, parts), value, at);
    }
    if schema["enum"].as_array().is_some_and(|list| !list.contains(value)) {
        return Err(format!("{at}: {value} is not in {}", schema["enum"]));
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(one) => vec![one],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => return Ok(()),
    };
    let is = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(n) if n.is_i64() || n.is_u64() => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    if !types.iter().any(|t| *t == is || (*t == "number" && is == "integer")) {
        return Err(format!("{at} is {is}, described as {types:?}"));
    }
    for (n, item) in value.as_array().into_iter().flatten().enumerate() {
        misfit(document, &schema["items"], item, &format!("{at}[{n}]"))?;
    }
    if let (Some(fields), Some(properties)) = (value.as_object(), schema["properties"].as_object()) {
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                return Err(format!("{at} lacks {name}"));
            }
        }
        for (name, field) in fields {
            let described = properties.get(name).ok_or(format!("{at}.{name} is not described"))?;
            misfit(document, described, field, &format!("{at}.{name}"))?;
        }
    }
    Ok(())
}

/// Merges `allOf` into one object schema; other schemas are unchanged.
fn merged(document: &Value, parts: &[Value]) -> Value {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for part in parts {
        let found = part["$ref"].as_str().and_then(|reference| document.pointer(reference.trim_start_matches('#')));
        let part = found.unwrap_or(part);
        let part = match part["allOf"].as_array() {
            Some(inner) => merged(document, inner),
            None => part.clone(),
        };
        let Some(fields) = part["properties"].as_object() else { return part };
        properties.extend(fields.clone());
        required.extend(part["required"].as_array().cloned().unwrap_or_default());
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

/// Requests of documented routes: `(documented path, requested path)`.
const SAMPLE: &[(&str, &str)] = &[
    ("/api/health", "/api/health"),
    ("/api/ready", "/api/ready"),
    ("/api/stats/counts", "/api/stats/counts"),
    ("/api/patch", "/api/patch"),
    ("/api/config", "/api/config"),
    ("/api/stickers", "/api/stickers"),
    ("/api/players/top", "/api/players/top"),
    ("/api/players/leaderboard", "/api/players/leaderboard?window=30d"),
    ("/api/guilds/leaderboard", "/api/guilds/leaderboard"),
    ("/api/search/fast", "/api/search/fast?q=ann"),
    ("/api/search/players", "/api/search/players?q=bob"),
    ("/api/search/guilds", "/api/search/guilds?q=al"),
    ("/api/activity", "/api/activity"),
    ("/api/activity/{id}", "/api/activity/1"),
    ("/api/commits", "/api/commits"),
    ("/api/player/{handle}", "/api/player/ann-1"),
    ("/api/player/{handle}", "/api/player/hid-den"),
    ("/api/player/{handle}/weapons", "/api/player/ann-1/weapons"),
    ("/api/player/{handle}/vehicles", "/api/player/ann-1/vehicles"),
    ("/api/player/{handle}/missions", "/api/player/ann-1/missions"),
    ("/api/player/{handle}/activity", "/api/player/ann-1/activity"),
    ("/api/player/{handle}/history", "/api/player/ann-1/history"),
    ("/api/player/{handle}/career", "/api/player/ann-1/career"),
    ("/api/guild/{tag}/career", "/api/guild/ALPHA/career"),
    ("/api/guild/{tag}", "/api/guild/ALPHA"),
    ("/api/guild/stats/{tag}", "/api/guild/stats/ALPHA"),
    ("/api/guild/settings/{tag}", "/api/guild/settings/ALPHA"),
    ("/api/guild/{tag}/members", "/api/guild/ALPHA/members"),
    ("/api/guild/{tag}/activity", "/api/guild/ALPHA/activity"),
    ("/api/player/{handle}", "/api/player/nobody-here"),
    ("/api/players/top", "/api/players/top?limit=0"),
    ("/api/player/{handle}/weapons", "/api/player/hid-den/weapons"),
    ("/api/guild/{tag}", "/api/guild/NOPE"),
    ("/api/player/settings/handle/{handle}", "/api/player/settings/handle/ann-1"),
    ("/api/player/settings/handle/{handle}", "/api/player/settings/handle/hid-den"),
    ("/api/reader/login/state", "/api/reader/login/state"),
    ("/api/reader/login/{code}", "/api/reader/login/BBBB-BBBB"),
    ("/api/reader/samples/list", "/api/reader/samples/list"),
];

/// Requests of a signed-in user, in this order: `(method, documented path, requested path, body)`.
const SIGNED_IN: &[(&str, &str, &str, Option<&str>)] = &[
    ("post", "/api/keys", "/api/keys", Some(r#"{"name": "reader"}"#)),
    ("get", "/api/keys", "/api/keys", None),
    ("post", "/api/keys/{id}/confirm", "/api/keys/0/confirm", None),
    ("delete", "/api/keys/{id}", "/api/keys/0", None),
    ("get", "/api/me/sessions", "/api/me/sessions", None),
    ("delete", "/api/me/sessions/{id}", "/api/me/sessions/none", None),
    ("get", "/api/me/export", "/api/me/export", None),
    ("delete", "/api/upload/image", "/api/upload/image", Some(r#"{"imagePath": "x"}"#)),
    ("get", "/api/player/me", "/api/player/me", None),
    ("get", "/api/link/user/{discordId}", "/api/link/user/7001", None),
    ("post", "/api/link/discord-login", "/api/link/discord-login", Some("{}")),
    ("post", "/api/player/claim/start", "/api/player/claim/start", Some(r#"{"handle":"nobody-there"}"#)),
    ("post", "/api/player/claim/verify", "/api/player/claim/verify", Some(r#"{"handle":"Kite-Flier"}"#)),
    ("post", "/api/player/claim/cancel", "/api/player/claim/cancel", Some("{}")),
    ("delete", "/api/player/unlink", "/api/player/unlink", None),
    ("post", "/api/guild/claim/start", "/api/guild/claim/start", Some(r#"{"guildShort":"KITES"}"#)),
    ("post", "/api/guild/claim/verify", "/api/guild/claim/verify", Some(r#"{"guildShort":"KITES"}"#)),
    ("post", "/api/player/settings", "/api/player/settings", Some("{}")),
    ("get", "/api/player/settings/{discordId}", "/api/player/settings/7001", None),
    ("delete", "/api/player/settings/{discordId}", "/api/player/settings/7001", None),
    ("post", "/api/player/settings/stickers", "/api/player/settings/stickers", Some("{}")),
    ("post", "/api/guild/settings", "/api/guild/settings", Some(r#"{"guildShort":"ALPHA"}"#)),
    ("post", "/api/player/update-profile/{handle}", "/api/player/update-profile/ann-1", None),
    ("delete", "/api/me/sessions", "/api/me/sessions", None),
    ("post", "/api/auth/logout", "/api/auth/logout", None),
    ("delete", "/api/me", "/api/me", None),
];

/// The six upload routes.
const UPLOADS: [&str; 6] = [
    "/api/upload/profile-image",
    "/api/upload/profile-banner-image",
    "/api/upload/guild-image",
    "/api/upload/banner-image",
    "/api/upload/cropped-profile-image",
    "/api/upload/cropped-banner-image",
];

/// Requests of user 7003, the owner of the player Ann-1 and the guild ALPHA.
const OWNER: &[(&str, &str, &str, Option<&str>)] = &[
    ("post", "/api/player/settings", "/api/player/settings", Some(r#"{"profile_settings":{"stickers":["683583"]}}"#)),
    ("get", "/api/player/settings/{discordId}", "/api/player/settings/7003", None),
    ("post", "/api/player/settings/stickers", "/api/player/settings/stickers", Some(r#"{"stickers":[]}"#)),
    ("post", "/api/player/settings/stickers", "/api/player/settings/stickers", Some(r#"{"stickers":["1"]}"#)),
    ("post", "/api/guild/settings", "/api/guild/settings", Some(r#"{"guildShort":"ALPHA"}"#)),
    ("post", "/api/player/update-profile/{handle}", "/api/player/update-profile/ann-1", None),
    ("post", "/api/player/update-profile/{handle}", "/api/player/update-profile/ann-1", None),
    ("delete", "/api/player/settings/{discordId}", "/api/player/settings/7003", None),
    ("delete", "/api/player/unlink", "/api/player/unlink", None),
];

async fn responses_match_their_schemas(on: Backend) {
    let mut server = Server::prepare(on);
    insert_guilds(&server);
    server.database.run(
        "INSERT INTO players (handle, handle_folded, player_name, is_hidden, created_at) VALUES ('Hid-Den', 'hid-den', 'Hid', TRUE, 1); \
         INSERT INTO commits (id, author_name, committed_at, message, branch, repository) VALUES ('a', NULL, 1, 'm', 'main', 'a/b')",
    );
    let _discord = server.with_discord().await;
    let game_site = server.with_game_site().await;
    game_site.citizen(&Citizen::new("Ann-1", "Hello"));
    game_site.citizen(&Citizen::new("Kite-Flier", "Hello"));
    game_site.organization("KITES", "The Kites", "We fly.");
    server.run();
    let key = server.key("reader");
    let at = now() - DAY;
    let events = [
        kill("Ann-1", "Bob-1").pu().with("weapon", "zzrifle").with("patch", "ALPHA 4.9.2"),
        kill(NPC, "Ann-1").ac(),
        own("seat_entered", "Ann-1").with("vehicle_name", "ZZZZ_Kite").pu().with("patch", "ALPHA 4.9.2"),
        own("mission_accepted", "Ann-1").with("contract_name", "zzhaul").pu().with("patch", "ALPHA 4.9.2"),
        own("login", "Ann-1"),
        own("logout", "Ann-1"),
    ];
    let taken = server.send(&key, &in_a_row(at, events)).await;
    let document = server.get("/api/openapi.json").await.json();
    let mut checked: BTreeSet<(String, String)> = BTreeSet::new();
    let mut check = |method: &str, path: &str, status: u16, response: &Value| {
        let responses = &document["paths"][path][method]["responses"];
        let content = &responses[status.to_string()]["content"]["application/json"]["schema"];
        assert!(content.is_object(), "{method} {path} returned {status}, which is not documented");
        let mut fields: Map<String, Value> = response.as_object().unwrap().clone();
        // The error envelope is the same everywhere and documented once.
        let success = fields.get("success").cloned();
        assert_eq!(success, Some(json!(status == 200)), "{method} {path}");
        if status == 200 {
            fields.remove("success");
        }
        let fits = misfit(&document, content, &Value::Object(fields), path);
        assert_eq!(fits, Ok(()), "{method} {path} {status}");
        checked.insert((method.to_owned(), path.to_owned()));
    };
    check("post", "/api/ingest/events", 200, &taken);
    let refused = server.try_send("wrong", &[]).await;
    check("post", "/api/ingest/events", 401, &refused.json());
    let kind = server.execute(server.request(Method::GET, "/api/ingest/key").bearer_auth(&key)).await;
    check("get", "/api/ingest/key", 200, &kind.json());
    let view = server.execute(server.request(Method::POST, "/api/player/ann-1/view")).await;
    check("post", "/api/player/{handle}/view", 200, &view.json());
    let login = server.execute(server.request(Method::POST, "/api/reader/login")).await;
    check("post", "/api/reader/login", 200, &login.json());
    let login_state =
        server.request(Method::GET, "/api/reader/login/state").bearer_auth(login.json()["key"].as_str().unwrap());
    check("get", "/api/reader/login/state", 200, &server.execute(login_state).await.json());
    let answered = server.execute(server.request(Method::POST, "/api/reader/login/BBBB-BBBB/answer")).await;
    check("post", "/api/reader/login/{code}/answer", 401, &answered.json());
    let samples = server.request(Method::POST, "/api/reader/samples").json(&json!({"samples": []}));
    check("post", "/api/reader/samples", 200, &server.execute(samples).await.json());
    let url = server.url("/player/ann-1");
    for requested in
        [format!("/api/oembed?url={url}"), format!("/api/oembed?url={url}&maxwidth=100"), "/api/oembed".into()]
    {
        let response = server.get(&requested).await;
        check("get", "/api/oembed", response.status.as_u16(), &response.json());
    }
    for (path, requested) in SAMPLE {
        let response = server.get(requested).await;
        check("get", path, response.status.as_u16(), &response.json());
    }
    let signed_in = server.try_sign_in("7001").await;
    check("post", "/api/auth/discord/callback", 200, &signed_in.json());
    let owner = server.sign_in("7003").await;
    server.database.run(
        "UPDATE users SET player_id = (SELECT id FROM players WHERE handle = 'Ann-1'), \
         guild_id = (SELECT id FROM guilds WHERE tag = 'ALPHA') WHERE discord_id = '7003'",
    );
    let token = server.sign_in("7001").await;
    let of_member = SIGNED_IN.iter().map(|row| (&token, row));
    for (token, (method, path, requested, body)) in of_member.chain(OWNER.iter().map(|row| (&owner, row))) {
        let body: Option<Value> = body.map(|body| serde_json::from_str(body).unwrap());
        let method_name = method.to_ascii_uppercase().parse().unwrap();
        let response = server.as_user(token, method_name, requested, body.as_ref()).await;
        check(method, path, response.status.as_u16(), &response.json());
    }
    let view = server.execute(server.request(Method::POST, "/api/guild/ALPHA/view")).await;
    check("post", "/api/guild/{tag}/view", 200, &view.json());
    // The complete flow of a claim.
    let (token, body) = (server.sign_in("7004").await, json!({"handle": "Kite-Flier", "guildShort": "KITES"}));
    for kind in ["player", "guild"] {
        let act = async |act: &str| {
            let response = server.as_user(&token, Method::POST, &format!("/api/{kind}/claim/{act}"), Some(&body)).await;
            (response.status.as_u16(), response.json())
        };
        let (status, started) = act("start").await;
        check("post", &format!("/api/{kind}/claim/start"), status, &started);
        let (status, missed) = act("verify").await;
        check("post", &format!("/api/{kind}/claim/verify"), status, &missed);
        let code = started["verificationCode"].as_str().unwrap();
        game_site.citizen(&Citizen::new("Kite-Flier", code));
        game_site.organization("KITES", "The Kites", code);
        let (status, claimed) = act("verify").await;
        assert_eq!(status, 200, "{claimed}");
        check("post", &format!("/api/{kind}/claim/verify"), status, &claimed);
    }
    let token = server.sign_in("7001").await;
    server.give_player("7001", "Pic-Owner");
    server
        .database
        .run("UPDATE users SET guild_id = NULL; UPDATE users SET guild_id = (SELECT id FROM guilds WHERE tag = 'ALPHA') WHERE discord_id = '7001'");
    let photo = pictures::photograph();
    for path in UPLOADS {
        let response = server.send_picture(&token, path.trim_start_matches("/api/upload/"), &photo).await;
        check("post", path, response.status.as_u16(), &response.json());
    }
    let export = server.as_user(&token, Method::GET, "/api/me/export", None).await;
    check("get", "/api/me/export", 200, &export.json());
    let fresh = server.as_user(&server.sign_in("7002").await, Method::POST, "/api/auth/refresh", None).await;
    check("post", "/api/auth/refresh", 200, &fresh.json());
    // Features that are not configured return an error, and missing bodies are rejected.
    for path in ["/api/webhooks/github", "/api/discord/interactions", "/api/analytics/track"] {
        let response = server.execute(server.request(Method::POST, path)).await;
        check("post", path, response.status.as_u16(), &response.json());
    }
    // Guests may not use admin routes; the tests of those routes compare the responses for admins.
    for (path, requested) in [
        ("/api/admin/jobs/{name}/run", "/api/admin/jobs/visits/run"),
        ("/api/admin/statsfeed/{id}/{switch}", "/api/admin/statsfeed/1/off"),
        ("/api/admin/webhooks/{name}/{act}", "/api/admin/webhooks/mine/test"),
        ("/api/admin/deliveries/{id}/again", "/api/admin/deliveries/1/again"),
        ("/api/admin/users/{id}/sign-out", "/api/admin/users/1/sign-out"),
        ("/api/admin/moderation", "/api/admin/moderation"),
        ("/api/admin/moderation/{id}/undo", "/api/admin/moderation/1/undo"),
    ] {
        let response = server.execute(server.request(Method::POST, requested)).await;
        check("post", path, response.status.as_u16(), &response.json());
    }
    for path in ["/api/admin/state", "/api/admin/stickers", "/api/admin/reports", "/api/admin/moderation"] {
        let refused = server.get(path).await;
        check("get", path, refused.status.as_u16(), &refused.json());
    }
    for (word, method) in [("post", Method::POST), ("delete", Method::DELETE)] {
        let response = server.execute(server.request(method, "/api/admin/stickers/196404/players/ann-1")).await;
        check(word, "/api/admin/stickers/{sticker}/players/{handle}", response.status.as_u16(), &response.json());
    }
    // Other formats than JSON have their own tests.
    for path in ["/metrics", "/api/live", "/api/reader/grammar"] {
        checked.insert(("get".into(), path.into()));
    }
    let unchecked: Vec<_> = described(&document).difference(&checked).cloned().collect();
    assert!(unchecked.is_empty(), "documented but never compared with a response: {unchecked:?}");
}
