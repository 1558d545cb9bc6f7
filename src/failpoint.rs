//! Failpoints: places where a test makes the running program panic.
//! A build without debug assertions has none.

/// Panics when the directory in the environment variable `FAILPOINTS` has a file with this name, and removes the file:
/// one file, one panic.
#[cfg(debug_assertions)]
pub fn failpoint(name: &str) {
    use std::path::PathBuf;
    use std::sync::OnceLock;
    static DIR: OnceLock<Option<PathBuf>> = OnceLock::new();
    let dir = DIR.get_or_init(|| std::env::var_os("FAILPOINTS").map(PathBuf::from));
    if dir.as_ref().is_some_and(|dir| std::fs::remove_file(dir.join(name)).is_ok()) {
        panic!("failpoint {name}");
    }
}

/// Nothing: a release build has no failpoints.
#[cfg(not(debug_assertions))]
pub fn failpoint(_: &str) {}
