//! Throughput of the log parser, compared with ripgrep searching for one text in the same file.
//!
//! The file repeats the sample sessions. The samples are thinned, so each of their irrelevant lines is written `NOISE` times, which
//! gives the share of relevant lines in a whole session. `APOGEE_BENCH_LOG=FILE` reads another file; `APOGEE_BENCH_MB` sets the
//! size (default 1024).

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use apogee_reader::read_ahead::ReadAhead;
use gamelog::{Counts, Ending, Grammar, Parser};

const SAMPLES: [&str; 3] = ["pu-4.1.0-fights", "pu-4.7.0-no-fights", "pu-4.1.0-reconnects"];
const NOISE: usize = 12;
const RUNS: usize = 9;
/// Texts in the relevant lines of a sample.
const RELEVANT: [&str; 17] = [
    "BackupNameAttachment",
    "FileVersion",
    "Branch:",
    "AccountLogin",
    "Legacy login",
    "Context Establisher Done",
    "Actor Death",
    "Vehicle Destruction",
    "SHUDEvent",
    "body_01_noMagicPocket",
    "ActorState]",
    "incap.!",
    "SystemQuit",
    "FastShutdown",
    "Channel Disconnected",
    "Expect Incoming",
    "Channel Created",
];

fn main() {
    let given = std::env::var_os("APOGEE_BENCH_LOG").map(PathBuf::from);
    let folder = tempfile::tempdir().expect("a temporary directory");
    let path = given.unwrap_or_else(|| {
        let megabytes = std::env::var("APOGEE_BENCH_MB").ok().and_then(|text| text.parse().ok()).unwrap_or(1024);
        write_sessions(&folder.path().join("Game.log"), megabytes * 1_000_000)
    });
    let bytes = std::fs::metadata(&path).expect("the log").len();
    println!("log: {:.0} MB", bytes as f64 / 1e6);

    // The two take turns, so that load on the machine affects both; the shortest run counts.
    let (mut ours, mut theirs, mut counts) = (Duration::MAX, Duration::MAX, Counts::default());
    let has_ripgrep = ripgrep(&path).is_some();
    for _ in 0..RUNS {
        let start = Instant::now();
        counts = read(&path);
        ours = ours.min(start.elapsed());
        theirs = theirs.min(ripgrep(&path).unwrap_or(Duration::MAX));
    }
    let Counts { lines, events, unknown_shapes, .. } = counts;
    println!("apogee: {} ({lines} lines, {events} events, {unknown_shapes} unknown shapes)", speed(bytes, ours));
    if has_ripgrep {
        println!("ripgrep '<Actor Death>': {}", speed(bytes, theirs));
        println!("apogee takes {:.2} times ripgrep's time", ours.as_secs_f64() / theirs.as_secs_f64());
    } else {
        println!("ripgrep: not installed, nothing to compare with");
    }
}

fn write_sessions(path: &Path, size: u64) -> PathBuf {
    let samples: Vec<Vec<u8>> = SAMPLES.iter().map(|name| thicken(name)).collect();
    let mut out = BufWriter::new(File::create(path).expect("a file to write"));
    let mut written = 0;
    for sample in samples.iter().cycle() {
        out.write_all(sample).expect("space on the disk");
        written += sample.len() as u64;
        if written >= size {
            break;
        }
    }
    out.flush().expect("space on the disk");
    path.to_owned()
}

fn thicken(name: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/gamelog");
    let sample = std::fs::read_to_string(folder.join(format!("{name}.log"))).expect("the sample");
    let mut out = Vec::new();
    for line in sample.split_inclusive('\n') {
        let times = if RELEVANT.iter().any(|text| line.contains(text)) { 1 } else { NOISE };
        for _ in 0..times {
            out.extend_from_slice(line.as_bytes());
        }
    }
    out
}

/// Opens and parses the whole file as the log reader does, in blocks.
fn read(path: &Path) -> Counts {
    let mut parser = Parser::new(Arc::new(Grammar::built_in().expect("the built-in grammar")));
    let pieces = ReadAhead::new(File::open(path).expect("the log")).expect("a thread");
    let mut piece = Vec::new();
    let mut events = 0u64;
    loop {
        piece = pieces.next(piece).expect("the log");
        if piece.is_empty() {
            break;
        }
        parser.feed(&piece, &mut |_| events += 1);
    }
    parser.finish(Ending::Closed, &mut |_| events += 1);
    assert_eq!(events, parser.counts().events);
    parser.counts()
}

/// `None` if ripgrep is not installed.
fn ripgrep(path: &Path) -> Option<Duration> {
    let start = Instant::now();
    let status = Command::new("rg").args(["-j1", "-c", "-F", "<Actor Death>"]).arg(path).stdout(Stdio::null()).status();
    status.is_ok_and(|status| status.success()).then(|| start.elapsed())
}

fn speed(bytes: u64, took: Duration) -> String {
    format!("{:.3} s, {:.0} MB/s", took.as_secs_f64(), bytes as f64 / 1e6 / took.as_secs_f64())
}
