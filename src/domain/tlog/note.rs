//! Signed checkpoints: <https://c2sp.org/tlog-checkpoint> in a <https://c2sp.org/signed-note> with an Ed25519 signature.

use std::fmt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

use super::hash::Hash;
use crate::domain::hex;

/// The type of Ed25519 signatures and keys in signed notes.
const ED25519: u8 = 1;
/// Makes the seed of the key differ from other values that are derived from the same secret.
const KEY_PURPOSE: &[u8] = b"apogee transparency log, Ed25519 key 1";

/// Why a checkpoint or a key is not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoteError {
    #[error("it is not a signed checkpoint")]
    Malformed,
    #[error("it has no signature of the expected key")]
    Unsigned,
    #[error("its signature does not match its text")]
    WrongSignature,
    #[error("it is not a verifier key for Ed25519")]
    InvalidKey,
}

/// The key that signs the checkpoints of a log.
#[derive(Clone)]
pub struct LogKey {
    key: SigningKey,
    verifier: VerifierKey,
}

impl LogKey {
    /// Derives the key from the secret of the site. `origin` names the log.
    pub fn derive(secret: &str, origin: &str) -> Self {
        // HMAC accepts keys of any length, so the zero seed is never used.
        let seed = Hmac::<Sha256>::new_from_slice(secret.as_bytes())
            .map_or([0; 32], |hmac| hmac.chain_update(KEY_PURPOSE).finalize().into_bytes().into());
        let key = SigningKey::from_bytes(&seed);
        let verifier = VerifierKey { name: origin.to_owned(), key: key.verifying_key() };
        Self { key, verifier }
    }

    pub fn verifier(&self) -> &VerifierKey {
        &self.verifier
    }

    /// The name of the log, which is also the name of the key.
    pub fn origin(&self) -> &str {
        &self.verifier.name
    }

    /// Signs the tree with this size and root.
    pub fn sign(&self, size: u64, root: Hash) -> String {
        let text = Checkpoint { origin: self.origin().to_owned(), size, root }.to_string();
        let signature = self.key.sign(text.as_bytes()).to_bytes();
        let signed = STANDARD.encode([&self.verifier.id()[..], &signature].concat());
        format!("{text}\n\u{2014} {} {signed}\n", self.verifier.name)
    }
}

impl fmt::Debug for LogKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LogKey").field(&self.verifier.name).finish()
    }
}

/// The public key of a log: `NAME+ID+KEY`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerifierKey {
    name: String,
    key: VerifyingKey,
}

impl VerifierKey {
    /// The first four bytes of SHA-256 of the name, a line feed, the type and the key.
    fn id(&self) -> [u8; 4] {
        let hash =
            Sha256::new().chain_update(&self.name).chain_update([b'\n', ED25519]).chain_update(self.key.as_bytes());
        let bytes = hash.finalize();
        [bytes[0], bytes[1], bytes[2], bytes[3]]
    }

    pub fn parse(text: &str) -> Result<Self, NoteError> {
        let mut parts = text.trim_end().splitn(3, '+');
        let (name, id, key) = (parts.next(), parts.next(), parts.next());
        let (Some(name), Some(id), Some(key)) = (name, id, key) else { return Err(NoteError::InvalidKey) };
        let key = STANDARD.decode(key).map_err(|_| NoteError::InvalidKey)?;
        let (Some(&ED25519), Some(Ok(bytes))) = (key.first(), key.get(1..).map(<[u8; 32]>::try_from)) else {
            return Err(NoteError::InvalidKey);
        };
        let key = VerifyingKey::from_bytes(&bytes).ok().filter(|key| !key.is_weak()).ok_or(NoteError::InvalidKey)?;
        let parsed = Self { name: name.to_owned(), key };
        if name.is_empty() || hex::encode(parsed.id()) != id { Err(NoteError::InvalidKey) } else { Ok(parsed) }
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let key = STANDARD.encode([&[ED25519][..], self.key.as_bytes()].concat());
        write!(f, "{}+{}+{key}", self.name, hex::encode(self.id()))
    }
}

/// Size and root of a log's tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checkpoint {
    /// The name of the log.
    pub origin: String,
    pub size: u64,
    pub root: Hash,
}

impl Checkpoint {
    /// Reads a signed note; fails without a valid signature of this key.
    pub fn open(note: &str, key: &VerifierKey) -> Result<Self, NoteError> {
        let (text, signatures) = note.rsplit_once("\n\n").ok_or(NoteError::Malformed)?;
        let text = format!("{text}\n");
        let own = signatures.lines().find_map(|line| {
            let (name, signed) = line.strip_prefix("\u{2014} ")?.split_once(' ')?;
            let bytes = STANDARD.decode(signed).ok().filter(|_| name == key.name)?;
            let (id, signature) = bytes.split_first_chunk::<4>()?;
            Some(<[u8; 64]>::try_from(signature).ok()?).filter(|_| *id == key.id())
        });
        let signature = Signature::from_bytes(&own.ok_or(NoteError::Unsigned)?);
        key.key.verify_strict(text.as_bytes(), &signature).map_err(|_| NoteError::WrongSignature)?;
        Self::parse(&text).filter(|read| read.origin == key.name).ok_or(NoteError::Malformed)
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let (origin, size, root) = (lines.next()?, lines.next()?, lines.next()?);
        let number: u64 = size.parse().ok()?;
        let root = Hash::from_bytes(&STANDARD.decode(root).ok()?)?;
        (number.to_string() == size && !origin.is_empty()).then(|| Self {
            origin: origin.to_owned(),
            size: number,
            root,
        })
    }
}

impl fmt::Display for Checkpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}\n{}\n{}\n", self.origin, self.size, STANDARD.encode(self.root.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_of_another_program_is_accepted() {
        // The example of the signed note package of Go (golang.org/x/mod/sumdb/note), whose text has another form.
        let key = VerifierKey::parse("PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW").unwrap();
        let note = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n\n\
            \u{2014} PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";
        assert_eq!(Checkpoint::open(note, &key), Err(NoteError::Malformed), "signed, but of another form");
        assert_eq!(Checkpoint::open(&note.replace("answer", "cure"), &key), Err(NoteError::WrongSignature));
        assert_eq!(key.to_string(), "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW");
    }

    #[test]
    fn only_the_key_of_the_log_opens_its_checkpoint() {
        let key = LogKey::derive("a secret", "stats.example.org");
        let root = Hash([7; 32]);
        let note = key.sign(12, root);
        let verifier = VerifierKey::parse(&key.verifier().to_string()).unwrap();
        let expected = Checkpoint { origin: "stats.example.org".into(), size: 12, root };
        assert_eq!(Checkpoint::open(&note, &verifier), Ok(expected));
        assert!(note.starts_with("stats.example.org\n12\nBwcHBwcH"), "{note}");
        let other = LogKey::derive("another secret", "stats.example.org");
        assert_eq!(Checkpoint::open(&note, other.verifier()), Err(NoteError::Unsigned));
        assert_eq!(Checkpoint::open(&note.replace("\n12\n", "\n13\n"), &verifier), Err(NoteError::WrongSignature));
        assert_eq!(Checkpoint::open("", &verifier), Err(NoteError::Malformed));
        for wrong in ["", "a", "a+b+c", "stats.example.org+00000000+AQ=="] {
            assert_eq!(VerifierKey::parse(wrong), Err(NoteError::InvalidKey), "{wrong}");
        }
    }
}
