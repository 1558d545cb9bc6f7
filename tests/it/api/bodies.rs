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
    "expected a string",
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
        (
            settings,
            r#"{"profile_settings":5}"#,
            "invalid profile_settings: expected an object or its JSON text, found the number 5",
        ),
        (settings, r#"{"profile_settings":"x"}"#, "profile_settings"),
        (
            settings,
            r#"{"profile_settings":{"stickers":7}}"#,
            "invalid profile_settings.stickers: expected a list, found the number 7",
        ),
        (
            settings,
            r#"{"profile_hidden":"yes"}"#,
            "invalid profile_hidden: expected true or false, found the text \"yes\"",
        ),
        (settings, r#"{"profile_image":[]}"#, "invalid profile_image: expected text, found a list"),
        (stickers, r#"{"stickers":[null]}"#, "invalid stickers[0]: expected text or a whole number, found null"),
        (stickers, r#"{"stickers":{}}"#, "invalid stickers: expected a list, found an object"),
        (stickers, "[]", "The body must be a JSON object, not a list"),
        (stickers, "{", "The body is not valid JSON: it ends too early"),
        (stickers, "nonsense", "The body is not valid JSON (line 1, column"),
        ("/api/player/claim/start", r#"{"handle":5}"#, "invalid handle: expected text, found the number 5"),
        ("/api/guild/settings", r#"{"guildShort":null}"#, "invalid guildShort: expected text, found null"),
        ("/api/keys", r#"{"name":{}}"#, "invalid name: expected text, found an object"),
        ("/api/auth/discord/callback", "{}", "code is missing"),
        ("/api/auth/discord/callback", r#"{"code":1}"#, "invalid code: expected text, found the number 1"),
        ("/api/reader/login", r#"{"name":5}"#, "invalid name: expected text, found the number 5"),
        ("/api/reader/login/BCDF-GHJK/answer", "{}", "allow is missing"),
        ("/api/reader/samples", r#"{"samples":[5]}"#, "invalid samples[0]: expected"),
        ("/api/link/discord-login", "7", "The body must be a JSON object, not a number"),
        ("/api/analytics/track", r#"{"customData":5}"#, "invalid customData: expected an object, found the number 5"),
        ("/api/analytics/track", r#"{"events":[{}]}"#, "events[0].customData is missing"),
        ("/api/analytics/track", "{}", "invalid customData: expected"),
        ("/api/analytics/track", "[]", "The body must be a JSON object, not a list"),
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
    assert_sentence(
        "an image",
        response["error"].as_str().unwrap(),
        "invalid imagePath: expected text, found the number 5",
    );
    for (body, named) in [
        ("[]", "The body must be a JSON object, not a list. Send {\"events\": […]} or one event per line."),
        ("", "The body is not valid JSON: it ends too early"),
        ("{}", "events is missing"),
        (r#"{"events":7}"#, "invalid events: expected a list, found the number 7"),
        (r#"{"events":[{"identifier":"login"},}"#, "The body is not valid JSON (line 1, column"),
    ] {
        let response = server.post("/api/ingest/events", &key, body).await;
        assert_eq!((response.status.as_u16(), response.code().as_str()), (400, "VALIDATION"), "{body}");
        assert_sentence(body, response.json()["error"].as_str().unwrap(), named);
    }
    for (event, named) in [
        ("5", "An event must be a JSON object, not a number"),
        ("[]", "An event must be a JSON object, not a list"),
        ("{}", "identifier is missing"),
        (r#"{"identifier":"login"}"#, "event_time is missing"),
        (r#"{"identifier":5,"event_time":1}"#, "invalid identifier: expected text, found the number 5"),
        (r#"{"identifier":"dance","event_time":1}"#, "unknown identifier 'dance'"),
        (r#"{"identifier":"login","event_time":true}"#, "event_time"),
        (r#"{"identifier":"login","event_time":1,"game_mode":"XX"}"#, "invalid game_mode: expected one of PU, AC"),
        (
            r#"{"identifier":"login","event_time":1,"player_geid":[]}"#,
            "invalid player_geid: expected text or a whole number, found a list",
        ),
        (
            r#"{"identifier":"login","event_time":1,"killer_is_npc":"no"}"#,
            "invalid killer_is_npc: expected true or false, found the text \"no\"",
        ),
    ] {
        let response = server.post("/api/ingest/events", &key, format!("{{\"events\":[{event}]}}")).await;
        let rejected: Value = response.json()["rejected"][0]["error"].clone();
        assert_sentence(event, rejected.as_str().unwrap_or_else(|| panic!("{event}: {}", response.text())), named);
    }
}
