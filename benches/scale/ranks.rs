//! Exact ranks of all players in all metrics, compared with sorted sets of Redis for one of them.

use std::hint::black_box;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use apogee::domain::ranks::Ranks;
use apogee::domain::scores::{Metric, Scores};

use super::Outcome;
use super::people::{People, Random};
use super::report::{Report, p50_p99};

const ROUNDS: usize = 200_000;

pub fn measure(people: &People, scratch: &Path, report: &mut Report) -> Outcome<()> {
    let mut all: Vec<Scores> = people.players.iter().map(|(_, scores)| *scores).collect();
    let mut random = Random(7);
    let mut ranks: Ranks = all.iter().copied().collect();
    let morning = ranks.clone();
    let mut times = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let who = random.below(all.len());
        let (old, mut new) = (all[who], all[who]);
        new.pve_kills += 1 + random.below(3) as i64;
        new.playtime += random.below(600) as i64;
        let began = Instant::now();
        ranks.change(&old, &new);
        for metric in Metric::ALL {
            black_box(ranks[metric].rank(new.get(metric)));
        }
        times.push(began.elapsed());
        all[who] = new;
    }
    let (bytes, both) = (ranks.heap_bytes(), ranks.heap_bytes() + morning.heap_bytes());
    drop(morning);
    let redis = match Redis::start(scratch) {
        Ok(mut redis) => redis.measure(&all, &mut random)?,
        Err(error) => {
            report.say(&format!("Redis is not measured: redis-server could not be started ({error})"));
            [const { String::new() }; 2]
        }
    };
    let what = "one player's update, then the exact ranks in all metrics";
    report.row(what, &p50_p99(&mut times), "under 0.02 ms", &redis[0]);
    let memory =
        format!("{:.1} MB; with yesterday's, sharing nothing, {:.1} MB at most", bytes as f64 / 1e6, both as f64 / 1e6);
    report.row("memory of all ranks", &memory, "under 64 MB", &redis[1]);
    Ok(())
}

/// A Redis server with a socket in a temporary directory.
struct Redis {
    server: Child,
    stream: BufReader<UnixStream>,
}

impl Redis {
    fn start(scratch: &Path) -> Outcome<Self> {
        let socket = scratch.join("redis.sock");
        let mut server = Command::new("redis-server")
            .args(["--port", "0", "--save", "", "--appendonly", "no", "--unixsocket"])
            .arg(&socket)
            .current_dir(scratch)
            .stdout(Stdio::null())
            .spawn()?;
        let began = Instant::now();
        let stream = loop {
            match UnixStream::connect(&socket) {
                Ok(stream) => break stream,
                Err(error) if began.elapsed() > Duration::from_secs(10) => {
                    server.kill()?;
                    return Err(error.into());
                }
                Err(_) => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        Ok(Self { server, stream: BufReader::new(stream) })
    }

    fn measure(&mut self, all: &[Scores], random: &mut Random) -> Outcome<[String; 2]> {
        let before = self.memory()?;
        for (chunk, players) in all.chunks(1_000).enumerate() {
            let mut command = format!("*{}\r\n$4\r\nZADD\r\n$1\r\nr\r\n", 2 + 2 * players.len());
            for (n, scores) in players.iter().enumerate() {
                let (score, member) = (scores.overall().to_string(), (chunk * 1_000 + n).to_string());
                command += &format!("${}\r\n{score}\r\n${}\r\n{member}\r\n", score.len(), member.len());
            }
            self.call(&command)?;
        }
        let memory = (self.memory()? - before) as f64 / 1e6;
        let (mut ranks, mut both) = (Vec::with_capacity(ROUNDS / 4), Vec::with_capacity(ROUNDS / 4));
        for _ in 0..ROUNDS / 4 {
            let who = random.below(all.len()).to_string();
            let began = Instant::now();
            self.call(&format!("*4\r\n$7\r\nZINCRBY\r\n$1\r\nr\r\n$1\r\n1\r\n${}\r\n{who}\r\n", who.len()))?;
            let middle = Instant::now();
            self.call(&format!("*3\r\n$8\r\nZREVRANK\r\n$1\r\nr\r\n${}\r\n{who}\r\n", who.len()))?;
            ranks.push(middle.elapsed());
            both.push(began.elapsed());
        }
        let (both, alone) = (p50_p99(&mut both), p50_p99(&mut ranks));
        Ok([
            format!("Redis, one metric: ZINCRBY and ZREVRANK {both}, ZREVRANK alone {alone}, over a local socket"),
            format!("Redis, one metric: {memory:.0} MB"),
        ])
    }

    /// Sends one command; returns the first line of the reply.
    fn call(&mut self, command: &str) -> Outcome<String> {
        self.stream.get_mut().write_all(command.as_bytes())?;
        let mut answer = String::new();
        self.stream.read_line(&mut answer)?;
        if let Some(len) = answer.strip_prefix('$') {
            let mut bulk = vec![0; len.trim().parse::<usize>()? + 2];
            self.stream.read_exact(&mut bulk)?;
            return Ok(String::from_utf8(bulk)?);
        }
        if answer.starts_with('-') { Err(answer.into()) } else { Ok(answer) }
    }

    fn memory(&mut self) -> Outcome<i64> {
        let info = self.call("*2\r\n$4\r\nINFO\r\n$6\r\nmemory\r\n")?;
        let used = info.lines().find_map(|line| line.strip_prefix("used_memory:"));
        Ok(used.ok_or("Redis did not report its memory")?.trim().parse()?)
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        if let Err(error) = self.server.kill().and_then(|()| self.server.wait()) {
            println!("redis-server could not be stopped: {error}");
        }
    }
}
