//! Runs commands of the real binary, and starts, observes and stops the site.

use std::fmt;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::Outcome;

const BINARY: &str = env!("CARGO_BIN_EXE_apogee");
const MB: u64 = 1_000_000;

/// The binary and its data directory.
pub struct Apogee {
    dir: PathBuf,
}

/// Resources that a command used.
pub struct Took {
    secs: f64,
    cpu_secs: f64,
    peak_mb: u64,
}

impl fmt::Display for Took {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} s ({:.0} s of processor), at most {} MB", self.secs, self.cpu_secs, self.peak_mb)
    }
}

impl Apogee {
    pub fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned() }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(BINARY);
        command.args(args).arg("--data-dir").arg(&self.dir).env("APOGEE_LOG", "warn");
        command
    }

    /// Runs a command until it ends; a failure is an error.
    pub fn run(&self, args: &[&str]) -> Outcome<Took> {
        let began = Instant::now();
        let mut child = self.command(args).spawn()?;
        let (mut peak_mb, mut cpu_secs) = (0, 0.0);
        let ended = loop {
            // Peak memory and processor time are reported by a process that runs nothing else.
            peak_mb = status(child.id(), "VmHWM:").map_or(peak_mb, |bytes| bytes / MB).max(peak_mb);
            cpu_secs = cpu(child.id()).unwrap_or(cpu_secs);
            match child.try_wait()? {
                Some(ended) => break ended,
                None => std::thread::sleep(Duration::from_millis(20)),
            }
        };
        if !ended.success() {
            return Err(format!("apogee {args:?} ended with {ended}").into());
        }
        Ok(Took { secs: began.elapsed().as_secs_f64(), cpu_secs, peak_mb })
    }

    /// The output of a command.
    pub fn output(&self, args: &[&str]) -> Outcome<String> {
        Ok(String::from_utf8(self.command(args).stderr(Stdio::inherit()).output()?.stdout)?)
    }

    /// Starts the site; returns once it accepts connections, when everything is loaded.
    pub fn serve(&self) -> Outcome<Site> {
        let began = Instant::now();
        let mut child = self.command(&["serve", "--listen", "127.0.0.1:0"]).stdout(Stdio::piped()).spawn()?;
        let mut lines = BufReader::new(child.stdout.take().ok_or("no output")?).lines();
        let address = loop {
            let line = lines.next().ok_or("the site ended before it listened")??;
            if let Some(address) = line.strip_prefix("listening on http://") {
                break address.parse()?;
            }
        };
        Ok(Site { child, address, ready_after: began.elapsed() })
    }
}

/// A running site; killed when dropped.
pub struct Site {
    child: Child,
    pub address: SocketAddr,
    pub ready_after: Duration,
}

impl Site {
    pub fn memory(&self) -> String {
        let mb = |name: &str| status(self.child.id(), name).unwrap_or_default() / MB;
        format!("{} MB ({} MB own, {} MB of mapped files)", mb("VmRSS:"), mb("RssAnon:"), mb("RssFile:"))
    }

    /// Stops the site as an operator does.
    pub fn stop(mut self) -> Outcome<()> {
        Command::new("kill").arg(self.child.id().to_string()).status()?;
        self.child.wait()?;
        Ok(())
    }

    /// Stops the site as a power failure does.
    pub fn kill(mut self) -> Outcome<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        // Usually it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A figure of a process in bytes.
pub fn status(pid: u32, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1_024)
}

/// Processor seconds of a process, all threads together.
pub fn cpu(pid: u32) -> Option<f64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = text.rsplit_once(") ")?.1.split(' ').collect();
    let ticks = fields.get(11)?.parse::<f64>().ok()? + fields.get(12)?.parse::<f64>().ok()?;
    Some(ticks / 100.0)
}

/// Sizes of database and index.
pub fn sizes(dir: &Path) -> Outcome<String> {
    let index = std::fs::read_dir(dir.join("search"))?
        .try_fold(0, |sum, file| Ok::<u64, std::io::Error>(sum + file?.metadata()?.len()))?;
    let database = std::fs::metadata(dir.join("apogee.db"))?.len();
    Ok(format!("database {} MB, index {} MB", database / MB, index / MB))
}
