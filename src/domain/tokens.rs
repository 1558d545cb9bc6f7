//! Session tokens: signing, verification, and the id of the next token.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use super::hex;
use super::times::{DAY_MS, EpochMillis};

/// The only header of a token: no other algorithm, type or key is accepted.
const HEADER: &str = r#"{"typ":"JWT","alg":"HS256"}"#;
/// How long a token is valid, in seconds.
pub const TOKEN_TTL_SECS: i64 = 3_600;
/// How long after its expiry a token can be exchanged for a new one, in seconds.
pub const REFRESH_WINDOW_SECS: i64 = 30 * 86_400;
/// The longest duration of a session, however often its token is refreshed, in milliseconds.
pub const MAX_SESSION_MS: i64 = 90 * DAY_MS;
/// How long a retired token can still be exchanged for its successor, in milliseconds, since two tabs may refresh at the same
/// time.
pub const RETIRED_GRACE_MS: i64 = 10_000;

/// The claims of a token. Times are epoch seconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    /// The Discord id.
    pub sub: String,
    /// The id of the session.
    pub sid: String,
    /// The id of this token. A session has one valid token at a time.
    pub jti: String,
    pub iat: i64,
    pub exp: i64,
}

/// Why a token is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// The signature is valid, but the token has expired.
    #[error("the token has expired")]
    Expired,
    #[error("the token was not issued by this site")]
    Invalid,
}

/// Signs and verifies tokens with one secret: JWTs with HS256.
#[derive(Clone)]
pub struct TokenSigner(Hmac<Sha256>);

impl std::fmt::Debug for TokenSigner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TokenSigner(***)")
    }
}

impl TokenSigner {
    pub fn new(secret: &str) -> Self {
        Self(Hmac::new_from_slice(secret.as_bytes()).expect("HMAC takes any key"))
    }

    /// The id of the token that replaces this one: 128 bits that cannot be derived without the secret. It is deterministic, so
    /// every process issues the same successor without storing it.
    pub fn successor_id(&self, claims: &Claims) -> String {
        let mut mac = self.0.clone();
        for part in ["successor", &claims.sid, &claims.jti] {
            mac.update(&(part.len() as u64).to_be_bytes());
            mac.update(part.as_bytes());
        }
        hex::encode(&mac.finalize().into_bytes()[..16])
    }

    /// Issues a token that is valid for one hour.
    pub fn issue(&self, discord_id: &str, sid: &str, jti: &str, now: EpochMillis) -> Result<String, TokenError> {
        let (sub, sid, jti) = (discord_id.to_owned(), sid.to_owned(), jti.to_owned());
        let claims = Claims { sub, sid, jti, iat: now.secs(), exp: now.secs() + TOKEN_TTL_SECS };
        let claims = serde_json::to_vec(&claims).map_err(|_| TokenError::Invalid)?;
        let message = format!("{}.{}", BASE64.encode(HEADER), BASE64.encode(claims));
        Ok(format!("{message}.{}", self.sign(&message)))
    }

    fn sign(&self, message: &str) -> String {
        BASE64.encode(self.0.clone().chain_update(message).finalize().into_bytes())
    }

    /// Verifies a token that has not expired.
    pub fn verify(&self, token: &str, now: EpochMillis) -> Result<Claims, TokenError> {
        let claims = self.verify_signature(token)?;
        if now.secs() >= claims.exp { Err(TokenError::Expired) } else { Ok(claims) }
    }

    /// Verifies a token that may be exchanged for a new one: not expired, or expired less than 30 days ago.
    pub fn verify_for_refresh(&self, token: &str, now: EpochMillis) -> Result<Claims, TokenError> {
        let claims = self.verify_signature(token)?;
        if now.secs() >= claims.exp.saturating_add(REFRESH_WINDOW_SECS) { Err(TokenError::Expired) } else { Ok(claims) }
    }

    fn verify_signature(&self, token: &str) -> Result<Claims, TokenError> {
        let claims = self.signed_claims(token).ok_or(TokenError::Invalid)?;
        // Tokens of this site never live longer.
        let is_sane = claims.exp.saturating_sub(claims.iat) <= TOKEN_TTL_SECS;
        if is_sane { Ok(claims) } else { Err(TokenError::Invalid) }
    }

    fn signed_claims(&self, token: &str) -> Option<Claims> {
        let (message, signature) = token.rsplit_once('.')?;
        self.0.clone().chain_update(message).verify_slice(&BASE64.decode(signature).ok()?).ok()?;
        let (header, claims) = message.split_once('.')?;
        if BASE64.decode(header).ok()? != HEADER.as_bytes() {
            return None;
        }
        serde_json::from_slice(&BASE64.decode(claims).ok()?).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const SECRET: &str = "a secret of this test only";
    const NOW: EpochMillis = EpochMillis(1_800_000_000_000);

    fn message(header: &str, claims: &serde_json::Value) -> String {
        format!("{}.{}", BASE64.encode(header), BASE64.encode(claims.to_string()))
    }

    /// A token with a valid signature under a secret.
    fn forged(header: &str, claims: serde_json::Value, secret: &str) -> String {
        let message = message(header, &claims);
        format!("{message}.{}", TokenSigner::new(secret).sign(&message))
    }

    /// A token with a valid HS512 signature.
    fn hs512(claims: &serde_json::Value) -> String {
        let message = message(r#"{"alg":"HS512","typ":"JWT"}"#, claims);
        let mac = Hmac::<sha2::Sha512>::new_from_slice(SECRET.as_bytes()).unwrap().chain_update(&message);
        format!("{message}.{}", BASE64.encode(mac.finalize().into_bytes()))
    }

    #[test]
    fn the_signature_is_that_of_rfc_7515() {
        let key = [
            3, 35, 53, 75, 43, 15, 165, 188, 131, 126, 6, 101, 119, 123, 166, 143, 90, 179, 40, 230, 240, 84, 201, 40,
            169, 15, 132, 178, 210, 80, 46, 191, 211, 251, 90, 146, 210, 6, 71, 239, 150, 138, 180, 195, 119, 98, 61,
            34, 61, 46, 33, 114, 5, 46, 79, 8, 192, 205, 154, 245, 103, 208, 128, 163,
        ];
        let message = "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.\
            eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ";
        let signer = TokenSigner(Hmac::new_from_slice(&key).unwrap());
        assert_eq!(signer.sign(message), "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
    }

    fn claims() -> serde_json::Value {
        json!({"sub": "1", "sid": "s", "jti": "j", "iat": NOW.secs(), "exp": NOW.secs() + 60})
    }

    #[test]
    fn a_token_is_valid_for_an_hour() {
        let signer = TokenSigner::new(SECRET);
        let token = signer.issue("1", "s", "j", NOW).unwrap();
        assert_eq!(signer.verify(&token, NOW).unwrap().sub, "1");
        let at = |secs: i64| EpochMillis(NOW.0 + secs * 1000);
        assert!(signer.verify(&token, at(TOKEN_TTL_SECS - 1)).is_ok());
        assert_eq!(signer.verify(&token, at(TOKEN_TTL_SECS)), Err(TokenError::Expired));
        assert!(signer.verify_for_refresh(&token, at(TOKEN_TTL_SECS + REFRESH_WINDOW_SECS - 1)).is_ok());
        assert_eq!(
            signer.verify_for_refresh(&token, at(TOKEN_TTL_SECS + REFRESH_WINDOW_SECS)),
            Err(TokenError::Expired)
        );
    }

    #[test]
    fn a_successor_depends_on_the_token_the_session_and_the_secret() {
        let claims =
            |sid: &str, jti: &str| Claims { sub: "1".into(), sid: sid.into(), jti: jti.into(), iat: 0, exp: 1 };
        let signer = TokenSigner::new(SECRET);
        let next = signer.successor_id(&claims("s", "j"));
        assert_eq!(next.len(), 32);
        assert_eq!(TokenSigner::new(SECRET).successor_id(&claims("s", "j")), next);
        for other in [
            signer.successor_id(&claims("s", "k")),
            signer.successor_id(&claims("t", "j")),
            signer.successor_id(&claims("sj", "")),
            TokenSigner::new("another secret").successor_id(&claims("s", "j")),
        ] {
            assert_ne!(other, next);
        }
    }

    #[test]
    fn t41_forged_tokens_are_rejected() {
        let signer = TokenSigner::new(SECRET);
        assert!(signer.verify(&forged(HEADER, claims(), SECRET), NOW).is_ok(), "the unmodified token is valid");
        let with = |name: &str, value: serde_json::Value| {
            let mut claims = claims();
            claims[name] = value;
            claims
        };
        let without = |name: &str| {
            let mut claims = claims();
            claims.as_object_mut().unwrap().remove(name);
            claims
        };
        let header = |more: &str| format!(r#"{{"typ":"JWT","alg":"HS256",{more}}}"#);
        for (what, token) in [
            ("another key", forged(HEADER, claims(), "another secret")),
            ("HS512", hs512(&claims())),
            ("exp as text", forged(HEADER, with("exp", json!("9999999999")), SECRET)),
            ("no exp", forged(HEADER, without("exp"), SECRET)),
            ("exp null", forged(HEADER, with("exp", json!(null)), SECRET)),
            ("exp huge", forged(HEADER, with("exp", json!(1e99)), SECRET)),
            ("exp years away", forged(HEADER, with("exp", json!(NOW.secs() + 99_999_999)), SECRET)),
            ("no jti", forged(HEADER, without("jti"), SECRET)),
            ("no sid", forged(HEADER, without("sid"), SECRET)),
            ("foreign aud", forged(HEADER, with("aud", json!("other")), SECRET)),
            ("kid path", forged(&header(r#""kid":"../../dev/null""#), claims(), SECRET)),
            ("jku", forged(&header(r#""jku":"https://evil.example/k""#), claims(), SECRET)),
            ("wrong typ", forged(r#"{"typ":"at+jwt","alg":"HS256"}"#, claims(), SECRET)),
            ("not a token", "abc.def.ghi".to_owned()),
        ] {
            assert_eq!(signer.verify(&token, NOW), Err(TokenError::Invalid), "{what}");
            assert_eq!(signer.verify_for_refresh(&token, NOW), Err(TokenError::Invalid), "{what}");
        }
        let good = forged(HEADER, claims(), SECRET);
        let (_, rest) = good.split_once('.').unwrap();
        // {"alg":"none","typ":"JWT"}
        let none = format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{rest}");
        let unsigned = format!("{}.", none.rsplit_once('.').unwrap().0);
        for token in [none, unsigned] {
            assert_eq!(signer.verify(&token, NOW), Err(TokenError::Invalid));
        }
    }
}
