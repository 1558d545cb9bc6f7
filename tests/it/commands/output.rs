//! Closed and full standard output: no command panics, a closed pipe ends it quietly, a full device is an error.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::support::run_command;

const LOG: &[u8] = include_bytes!("../../data/gamelog/pu-4.1.0-fights.log");

/// One command of each way to write; `{}` is its data directory.
const COMMANDS: [&str; 3] = ["check", "key create --name one", "watch --once --dry-run --json {}/Game.log"];

fn apogee(dir: &Path, line: &str) -> Command {
    let mut command = Command::new(crate::support::server::binary());
    command.env_clear().env("HOME", dir).env("LANG", "en_US.UTF-8").env("APOGEE_LISTEN", "127.0.0.1:0");
    command.env("APOGEE_GAME_SITE_URL", "http://127.0.0.1:9").env("APOGEE_DATA_DIR", dir);
    command.args(line.replace("{}", &dir.display().to_string()).split(' ')).stdin(Stdio::null());
    command
}

/// A data directory for [`COMMANDS`].
fn data() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("p.csv"), "handle\nAnn-1\nBob-2\n").unwrap();
    std::fs::write(dir.path().join("Game.log"), LOG).unwrap();
    let data = dir.path().display().to_string();
    let imported = run_command(&["import", "players", &format!("{data}/p.csv"), "--data-dir", &data], &[]);
    assert_eq!(imported.code, 0, "{imported:?}");
    dir
}

#[track_caller]
fn no_panic(line: &str, output: &Output) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("panicked") && output.status.code() != Some(101), "{line}: {:?} {said}", output.status);
}

#[test]
fn a_closed_pipe_ends_every_command_quietly() {
    for line in COMMANDS {
        let dir = data();
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = apogee(dir.path(), line).stdout(writer).stderr(Stdio::piped()).output().unwrap();
        no_panic(line, &output);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && !said.contains("apogee: "), "{line}: {:?} {said}", output.status);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_an_error_of_every_command() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    for line in COMMANDS {
        let dir = data();
        let output = apogee(dir.path(), line).stdout(full()).stderr(Stdio::piped()).output().unwrap();
        no_panic(line, &output);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{line}: {said}");
        assert!(said.lines().any(|l| l.starts_with("apogee: ") && l.contains("cannot be written")), "{line}: {said}");
    }
    // Standard error may be full as well.
    for line in ["check", "serve --listen wrong"] {
        let dir = data();
        let output = apogee(dir.path(), line).stdout(Stdio::null()).stderr(full()).output().unwrap();
        assert!(matches!(output.status.code(), Some(0..=2)), "{line}: {:?}", output.status);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_site_that_cannot_print_its_address_does_not_start() {
    let dir = data();
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = apogee(dir.path(), "serve").stdout(full).stderr(Stdio::piped()).output().unwrap();
    no_panic("serve", &output);
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_key_that_could_not_be_printed_is_revoked() {
    let dir = data();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    assert!(apogee(dir.path(), "key create --name unseen").stdout(writer).output().unwrap().status.success());
    let listed = run_command(&["key", "list", "--data-dir", &dir.path().display().to_string()], &[]).output;
    assert!(listed.lines().any(|line| line.ends_with("unseen\trevoked")), "{listed}");
}
