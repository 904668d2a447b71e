//! Ids and tokens that cannot be guessed.

use sha2::{Digest, Sha256};
use std::fmt::Write as _;

/// Crockford's base 32: no letters that are taken for digits.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 26 characters of 5 bits: 130 bits.
const LENGTH: usize = 26;

/// A new report id: 26 characters, 130 random bits.
pub fn new_id() -> String {
    random_text()
}

/// A new delete token: 26 characters, 130 random bits.
pub fn new_token() -> String {
    random_text()
}

/// SHA-256 of a token in hex: what the store keeps of it.
pub(super) fn hash(token: &str) -> String {
    let digest = Sha256::digest(token.trim().as_bytes());
    digest.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

fn random_text() -> String {
    letters(&random(), LENGTH)
}

/// 32 random bytes. A version 4 UUID holds 122 random bits of the system's generator; three of
/// them, hashed, give all that fit.
pub(super) fn random() -> [u8; 32] {
    let mut hasher = Sha256::new();
    for _ in 0..3 {
        hasher.update(uuid::Uuid::new_v4().as_bytes());
    }
    hasher.finalize().into()
}

/// Five bits of each byte as a letter or digit.
pub(super) fn letters(bytes: &[u8], length: usize) -> String {
    let letter = |byte: u8| ALPHABET.get(usize::from(byte & 31)).map_or('0', |b| char::from(*b));
    bytes.iter().take(length).map(|byte| letter(*byte)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_and_are_plain() {
        let (a, b) = (new_id(), new_id());
        assert_ne!(a, b);
        assert!(a.len() == 26 && a.bytes().all(|c| ALPHABET.contains(&c)));
        assert_eq!(hash("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
