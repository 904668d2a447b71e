//! Chips by their names.
/// `120` → `12.0`.
pub fn dotted(sm: &str) -> String {
    let (major, minor) = sm.split_at_checked(sm.len().saturating_sub(1)).unwrap_or((sm, ""));
    format!("{major}.{minor}")
}
