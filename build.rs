//! Builds the page with npm when its sources changed, so that `cargo build` produces the complete binary, and before that the parser in
//! WebAssembly, with which the page reads logs.
//!
//! With `APOGEE_SKIP_FRONTEND=1` neither is built; a notice replaces a missing page.

use std::collections::hash_map::DefaultHasher;
use std::fs;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

const SOURCES: [&str; 8] = [
    "frontend/src",
    "frontend/public",
    "frontend/index.html",
    "frontend/package.json",
    "frontend/package-lock.json",
    "frontend/vite.config.ts",
    "frontend/tsconfig.json",
    "frontend/biome.json",
];
/// The sources of the parser in the page.
const PARSER_SOURCES: [&str; 5] =
    ["crates/gamelog", "crates/gamelog-web", "Cargo.toml", "Cargo.lock", "rust-toolchain.toml"];
const PARSER_TARGET: &str = "wasm32-unknown-unknown";
const PARSER: &str = "frontend/wasm/gamelog.wasm";
const DIST: &str = "frontend/dist";
const STAMP: &str = "frontend/dist/.stamp";
const NOTICE: &str = "<!doctype html><html lang=\"en\"><head><title>Apogee</title></head><body>\
    <p>This binary was built without its page. Install Node.js 20 or newer with npm and build again. The API works.</p></body></html>";

fn main() {
    embed_history();
    pack_relocations();
    for path in SOURCES.into_iter().chain(PARSER_SOURCES).filter(|path| Path::new(path).exists()) {
        println!("cargo::rerun-if-changed={path}");
    }
    println!("cargo::rerun-if-changed={STAMP}");
    println!("cargo::rerun-if-changed=migrations");
    println!("cargo::rerun-if-changed=assets");
    println!("cargo::rerun-if-env-changed=APOGEE_SKIP_FRONTEND");
    if let Err(why) = fs::create_dir_all(DIST) {
        println!("cargo::error={DIST} could not be created: {why}");
        return;
    }
    if std::env::var_os("APOGEE_SKIP_FRONTEND").is_none_or(|v| v.is_empty() || v == "0")
        && let Err(why) = build_parser().and_then(|()| build_page())
    {
        println!("cargo::error=building the page failed: {}", why.replace('\n', " | "));
        return;
    }
    if !Path::new(DIST).join("index.html").exists()
        && let Err(why) = fs::write(Path::new(DIST).join("index.html"), NOTICE)
    {
        println!("cargo::error={DIST}/index.html could not be written: {why}");
    }
}

/// Packs relative relocations, which saves nearly three megabytes, where the system's loader can read them (glibc 2.36 and newer,
/// as on Debian 12).
fn pack_relocations() {
    let of_target = |name: &str| std::env::var(name).unwrap_or_default();
    let is_gnu = of_target("CARGO_CFG_TARGET_OS") == "linux" && of_target("CARGO_CFG_TARGET_ENV") == "gnu";
    if !is_gnu || of_target("TARGET") != of_target("HOST") {
        return;
    }
    let output = Command::new("getconf").arg("GNU_LIBC_VERSION").output().map(|ran| ran.stdout).unwrap_or_default();
    let output = String::from_utf8_lossy(&output);
    let version = output.trim().strip_prefix("glibc 2.").and_then(|minor| minor.parse::<u32>().ok());
    if version.is_some_and(|minor| minor >= 36) {
        println!("cargo::rustc-link-arg-bins=-Wl,-z,pack-relative-relocs");
    }
}

/// Compiles the parser for the page. Without the compiler's target the page is built without it, and says that it cannot read logs.
fn build_parser() -> Result<(), String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let libraries = Command::new(rustc).args(["--print", "target-libdir", "--target", PARSER_TARGET]).output();
    let libraries = libraries.map(|ran| String::from_utf8_lossy(&ran.stdout).trim().to_owned()).unwrap_or_default();
    if !Path::new(&libraries).is_dir() {
        println!(
            "cargo::warning=the page is built without reading of logs: run `rustup target add {PARSER_TARGET}` and build again"
        );
        return fs::remove_file(PARSER).or(Ok(()));
    }
    // Beside the folders of profiles, so that all of them share it.
    let out = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default());
    let target_dir = out.ancestors().nth(4).unwrap_or(&out).join("parser");
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args([
        "rustc",
        "--package",
        "gamelog-web",
        "--lib",
        "--crate-type",
        "cdylib",
        "--profile",
        "web",
        "--locked",
    ]);
    cargo.args(["--target", PARSER_TARGET, "--target-dir"]).arg(&target_dir);
    // Settings of this build, such as clippy in place of the compiler, do not apply to the parser.
    let is_of_this_build = |name: &str| {
        ["RUSTC_WORKSPACE_WRAPPER", "RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_TARGET_DIR"].contains(&name)
            || ["CARGO_BUILD_", "CARGO_PROFILE_", "CARGO_CFG_", "CARGO_FEATURE_"].iter().any(|of| name.starts_with(of))
    };
    for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_of_this_build)) {
        cargo.env_remove(name);
    }
    cargo.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUSTFLAGS", "-Ctarget-feature=+simd128");
    run(&mut cargo)?;
    let built = fs::read(target_dir.join(PARSER_TARGET).join("web/gamelog_web.wasm")).map_err(|e| e.to_string())?;
    if !fs::read(PARSER).is_ok_and(|known| known == built) {
        fs::create_dir_all("frontend/wasm").and_then(|()| fs::write(PARSER, built)).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// `cargo build` and `cargo clippy` may run this script together: the second waits and finds everything built.
fn build_page() -> Result<(), String> {
    let lock = fs::File::create("frontend/dist.lock").map_err(|e| e.to_string())?;
    lock.lock().map_err(|e| e.to_string())?;
    let wanted = hash(&SOURCES.into_iter().chain([PARSER]).collect::<Vec<_>>());
    if fs::read_to_string(STAMP).is_ok_and(|stamp| stamp == wanted) {
        return Ok(());
    }
    let packages = hash(&["frontend/package-lock.json"]);
    let installed = "frontend/node_modules/.stamp";
    if !fs::read_to_string(installed).is_ok_and(|stamp| stamp == packages) {
        npm(&["ci", "--no-audit", "--no-fund", "--ignore-scripts"])?;
        fs::write(installed, &packages).map_err(|e| e.to_string())?;
    }
    npm(&["run", "build"])?;
    // Cargo runs this script again if a watched file is newer than the script's start, so the stamp gets an old time.
    let write = || {
        fs::write(STAMP, &wanted)?;
        fs::File::options().write(true).open(STAMP)?.set_modified(SystemTime::UNIX_EPOCH)
    };
    write().map_err(|e| e.to_string())
}

fn npm(args: &[&str]) -> Result<(), String> {
    run(Command::new("npm").args(args).current_dir("frontend").env("NO_COLOR", "1"))
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command
        .output()
        .map_err(|e| format!("{name}: {e}; install Node.js 20 or newer with npm, or set APOGEE_SKIP_FRONTEND=1"))?;
    if output.status.success() {
        return Ok(());
    }
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    Err(format!("{command:?}: {}\n{out}{err}", output.status))
}

fn hash(paths: &[&str]) -> String {
    let mut files = Vec::new();
    for path in paths {
        collect(Path::new(path), &mut files);
    }
    files.sort();
    let mut hasher = DefaultHasher::new();
    for file in files {
        file.hash(&mut hasher);
        fs::read(&file).unwrap_or_default().hash(&mut hasher);
    }
    format!("{:016x}", hasher.finish())
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    if path.is_file() {
        files.push(path.to_owned());
    }
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        collect(&entry.path(), files);
    }
}

/// Writes the newest commits of the source as JSON lines; none outside a git checkout.
fn embed_history() {
    let Some(out) = std::env::var_os("OUT_DIR") else { return };
    // Only a release embeds the current commits, so that a debug build is not repeated after each commit.
    if std::env::var("PROFILE").is_ok_and(|profile| profile == "release") {
        // Resolved by git, because a worktree has them elsewhere.
        for path in
            ["HEAD", "refs/heads", "packed-refs"].into_iter().filter_map(|name| git(&["rev-parse", "--git-path", name]))
        {
            if Path::new(path.trim()).exists() {
                println!("cargo::rerun-if-changed={}", path.trim());
            }
        }
    }
    // A directory inside another project's checkout has no history.
    let is_ours = git(&["rev-parse", "--show-prefix"]).is_some_and(|prefix| prefix.trim().is_empty());
    let branch = git(&["rev-parse", "--abbrev-ref", "HEAD"]).unwrap_or_default();
    let log =
        is_ours.then(|| git(&["log", "-n", "300", "--no-merges", "--format=%H%x1f%an%x1f%ct%x1f%B%x1e"])).flatten();
    let lines: String =
        log.unwrap_or_default().split('\u{1e}').filter_map(|text| history_line(text, branch.trim())).collect();
    if let Err(why) = fs::write(Path::new(&out).join("commits.ndjson"), lines) {
        println!("cargo::error=the history could not be written: {why}");
    }
}

fn git(arguments: &[&str]) -> Option<String> {
    let ran = Command::new("git").args(arguments).output().ok().filter(|ran| ran.status.success())?;
    Some(String::from_utf8_lossy(&ran.stdout).into_owned())
}

fn history_line(text: &str, branch: &str) -> Option<String> {
    let mut fields = text.trim().split('\u{1f}');
    let (id, author, at, message) =
        (fields.next()?, fields.next()?, fields.next()?.parse::<i64>().ok()?, fields.next()?);
    let (author, message, branch) = (json_text(author), json_text(message.trim_end()), json_text(branch));
    Some(format!("{{\"id\":\"{id}\",\"author\":{author},\"at\":{at},\"message\":{message},\"branch\":{branch}}}\n"))
}

fn json_text(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        if c == '\n' {
            out.push_str("\\n");
        }
        if c.is_control() {
            continue;
        }
        if c == '"' || c == '\\' {
            out.push('\\');
        }
        out.push(c);
    }
    out.push('"');
    out
}
