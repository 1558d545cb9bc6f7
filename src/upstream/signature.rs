//! Verifies Discord's interaction signatures: Ed25519 over the timestamp and the raw body.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use ed25519_dalek::{Signature, VerifyingKey};

use crate::domain::hex;
use crate::domain::times::EpochMillis;

/// Maximum difference between a request's timestamp and the local clock.
const MAX_CLOCK_SKEW_SECS: i64 = 300;

/// Why a request was rejected. The client receives status 401 without details.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    #[error("the signature or its timestamp is missing or malformed")]
    Missing,
    #[error("the timestamp differs from the local clock by more than {MAX_CLOCK_SKEW_SECS} s")]
    Stale,
    #[error("the signature does not match the body")]
    Mismatch,
    #[error("the request was already received")]
    Replayed,
}

/// Public key of the Discord application.
#[derive(Debug, Clone)]
pub struct InteractionKey(VerifyingKey);

impl InteractionKey {
    /// Parses the 64 hexadecimal digits shown in Discord's developer portal. Returns `None` if they are not a valid key.
    pub fn parse(digits: &str) -> Option<Self> {
        let bytes: [u8; 32] = hex::decode(digits.trim())?.try_into().ok()?;
        VerifyingKey::from_bytes(&bytes).ok().filter(|key| !key.is_weak()).map(Self)
    }

    /// Verifies the headers `X-Signature-Ed25519` and `X-Signature-Timestamp` against the raw body.
    ///
    /// Call this before parsing the body.
    pub fn verify(
        &self,
        signature: Option<&str>,
        timestamp: Option<&str>,
        body: &[u8],
        now: EpochMillis,
    ) -> Result<(), SignatureError> {
        let (bytes, timestamp) = parse_headers(signature, timestamp, now)?;
        let signed = [timestamp.as_bytes(), body].concat();
        self.0.verify_strict(&signed, &Signature::from_bytes(&bytes)).map_err(|_| SignatureError::Mismatch)
    }
}

/// Parses the signature headers and checks the timestamp. Does not need the body.
pub fn parse_headers<'a>(
    signature: Option<&str>,
    timestamp: Option<&'a str>,
    now: EpochMillis,
) -> Result<([u8; 64], &'a str), SignatureError> {
    let (signature, timestamp) = signature.zip(timestamp).ok_or(SignatureError::Missing)?;
    let digits = !timestamp.is_empty() && timestamp.len() <= 19 && timestamp.bytes().all(|b| b.is_ascii_digit());
    let at: i64 = timestamp.parse().ok().filter(|_| digits).ok_or(SignatureError::Missing)?;
    let bytes = hex::decode(signature).and_then(|bytes| bytes.try_into().ok()).ok_or(SignatureError::Missing)?;
    if at.abs_diff(now.secs()) > MAX_CLOCK_SKEW_SECS as u64 {
        return Err(SignatureError::Stale);
    }
    Ok((bytes, timestamp))
}

/// Remembers accepted signatures as long as their timestamps are valid, so that a replayed request is rejected.
#[derive(Debug, Default)]
pub struct ReplayGuard {
    seen_at: Mutex<HashMap<String, i64>>,
}

impl ReplayGuard {
    /// Records a verified signature. Fails if the signature was recorded before.
    pub fn record(&self, signature: &str, now: EpochMillis) -> Result<(), SignatureError> {
        let mut seen = self.seen_at.lock().unwrap_or_else(PoisonError::into_inner);
        let now = now.secs();
        // A timestamp may be in the future, so a signature can remain valid for twice the allowed skew.
        seen.retain(|_, at| now - *at <= 2 * MAX_CLOCK_SKEW_SECS);
        match seen.insert(signature.to_ascii_lowercase(), now) {
            None => Ok(()),
            Some(_) => Err(SignatureError::Replayed),
        }
    }
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signer, SigningKey};

    use super::*;

    const BODY: &[u8] = br#"{"type":1,"id":"1"}"#;
    const NOW: EpochMillis = EpochMillis(1_790_000_000_000);

    fn key(seed: u8) -> SigningKey {
        SigningKey::from_bytes(&[seed; 32])
    }

    fn sign(key: &SigningKey, timestamp: &str, body: &[u8]) -> String {
        hex::encode(key.sign(&[timestamp.as_bytes(), body].concat()).to_bytes())
    }

    fn public(key: &SigningKey) -> InteractionKey {
        InteractionKey::parse(&hex::encode(key.verifying_key().as_bytes())).unwrap()
    }

    #[test]
    fn only_an_unmodified_recent_request_with_our_key_is_accepted() {
        use SignatureError as R;
        let (ours, other) = (key(7), key(8));
        let at = "1790000000";
        let good = sign(&ours, at, BODY);
        let verify =
            |signature: Option<&str>, at: Option<&str>, body: &[u8]| public(&ours).verify(signature, at, body, NOW);
        assert_eq!(verify(Some(&good), Some(at), BODY), Ok(()));
        assert_eq!(verify(Some(&good.to_uppercase()), Some(at), BODY), Ok(()));
        assert_eq!(verify(None, Some(at), BODY), Err(R::Missing));
        assert_eq!(verify(Some(&good), None, BODY), Err(R::Missing));
        for bad in ["", "zz", &good[2..], &format!("{good}00"), "é"] {
            assert_eq!(verify(Some(bad), Some(at), BODY), Err(R::Missing), "{bad}");
        }
        for bad in ["", "now", "-1790000000", "+1790000000", "1790000000.0", "99999999999999999999"] {
            assert_eq!(verify(Some(&good), Some(bad), BODY), Err(R::Missing), "{bad}");
        }
        assert_eq!(verify(Some(&sign(&other, at, BODY)), Some(at), BODY), Err(R::Mismatch), "another key");
        assert_eq!(verify(Some(&good), Some("1790000001"), BODY), Err(R::Mismatch), "another time");
        for byte in 0..BODY.len() {
            let mut changed = BODY.to_vec();
            changed[byte] ^= 1;
            assert_eq!(verify(Some(&good), Some(at), &changed), Err(R::Mismatch), "byte {byte}");
        }
        for (at, outcome) in [
            ("1789999700", Ok(())),
            ("1789999699", Err(R::Stale)),
            ("1790000300", Ok(())),
            ("1790000301", Err(R::Stale)),
            ("0", Err(R::Stale)),
        ] {
            assert_eq!(verify(Some(&sign(&ours, at, BODY)), Some(at), BODY), outcome, "{at}");
        }
    }

    #[test]
    fn an_invalid_key_is_rejected() {
        for text in ["", "abc", &"00".repeat(32), &"g0".repeat(32), &"11".repeat(31)] {
            assert!(InteractionKey::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_replayed_request_is_rejected() {
        let guard = ReplayGuard::default();
        assert_eq!(guard.record("ab", NOW), Ok(()));
        assert_eq!(guard.record("AB", NOW), Err(SignatureError::Replayed));
        assert_eq!(guard.record("cd", NOW), Ok(()));
        let later = EpochMillis(NOW.0 + 601_000);
        assert_eq!(guard.record("ef", later), Ok(()));
        assert_eq!(guard.seen_at.lock().unwrap().len(), 1, "expired signatures are removed");
    }
}
