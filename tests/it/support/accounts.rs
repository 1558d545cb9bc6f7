//! People who sign in: a Discord on loopback, tokens of its users, and tokens nobody would hand out.
//! Used by all tests of routes that want somebody signed in.
//! Never here: what a role may do; that is what the tests say.

use apogee::domain::times::EpochMillis;
use apogee::domain::tokens::{Claims, Signer, TOKEN_SECS};
use reqwest::Method;
use serde_json::{Value, json};

use super::server::{Answer, Server};
use super::stand_in::{Reply, Seen, StandIn};

/// What the sites of these tests sign their tokens with.
pub const SECRET: &str = "a secret of these tests, long enough to sign with";

/// Takes the Discord id of whoever wants in as the code of the sign-in.
fn answer(call: &Seen) -> Reply {
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

fn json_reply(status: u16, body: &Value) -> Reply {
    Reply::status(status, body.to_string()).with("Content-Type", "application/json")
}

impl Server {
    /// Sets up sign-in for the next start; the stand-in lives as long as what is given back.
    pub async fn with_discord(&mut self) -> StandIn {
        let discord = StandIn::start(|call, _| answer(call)).await;
        for (name, value) in [
            ("APOGEE_JWT_SECRET", SECRET),
            ("APOGEE_DISCORD_CLIENT_ID", "100200300"),
            ("APOGEE_DISCORD_CLIENT_SECRET", "secret-of-the-application"),
            ("APOGEE_DISCORD_API_URL", &format!("{}/api/v10", discord.url)),
        ] {
            self.env(name, value);
        }
        discord
    }

    /// The answer to a sign-in of the person with this Discord id.
    pub async fn try_sign_in(&self, discord_id: &str) -> Answer {
        let body = json!({"code": discord_id, "redirect_uri": self.url("/link")});
        self.ask(self.request(Method::POST, "/api/auth/discord/callback").json(&body)).await
    }

    /// A good token of the person with this Discord id.
    pub async fn sign_in(&self, discord_id: &str) -> String {
        let answer = self.try_sign_in(discord_id).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
        answer.json()["token"].as_str().unwrap().to_owned()
    }

    /// The answer to a request with a token and, if there is one, a body.
    pub async fn as_user(&self, token: &str, method: Method, path: &str, body: Option<&Value>) -> Answer {
        let request = self.request(method, path).bearer_auth(token);
        self.ask(match body {
            Some(body) => request.json(body),
            None => request,
        })
        .await
    }
}

/// The same token as it was some seconds ago, signed anew: of the same session, with an earlier end.
pub fn aged(token: &str, secs: i64) -> String {
    let signer = Signer::new(SECRET);
    let now = EpochMillis(super::now());
    let Claims { sub, sid, jti, .. } = signer.read(token, now).unwrap();
    signer.issue(&sub, &sid, &jti, EpochMillis(now.0 - secs * 1_000)).unwrap()
}

/// The same token after its hour, still good for a trade.
pub fn expired(token: &str) -> String {
    aged(token, TOKEN_SECS + 60)
}
