//! Figures of requests for Prometheus: by class and kind of answer, never by path or address, so that no caller can add any.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::RouteClass;

const CLASSES: usize = RouteClass::ALL.len();
/// Upper ends of the times that answers are sorted into, in milliseconds.
const BOUNDS_MS: [u64; 10] = [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000];

#[derive(Default)]
struct Times {
    /// One for each bound, and one for what took longer.
    buckets: [AtomicU64; BOUNDS_MS.len() + 1],
    micros: AtomicU64,
}

/// Counts since the start.
#[derive(Default)]
pub struct RequestMetrics {
    /// By class and first digit of the status.
    answers: [[AtomicU64; 6]; CLASSES],
    times: [Times; CLASSES],
    limited: [AtomicU64; CLASSES],
    shut_out: [AtomicU64; CLASSES],
    blocks: AtomicU64,
}

fn add(counter: &AtomicU64, n: u64) {
    counter.fetch_add(n, Ordering::Relaxed);
}

fn read(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

impl RequestMetrics {
    /// An answer and how long it took until its head was ready.
    pub fn record_response(&self, class: RouteClass, status: u16, took: Duration) {
        let (Some(by_status), Some(times)) = (self.answers.get(class.index()), self.times.get(class.index())) else {
            return;
        };
        if let Some(counter) = by_status.get(usize::from(status / 100)) {
            add(counter, 1);
        }
        let millis = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
        let place = BOUNDS_MS.iter().position(|bound| millis < *bound).unwrap_or(BOUNDS_MS.len());
        if let Some(bucket) = times.buckets.get(place) {
            add(bucket, 1);
        }
        add(&times.micros, u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }

    /// A request that was not let through.
    pub fn record_rejection(&self, class: RouteClass, status: u16) {
        let table = if status == 403 { &self.shut_out } else { &self.limited };
        if let Some(counter) = table.get(class.index()) {
            add(counter, 1);
        }
    }

    /// An address was shut out.
    pub fn record_block(&self) {
        add(&self.blocks, 1);
    }

    /// All of them in the text form of Prometheus.
    pub fn text(&self) -> String {
        let mut out = String::new();
        let mut line = |text: std::fmt::Arguments<'_>| {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{text}");
        };
        line(format_args!("# HELP apogee_requests_total Answers by class of routes and kind of status"));
        line(format_args!("# TYPE apogee_requests_total counter"));
        for (class, by_status) in RouteClass::ALL.iter().zip(&self.answers) {
            for (digit, counter) in by_status.iter().enumerate().skip(2) {
                line(format_args!(
                    "apogee_requests_total{{class=\"{}\",status=\"{digit}xx\"}} {}",
                    class.name(),
                    read(counter)
                ));
            }
        }
        line(format_args!("# HELP apogee_request_seconds Time until the head of an answer"));
        line(format_args!("# TYPE apogee_request_seconds histogram"));
        for (class, times) in RouteClass::ALL.iter().zip(&self.times) {
            let (name, mut sum) = (class.name(), 0);
            let ends = BOUNDS_MS.iter().map(|ms| (*ms as f64 / 1000.0).to_string()).chain(["+Inf".to_owned()]);
            for (bucket, end) in times.buckets.iter().zip(ends) {
                sum += read(bucket);
                line(format_args!("apogee_request_seconds_bucket{{class=\"{name}\",le=\"{end}\"}} {sum}"));
            }
            let seconds = read(&times.micros) as f64 / 1e6;
            line(format_args!("apogee_request_seconds_sum{{class=\"{name}\"}} {seconds}"));
            line(format_args!("apogee_request_seconds_count{{class=\"{name}\"}} {sum}"));
        }
        line(format_args!(
            "# HELP apogee_refused_total Requests refused for being too many, or from an address that is shut out"
        ));
        line(format_args!("# TYPE apogee_refused_total counter"));
        for (class, (limited, shut_out)) in RouteClass::ALL.iter().zip(self.limited.iter().zip(&self.shut_out)) {
            line(format_args!("apogee_refused_total{{class=\"{}\",why=\"limit\"}} {}", class.name(), read(limited)));
            line(format_args!(
                "apogee_refused_total{{class=\"{}\",why=\"shut_out\"}} {}",
                class.name(),
                read(shut_out)
            ));
        }
        line(format_args!("# HELP apogee_blocks_total Addresses shut out for ignoring refusals"));
        line(format_args!("# TYPE apogee_blocks_total counter\napogee_blocks_total {}", read(&self.blocks)));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t53_the_number_of_series_does_not_depend_on_what_is_asked() {
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
