//! Errors for invalid bodies: each names the field and the accepted values.

use reqwest::Method;
use serde_json::Value;

use super::settings::People;
use crate::support::*;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_error_names_the_field_and_accepted_values() {
    let people = People::on(Backend::Sqlite).await;
    let (server, token) = (&people.server, people.server.sign_in("501").await);
    let key = server.key("reader");
    let (settings, stickers) = ("/api/player/settings", "/api/player/settings/stickers");
    for (path, body, named) in [
        (
            settings,
            r#"{"profile_settings":{"stickers":7}}"#,
            "invalid profile_settings.stickers: expected a list, found the number 7",
        ),
        (stickers, r#"{"stickers":[null]}"#, "invalid stickers[0]: expected text or a whole number, found null"),
        ("/api/player/claim/start", r#"{"handle":5}"#, "invalid handle: expected text, found the number 5"),
        ("/api/guild/settings", r#"{"guildShort":null}"#, "invalid guildShort: expected text, found null"),
        ("/api/keys", r#"{"name":{}}"#, "invalid name: expected text, found an object"),
        ("/api/auth/discord/callback", "{}", "code is missing"),
        ("/api/reader/login", r#"{"name":5}"#, "invalid name: expected text, found the number 5"),
        ("/api/reader/login/BCDF-GHJK/answer", "{}", "allow is missing"),
        ("/api/reader/samples", r#"{"samples":[5]}"#, "invalid samples[0]: expected"),
        ("/api/link/discord-login", "7", "The body must be a JSON object, not a number"),
        ("/api/analytics/track", r#"{"customData":5}"#, "invalid customData: expected an object, found the number 5"),
    ] {
        let request = server.request(Method::POST, path).bearer_auth(&token).body(body);
        let response = server.execute(request.header("content-type", "application/json")).await;
        assert_eq!(
            (response.status.as_u16(), response.code().as_str()),
            (400, "VALIDATION"),
            "{path} {body}: {}",
            response.text()
        );
        let sentence = response.json()["error"].as_str().unwrap().to_owned();
        assert!(sentence.contains(named), "{path} {body}: {sentence}");
    }
    let image = server.request(Method::DELETE, "/api/upload/image").bearer_auth(&token).body(r#"{"imagePath":5}"#);
    let response = server.execute(image.header("content-type", "application/json")).await.json();
    assert_eq!(response["error"], "invalid imagePath: expected text, found the number 5");
    let list = server.post("/api/ingest/events", &key, "[]").await;
    let sentence = "The body must be a JSON object, not a list. Send {\"events\": […]} or one event per line.";
    assert!(list.json()["error"].as_str().unwrap().contains(sentence), "{}", list.text());
    for (event, named) in [
        ("5", "An event must be a JSON object, not a number"),
        (r#"{"identifier":"dance","event_time":1}"#, "unknown identifier 'dance'"),
    ] {
        let response = server.post("/api/ingest/events", &key, format!("{{\"events\":[{event}]}}")).await;
        let rejected: Value = response.json()["rejected"][0]["error"].clone();
        assert!(rejected.as_str().is_some_and(|text| text.contains(named)), "{event}: {}", response.text());
    }
}
