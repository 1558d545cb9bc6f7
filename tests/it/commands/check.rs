//! `apogee check`: every planted fault is found, and valid settings have no errors.

use std::path::Path;

use crate::support::{Ended, run_command};

struct Machine {
    dir: tempfile::TempDir,
    file: String,
    envs: Vec<(&'static str, String)>,
}

impl Machine {
    /// Valid settings that call only this machine.
    fn valid() -> Self {
        let envs = vec![("APOGEE_GAME_SITE_URL", mock_site()), ("APOGEE_LISTEN", "127.0.0.1:0".to_owned())];
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

    fn check(&self, args: &[&str]) -> Ended {
        if !self.file.is_empty() {
            std::fs::write(self.dir.path().join("apogee.toml"), &self.file).unwrap();
        }
        let mut all = [&["check"], args].concat();
        let dir = self.dir.path().display().to_string();
        if !args.contains(&"--data-dir") {
            all.extend(["--data-dir", &dir]);
        }
        let variables: Vec<_> = self.envs.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
        run_command(&all, &variables)
    }

    fn data(&self) -> &Path {
        self.dir.path()
    }
}

/// A mock of the game's site that responds to every request with an empty body.
fn mock_site() -> String {
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

#[test]
fn valid_settings_have_no_error_and_show_their_origins() {
    let machine = Machine::valid()
        .file("patch = \"ALPHA 9.9\"\n[limits]\nreads = 50\n")
        .env("APOGEE_JWT_SECRET", "0123456789abcdef0123456789abcdef-hush")
        .env("APOGEE_LOG", "warn");
    let output = machine.check(&["--listen=127.0.0.1:0"]);
    let printed = output.output;
    assert_eq!(output.code, 0, "{printed}");
    assert!(!printed.contains("hush"), "{printed}");
    let file = machine.data().join("apogee.toml").display().to_string();
    for line in [
        "setting  listen = 127.0.0.1:0 (from --listen)",
        "setting  log = warn (from APOGEE_LOG)",
        "setting  jwt-secret = *** (set) (from APOGEE_JWT_SECRET)",
        "setting  discord.bot-token = (none) (default)",
        "setting  backups.keep = 7 (default)",
        &format!("setting  patch = ALPHA 9.9 (from {file})"),
        &format!("setting  limits.reads = 50 (from {file})"),
    ] {
        assert!(printed.lines().any(|l| l == line), "{line} in\n{printed}");
    }
    let json: serde_json::Value = serde_json::from_str(&machine.check(&["--json"]).output).unwrap();
    assert!(json["findings"].as_array().unwrap().iter().all(|f| f["level"] != "error"), "{json}");
}

/// T54: each planted misconfiguration is found and named.
#[test]
fn t54_every_planted_fault_is_found_and_named() {
    let full = "0123456789abcdef0123456789abcdef";
    let planted: Vec<(&str, Machine)> = vec![
        ("lisen", Machine::valid().file("lisen = \"127.0.0.1:1\"\n")),
        ("reeds", Machine::valid().file("[limits]\nreeds = 5\n")),
        ("listen", Machine::valid().env("APOGEE_LISTEN", "192.0.2.1:80")),
        ("public-url", Machine::valid().env("APOGEE_PUBLIC_URL", "stats.example")),
        ("trusted-proxies", Machine::valid().env("APOGEE_TRUSTED_PROXIES", "proxy.example")),
        ("log", Machine::valid().env("APOGEE_LOG", "apogee=loud")),
        ("log-format", Machine::valid().env("APOGEE_LOG_FORMAT", "xml")),
        ("jwt-secret", Machine::valid().env("APOGEE_JWT_SECRET", "short")),
        ("database", Machine::valid().env("APOGEE_DATABASE_URL", "mysql://h/d")),
        ("database", Machine::valid().env("APOGEE_DATABASE_URL", "postgres://nobody:hush@127.0.0.1:1/none")),
        ("uploads-url", Machine::valid().env("APOGEE_UPLOADS_URL", "ftp://h/d")),
        ("discord.client-secret", Machine::valid().env("APOGEE_DISCORD_CLIENT_ID", "123456789012345678")),
        ("discord.client-id", Machine::valid().env("APOGEE_DISCORD_CLIENT_SECRET", full)),
        ("discord.public-key", Machine::valid().env("APOGEE_DISCORD_PUBLIC_KEY", "abc")),
        ("admin-discord-ids", Machine::valid().env("APOGEE_ADMIN_DISCORD_IDS", "somebody#1234")),
        ("github.repos", Machine::valid().env("APOGEE_GITHUB_REPOS", "just-a-name")),
        ("game-site-url", Machine::valid().env("APOGEE_GAME_SITE_URL", "http://127.0.0.1:1")),
        ("backups.keep", Machine::valid().file("[backups]\nkeep = 0\n")),
    ];
    for (named, planted) in planted {
        let output = planted.check(&[]);
        let printed = output.output;
        assert_eq!(output.code, 1, "{named}: {printed}");
        let error =
            printed.lines().find(|line| line.starts_with("error ")).unwrap_or_else(|| panic!("{named}: {printed}"));
        assert!(error.contains(named), "{named}: {error}");
        assert!(!printed.contains("hush"), "{printed}");
    }
}

#[test]
fn a_damaged_database_is_an_error() {
    let machine = Machine::valid();
    std::fs::write(machine.data().join("apogee.db"), vec![7; 20_000]).unwrap();
    let output = machine.check(&[]);
    assert_eq!(output.code, 1, "{output:?}");
    assert!(output.output.lines().any(|line| line.starts_with("error    database")), "{output:?}");
}
