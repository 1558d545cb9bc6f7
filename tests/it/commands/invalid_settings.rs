//! Invalid settings and files: exit code, and an error that names the problem.

use std::path::Path;

use crate::support::run_command;

/// The error of a start with an invalid setting. A site that starts anyway runs into the test's time limit.
#[track_caller]
fn error_of(data_dir: &Path, variables: &[(&str, &str)]) -> String {
    let all: Vec<_> = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let ended = run_command(&["serve", "--data-dir", &data_dir.display().to_string()], &all);
    assert_eq!((ended.code, ended.output.as_str()), (2, ""), "{}", ended.error);
    assert_eq!(ended.error.lines().count(), 1, "{}", ended.error);
    ended.error
}

#[test]
fn an_invalid_setting_prevents_the_start_and_is_named() {
    for (env, value, key) in [
        ("APOGEE_LISTEN", "nowhere", "listen"),
        ("APOGEE_GITHUB_REPOS", "just-a-name", "github.repos"),
        ("APOGEE_LOG_FORMAT", "xml", "log-format"),
    ] {
        let dir = tempfile::tempdir().unwrap();
        let sentence = error_of(dir.path(), &[(env, value)]);
        assert!(sentence.starts_with(&format!("invalid {key} ")) && sentence.contains(value), "{sentence}");
    }
}

#[test]
fn a_data_directory_that_is_a_file_is_named_as_such() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("data");
    std::fs::write(&file, "").unwrap();
    for data_dir in [file.clone(), file.join("below")] {
        let sentence = error_of(&data_dir, &[("APOGEE_LISTEN", "127.0.0.1:0")]);
        assert!(sentence.starts_with("invalid data-dir ") && sentence.contains(" file"), "{sentence}");
        assert!(!sentence.contains("apogee.toml"), "{sentence}");
    }
}
