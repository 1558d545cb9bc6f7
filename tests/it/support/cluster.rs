//! A PostgreSQL server of one test that can be stopped and started; removed after the test.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

pub struct Cluster {
    pub url: String,
    programs: PathBuf,
    port: u16,
    dir: TempDir,
}

impl Cluster {
    /// Creates and starts a server on a free port of 127.0.0.1.
    pub fn start() -> Self {
        let dir = TempDir::new().unwrap();
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let url = format!("postgres://postgres@127.0.0.1:{port}/postgres");
        let cluster = Self { url, programs: programs(), port, dir };
        if is_root() {
            // PostgreSQL refuses to run as root.
            run(Command::new("chown").arg("nobody").arg(cluster.dir.path()));
        }
        run(cluster
            .program("initdb")
            .args(["-A", "trust", "-U", "postgres", "-E", "UTF8", "--no-sync", "-D"])
            .arg(cluster.data()));
        cluster.control("start");
        cluster
    }

    fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    fn program(&self, name: &str) -> Command {
        let program = self.programs.join(name);
        let mut command = if is_root() {
            let mut command = Command::new("setpriv");
            command.args(["--reuid=nobody", "--regid=nogroup", "--clear-groups"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command.current_dir(self.dir.path());
        command
    }

    fn control(&self, act: &str) {
        let options = format!("-p {} -c listen_addresses=127.0.0.1 -k {}", self.port, self.dir.path().display());
        run(self
            .program("pg_ctl")
            .args(["-w", "-m", "immediate", "-o", &options, "-l"])
            .arg(self.dir.path().join("log"))
            .arg("-D")
            .arg(self.data())
            .arg(act));
    }

    /// Stops the server as a crash does, and starts it again.
    pub fn crash_and_start(&self) {
        self.control("stop");
        self.control("start");
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        let stopped = self.program("pg_ctl").args(["-m", "immediate", "stop", "-D"]).arg(self.data()).output();
        if !stopped.is_ok_and(|output| output.status.success()) {
            eprintln!("the PostgreSQL server of a test could not be stopped");
        }
    }
}

/// The directory of PostgreSQL's programs: the newest in Debian's path, else the one that `pg_config` reports.
fn programs() -> PathBuf {
    let below = Path::new("/usr/lib/postgresql");
    let versions = std::fs::read_dir(below).into_iter().flatten().flatten();
    let newest = versions.filter_map(|entry| entry.file_name().to_str()?.parse::<u32>().ok()).max();
    if let Some(version) = newest {
        return below.join(version.to_string()).join("bin");
    }
    let output = Command::new("pg_config").arg("--bindir").output();
    let output = output.expect("this test starts a PostgreSQL server: install PostgreSQL 13 or newer");
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim())
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn run(command: &mut Command) {
    // Output is discarded, because a started server would keep a pipe open.
    let status = command.stdout(std::process::Stdio::null()).status().unwrap();
    assert!(status.success(), "{command:?} ended with {status}");
}
