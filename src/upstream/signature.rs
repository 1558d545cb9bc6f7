//! Proof that an interaction comes from Discord: an Ed25519 signature over its time and its raw body.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use ed25519_dalek::{Signature, VerifyingKey};

use crate::domain::times::EpochMillis;

/// How far the time of a call may lie from ours.
const TOLERANCE_SECS: i64 = 300;

/// Why a call is not believed; the caller answers 401 and no more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    #[error("the signature or its time is missing or malformed")]
    Missing,
    #[error("the time of the call is more than {TOLERANCE_SECS} s away from ours")]
    Stale,
    #[error("the signature does not fit")]
    Mismatch,
    #[error("the same call came before")]
    Replayed,
}

/// The application's public key.
#[derive(Debug, Clone)]
pub struct InteractionKey(VerifyingKey);

impl InteractionKey {
    /// Reads the 64 hexadecimal digits that Discord shows; `None` when they are no key.
    pub fn parse(hex: &str) -> Option<Self> {
        let bytes: [u8; 32] = unhex(hex.trim())?.try_into().ok()?;
        VerifyingKey::from_bytes(&bytes).ok().filter(|key| !key.is_weak()).map(Self)
    }

    /// Checks the headers `X-Signature-Ed25519` and `X-Signature-Timestamp` against the raw body.
    ///
    /// Nothing of the body may be parsed before this says yes.
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

/// The signature and the time of a call by its headers alone: both of the right form, and the time near ours.
pub fn parse_headers<'a>(
    signature: Option<&str>,
    timestamp: Option<&'a str>,
    now: EpochMillis,
) -> Result<([u8; 64], &'a str), SignatureError> {
    let (signature, timestamp) = signature.zip(timestamp).ok_or(SignatureError::Missing)?;
    let digits = !timestamp.is_empty() && timestamp.len() <= 19 && timestamp.bytes().all(|b| b.is_ascii_digit());
    let at: i64 = timestamp.parse().ok().filter(|_| digits).ok_or(SignatureError::Missing)?;
    let bytes = unhex(signature).and_then(|bytes| bytes.try_into().ok()).ok_or(SignatureError::Missing)?;
    if at.abs_diff(now.secs()) > TOLERANCE_SECS as u64 {
        return Err(SignatureError::Stale);
    }
    Ok((bytes, timestamp))
}

/// Signatures that were believed while they could still be believed again, so that a copied call counts once.
#[derive(Debug, Default)]
pub struct ReplayGuard {
    seen: Mutex<HashMap<String, i64>>,
}

impl ReplayGuard {
    /// Takes note of a verified signature; the second time it is refused.
    pub fn record(&self, signature: &str, now: EpochMillis) -> Result<(), SignatureError> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let now = now.secs();
        // Twice the tolerance: a call may be dated as far ahead as it may be dated back.
        seen.retain(|_, at| now - *at <= 2 * TOLERANCE_SECS);
        match seen.insert(signature.to_ascii_lowercase(), now) {
            None => Ok(()),
            Some(_) => Err(SignatureError::Replayed),
        }
    }
}

pub(super) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let pairs = text.as_bytes().chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signer, SigningKey};

    use super::*;

    const BODY: &[u8] = br#"{"type":1,"id":"1"}"#;
    const NOW: EpochMillis = EpochMillis(1_790_000_000_000);

    fn hex(bytes: &[u8]) -> String {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    fn key(seed: u8) -> SigningKey {
        SigningKey::from_bytes(&[seed; 32])
    }

    fn sign(key: &SigningKey, timestamp: &str, body: &[u8]) -> String {
        hex(&key.sign(&[timestamp.as_bytes(), body].concat()).to_bytes())
    }

    fn public(key: &SigningKey) -> InteractionKey {
        InteractionKey::parse(&hex(key.verifying_key().as_bytes())).unwrap()
    }

    #[test]
    fn only_an_untouched_recent_call_with_our_key_is_believed() {
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
    fn what_is_no_key_is_refused() {
        for text in ["", "abc", &"00".repeat(32), &"g0".repeat(32), &"11".repeat(31)] {
            assert!(InteractionKey::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn a_copied_call_counts_once() {
        let seen = ReplayGuard::default();
        assert_eq!(seen.record("ab", NOW), Ok(()));
        assert_eq!(seen.record("AB", NOW), Err(SignatureError::Replayed));
        assert_eq!(seen.record("cd", NOW), Ok(()));
        let later = EpochMillis(NOW.0 + 601_000);
        assert_eq!(seen.record("ef", later), Ok(()));
        assert_eq!(seen.seen.lock().unwrap().len(), 1, "the old ones are forgotten");
    }
}
