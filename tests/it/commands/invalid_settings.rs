//! Invalid settings and files: exit code, and an error that names the problem.

use std::path::Path;
use std::process::{Command, Output};

fn serve(dir: &Path, envs: &[(&str, &str)]) -> Output {
    let mut command = Command::new(crate::support::server::binary());
    command.env_clear().envs(envs.iter().copied()).env("APOGEE_DATA_DIR", dir);
    if !envs.iter().any(|(name, _)| *name == "APOGEE_LISTEN") {
        command.env("APOGEE_LISTEN", "127.0.0.1:0");
    }
    // A server that starts anyway runs into the test's time limit.
    command.arg("serve").output().unwrap()
}

/// The error of a start with an invalid setting.
#[track_caller]
fn error_of(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(output.stdout.is_empty());
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 1, "{said}");
    lines[0].strip_prefix("apogee: ").unwrap_or_else(|| panic!("{said}")).to_owned()
}

#[test]
fn an_invalid_setting_prevents_the_start_and_is_named() {
    for (env, value, key) in [
        ("APOGEE_LISTEN", "nowhere", "listen"),
        ("APOGEE_GITHUB_REPOS", "just-a-name", "github.repos"),
        ("APOGEE_LOG_FORMAT", "xml", "log-format"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let sentence = error_of(&serve(dir.path(), &[(env, value)]));
        assert!(sentence.starts_with(&format!("invalid {key} ")) && sentence.contains(value), "{sentence}");
    }
}

#[test]
fn a_data_directory_that_is_a_file_is_named_as_such() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("data");
    std::fs::write(&file, "").unwrap();
    for data_dir in [file.clone(), file.join("below")] {
        let sentence = error_of(&serve(&data_dir, &[]));
        assert!(sentence.starts_with("invalid data-dir ") && sentence.contains(" file"), "{sentence}");
        assert!(!sentence.contains("apogee.toml"), "{sentence}");
    }
}
