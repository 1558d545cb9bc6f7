//! Errors for invalid bodies: each names the field and the accepted values.

use reqwest::Method;
use serde_json::Value;

use super::settings::People;
use crate::support::*;

/// Internal terms that no error message may contain.
const RUST: [&str; 11] = [
    "untagged",
    "enum ",
    "struct ",
    "variant",
    "invalid type",
    "invalid value",
    "u64",
    "i64",
    "expected a ",
    " line 1 column",
    "map,",
];

fn assert_sentence(what: &str, sentence: &str, named: &str) {
    assert!(sentence.contains(named), "{what}: {named} is missing in: {sentence}");
    let found = RUST.iter().find(|word| sentence.contains(**word));
    assert_eq!(found, None, "{what}: {sentence}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_error_names_the_field_and_accepted_values() {
    let people = People::on(Backend::Sqlite).await;
    let (server, token) = (&people.server, people.server.sign_in("501").await);
    let key = server.key("reader");
    let (settings, stickers) = ("/api/player/settings", "/api/player/settings/stickers");
    for (path, body, named) in [
        (settings, r#"{"profile_settings":5}"#, "profile_settings takes an object or its JSON text, not the number 5"),
        (settings, r#"{"profile_settings":"x"}"#, "profile_settings"),
        (
            settings,
            r#"{"profile_settings":{"stickers":7}}"#,
            "profile_settings.stickers takes a list, not the number 7",
        ),
        (settings, r#"{"profile_hidden":"yes"}"#, "profile_hidden takes true or false, not the text \"yes\""),
        (settings, r#"{"profile_image":[]}"#, "profile_image takes text, not a list"),
        (stickers, r#"{"stickers":[null]}"#, "stickers[0] takes text or a whole number, not null"),
        (stickers, r#"{"stickers":{}}"#, "stickers takes a list, not an object"),
        (stickers, "[]", "The body takes a JSON object, not a list"),
        (stickers, "{", "The body is not valid JSON: it ends too early"),
        (stickers, "nonsense", "The body is not valid JSON (line 1, column"),
        ("/api/player/claim/start", r#"{"handle":5}"#, "handle takes text, not the number 5"),
        ("/api/guild/settings", r#"{"guildShort":null}"#, "guildShort takes text, not null"),
        ("/api/keys", r#"{"name":{}}"#, "name takes text, not an object"),
        ("/api/auth/discord/callback", "{}", "code is missing"),
        ("/api/auth/discord/callback", r#"{"code":1}"#, "code takes text, not the number 1"),
        ("/api/reader/login", r#"{"name":5}"#, "name takes text, not the number 5"),
        ("/api/reader/login/BCDF-GHJK/answer", "{}", "allow is missing"),
        ("/api/reader/samples", r#"{"samples":[5]}"#, "samples[0] takes"),
        ("/api/link/discord-login", "7", "The body takes a JSON object, not a number"),
        ("/api/analytics/track", r#"{"customData":5}"#, "customData takes an object, not the number 5"),
        ("/api/analytics/track", r#"{"events":[{}]}"#, "events[0].customData is missing"),
        ("/api/analytics/track", "{}", "customData takes"),
        ("/api/analytics/track", "[]", "The body takes a JSON object, not a list"),
    ] {
        let request = server.request(Method::POST, path).bearer_auth(&token).body(body);
        let response = server.execute(request.header("content-type", "application/json")).await;
        assert_eq!(
            (response.status.as_u16(), response.code().as_str()),
            (400, "VALIDATION"),
            "{path} {body}: {}",
            response.text()
        );
        assert_sentence(&format!("{path} {body}"), response.json()["error"].as_str().unwrap(), named);
    }
    let image = server.request(Method::DELETE, "/api/upload/image").bearer_auth(&token).body(r#"{"imagePath":5}"#);
    let response = server.execute(image.header("content-type", "application/json")).await.json();
    assert_sentence("an image", response["error"].as_str().unwrap(), "imagePath takes text, not the number 5");
    for (body, named) in [
        ("[]", "The body takes a JSON object, not a list. Send {\"events\": […]} or one event per line."),
        ("", "The body is not valid JSON: it ends too early"),
        ("{}", "events is missing"),
        (r#"{"events":7}"#, "events takes a list, not the number 7"),
        (r#"{"events":[{"identifier":"login"},}"#, "The body is not valid JSON (line 1, column"),
    ] {
        let response = server.post("/api/ingest/events", &key, body).await;
        assert_eq!((response.status.as_u16(), response.code().as_str()), (400, "VALIDATION"), "{body}");
        assert_sentence(body, response.json()["error"].as_str().unwrap(), named);
    }
    for (event, named) in [
        ("5", "An event takes a JSON object, not a number"),
        ("[]", "An event takes a JSON object, not a list"),
        ("{}", "identifier is missing"),
        (r#"{"identifier":"login"}"#, "event_time is missing"),
        (r#"{"identifier":5,"event_time":1}"#, "identifier takes text, not the number 5"),
        (r#"{"identifier":"dance","event_time":1}"#, "identifier 'dance' is not known"),
        (r#"{"identifier":"login","event_time":true}"#, "event_time"),
        (r#"{"identifier":"login","event_time":1,"game_mode":"XX"}"#, "game_mode takes one of: PU, AC"),
        (
            r#"{"identifier":"login","event_time":1,"player_geid":[]}"#,
            "player_geid takes text or a whole number, not a list",
        ),
        (
            r#"{"identifier":"login","event_time":1,"killer_is_npc":"no"}"#,
            "killer_is_npc takes true or false, not the text \"no\"",
        ),
    ] {
        let response = server.post("/api/ingest/events", &key, format!("{{\"events\":[{event}]}}")).await;
        let rejected: Value = response.json()["rejected"][0]["error"].clone();
        assert_sentence(event, rejected.as_str().unwrap_or_else(|| panic!("{event}: {}", response.text())), named);
    }
}
