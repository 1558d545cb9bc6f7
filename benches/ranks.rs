//! Exact ranks of 2.7 million players in six metrics: time per change and rank, memory; next to Redis' ZREVRANK.
//! `APOGEE_BENCH_PLAYERS` sets another number. Redis is measured when `redis-server` is installed.

use std::error::Error;
use std::hint::black_box;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use apogee::domain::ranks::Ranks;
use apogee::domain::scores::{Metric, Scores};

type Outcome<T> = Result<T, Box<dyn Error>>;

const ROUNDS: usize = 200_000;

fn main() -> Outcome<()> {
    let players = std::env::var("APOGEE_BENCH_PLAYERS").map_or(Ok(2_700_000), |text| text.parse())?;
    let mut random = Random(7);
    let mut all: Vec<Scores> = (0..players).map(|_| scores(&mut random)).collect();
    println!("ranks of {players} players in {} metrics", Metric::ALL.len());

    let begun = Instant::now();
    let mut ranks: Ranks = all.iter().copied().collect();
    println!("  built in {:.2} s, {:.1} MB", begun.elapsed().as_secs_f64(), ranks.heap_bytes() as f64 / 1e6);

    let mut changes = Vec::with_capacity(ROUNDS);
    let mut lookups = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let who = random.below(players);
        let (old, mut new) = (all[who], all[who]);
        new.pve_kills += 1 + random.below(3) as i64;
        new.playtime += random.below(600) as i64;
        let begun = Instant::now();
        ranks.change(&old, &new);
        changes.push(begun.elapsed());
        all[who] = new;
        let begun = Instant::now();
        for metric in Metric::ALL {
            black_box(ranks.rank(metric, new.get(metric)));
        }
        lookups.push(begun.elapsed());
    }
    line("one player's change, six metrics", &mut changes);
    line("one player's ranks, six metrics", &mut lookups);
    let both: Vec<Duration> = changes.iter().zip(&lookups).map(|(a, b)| *a + *b).collect();
    line("change and ranks together", &mut { both });
    println!("  memory after the changes {:.1} MB", ranks.heap_bytes() as f64 / 1e6);

    match Redis::start() {
        Err(error) => println!("Redis: not measured, redis-server cannot be started ({error})"),
        Ok(mut redis) => redis.measure(&all, &mut random)?,
    }
    Ok(())
}

/// Most have little, few have much; half of those who were seen once never scored.
fn scores(random: &mut Random) -> Scores {
    let mut tail = |most: f64| ((most.powf(random.share().powi(3)) - 1.0) * random.share().round()) as i64;
    Scores {
        pu_player_kills: tail(50_000.0),
        pve_kills: tail(400_000.0),
        vehicle_destructions: tail(30_000.0),
        missions_completed: tail(20_000.0),
        playtime: tail(1e8) + random.below(100_000) as i64,
    }
}

fn line(what: &str, times: &mut [Duration]) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_nanos() as f64 / 1e3;
    println!("  {what:<34} p50 {:>8.2} us   p99 {:>8.2} us", at(0.5), at(0.99));
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn share(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn below(&mut self, most: usize) -> usize {
        (self.next() % most as u64) as usize
    }
}

/// A Redis of our own behind a socket in a folder of our own.
struct Redis {
    server: Child,
    stream: BufReader<UnixStream>,
    _dir: tempfile::TempDir,
}

impl Redis {
    fn start() -> Outcome<Self> {
        let dir = tempfile::tempdir()?;
        let socket = dir.path().join("redis.sock");
        let mut server = Command::new("redis-server")
            .args(["--port", "0", "--save", "", "--appendonly", "no", "--unixsocket"])
            .arg(&socket)
            .current_dir(dir.path())
            .stdout(Stdio::null())
            .spawn()?;
        let begun = Instant::now();
        let stream = loop {
            match UnixStream::connect(&socket) {
                Ok(stream) => break stream,
                Err(error) if begun.elapsed() > Duration::from_secs(10) => {
                    server.kill()?;
                    return Err(error.into());
                }
                Err(_) => std::thread::sleep(Duration::from_millis(10)),
            }
        };
        Ok(Self { server, stream: BufReader::new(stream), _dir: dir })
    }

    fn measure(&mut self, all: &[Scores], random: &mut Random) -> Outcome<()> {
        let before = self.memory()?;
        for (chunk, players) in all.chunks(1_000).enumerate() {
            let mut command = format!("*{}\r\n$4\r\nZADD\r\n$1\r\nr\r\n", 2 + 2 * players.len());
            for (n, scores) in players.iter().enumerate() {
                let (score, member) = (scores.overall().to_string(), (chunk * 1_000 + n).to_string());
                command += &format!("${}\r\n{score}\r\n${}\r\n{member}\r\n", score.len(), member.len());
            }
            self.ask(&command)?;
        }
        println!("Redis, one metric of the six, over a local socket");
        println!("  memory {:.1} MB", (self.memory()? - before) as f64 / 1e6);
        let mut times = Vec::with_capacity(ROUNDS / 4);
        let mut both = Vec::with_capacity(ROUNDS / 4);
        for _ in 0..ROUNDS / 4 {
            let who = random.below(all.len()).to_string();
            let begun = Instant::now();
            self.ask(&format!("*4\r\n$7\r\nZINCRBY\r\n$1\r\nr\r\n$1\r\n1\r\n${}\r\n{who}\r\n", who.len()))?;
            let middle = Instant::now();
            self.ask(&format!("*3\r\n$8\r\nZREVRANK\r\n$1\r\nr\r\n${}\r\n{who}\r\n", who.len()))?;
            times.push(middle.elapsed());
            both.push(begun.elapsed());
        }
        line("ZREVRANK", &mut times);
        line("ZINCRBY and ZREVRANK", &mut both);
        Ok(())
    }

    /// Sends one command, gives its first line of answer.
    fn ask(&mut self, command: &str) -> Outcome<String> {
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
        let info = self.ask("*2\r\n$4\r\nINFO\r\n$6\r\nmemory\r\n")?;
        let used = info.lines().find_map(|line| line.strip_prefix("used_memory:"));
        Ok(used.ok_or("Redis did not say its memory")?.trim().parse()?)
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        if let Err(error) = self.server.kill().and_then(|()| self.server.wait()) {
            println!("redis-server could not be stopped: {error}");
        }
    }
}
