//! Suggestions among 2.7 million players and 100,000 guilds: time per answer, size, memory, start; next to SQLite FTS5
//! and, when `APOGEE_BENCH_PG` holds a Postgres URL, `text_pattern_ops` and trigrams there (timed inside the server).
//! `APOGEE_BENCH_PLAYERS`, `APOGEE_BENCH_GUILDS` set other numbers; `APOGEE_BENCH_ONLY=1` leaves the others out.

use std::collections::HashSet;
use std::error::Error;
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use apogee::search::{Change, Entry, Kind, Matched, SearchError, SearchIndex};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

type Outcome<T> = Result<T, Box<dyn Error>>;

const QUERIES: usize = 2_000;

fn main() -> Outcome<()> {
    let number = |name: &str, usual: usize| std::env::var(name).map_or(Ok(usual), |text| text.parse());
    let (players, guilds) = (number("APOGEE_BENCH_PLAYERS", 2_700_000)?, number("APOGEE_BENCH_GUILDS", 100_000)?);
    let dir = tempfile::tempdir()?;
    let folder = dir.path().join("search");
    let people = People::new(players, guilds);
    println!("{players} players, {guilds} guilds; {}", memory()?);

    let (index, _) = SearchIndex::open(&folder)?;
    let begun = Instant::now();
    index.rebuild(people.entries().map(Ok::<_, SearchError>), 1, |_| ())?;
    println!(
        "rebuilt in {:.1} s, {:.1} MB on disk; {}",
        begun.elapsed().as_secs_f64(),
        size(&folder)? as f64 / 1e6,
        memory()?
    );
    drop(index);
    let asked = people.queries();
    let rows = people.rows();
    drop(people);

    println!("before opening: {}", memory()?);
    let begun = Instant::now();
    let (index, opened) = SearchIndex::open(&folder)?;
    println!("opened in {:.2} s ({opened:?}); {}", begun.elapsed().as_secs_f64(), memory()?);
    ask_all(&index, &asked)?;
    println!("after the queries: {}", memory()?);

    let begun = Instant::now();
    let mut random = Random(99);
    for round in 0..200 {
        let changes = (0..100).map(|_| {
            let (id, score) = (random.popular(players) as i64, random.tail(900_000.0));
            Change::Score { kind: Kind::Player, id, score }
        });
        index.apply(changes.collect(), round + 2)?;
    }
    println!(
        "20,000 changes of score taken over in {:.2} s, {} waiting",
        begun.elapsed().as_secs_f64(),
        index.waiting()
    );
    println!("with those in memory:");
    ask_all(&index, &asked)?;
    let begun = Instant::now();
    index.flush()?;
    println!("committed in {:.2} s; {}; with a second segment:", begun.elapsed().as_secs_f64(), memory()?);
    ask_all(&index, &asked)?;
    drop(index);

    if std::env::var_os("APOGEE_BENCH_ONLY").is_none() {
        fts5(&dir.path().join("fts5.db"), &rows, &asked)?;
        match std::env::var("APOGEE_BENCH_PG") {
            Ok(url) => postgres(&url, &rows, &asked)?,
            Err(_) => println!("Postgres: not measured, APOGEE_BENCH_PG is not set"),
        }
    }
    Ok(())
}

/// What to ask, by name of the group.
struct Asked {
    groups: Vec<(String, Kind, Vec<String>)>,
}

fn ask_all(index: &SearchIndex, asked: &Asked) -> Outcome<()> {
    for (name, kind, texts) in &asked.groups {
        let mut times = Vec::with_capacity(texts.len());
        let (mut found, mut typos) = (0, 0);
        for text in texts {
            let begun = Instant::now();
            let hits = black_box(index.suggest(*kind, text, 8)?);
            times.push(begun.elapsed());
            found += usize::from(!hits.is_empty());
            typos += usize::from(hits.first().is_some_and(|hit| hit.matched == Matched::Typo));
        }
        line(name, &mut times, &format!("{found} of {} found, {typos} by typo", texts.len()));
    }
    Ok(())
}

fn line(what: &str, times: &mut [Duration], more: &str) {
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_nanos() as f64 / 1e6;
    println!("  {what:<26} p50 {:>8.4} ms   p99 {:>8.4} ms   {more}", at(0.5), at(0.99));
}

fn memory() -> Outcome<String> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let megabytes = |name: &str| -> Outcome<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).ok_or("no such figure")?;
        Ok(line.split_whitespace().next().unwrap_or_default().parse::<u64>()? / 1_000)
    };
    Ok(format!(
        "resident {} MB (own {}, mapped files {}), most so far {}",
        megabytes("VmRSS:")?,
        megabytes("RssAnon:")?,
        megabytes("RssFile:")?,
        megabytes("VmHWM:")?
    ))
}

fn size(folder: &Path) -> Outcome<u64> {
    std::fs::read_dir(folder)?.try_fold(0, |sum, file| Ok(sum + file?.metadata()?.len()))
}

/// Invented names: all of them are put together from these words, numbers and signs.
struct People {
    players: Vec<(String, i64)>,
    guilds: Vec<(String, String, i64)>,
}

const FIRST: [&str; 60] = [
    "dark", "star", "captain", "shadow", "night", "iron", "red", "silent", "ghost", "wolf", "nova", "void", "storm",
    "cyber", "lone", "mad", "old", "sir", "doc", "space", "blue", "frost", "fire", "lucky", "mister", "orbit",
    "quantum", "raven", "silver", "thunder", "ultra", "viper", "wild", "xeno", "young", "zero", "alpha", "bravo",
    "crazy", "delta", "echo", "fox", "grim", "happy", "icy", "jolly", "king", "lord", "mega", "neo", "omega", "pixel",
    "queen", "royal", "solar", "tiny", "uber", "vagrant", "white", "yellow",
];
const SECOND: [&str; 60] = [
    "knight", "pilot", "hunter", "walker", "rider", "hauler", "miner", "trader", "smuggler", "ranger", "citizen",
    "runner", "wolf", "bear", "hawk", "eagle", "dragon", "killer", "gamer", "master", "smith", "son", "dog", "cat",
    "fish", "bird", "blade", "gun", "hammer", "shield", "storm", "fall", "light", "moon", "sun", "wing", "heart",
    "eye", "hand", "foot", "one", "man", "boy", "girl", "lady", "queen", "king", "baron", "duke", "monk", "nomad",
    "pirate", "reaper", "scout", "titan", "viking", "wizard", "zealot", "ace", "fox",
];
const SYLLABLES: [&str; 40] = [
    "ka", "ro", "mi", "ta", "lu", "ne", "sho", "vi", "dra", "kel", "zan", "or", "ex", "ul", "fen", "gar", "hal", "in",
    "jo", "ky", "lar", "mor", "nix", "os", "pra", "qui", "ras", "sil", "tor", "un", "ver", "wyn", "xa", "yor", "zu",
    "be", "ce", "di", "fo", "gi",
];

impl People {
    fn new(players: usize, guilds: usize) -> Self {
        let mut random = Random(2_700);
        let mut taken = HashSet::with_capacity(players);
        while taken.len() < players {
            taken.insert(random.handle());
        }
        let mut names: Vec<String> = taken.into_iter().collect();
        names.sort_unstable_by_key(|name| {
            name.bytes().fold(7_u64, |sum, b| sum.wrapping_mul(1_099_511_628_211) ^ u64::from(b))
        });
        let mut scores: Vec<i64> = names.iter().map(|_| random.tail(900_000.0)).collect();
        scores.sort_unstable_by_key(|score| -score);
        let mut guilds: Vec<_> = (0..guilds)
            .map(|n| {
                let mut tag = random.syllables(3).to_uppercase();
                tag.truncate(4);
                let _ = write!(tag, "{n:X}");
                let name = format!(
                    "{} {} {}",
                    capital(random.pick(&FIRST)),
                    capital(random.pick(&SECOND)),
                    capital(&random.syllables(2))
                );
                (tag, name, random.tail(9_000_000.0))
            })
            .collect();
        guilds.sort_by_key(|(_, _, score)| -score);
        Self { players: names.into_iter().zip(scores).collect(), guilds }
    }

    fn entries(&self) -> impl Iterator<Item = Entry> {
        let players = self.players.iter().enumerate().map(|(id, (key, score))| Entry {
            kind: Kind::Player,
            id: id as i64,
            key: key.clone(),
            name: if id % 5 == 0 { key.replace(['_', '-'], " ") } else { key.clone() },
            former: if id % 50 == 0 { vec![format!("ex{key}")] } else { vec![] },
            org_short: (id % 3 == 0).then(|| format!("ORG{}", id % 9_999)),
            score: *score,
            member_count: 0,
            is_claimed: id % 100 == 0,
        });
        let guilds = self.guilds.iter().enumerate().map(|(id, (tag, name, score))| Entry {
            kind: Kind::Guild,
            id: id as i64,
            key: tag.clone(),
            name: name.clone(),
            former: vec![],
            org_short: None,
            score: *score,
            member_count: 1 + id as i64 % 900,
            is_claimed: false,
        });
        players.chain(guilds)
    }

    /// Handles and scores for the others, best first.
    fn rows(&self) -> Vec<(String, i64)> {
        self.players.clone()
    }

    fn queries(&self) -> Asked {
        let mut random = Random(5);
        let mut groups = Vec::new();
        let some = |random: &mut Random| self.players[random.below(self.players.len())].0.clone();
        for chars in 1..=8 {
            let texts = (0..QUERIES).map(|_| some(&mut random).chars().take(chars).collect()).collect();
            groups.push((format!("hits, {chars} characters"), Kind::Player, texts));
        }
        let texts = (0..QUERIES).map(|_| some(&mut random)).collect();
        groups.push(("hits, whole handle".to_owned(), Kind::Player, texts));
        let texts = (0..QUERIES).map(|_| some(&mut random).chars().take(12).collect()).collect();
        groups.push(("hits, 12 characters".to_owned(), Kind::Player, texts));
        let texts = (0..QUERIES).map(|_| format!("q{}", random.below(99))).map(|text| text.chars().take(3).collect());
        groups.push(("misses, 3 characters".to_owned(), Kind::Player, texts.collect()));
        for chars in [4, 5, 6, 8, 12] {
            let texts = (0..QUERIES).map(|_| {
                let mut text: Vec<char> = some(&mut random).chars().take(chars).collect();
                let at = random.below(text.len());
                text[at] = ['q', 'x', '7', 'j'][random.below(4)];
                String::from_iter(text)
            });
            groups.push((format!("one typo, {chars} characters"), Kind::Player, texts.collect()));
        }
        let texts = (0..QUERIES).map(|_| format!("qx{}zj", random.below(9_999_999)));
        groups.push(("misses, 5 to 11 characters".to_owned(), Kind::Player, texts.collect()));
        let texts =
            (0..QUERIES).map(|n| self.guilds[random.below(self.guilds.len())].1.chars().take(2 + n % 7).collect());
        groups.push(("guilds, 2 to 8 characters".to_owned(), Kind::Guild, texts.collect()));
        Asked { groups }
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(letters).collect()
}

/// SplitMix64, and what is drawn from it.
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

    /// Most have little, few have much.
    fn tail(&mut self, most: f64) -> i64 {
        (most.powf(self.share().powi(3)) - 1.0) as i64
    }

    /// The best play most.
    fn popular(&mut self, most: usize) -> usize {
        (self.share().powi(3) * most as f64) as usize
    }

    fn pick<'a>(&mut self, words: &[&'a str]) -> &'a str {
        words[self.below(words.len())]
    }

    fn syllables(&mut self, count: usize) -> String {
        (0..count).map(|_| self.pick(&SYLLABLES)).collect()
    }

    fn handle(&mut self) -> String {
        let sign = self.pick(&["", "", "", "_", "_", "-"]);
        let (first, second) = match self.below(4) {
            0 => (self.pick(&FIRST).to_owned(), self.pick(&SECOND).to_owned()),
            1 => (self.pick(&FIRST).to_owned(), self.syllables(2)),
            2 => (self.syllables(2), self.pick(&SECOND).to_owned()),
            _ => (self.syllables(2), self.syllables(1)),
        };
        match self.below(3) {
            0 => format!("{}{sign}{}", capital(&first), capital(&second)),
            1 => format!("{first}{sign}{second}{}", self.below(100)),
            _ => format!("{}{sign}{second}{}", capital(&first), self.below(10_000)),
        }
    }
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = diesel::sql_types::Text)]
    handle: String,
}

/// Rows in score order, so that the first of a prefix are the best: the fastest way to ask FTS5.
fn fts5(path: &Path, rows: &[(String, i64)], asked: &Asked) -> Outcome<()> {
    let mut connection = SqliteConnection::establish(&path.display().to_string())?;
    connection.batch_execute("pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -65536; pragma mmap_size = 1073741824")?;
    if let Err(error) = connection.batch_execute(
        "create virtual table names using fts5(handle, tokenize = \"unicode61 tokenchars '_-'\", prefix = '1 2 3 4 5 6 7 8', detail = none)",
    ) {
        println!("SQLite FTS5: not measured ({error})");
        return Ok(());
    }
    let begun = Instant::now();
    connection.batch_execute("begin")?;
    for chunk in rows.chunks(500) {
        let values: Vec<String> = chunk.iter().map(|(handle, _)| format!("('{handle}')")).collect();
        connection.batch_execute(&format!("insert into names (handle) values {}", values.join(",")))?;
    }
    connection.batch_execute("insert into names (names) values ('optimize'); commit")?;
    println!(
        "SQLite FTS5 (no typos, no guilds, no order but that of loading): built in {:.1} s, {:.1} MB on disk",
        begun.elapsed().as_secs_f64(),
        std::fs::metadata(path)?.len() as f64 / 1e6
    );
    for (name, kind, texts) in &asked.groups {
        if *kind == Kind::Guild || name.starts_with("one typo") {
            continue;
        }
        let mut times = Vec::with_capacity(texts.len());
        let mut found = 0;
        for text in texts {
            let begun = Instant::now();
            let hits: Vec<Found> =
                diesel::sql_query("select handle from names where names match ? order by rowid limit 8")
                    .bind::<diesel::sql_types::Text, _>(format!("\"{text}\"*"))
                    .load(&mut connection)?;
            times.push(begun.elapsed());
            found += usize::from(hits.first().is_some_and(|hit| !hit.handle.is_empty()));
        }
        line(name, &mut times, &format!("{found} of {} found", texts.len()));
    }
    Ok(())
}

/// Loads a table of our own, asks in a loop inside the server, drops the table.
fn postgres(url: &str, rows: &[(String, i64)], asked: &Asked) -> Outcome<()> {
    let mut psql = Command::new("psql").args([url, "-qAtX", "-v", "ON_ERROR_STOP=1"]).stdin(Stdio::piped()).spawn()?;
    let mut to = std::io::BufWriter::new(psql.stdin.take().ok_or("psql takes no input")?);
    writeln!(to, "\\set QUIET on\nset client_min_messages = notice;\ncreate extension if not exists pg_trgm;")?;
    writeln!(to, "drop table if exists bench_names; create table bench_names (handle text, low text, score bigint);")?;
    writeln!(to, "copy bench_names from stdin;")?;
    for (handle, score) in rows {
        writeln!(to, "{handle}\t{}\t{score}", handle.to_lowercase())?;
    }
    writeln!(
        to,
        "\\.\ncreate index on bench_names (low text_pattern_ops); create index on bench_names using gin (low gin_trgm_ops); analyze bench_names;"
    )?;
    writeln!(to, "create temp table asked (name text, word text);\ncopy asked from stdin;")?;
    for (name, kind, texts) in asked.groups.iter().filter(|(_, kind, _)| *kind == Kind::Player) {
        debug_assert_eq!(*kind, Kind::Player);
        // A typo costs it tens of milliseconds: fewer of each.
        for text in texts.iter().take(100) {
            writeln!(to, "{name}\t{}", text.to_lowercase().replace('_', "\\\\_"))?;
        }
    }
    write!(
        to,
        "\\.\ncreate temp table took (name text, ms float);\n\
         do $$ declare a record; t timestamptz; begin for a in select * from asked loop t := clock_timestamp();\n\
         if a.name like 'one typo%' then perform handle from bench_names where low % a.word order by similarity(low, a.word) desc limit 8;\n\
         else execute format('select handle from bench_names where low like %L order by score desc limit 8', a.word || '%'); end if;\n\
         insert into took values (a.name, extract(epoch from clock_timestamp() - t) * 1000); end loop; end $$;\n\
         select 'Postgres: prefixes by text_pattern_ops, typos by trigrams, timed in the server';\n\
         select format('  %s p50 %s ms   p99 %s ms', rpad(name, 26), round((percentile_disc(0.5) within group (order by ms))::numeric, 4), \
         round((percentile_disc(0.99) within group (order by ms))::numeric, 4)) from took group by name order by name;\n\
         drop table bench_names;\n"
    )?;
    drop(to);
    let ended = psql.wait()?;
    if !ended.success() {
        println!("Postgres: not measured, psql ended with {ended}");
    }
    Ok(())
}
