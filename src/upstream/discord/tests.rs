use serde_json::json;

use super::*;
use crate::upstream::mock_server::{MockResponse, MockServer, RecordedRequest};

const REDIRECT: &str = "http://apogee.example/link/callback";

fn discord(url: &str) -> Discord {
    let settings = DiscordSettings {
        api_url: format!("{url}/api/v10"),
        client_id: "100200300".to_owned(),
        client_secret: "s3cret-value".to_owned(),
        bot_token: Some("bot-token-value".to_owned()),
    };
    Discord::new(settings).unwrap()
}

fn form(request: &RecordedRequest) -> std::collections::HashMap<String, String> {
    let url = Url::parse(&format!("http://x/?{}", String::from_utf8_lossy(&request.body))).unwrap();
    url.query_pairs().map(|(key, value)| (key.into_owned(), value.into_owned())).collect()
}

fn token_response() -> MockResponse {
    MockResponse::ok(
        json!({"access_token": "user-token", "token_type": "Bearer", "expires_in": 604800, "scope": "identify email"})
            .to_string(),
    )
    .with_header("Content-Type", "application/json")
}

fn user_response() -> MockResponse {
    MockResponse::ok(json!({"id": "80351110224678912", "username": "nelly", "discriminator": "0", "global_name": "Nelly", "avatar": "a_1f", "email": "n@example.org", "mfa_enabled": true}).to_string())
}

#[tokio::test]
async fn a_code_is_exchanged_for_an_identity_and_the_verifier_is_forwarded() {
    let site =
        MockServer::start(
            |request, _| if request.path.ends_with("/oauth2/token") { token_response() } else { user_response() },
        )
        .await;
    let identity = discord(&site.url).sign_in("the+code&", REDIRECT, Some("verifier-of-the-page")).await.unwrap();
    assert_eq!((identity.id.as_str(), identity.global_name.as_deref()), ("80351110224678912", Some("Nelly")));
    assert_eq!((identity.email.as_deref(), identity.avatar.as_deref()), (Some("n@example.org"), Some("a_1f")));
    let requests = site.requests();
    assert_eq!((requests[0].method.as_str(), requests[0].path.as_str()), ("POST", "/api/v10/oauth2/token"));
    let sent = form(&requests[0]);
    for (key, value) in [
        ("grant_type", "authorization_code"),
        ("code", "the+code&"),
        ("redirect_uri", REDIRECT),
        ("code_verifier", "verifier-of-the-page"),
        ("client_id", "100200300"),
        ("client_secret", "s3cret-value"),
    ] {
        assert_eq!(sent.get(key).map(String::as_str), Some(value), "{key}");
    }
    assert_eq!(
        (requests[1].path.as_str(), requests[1].header("authorization")),
        ("/api/v10/users/@me", Some("Bearer user-token"))
    );
    let shown = format!("{:?}", discord(&site.url));
    assert!(!shown.contains("s3cret") && !shown.contains("bot-token"), "Debug omits secrets");
}

#[tokio::test]
async fn each_failed_sign_in_returns_a_specific_error() {
    use DiscordError as E;
    let outcome = async |first: MockResponse, second: MockResponse| {
        let site = MockServer::start(move |_, number| if number == 0 { first.clone() } else { second.clone() }).await;
        discord(&site.url).sign_in("code", REDIRECT, None).await.unwrap_err()
    };
    let rejected = |error: &str| {
        MockResponse::status(400, json!({"error": error}).to_string()).with_header("Content-Type", "application/json")
    };
    assert!(matches!(outcome(rejected("invalid_grant"), user_response()).await, E::InvalidGrant));
    assert!(matches!(outcome(rejected("invalid_client"), user_response()).await, E::Unauthorized));
    assert!(matches!(outcome(MockResponse::ok("<html>"), user_response()).await, E::InvalidResponse(_)));
    assert!(matches!(
        outcome(MockResponse::status(302, "").with_header("Location", "http://127.0.0.1:1/"), user_response()).await,
        E::InvalidResponse(_) | E::InvalidGrant
    ));
    let silent = MockServer::start(|_, _| MockResponse::NoResponse).await;
    let mut impatient = discord(&silent.url);
    impatient.http.timeout = Duration::from_millis(200);
    assert!(matches!(impatient.sign_in("code", REDIRECT, None).await, Err(E::TimedOut)));
    assert!(matches!(outcome(MockResponse::CloseConnection, user_response()).await, E::Unreachable(_)));
    assert!(matches!(outcome(MockResponse::status(500, ""), user_response()).await, E::ServerError(500)));
    assert!(matches!(outcome(token_response(), MockResponse::status(401, "{}")).await, E::Unauthorized));
    assert!(matches!(outcome(token_response(), MockResponse::ok("{\"id\":5}")).await, E::InvalidResponse(_)));
    assert!(matches!(
        outcome(token_response(), MockResponse::ok("{\"id\":\"../x\",\"username\":\"x\"}")).await,
        E::InvalidResponse(_)
    ));
    assert!(matches!(
        outcome(token_response(), MockResponse::Truncated { body: b"{\"id\":".to_vec() }).await,
        E::Unreachable(_)
    ));
}

#[tokio::test]
async fn the_bot_registers_commands_posts_edits_and_completes_deferred_responses() {
    let site = MockServer::start(|request, _| match request.method.as_str() {
        "PUT" => MockResponse::ok("[{},{}]"),
        "GET" => MockResponse::ok("{\"approximate_guild_count\":612}"),
        _ => MockResponse::ok("{\"id\":\"42\"}"),
    })
    .await;
    let discord = discord(&site.url);
    assert_eq!(discord.register_commands(&json!([{"name": "player"}, {"name": "top"}])).await.unwrap(), 2);
    assert_eq!(discord.post_message("7", "feed-1", &json!({"content": "hi"})).await.unwrap(), "42");
    discord.edit_message("7", "42", &json!({"content": "ho"})).await.unwrap();
    discord.edit_deferred_response("aW50-tok_en", &json!({"content": "late"})).await.unwrap();
    assert_eq!(discord.server_count().await.unwrap(), Some(612));
    let requests = site.requests();
    let lines: Vec<_> = requests.iter().map(|request| format!("{} {}", request.method, request.path)).collect();
    assert_eq!(
        lines,
        [
            "PUT /api/v10/applications/100200300/commands",
            "POST /api/v10/channels/7/messages",
            "PATCH /api/v10/channels/7/messages/42",
            "PATCH /api/v10/webhooks/100200300/aW50-tok_en/messages/@original",
            "GET /api/v10/applications/@me",
        ]
    );
    assert_eq!(requests[1].json(), json!({"content": "hi", "nonce": "feed-1", "enforce_nonce": true}));
    assert_eq!(requests[1].header("authorization"), Some("Bot bot-token-value"));
    assert_eq!(requests[3].header("authorization"), None, "the token of the interaction is the only credential");
    for channel in ["../users", "7/x", "", "7?"] {
        assert!(discord.post_message(channel, "n", &json!({})).await.is_err());
    }
    assert!(discord.edit_deferred_response("a/../b", &json!({})).await.is_err());
    assert_eq!(site.request_count(), 5);
}

#[tokio::test]
async fn no_request_is_sent_before_retry_after() {
    let site = MockServer::start(|request, _| match request.path.as_str() {
        "/api/v10/channels/1/messages" => {
            MockResponse::status(429, "{\"retry_after\":3600.5,\"global\":false}").with_header("Retry-After", 3600)
        }
        _ => MockResponse::ok("{\"id\":\"1\"}"),
    })
    .await;
    let discord = discord(&site.url);
    let post = async |channel: &str| discord.post_message(channel, "n", &json!({})).await;
    for _ in 0..20 {
        assert!(matches!(post("1").await, Err(DiscordError::RateLimited { .. })));
    }
    assert_eq!(site.request_count(), 1, "one request was sent, nineteen were held back");
    assert!(post("2").await.is_ok(), "another channel is not limited");
    assert_eq!(site.request_count(), 2);
}

#[tokio::test]
async fn requests_are_sent_again_after_retry_after() {
    let site = MockServer::start(|_, _| MockResponse::status(429, "{\"retry_after\":0.05,\"global\":false}")).await;
    let discord = discord(&site.url);
    let post = async || discord.post_message("1", "n", &json!({})).await.unwrap_err().retry_after().unwrap();
    tokio::time::sleep(post().await).await;
    post().await;
    assert_eq!(site.request_count(), 2);
}

#[tokio::test]
async fn a_global_limit_blocks_all_requests() {
    let site = MockServer::start(|_, number| match number {
        0 => {
            MockResponse::status(429, "{\"retry_after\":30,\"global\":true}").with_header("X-RateLimit-Global", "true")
        }
        _ => MockResponse::ok("{\"id\":\"1\"}"),
    })
    .await;
    let discord = discord(&site.url);
    assert!(discord.post_message("1", "n", &json!({})).await.is_err());
    assert!(discord.post_message("2", "n", &json!({})).await.is_err());
    assert!(matches!(discord.sign_in("c", REDIRECT, None).await, Err(DiscordError::RateLimited { .. })));
    assert_eq!(site.request_count(), 1);
}

#[tokio::test]
async fn after_five_failures_the_breaker_of_the_bot_opens_and_sign_in_still_works() {
    let site = MockServer::start(|request, _| match request.path.as_str() {
        "/api/v10/oauth2/token" => token_response(),
        "/api/v10/users/@me" => user_response(),
        _ => MockResponse::status(500, "oops"),
    })
    .await;
    let discord = discord(&site.url);
    for number in 0..30 {
        let error = discord.post_message("1", "n", &json!({})).await.unwrap_err();
        match number {
            0..5 => assert!(matches!(error, DiscordError::ServerError(500)), "{error:?}"),
            _ => assert!(matches!(error, DiscordError::CircuitOpen { .. }), "{error:?}"),
        }
    }
    assert_eq!(site.request_count(), 5);
    assert!(discord.sign_in("c", REDIRECT, None).await.is_ok());
}

#[tokio::test]
async fn a_dropped_caller_releases_its_request() {
    let site = MockServer::start(|_, _| MockResponse::NoResponse).await;
    let discord = discord(&site.url);
    let message = json!({});
    let call = discord.post_message("1", "n", &message);
    assert!(tokio::time::timeout(Duration::from_millis(50), call).await.is_err());
    assert!(format!("{:?}", discord.state).contains("in_flight: 0"));
}
