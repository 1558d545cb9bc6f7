//! `apogee check`: each planted fault is found, and nothing is found where there is none.

use std::path::Path;
use std::process::{Command, Output};

struct Machine {
    dir: tempfile::TempDir,
    file: String,
    envs: Vec<(&'static str, String)>,
}

impl Machine {
    /// Settings that are right: only this machine is called.
    fn sound() -> Self {
        let envs = vec![("APOGEE_GAME_SITE_URL", mock_server()), ("APOGEE_LISTEN", "127.0.0.1:0".to_owned())];
        Self { dir: tempfile::tempdir().unwrap(), file: String::new(), envs }
    }

    fn env(mut self, name: &'static str, value: &str) -> Self {
        self.envs.retain(|(known, _)| *known != name);
        self.envs.push((name, value.to_owned()));
        self
    }

    fn file(mut self, text: &str) -> Self {
        text.clone_into(&mut self.file);
        self
    }

    fn check(&self, args: &[&str]) -> Output {
        if !self.file.is_empty() {
            std::fs::write(self.dir.path().join("apogee.toml"), &self.file).unwrap();
        }
        let mut command = Command::new(env!("CARGO_BIN_EXE_apogee"));
        command.env_clear().envs(self.envs.iter().map(|(n, v)| (n, v))).arg("check").args(args);
        if !args.contains(&"--data-dir") {
            command.arg("--data-dir").arg(self.dir.path());
        }
        command.output().unwrap()
    }

    fn data(&self) -> &Path {
        self.dir.path()
    }
}

/// A site that answers every call with nothing.
fn mock_server() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            use std::io::{Read, Write};
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        }
    });
    format!("http://{address}")
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn sound_settings_have_no_error_and_tell_where_each_came_from() {
    let sound = Machine::sound()
        .file("patch = \"ALPHA 9.9\"\n[limits]\nreads = 50\n")
        .env("APOGEE_JWT_SECRET", "0123456789abcdef0123456789abcdef-hush")
        .env("APOGEE_LOG", "warn");
    let output = sound.check(&["--listen=127.0.0.1:0"]);
    let told = out(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(!told.contains("hush"), "{told}");
    let file = sound.data().join("apogee.toml").display().to_string();
    for line in [
        "setting  listen = 127.0.0.1:0 (from --listen)",
        "setting  log = warn (from APOGEE_LOG)",
        "setting  jwt-secret = *** (set) (from APOGEE_JWT_SECRET)",
        "setting  discord.bot-token = (none) (default)",
        "setting  backups.keep = 7 (default)",
        &format!("setting  patch = ALPHA 9.9 (from {file})"),
        &format!("setting  limits.reads = 50 (from {file})"),
    ] {
        assert!(told.lines().any(|l| l == line), "{line} in\n{told}");
    }
    let json: serde_json::Value = serde_json::from_str(&out(&sound.check(&["--json"]))).unwrap();
    assert!(json["findings"].as_array().unwrap().iter().all(|f| f["level"] != "error"), "{json}");
}

/// T54: planted misconfigurations, each found, each with its name.
#[test]
fn t54_every_planted_fault_is_found_and_named() {
    let full = "0123456789abcdef0123456789abcdef";
    let planted: Vec<(&str, Machine)> = vec![
        ("lisen", Machine::sound().file("lisen = \"127.0.0.1:1\"\n")),
        ("reeds", Machine::sound().file("[limits]\nreeds = 5\n")),
        ("listen", Machine::sound().env("APOGEE_LISTEN", "192.0.2.1:80")),
        ("public-url", Machine::sound().env("APOGEE_PUBLIC_URL", "stats.example")),
        ("trusted-proxies", Machine::sound().env("APOGEE_TRUSTED_PROXIES", "proxy.example")),
        ("log", Machine::sound().env("APOGEE_LOG", "apogee=loud")),
        ("log-format", Machine::sound().env("APOGEE_LOG_FORMAT", "xml")),
        ("jwt-secret", Machine::sound().env("APOGEE_JWT_SECRET", "short")),
        ("database", Machine::sound().env("APOGEE_DATABASE_URL", "mysql://h/d")),
        ("database", Machine::sound().env("APOGEE_DATABASE_URL", "postgres://nobody:hush@127.0.0.1:1/none")),
        ("uploads-url", Machine::sound().env("APOGEE_UPLOADS_URL", "ftp://h/d")),
        ("discord.client-secret", Machine::sound().env("APOGEE_DISCORD_CLIENT_ID", "123456789012345678")),
        ("discord.client-id", Machine::sound().env("APOGEE_DISCORD_CLIENT_SECRET", full)),
        ("discord.public-key", Machine::sound().env("APOGEE_DISCORD_PUBLIC_KEY", "abc")),
        ("admin-discord-ids", Machine::sound().env("APOGEE_ADMIN_DISCORD_IDS", "somebody#1234")),
        ("github.repos", Machine::sound().env("APOGEE_GITHUB_REPOS", "just-a-name")),
        ("game-site-url", Machine::sound().env("APOGEE_GAME_SITE_URL", "http://127.0.0.1:1")),
        ("backups.keep", Machine::sound().file("[backups]\nkeep = 0\n")),
    ];
    for (named, planted) in planted {
        let output = planted.check(&[]);
        let told = out(&output);
        assert_eq!(output.status.code(), Some(1), "{named}: {told}");
        let error = told.lines().find(|line| line.starts_with("error ")).unwrap_or_else(|| panic!("{named}: {told}"));
        assert!(error.contains(named), "{named}: {error}");
        assert!(!told.contains("hush"), "{told}");
    }
}

#[test]
fn damaged_and_foreign_databases_are_told() {
    let sound = Machine::sound();
    std::fs::write(sound.data().join("apogee.db"), vec![7; 20_000]).unwrap();
    let output = sound.check(&[]);
    assert_eq!(output.status.code(), Some(1), "{}", out(&output));
    assert!(out(&output).lines().any(|line| line.starts_with("error    database")), "{}", out(&output));
}

#[test]
fn the_example_is_a_settings_file_that_changes_nothing() {
    let sound = Machine::sound();
    let example = out(&sound.check(&["--example"]));
    assert!(example.contains("#: listen = "));
    let output = Machine::sound().file(&example).check(&[]);
    assert_eq!(output.status.code(), Some(0), "{}", out(&output));
}
