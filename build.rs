//! Rebuilds the crate when a file changes that is embedded in it.

fn main() {
    for folder in ["patterns", "migrations", "templates", "static", "i18n"] {
        println!("cargo:rerun-if-changed={folder}");
    }
}
