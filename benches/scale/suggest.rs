//! Suggestions inside the process, compared with SQLite FTS5 and PostgreSQL over the same handles.

use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use apogee::search::{Change, Kind, MatchKind, SearchIndex};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;

use super::Outcome;
use super::people::{Group, People, Queries, Random};
use super::report::{Report, p50_p99};

/// Fewer queries, because some take PostgreSQL tens of milliseconds.
const POSTGRES_QUERIES: usize = 100;

pub fn measure(dir: &Path, scratch: &Path, people: &People, queries: &Queries, report: &mut Report) -> Outcome<()> {
    // A copy, so that the site's index is unchanged.
    let copy = scratch.join("search");
    std::fs::create_dir_all(&copy)?;
    for file in std::fs::read_dir(dir.join("search"))? {
        let file = file?;
        std::fs::copy(file.path(), copy.join(file.file_name()))?;
    }
    let began = Instant::now();
    let (index, opened) = SearchIndex::open(&copy)?;
    report.say(&format!(
        "index opened in {:.2} s ({opened:?}), {} entries",
        began.elapsed().as_secs_f64(),
        index.len()
    ));
    let apogee = queries.groups.iter().map(|group| ours(&index, group)).collect::<Outcome<Vec<_>>>()?;

    let mut random = Random(99);
    let changes = (0..20_000).map(|_| Change::Score {
        kind: Kind::Player,
        id: 1 + random.below(people.players.len()) as i64,
        score: random.below(100_000) as i64,
    });
    index.apply(changes.collect(), i64::MAX / 2)?;
    let waiting = index.pending();
    let aged = queries.groups.iter().map(|group| ours(&index, group)).collect::<Outcome<Vec<_>>>()?;
    drop(index);
    std::fs::remove_dir_all(&copy)?;

    let fts5 = fts5(&scratch.join("fts5.db"), people, queries, report)?;
    let postgres = match std::env::var("APOGEE_BENCH_PG").or_else(|_| std::env::var("TEST_PG_URL")) {
        Ok(url) => postgres(&url, people, queries, report)?,
        Err(_) => {
            report.say("PostgreSQL is not measured: neither APOGEE_BENCH_PG nor TEST_PG_URL is set");
            vec![None; queries.groups.len()]
        }
    };
    for (at, group) in queries.groups.iter().enumerate() {
        let aim = if group.is_typo { "p99 under 3 ms" } else { "0.1 / 1 ms" };
        let others = [("FTS5", &fts5[at]), ("Postgres", &postgres[at])];
        let others = others.map(|(name, figure)| match figure {
            Some(figure) => format!("{name} {figure}"),
            None => format!("{name} –"),
        });
        let mine = format!("{}; with {waiting} changed scores {}", apogee[at], aged[at]);
        report.row(&format!("suggestion, {}", group.name), &mine, aim, &others.join(", "));
    }
    Ok(())
}

fn ours(index: &SearchIndex, group: &Group) -> Outcome<String> {
    let mut times = Vec::with_capacity(group.texts.len());
    let (mut found, mut typos) = (0, 0);
    for text in &group.texts {
        let began = Instant::now();
        let hits = black_box(index.suggest(group.kind, text, 8)?);
        times.push(began.elapsed());
        found += usize::from(!hits.is_empty());
        typos += usize::from(hits.first().is_some_and(|hit| hit.matched == MatchKind::Typo));
    }
    let found = (100 * found).div_ceil(group.texts.len());
    let by_typo = if typos > 0 { format!(", {} % by typo", 100 * typos / group.texts.len()) } else { String::new() };
    Ok(format!("{} ({found} % found{by_typo})", p50_p99(&mut times)))
}

#[derive(QueryableByName)]
struct Found {
    #[diesel(sql_type = diesel::sql_types::Text)]
    handle: String,
}

/// Rows are inserted in order of scores, so that the first matches of a prefix are the best: the fastest use of FTS5. It finds no
/// typos, and the order becomes stale when scores change.
fn fts5(path: &Path, people: &People, queries: &Queries, report: &mut Report) -> Outcome<Vec<Option<String>>> {
    let mut conn = SqliteConnection::establish(&path.display().to_string())?;
    conn.batch_execute(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -65536; PRAGMA mmap_size = 1073741824",
    )?;
    let made = conn.batch_execute(
        "CREATE VIRTUAL TABLE names USING fts5(handle, tokenize = \"unicode61 tokenchars '_-'\", prefix = '1 2 3 4 5 6 7 8', detail = none)",
    );
    if let Err(error) = made {
        report.say(&format!("SQLite FTS5 is not measured: {error}"));
        return Ok(vec![None; queries.groups.len()]);
    }
    let began = Instant::now();
    conn.batch_execute("BEGIN")?;
    for chunk in people.players.chunks(500) {
        let values: Vec<String> = chunk.iter().map(|(handle, _)| format!("('{handle}')")).collect();
        conn.batch_execute(&format!("INSERT INTO names (handle) VALUES {}", values.join(",")))?;
    }
    conn.batch_execute("INSERT INTO names (names) VALUES ('optimize'); COMMIT")?;
    let (secs, megabytes) = (began.elapsed().as_secs_f64(), std::fs::metadata(path)?.len() / 1_000_000);
    report.say(&format!("SQLite FTS5 built in {secs:.0} s, {megabytes} MB"));
    let mut figures = Vec::with_capacity(queries.groups.len());
    for group in &queries.groups {
        if group.kind == Kind::Guild || group.is_typo {
            figures.push(None);
            continue;
        }
        let mut times = Vec::with_capacity(group.texts.len());
        for text in &group.texts {
            let began = Instant::now();
            let query = diesel::sql_query("SELECT handle FROM names WHERE names MATCH ? ORDER BY rowid LIMIT 8");
            let hits: Vec<Found> = query.bind::<diesel::sql_types::Text, _>(format!("\"{text}\"*")).load(&mut conn)?;
            times.push(began.elapsed());
            black_box(hits.first().map(|hit| hit.handle.len()));
        }
        figures.push(Some(p50_p99(&mut times)));
    }
    drop(conn);
    std::fs::remove_file(path)?;
    Ok(figures)
}

/// Loads a table, queries it in a loop inside the server (without the cost of a socket), and drops the table.
fn postgres(url: &str, people: &People, queries: &Queries, report: &mut Report) -> Outcome<Vec<Option<String>>> {
    let mut psql = match Command::new("psql")
        .args([url, "-qAtX", "-v", "ON_ERROR_STOP=1"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
    {
        Ok(psql) => psql,
        Err(error) => {
            report.say(&format!("Postgres is not measured: psql could not be started ({error})"));
            return Ok(vec![None; queries.groups.len()]);
        }
    };
    let began = Instant::now();
    let mut to = std::io::BufWriter::new(psql.stdin.take().ok_or("psql takes no input")?);
    write!(to, "create extension if not exists pg_trgm;\ndrop table if exists bench_names;\n")?;
    write!(to, "create table bench_names (handle text, low text, score bigint);\ncopy bench_names from stdin;\n")?;
    for (handle, scores) in &people.players {
        writeln!(to, "{handle}\t{}\t{}", handle.to_lowercase(), scores.overall())?;
    }
    write!(
        to,
        "\\.\ncreate index on bench_names (low text_pattern_ops);\n\
         create index on bench_names using gin (low gin_trgm_ops);\nanalyze bench_names;\n\
         create temp table queries (at int, is_typo bool, word text);\ncopy queries from stdin;\n"
    )?;
    for (at, group) in queries.groups.iter().enumerate().filter(|(_, group)| group.kind == Kind::Player) {
        for text in group.texts.iter().take(POSTGRES_QUERIES) {
            writeln!(to, "{at}\t{}\t{}", group.is_typo, text.to_lowercase())?;
        }
    }
    write!(
        to,
        "\\.\ncreate temp table took (at int, ms float);\n\
         do $$ declare a record; t timestamptz; begin for a in select * from queries loop t := clock_timestamp();\n\
         if a.is_typo then perform handle from bench_names where low % a.word order by similarity(low, a.word) desc limit 8;\n\
         else execute format('select handle from bench_names where low like %L order by score desc limit 8', replace(a.word, '_', '\\_') || '%'); end if;\n\
         insert into took values (a.at, extract(epoch from clock_timestamp() - t) * 1000); end loop; end $$;\n\
         select format('%s %s %s', at, round((percentile_disc(0.5) within group (order by ms))::numeric, 2), \
         round((percentile_disc(0.99) within group (order by ms))::numeric, 2)) from took group by at order by at;\n\
         drop table bench_names;\n"
    )?;
    drop(to);
    let printed = psql.wait_with_output()?;
    let mut figures = vec![None; queries.groups.len()];
    if !printed.status.success() {
        report.say(&format!("Postgres is not measured: psql ended with {}", printed.status));
        return Ok(figures);
    }
    for line in String::from_utf8(printed.stdout)?.lines() {
        let mut parts = line.split(' ');
        if let (Some(at), Some(p50), Some(p99)) = (parts.next(), parts.next(), parts.next()) {
            figures[at.parse::<usize>()?] = Some(format!("{p50} / {p99} ms"));
        }
    }
    let took: Duration = began.elapsed();
    report.say(&format!("Postgres loaded and queried in {:.0} s", took.as_secs_f64()));
    Ok(figures)
}
