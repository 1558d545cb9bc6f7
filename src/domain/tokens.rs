//! Session tokens: signing, verification, and the id of the next token.

use hmac::{Hmac, Mac};
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

use super::hex;
use super::times::{DAY_MS, EpochMillis};

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

/// Signs and verifies tokens with one secret.
#[derive(Clone)]
pub struct TokenSigner {
    encoding: EncodingKey,
    decoding: DecodingKey,
    validation: Validation,
    /// Keyed with the secret; derives the id of the next token from the current one.
    successor_mac: Hmac<Sha256>,
}

impl std::fmt::Debug for TokenSigner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TokenSigner(***)")
    }
}

impl TokenSigner {
    pub fn new(secret: &str) -> Self {
        super::hs256::install();
        let mut validation = Validation::new(Algorithm::HS256);
        // Times are checked against the caller's clock. A missing or non-numeric `exp` is already a parse error.
        validation.validate_exp = false;
        validation.required_spec_claims.clear();
        Self {
            encoding: EncodingKey::from_secret(secret.as_bytes()),
            decoding: DecodingKey::from_secret(secret.as_bytes()),
            validation,
            successor_mac: successor_mac(secret),
        }
    }

    /// The id of the token that replaces this one: 128 bits that cannot be derived without the secret. It is deterministic, so
    /// every process issues the same successor without storing it.
    pub fn successor_id(&self, claims: &Claims) -> String {
        let mut mac = self.successor_mac.clone();
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
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), &claims, &self.encoding).map_err(|_| TokenError::Invalid)
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
        let read = jsonwebtoken::decode::<Claims>(token, &self.decoding, &self.validation);
        let read = read.map_err(|_| TokenError::Invalid)?;
        let is_jwt = read.header.typ.as_deref().is_some_and(|typ| typ.eq_ignore_ascii_case("jwt"));
        let names_no_key = read.header.kid.is_none() && read.header.jku.is_none() && read.header.x5u.is_none();
        // Tokens of this site never live longer.
        let is_sane = read.claims.exp.saturating_sub(read.claims.iat) <= TOKEN_TTL_SECS;
        if is_jwt && names_no_key && is_sane { Ok(read.claims) } else { Err(TokenError::Invalid) }
    }
}

fn successor_mac(secret: &str) -> Hmac<Sha256> {
    Hmac::new_from_slice(secret.as_bytes()).expect("HMAC takes any key")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const SECRET: &str = "a secret of this test only";
    const NOW: EpochMillis = EpochMillis(1_800_000_000_000);

    fn forged(header: Header, claims: serde_json::Value, secret: &str) -> String {
        jsonwebtoken::encode(&header, &claims, &EncodingKey::from_secret(secret.as_bytes())).unwrap()
    }

    /// A token with a valid HS512 signature.
    fn hs512(claims: &serde_json::Value) -> String {
        use base64::Engine;
        let encode = |bytes: &[u8]| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes);
        let message =
            format!("{}.{}", encode(br#"{"alg":"HS512","typ":"JWT"}"#), encode(claims.to_string().as_bytes()));
        let mac = Hmac::<sha2::Sha512>::new_from_slice(SECRET.as_bytes()).unwrap().chain_update(message.as_bytes());
        format!("{message}.{}", encode(&mac.finalize().into_bytes()))
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
        let hs256 = || Header::new(Algorithm::HS256);
        assert!(signer.verify(&forged(hs256(), claims(), SECRET), NOW).is_ok(), "the unmodified token is valid");
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
        let header = |change: fn(&mut Header)| {
            let mut header = hs256();
            change(&mut header);
            header
        };
        for (what, token) in [
            ("another key", forged(hs256(), claims(), "another secret")),
            ("HS512", hs512(&claims())),
            ("exp as text", forged(hs256(), with("exp", json!("9999999999")), SECRET)),
            ("no exp", forged(hs256(), without("exp"), SECRET)),
            ("exp null", forged(hs256(), with("exp", json!(null)), SECRET)),
            ("exp huge", forged(hs256(), with("exp", json!(1e99)), SECRET)),
            ("exp years away", forged(hs256(), with("exp", json!(NOW.secs() + 99_999_999)), SECRET)),
            ("no jti", forged(hs256(), without("jti"), SECRET)),
            ("no sid", forged(hs256(), without("sid"), SECRET)),
            ("foreign aud", forged(hs256(), with("aud", json!("other")), SECRET)),
            ("kid path", forged(header(|h| h.kid = Some("../../dev/null".into())), claims(), SECRET)),
            ("jku", forged(header(|h| h.jku = Some("https://evil.example/k".into())), claims(), SECRET)),
            ("wrong typ", forged(header(|h| h.typ = Some("at+jwt".into())), claims(), SECRET)),
            ("not a token", "abc.def.ghi".to_owned()),
        ] {
            assert_eq!(signer.verify(&token, NOW), Err(TokenError::Invalid), "{what}");
            assert_eq!(signer.verify_for_refresh(&token, NOW), Err(TokenError::Invalid), "{what}");
        }
        let good = forged(hs256(), claims(), SECRET);
        let (_, rest) = good.split_once('.').unwrap();
        // {"alg":"none","typ":"JWT"}
        let none = format!("eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.{rest}");
        let unsigned = format!("{}.", none.rsplit_once('.').unwrap().0);
        for token in [none, unsigned] {
            assert_eq!(signer.verify(&token, NOW), Err(TokenError::Invalid));
        }
    }
}
