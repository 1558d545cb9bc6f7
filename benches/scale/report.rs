//! Prints each measurement immediately, and all as a table at the end.

use std::time::Duration;

pub struct Report {
    head: String,
    rows: Vec<[String; 4]>,
}

impl Report {
    pub fn new(players: usize, guilds: usize, events: usize) -> Self {
        let head =
            format!("{players} players, {guilds} guilds, {events} events; load of the machine at first {}", load());
        println!("{head}\n");
        Self { head, rows: Vec::new() }
    }

    pub fn row(&mut self, what: &str, measured: &str, aim: &str, others: &str) {
        println!("{what}: {measured}{}{}", prefixed(" (aim ", aim, ")"), prefixed("; ", others, ""));
        self.rows.push([what, measured, aim, others].map(str::to_owned));
    }

    /// Prints a remark.
    pub fn say(&self, text: &str) {
        println!("{text}");
    }

    pub fn print(&self) {
        println!("\n{}, at last {}\n", self.head, load());
        println!("| what | Apogee | aim | others, same run |\n| --- | --- | --- | --- |");
        for [what, measured, aim, others] in &self.rows {
            println!("| {what} | {measured} | {aim} | {others} |");
        }
    }
}

fn prefixed(before: &str, text: &str, after: &str) -> String {
    if text.is_empty() { String::new() } else { format!("{before}{text}{after}") }
}

fn load() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').next().unwrap_or_default().to_owned()
}

/// `p50 / p99` in milliseconds; sorts the times.
pub fn p50_p99(times: &mut [Duration]) -> String {
    times.sort_unstable();
    let at = |share: f64| times.get(((times.len().max(1) - 1) as f64 * share) as usize).copied().unwrap_or_default();
    let text = |time: Duration| {
        let ms = time.as_secs_f64() * 1e3;
        if ms < 0.1 {
            format!("{ms:.4}")
        } else if ms < 10.0 {
            format!("{ms:.2}")
        } else {
            format!("{ms:.0}")
        }
    };
    format!("{} / {} ms", text(at(0.5)), text(at(0.99)))
}
