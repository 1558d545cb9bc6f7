//! Random ids and keys, and the hashes under which they are stored.

use rand::TryRngCore;
use rand::rngs::OsRng;
use sha2::{Digest, Sha256};

use crate::domain::hex;

/// Bytes of the operating system's random number generator.
pub fn bytes<const N: usize>() -> Result<[u8; N], <OsRng as TryRngCore>::Error> {
    let mut bytes = [0u8; N];
    OsRng.try_fill_bytes(&mut bytes)?;
    Ok(bytes)
}

/// Random bytes as hexadecimal text of twice the length.
pub fn hex<const N: usize>() -> Result<String, <OsRng as TryRngCore>::Error> {
    Ok(hex::encode(bytes::<N>()?))
}

/// The SHA-256 of a text in hexadecimal: the database stores hashes instead of secrets.
pub fn hash(of: &str) -> String {
    hex::encode(Sha256::digest(of.as_bytes()))
}
