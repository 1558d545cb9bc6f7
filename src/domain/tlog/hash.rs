//! Hashes of leaves and nodes (RFC 6962, section 2.1).

use std::fmt;

use sha2::{Digest, Sha256};

use crate::domain::hex;

/// Length of the random bytes in front of each line. Without them, the line of a hash could be guessed after it was erased.
pub const SALT_BYTES: usize = 16;

/// A SHA-256 hash of a leaf or a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    pub const BYTES: usize = 32;

    /// The root of the tree without leaves.
    pub fn of_nothing() -> Self {
        Self(Sha256::digest([]).into())
    }

    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    pub fn from_hex(text: &str) -> Option<Self> {
        Self::from_bytes(&hex::decode(text)?)
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

/// The bytes of a log entry: salt, then line.
pub fn entry(salt: &[u8], line: &str) -> Vec<u8> {
    [salt, line.as_bytes()].concat()
}

/// The hash of a leaf: SHA-256 of a zero byte, the salt and the line.
pub fn leaf_hash(salt: &[u8], line: &str) -> Hash {
    let hash = Sha256::new().chain_update([0]).chain_update(salt).chain_update(line.as_bytes());
    Hash(hash.finalize().into())
}

/// The hash of a node: SHA-256 of a one byte and both children.
pub fn node_hash(left: Hash, right: Hash) -> Hash {
    Hash(Sha256::new().chain_update([1]).chain_update(left.0).chain_update(right.0).finalize().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_equal_the_examples_of_rfc_6962_and_of_python() {
        // The root of the empty tree, and the leaf of no bytes, as in the tests of Certificate Transparency.
        assert_eq!(Hash::of_nothing().to_string(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(leaf_hash(&[], "").to_string(), "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d");
        // hashlib.sha256(b"\0" + bytes(range(16)) + b'{"id":1}').hexdigest()
        let salt: Vec<u8> = (0..16).collect();
        let leaf = leaf_hash(&salt, "{\"id\":1}");
        assert_eq!(leaf.to_string(), "2a5e56d94e9102808e87eaee9ad6ad948c950f0ccc5c75949edb8dfd9c82e896");
        assert_eq!(entry(&salt, "{\"id\":1}").len(), SALT_BYTES + 8);
        // hashlib.sha256(b"\1" + leaf + leaf).hexdigest()
        assert_eq!(
            node_hash(leaf, leaf).to_string(),
            "cda760a255d298424dee47591dd4227165e676b482142119067ada086b13f1e6"
        );
    }
}
