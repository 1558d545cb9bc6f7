//! Signing in: a mock Discord, tokens of its users, and invalid tokens.
//! Used by all tests of routes that require a signed-in user.
//! Never here: the permissions of a role, which are asserted by tests.

use std::sync::atomic::{AtomicU32, Ordering};

use apogee::domain::times::EpochMillis;
use apogee::domain::tokens::{Claims, TOKEN_TTL_SECS, TokenSigner};
use reqwest::Method;
use serde_json::{Value, json};

use super::mock_server::{MockResponse, MockServer, RecordedRequest};
use super::server::{Response, Server};

/// The signing secret of the sites under test.
pub const SECRET: &str = "a secret of these tests, long enough to sign with";

/// Uses the code of the sign-in as the Discord id.
fn response(call: &RecordedRequest) -> MockResponse {
    let body = if call.path.ends_with("/oauth2/token") {
        let form = String::from_utf8_lossy(&call.body).into_owned();
        match form.split('&').find_map(|pair| pair.strip_prefix("code=")) {
            Some(code) if code.bytes().all(|b| b.is_ascii_digit()) => {
                json!({"access_token": code, "token_type": "Bearer", "expires_in": 604_800, "scope": "identify email"})
            }
            _ => return json_reply(400, &json!({"error": "invalid_grant"})),
        }
    } else if call.path.ends_with("/users/@me") {
        let Some(id) = call.header("authorization").and_then(|value| value.strip_prefix("Bearer ")) else {
            return json_reply(401, &json!({"message": "401: Unauthorized", "code": 0}));
        };
        json!({"id": id, "username": format!("user{id}"), "discriminator": "0", "global_name": null,
            "avatar": null, "email": format!("{id}@example.org")})
    } else {
        return json_reply(404, &json!({"message": "404: Not Found", "code": 0}));
    };
    json_reply(200, &body)
}

fn json_reply(status: u16, body: &Value) -> MockResponse {
    MockResponse::status(status, body.to_string()).with_header("Content-Type", "application/json")
}

impl Server {
    /// Configures sign-in for the next start; the mock server runs until the returned value is dropped.
    pub async fn with_discord(&mut self) -> MockServer {
        let discord = MockServer::start(|call, _| response(call)).await;
        for (name, value) in [
            ("APOGEE_JWT_SECRET", SECRET),
            ("APOGEE_DISCORD_CLIENT_ID", "100200300"),
            ("APOGEE_DISCORD_CLIENT_SECRET", "secret-of-the-application"),
            ("APOGEE_DISCORD_API_URL", &format!("{}/api/v10", discord.url)),
            // The rate limit of sign-ins is per address, so each uses another one.
            ("APOGEE_TRUSTED_PROXIES", "127.0.0.1"),
        ] {
            self.env(name, value);
        }
        discord
    }

    /// The response to a sign-in with this Discord id.
    pub async fn try_sign_in(&self, discord_id: &str) -> Response {
        self.try_sign_in_from(discord_id, &new_address()).await
    }

    /// Like [`Server::try_sign_in`], from an address.
    pub async fn try_sign_in_from(&self, discord_id: &str, address: &str) -> Response {
        let body = json!({"code": discord_id, "redirect_uri": self.url("/link")});
        let request = self.request(Method::POST, "/api/auth/discord/callback").header("x-forwarded-for", address);
        self.execute(request.json(&body)).await
    }

    /// A valid token of the user with this Discord id.
    pub async fn sign_in(&self, discord_id: &str) -> String {
        let response = self.try_sign_in(discord_id).await;
        assert_eq!(response.status, 200, "{}", response.text());
        response.json()["token"].as_str().unwrap().to_owned()
    }

    /// The response to a request with a token and an optional body.
    pub async fn as_user(&self, token: &str, method: Method, path: &str, body: Option<&Value>) -> Response {
        let request = self.request(method, path).bearer_auth(token);
        self.execute(match body {
            Some(body) => request.json(body),
            None => request,
        })
        .await
    }
}

/// An address that no test has used.
pub fn new_address() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let [_, a, b, c] = NUMBER.fetch_add(1, Ordering::Relaxed).to_be_bytes();
    format!("10.{a}.{b}.{c}")
}

/// The claims of a token, read without verification.
pub fn claims(token: &str) -> Value {
    let now = EpochMillis(super::now());
    serde_json::to_value(TokenSigner::new(SECRET).verify(token, now).unwrap()).unwrap()
}

/// The token with the same claims and no signature.
pub fn unsigned(token: &str) -> String {
    let payload = token.split('.').nth(1).unwrap();
    // {"alg":"none","typ":"JWT"}
    format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{payload}.")
}

/// The token with the same claims, signed with another key.
pub fn foreign(token: &str) -> String {
    let now = EpochMillis(super::now());
    let Claims { sub, sid, jti, .. } = TokenSigner::new(SECRET).verify(token, now).unwrap();
    TokenSigner::new("a secret of another site, also long enough").issue(&sub, &sid, &jti, now).unwrap()
}

/// The token issued `secs` seconds earlier for the same session.
pub fn aged(token: &str, secs: i64) -> String {
    let signer = TokenSigner::new(SECRET);
    let now = EpochMillis(super::now());
    let Claims { sub, sid, jti, .. } = signer.verify(token, now).unwrap();
    signer.issue(&sub, &sid, &jti, EpochMillis(now.0 - secs * 1_000)).unwrap()
}

/// The token after its hour; it can still be refreshed.
pub fn expired(token: &str) -> String {
    aged(token, TOKEN_TTL_SECS + 60)
}
