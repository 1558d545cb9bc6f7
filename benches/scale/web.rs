//! The running site under load: start, suggestions, leaderboards, profiles, memory, and the next start after a kill.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use apogee::domain::scores::Metric;

use super::Outcome;
use super::http::{Load, escaped, get, load, send};
use super::people::{People, Queries, Random};
use super::process::{Apogee, Site};
use super::report::{Report, p50_p99};

const PACKED: &str = "accept-encoding: gzip, deflate, br, zstd\r\n";

pub fn measure(apogee: &Apogee, people: &People, queries: &Queries, report: &mut Report) -> Outcome<()> {
    let site = start(apogee, report, "start, everything there")?;
    let address = site.address;
    report.row("resident memory after the start", &site.memory(), "", "");
    let mut idle = load(address, &[get("/api/health", "")], 40_000)?;
    report.row("the least there is: `/api/health`, 64 connections", &idle.text(), "", "");

    suggestions(address, queries, report)?;
    boards(address, report)?;
    profiles(address, people, report)?;
    windows(address, report)?;
    report.row("resident memory after all of it", &site.memory(), "under 400 MB", "");

    site.stop()?;
    let site = start(apogee, report, "start again")?;
    events(apogee, &site, people, report)?;
    site.kill()?;
    let site = start(apogee, report, "start after a kill amid events")?;
    site.stop()
}

fn start(apogee: &Apogee, report: &mut Report, what: &str) -> Outcome<Site> {
    let site = apogee.serve()?;
    let answer = send(site.address, &get("/api/ready", ""))?;
    let ready = if answer.status == 200 { "ready" } else { "NOT READY" };
    report.row(what, &format!("{ready} after {:.2} s", site.ready_after.as_secs_f64()), "under 3 s", "");
    Ok(site)
}

fn row(report: &mut Report, what: &str, mut load: Load, aim: &str) {
    report.row(&format!("{what}, 64 connections"), &load.text(), aim, "");
}

fn suggestions(address: SocketAddr, queries: &Queries, report: &mut Report) -> Outcome<()> {
    let of = |is_typo: bool, more: &str| {
        let groups =
            queries.groups.iter().filter(|group| group.is_typo == is_typo && group.name != "hit, 1 characters");
        let texts: Vec<&String> =
            (0..2_000).flat_map(|at| groups.clone().filter_map(move |g| g.texts.get(at))).collect();
        texts.iter().map(|text| get(&format!("/api/search/fast?q={}", escaped(text)), more)).collect::<Vec<_>>()
    };
    let prefixes = of(false, PACKED);
    load(address, &prefixes, 5_000)?;
    row(
        report,
        "suggestions over HTTP, as a browser sends them",
        load(address, &prefixes, 60_000)?,
        "p99 under 10 ms, over 15,000/s",
    );
    row(report, "suggestions with typos and misses", load(address, &of(true, PACKED), 20_000)?, "p99 under 10 ms");
    Ok(())
}

/// Uncached pages of boards that are requested: 50 of each metric.
const PAGES: usize = 50 * Metric::ALL.len();

fn boards(address: SocketAddr, report: &mut Report) -> Outcome<()> {
    let top = get("/api/players/top?limit=100", PACKED);
    let answer = send(address, &top)?;
    row(
        report,
        "`/api/players/top?limit=100`, cached and compressed",
        load(address, &[top], 60_000)?,
        "p99 under 5 ms, over 20,000/s",
    );
    let tag = answer.head.lines().find_map(|line| line.strip_prefix("etag: ")).ok_or("no tag")?.to_owned();
    // Header names were converted to lower case with the head.
    let tag = tag.replacen("w/", "W/", 1);
    let known = get("/api/players/top?limit=100", &format!("if-none-match: {tag}\r\n"));
    let mut unchanged = load(address, &[known], 60_000)?;
    let text = format!("{}, {} of {} were 304", unchanged.text(), unchanged.unchanged, unchanged.times.len());
    report.row("the same, unchanged, 64 connections", &text, "304, over 20,000/s", "");

    // Each page is requested once, so none is cached.
    let page = |number: usize, more: &str| {
        let (sort, page) = (Metric::ALL[number % Metric::ALL.len()].as_str(), number / Metric::ALL.len());
        get(&format!("/api/players/leaderboard?sortBy={sort}&limit=50&page={}{more}", 1 + page), PACKED)
    };
    let first: Vec<_> = (0..PAGES).map(|n| page(n, "")).collect();
    row(
        report,
        "players' boards, first 2,500 rows of each, pages not cached",
        load(address, &first, PAGES)?,
        "p99 under 5 ms",
    );
    let deep: Vec<_> = (3 * PAGES..4 * PAGES).map(|n| page(n, "")).collect();
    row(
        report,
        "players' boards, rows 7,500 to 10,000, pages not cached",
        load(address, &deep, PAGES)?,
        "as the first, p99 under 5 ms",
    );
    let far: Vec<_> =
        (0..300).map(|n| get(&format!("/api/players/leaderboard?limit=50&page={}", 20_000 + n), PACKED)).collect();
    row(report, "players' board, the 1,000,000th row on, pages not cached", load(address, &far, 300)?, "");
    let guild = |number: usize| {
        let (sort, page) = (Metric::ALL[number % Metric::ALL.len()].as_str(), number / Metric::ALL.len());
        get(&format!("/api/guilds/leaderboard?sortBy={sort}&limit=50&offset={}", page * 50), PACKED)
    };
    let guilds: Vec<_> = (0..PAGES).map(guild).collect();
    row(
        report,
        "guilds' boards, first 2,500 rows of each, pages not cached",
        load(address, &guilds, PAGES)?,
        "p99 under 5 ms",
    );
    let guilds: Vec<_> = (3 * PAGES..4 * PAGES).map(guild).collect();
    row(
        report,
        "guilds' boards, rows 7,500 to 10,000, pages not cached",
        load(address, &guilds, PAGES)?,
        "p99 under 5 ms",
    );
    let mixed: Vec<_> = first.into_iter().chain(deep).chain(guilds).collect();
    row(report, "1,200 leaderboard pages, cached", load(address, &mixed, 60_000)?, "p99 under 5 ms, over 20,000/s");
    Ok(())
}

fn profiles(address: SocketAddr, people: &People, report: &mut Report) -> Outcome<()> {
    let mut random = Random(3);
    let requests: Vec<_> =
        (0..10_000).map(|_| get(&format!("/api/player/{}", escaped(people.some(&mut random))), PACKED)).collect();
    row(report, "profiles with ranks, uncached", load(address, &requests, 10_000)?, "p99 under 10 ms");
    Ok(())
}

fn windows(address: SocketAddr, report: &mut Report) -> Outcome<()> {
    for window in ["24h", "7d", "30d", "patch"] {
        let path = |page: usize, sort: &str| {
            get(&format!("/api/players/leaderboard?sortBy={sort}&window={window}&limit=50&page={page}"), PACKED)
        };
        let began = Instant::now();
        send(address, &path(1, "overall"))?;
        let first = began.elapsed();
        let pages: Vec<_> = (2..202).map(|page| path(page, "overall")).collect();
        let mut pages = load(address, &pages, 200)?;
        let text = format!("{}; the first after the start waited {:.2} s", pages.text(), first.as_secs_f64());
        report.row(
            &format!("boards over `{window}`, rows 50 to 10,000, pages not cached, 64 connections"),
            &text,
            "p99 under 5 ms",
            "",
        );
    }
    Ok(())
}

/// Sends twenty thousand events; measures the delay until a new player and a new rank are visible.
fn events(apogee: &Apogee, site: &Site, people: &People, report: &mut Report) -> Outcome<()> {
    let key = apogee.output(&["key", "create"])?.trim().to_owned();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH)?.as_millis() as usize;
    let mut random = Random(8);
    let (mut taken, mut found) = (Vec::new(), Vec::new());
    for round in 0..20 {
        let newcomer = format!("Bench-Newcomer-{now}-{round}");
        let mut events = String::from("{\"events\":[");
        for number in 0..1_000 {
            let who = if number == 0 { newcomer.as_str() } else { people.some(&mut random) };
            let at = now - 60_000 + round * 2_000 + number;
            events += &format!(
                "{}{{\"identifier\":\"kill\",\"event_time\":{at},\"game_mode\":\"PU\",\"killer\":\"{who}\",\"victim\":\"PU_Pilots-Human-Criminal-Gunner_{at}\",\"victim_is_npc\":true}}",
                if number == 0 { "" } else { "," }
            );
        }
        events += "]}";
        let head = format!(
            "POST /api/ingest/events HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer {key}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            events.len()
        );
        let began = Instant::now();
        let answer = send(site.address, &[head.as_bytes(), events.as_bytes()].concat())?;
        taken.push(began.elapsed());
        if answer.status != 200 {
            return Err(format!(
                "events were answered with {}: {}",
                answer.status,
                String::from_utf8_lossy(&answer.body)
            )
            .into());
        }
        let began = Instant::now();
        loop {
            let answer = send(site.address, &get(&format!("/api/search/fast?q={newcomer}"), ""))?;
            if memchr::memmem::find(&answer.body, newcomer.as_bytes()).is_some() {
                break;
            }
            if began.elapsed() > Duration::from_secs(10) {
                return Err(format!("{newcomer} is not found 10 s after the commit").into());
            }
        }
        found.push(began.elapsed());
    }
    report.row("1,000 events of 1,000 players taken in, one batch at a time", &p50_p99(&mut taken), "", "");
    report.row("a new player is found after the commit", &p50_p99(&mut found), "under 1 s", "");
    Ok(())
}
