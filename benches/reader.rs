//! Memory and processor time of a running log reader, while no log grows and while one does.
//!
//! Runs the program with and without its page. `APOGEE_BENCH_SECONDS` sets the duration (default 30). Reads `/proc`, so it needs
//! Linux.

use std::fs::File;
use std::io::Write;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const SAMPLE: &[u8] = include_bytes!("../tests/data/gamelog/pu-4.1.0-fights.log");
/// Clock ticks per second in `/proc/PID/stat`, on every current Linux.
const TICKS: f64 = 100.0;

fn main() {
    let seconds = std::env::var("APOGEE_BENCH_SECONDS").ok().and_then(|text| text.parse().ok()).unwrap_or(30);
    for (name, flags) in [("terminal", &[][..]), ("with its page", &["--open"][..])] {
        let root = tempfile::tempdir().expect("a temporary directory");
        let live = root.path().join("StarCitizen/LIVE");
        std::fs::create_dir_all(live.join("logbackups")).expect("a directory");
        let mut log = File::create(live.join("Game.log")).expect("a log");
        log.write_all(SAMPLE).expect("space on the disk");
        let mut reader = start(root.path(), &live, flags);
        std::thread::sleep(Duration::from_secs(5));
        let idle = watch(reader.id(), seconds, || {});
        let busy =
            watch(reader.id(), seconds, || log.write_all(&SAMPLE[..SAMPLE.len() / 20]).expect("space on the disk"));
        println!("{name}, nothing written: {idle}");
        println!("{name}, {} KB/s written: {busy}", SAMPLE.len() / 20 / 1000);
        reader.kill().expect("the reader ends");
        reader.wait().expect("the reader ends");
    }
}

fn start(home: &Path, live: &Path, flags: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_apogee"));
    // Uploads fail, so that the queue works too.
    command.env_clear().env("HOME", home).args(["watch", "--server", "http://127.0.0.1:9", "--key", "none"]);
    command.args(flags).arg(live).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().expect("the program starts")
}

fn watch(id: u32, seconds: u64, mut act: impl FnMut()) -> String {
    let before = ticks(id);
    for _ in 0..seconds {
        act();
        std::thread::sleep(Duration::from_secs(1));
    }
    let used = (ticks(id) - before) as f64 / TICKS / seconds as f64 * 100.0;
    let [all, own, file] = ["VmRSS", "RssAnon", "RssFile"].map(|name| memory(id, name));
    format!("{used:.2} % of one core, {all:.1} MB resident ({own:.1} private, {file:.1} mapped from files)")
}

fn ticks(id: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).expect("the reader runs");
    let fields: Vec<&str> = stat.rsplit_once(") ").expect("a name in brackets").1.split(' ').collect();
    fields[11].parse::<u64>().expect("a number") + fields[12].parse::<u64>().expect("a number")
}

fn memory(id: u32, name: &str) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).expect("the reader runs");
    let line = status.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':')).expect("a line");
    line.trim().trim_end_matches(" kB").trim().parse::<f64>().expect("a number") / 1000.0
}
