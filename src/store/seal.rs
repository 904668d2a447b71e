//! Texts that can be forgotten: compressed, then sealed with a key of their report.
//!
//! PostgreSQL overwrites nothing. Without its key (32 bytes that are kept apart, in a table small
//! enough to be rewritten) what stays in its files is noise. Words to search for and values of
//! facts are kept as digests, since an index cannot be sealed.

use super::ids;
use chacha20poly1305::aead::Aead;
use chacha20poly1305::{ChaCha20Poly1305, KeyInit};
use sha2::{Digest, Sha256};

/// Fast, and logs shrink to a fifth and less.
const LEVEL: i32 = 3;
/// Bytes of the nonce in front of each sealed text.
const NONCE: usize = 12;
/// Characters of a digest: 60 bits.
const DIGEST: usize = 12;

/// The key of one report.
pub(super) struct Key([u8; 32]);

impl Key {
    pub(super) fn new() -> Key {
        Key(ids::random())
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Key> {
        bytes.try_into().ok().map(Key)
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Compresses and seals; none only where memory is out.
    pub(super) fn seal(&self, text: &str) -> Option<Vec<u8>> {
        let packed = zstd::encode_all(text.as_bytes(), LEVEL).ok()?;
        let random = ids::random();
        let nonce: [u8; NONCE] = random.first_chunk().copied()?;
        let sealed = ChaCha20Poly1305::new((&self.0).into()).encrypt(&nonce.into(), packed.as_slice()).ok()?;
        Some([nonce.as_slice(), &sealed].concat())
    }

    /// The text again; none where the key or the bytes are not those that were made.
    pub(super) fn open(&self, sealed: &[u8]) -> Option<String> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
        let packed = ChaCha20Poly1305::new((&self.0).into()).decrypt(nonce.into(), sealed).ok()?;
        String::from_utf8(zstd::decode_all(packed.as_slice()).ok()?).ok()
    }
}

/// A word as the index keeps it: 12 letters and digits.
pub(super) fn digest(word: &str) -> String {
    let hash = Sha256::new().chain_update(b"faultbook word:").chain_update(word.as_bytes()).finalize();
    ids::letters(&hash, DIGEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_key_opens() {
        let (key, other) = (Key::new(), Key::new());
        let text = "CUDA error: zebrafinch 驱动\n".repeat(50);
        let sealed = key.seal(&text).expect("seals");
        assert!(sealed.len() < text.len() / 4);
        assert_eq!(key.open(&sealed).as_deref(), Some(text.as_str()));
        assert_ne!(key.seal(&text), Some(sealed.clone()), "a nonce serves once");
        assert_eq!(other.open(&sealed), None);
        assert_eq!(key.open(&sealed[..sealed.len() - 1]), None);
        assert_eq!(key.open(b"short"), None);
        assert!(Key::from_bytes(key.bytes()).is_some() && Key::from_bytes(b"short").is_none());
    }

    #[test]
    fn digests_are_words() {
        assert_eq!(digest("xid"), digest("xid"));
        assert_ne!(digest("xid"), digest("xid2"));
        assert!(digest("驱动").len() == DIGEST && digest("驱动").bytes().all(|b| b.is_ascii_alphanumeric()));
    }
}
