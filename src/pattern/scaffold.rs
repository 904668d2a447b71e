//! The commented file that `faultbook patterns new ID` writes.

/// A pattern file for `id`, every key explained, ready to be filled in.
pub fn file(id: &str) -> String {
    include_str!("scaffold.toml").replace("NEW-ID", id)
}
