//! Prometheus metrics of requests. Labels are route class and status class, so clients cannot add series.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::RouteClass;

const CLASSES: usize = RouteClass::ALL.len();
/// Upper bounds of the histogram buckets, in milliseconds.
const BOUNDS_MS: [u64; 10] = [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000];

#[derive(Default)]
struct Histogram {
    /// One per bound, and the last for longer times.
    buckets: [AtomicU64; BOUNDS_MS.len() + 1],
    sum_micros: AtomicU64,
}

/// Counters since the start of the process.
#[derive(Default)]
pub struct RequestMetrics {
    /// By class and first digit of the status.
    responses: [[AtomicU64; 6]; CLASSES],
    times: [Histogram; CLASSES],
    limited: [AtomicU64; CLASSES],
    blocked: [AtomicU64; CLASSES],
    blocks: AtomicU64,
}

fn add(counter: &AtomicU64, n: u64) {
    counter.fetch_add(n, Ordering::Relaxed);
}

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

impl RequestMetrics {
    /// Records a response and the time until its head was ready.
    pub fn record_response(&self, class: RouteClass, status: u16, took: Duration) {
        let (Some(by_status), Some(times)) = (self.responses.get(class.index()), self.times.get(class.index())) else {
            return;
        };
        if let Some(counter) = by_status.get(usize::from(status / 100)) {
            add(counter, 1);
        }
        let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let index = BOUNDS_MS.iter().position(|bound| millis < *bound).unwrap_or(BOUNDS_MS.len());
        if let Some(bucket) = times.buckets.get(index) {
            add(bucket, 1);
        }
        add(&times.sum_micros, u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }

    /// Records a request that was rejected by a limit (429) or a block (403).
    pub fn record_rejection(&self, class: RouteClass, status: u16) {
        let table = if status == 403 { &self.blocked } else { &self.limited };
        if let Some(counter) = table.get(class.index()) {
            add(counter, 1);
        }
    }

    /// Records that an address was blocked.
    pub fn record_block(&self) {
        add(&self.blocks, 1);
    }

    /// Renders all metrics in the Prometheus text format.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut line = |text: std::fmt::Arguments<'_>| {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{text}");
        };
        line(format_args!("# HELP apogee_requests_total Responses by route class and status class"));
        line(format_args!("# TYPE apogee_requests_total counter"));
        for (class, by_status) in RouteClass::ALL.iter().zip(&self.responses) {
            for (digit, counter) in by_status.iter().enumerate().skip(2) {
                line(format_args!(
                    "apogee_requests_total{{class=\"{}\",status=\"{digit}xx\"}} {}",
                    class.name(),
                    read(counter)
                ));
            }
        }
        line(format_args!("# HELP apogee_request_seconds Time until the head of a response"));
        line(format_args!("# TYPE apogee_request_seconds histogram"));
        for (class, times) in RouteClass::ALL.iter().zip(&self.times) {
            let (name, mut sum) = (class.name(), 0);
            let ends = BOUNDS_MS.iter().map(|ms| (*ms as f64 / 1000.0).to_string()).chain(["+Inf".to_owned()]);
            for (bucket, end) in times.buckets.iter().zip(ends) {
                sum += read(bucket);
                line(format_args!("apogee_request_seconds_bucket{{class=\"{name}\",le=\"{end}\"}} {sum}"));
            }
            let seconds = read(&times.sum_micros) as f64 / 1e6;
            line(format_args!("apogee_request_seconds_sum{{class=\"{name}\"}} {seconds}"));
            line(format_args!("apogee_request_seconds_count{{class=\"{name}\"}} {sum}"));
        }
        line(format_args!("# HELP apogee_refused_total Requests rejected by a rate limit or from a blocked address"));
        line(format_args!("# TYPE apogee_refused_total counter"));
        for (class, (limited, blocked)) in RouteClass::ALL.iter().zip(self.limited.iter().zip(&self.blocked)) {
            line(format_args!("apogee_refused_total{{class=\"{}\",why=\"limit\"}} {}", class.name(), read(limited)));
            line(format_args!("apogee_refused_total{{class=\"{}\",why=\"shut_out\"}} {}", class.name(), read(blocked)));
        }
        line(format_args!("# HELP apogee_blocks_total Addresses blocked for exceeding rate limits repeatedly"));
        line(format_args!("# TYPE apogee_blocks_total counter\napogee_blocks_total {}", read(&self.blocks)));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t53_requests_add_no_series() {
        let metrics = RequestMetrics::default();
        let before = metrics.text().lines().count();
        for status in [200, 304, 404, 429, 500, 599] {
            for class in RouteClass::ALL {
                metrics.record_response(class, status, Duration::from_millis(u64::from(status)));
                metrics.record_rejection(class, status);
            }
        }
        let text = metrics.text();
        assert_eq!(text.lines().count(), before);
        assert!(text.contains("apogee_requests_total{class=\"read\",status=\"4xx\"} 2"), "{text}");
        assert!(text.contains("apogee_request_seconds_bucket{class=\"read\",le=\"0.5\"} 4"), "{text}");
    }
}
