//! Prometheus metrics of requests, counted in fixed tables without locks. Labels are route class and status class, so clients cannot add
//! series.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use actix_web::HttpResponse;
use prometheus_client::registry::Registry;

use super::RouteClass;
use crate::diagnostics::metrics::{self, Buckets, Histograms, Total, Totals};
use crate::error::AppError;
use crate::http::response::Answer;

/// Upper bounds of the histogram buckets, in milliseconds.
const BOUNDS_MS: [u64; 10] = [1, 5, 10, 25, 50, 100, 250, 500, 1_000, 5_000];

/// The values of the label `status`, from 200.
const STATUS_CLASSES: [&str; 4] = ["2xx", "3xx", "4xx", "5xx"];

/// Counters of one class.
#[derive(Default)]
struct ClassMetrics {
    /// By first digit of the status.
    responses: [AtomicU64; 6],
    /// Times: one per bound, and the last for longer ones.
    buckets: [AtomicU64; BOUNDS_MS.len() + 1],
    sum_micros: AtomicU64,
    limited: AtomicU64,
    blocked: AtomicU64,
}

/// Counters since the start of the process.
#[derive(Default)]
pub struct RequestMetrics {
    classes: [ClassMetrics; RouteClass::ALL.len()],
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
        let metrics = &self.classes[class as usize];
        if let Some(counter) = metrics.responses.get(usize::from(status / 100)) {
            add(counter, 1);
        }
        let millis = took.as_millis();
        let index = BOUNDS_MS.iter().position(|bound| millis < u128::from(*bound)).unwrap_or(BOUNDS_MS.len());
        add(&metrics.buckets[index], 1);
        add(&metrics.sum_micros, u64::try_from(took.as_micros()).unwrap_or(u64::MAX));
    }

    /// Records a request that was rejected by a limit (429) or a block (403).
    pub fn record_rejection(&self, class: RouteClass, status: u16) {
        let metrics = &self.classes[class as usize];
        add(if status == 403 { &metrics.blocked } else { &metrics.limited }, 1);
    }

    /// Records that an address was blocked.
    pub fn record_block(&self) {
        add(&self.blocks, 1);
    }

    /// Registers the current values.
    pub fn register(&self, registry: &mut Registry) {
        let classes = || RouteClass::ALL.into_iter().map(RouteClass::name).zip(&self.classes);
        let responses = classes().flat_map(|(class, metrics)| {
            let series = STATUS_CLASSES.into_iter().zip(&metrics.responses[2..]);
            series.map(move |(status, counter)| ([("class", class), ("status", status)], read(counter)))
        });
        let help = "Responses by route class and status class";
        registry.register("apogee_requests_total", help, Totals(responses.collect()));
        let bounds = || BOUNDS_MS.iter().map(|ms| *ms as f64 / 1000.0).chain([f64::INFINITY]);
        let times = classes().map(|(class, metrics)| {
            let counts = bounds().zip(metrics.buckets.iter().map(read)).collect();
            (class, Buckets { sum: read(&metrics.sum_micros) as f64 / 1e6, counts })
        });
        let times = Histograms { label: "class", series: times.collect() };
        registry.register("apogee_request_seconds", "Time until the head of a response", times);
        let rejections = classes().flat_map(|(class, metrics)| {
            let series = [("limit", &metrics.limited), ("shut_out", &metrics.blocked)];
            series.map(|(why, n)| ([("class", class), ("why", why)], read(n)))
        });
        let help = "Requests rejected by a rate limit or from a blocked address";
        registry.register("apogee_refused_total", help, Totals(rejections.collect()));
        let help = "Addresses blocked for exceeding rate limits repeatedly";
        registry.register("apogee_blocks_total", help, Total(read(&self.blocks)));
    }
}

/// Responds with all metrics of a registry.
pub fn metrics_response(registry: &Registry) -> Answer {
    let text = metrics::encode(registry).map_err(AppError::internal)?;
    Ok(HttpResponse::Ok().content_type(metrics::CONTENT_TYPE).body(text))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::metrics::encode;

    fn text(metrics: &RequestMetrics) -> String {
        let mut registry = Registry::default();
        metrics.register(&mut registry);
        encode(&registry).unwrap()
    }

    #[test]
    fn t53_requests_add_no_series() {
        let metrics = RequestMetrics::default();
        let before = text(&metrics).lines().count();
        for status in [200, 304, 404, 429, 500, 599] {
            for class in RouteClass::ALL {
                metrics.record_response(class, status, Duration::from_millis(u64::from(status)));
                metrics.record_rejection(class, status);
            }
        }
        let text = text(&metrics);
        assert_eq!(text.lines().count(), before);
        assert!(text.contains("apogee_requests_total{class=\"read\",status=\"4xx\"} 2"), "{text}");
        assert!(text.contains("apogee_request_seconds_bucket{le=\"0.5\",class=\"read\"} 4"), "{text}");
    }

    /// Dashboards and alerts refer to these names and labels.
    #[test]
    fn names_types_and_labels_are_stable() {
        let metrics = RequestMetrics::default();
        metrics.record_response(RouteClass::Read, 200, Duration::from_micros(1_500));
        metrics.record_rejection(RouteClass::Read, 403);
        metrics.record_block();
        let text = text(&metrics);
        let types: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")).collect();
        let expected = [
            "apogee_requests_total counter",
            "apogee_request_seconds histogram",
            "apogee_refused_total counter",
            "apogee_blocks_total counter",
        ];
        assert_eq!(types, expected);
        let of_read: Vec<&str> =
            text.lines().filter(|line| line.contains("class=\"read\"") || line.starts_with("apogee_blocks")).collect();
        let expected = [
            r#"apogee_requests_total{class="read",status="2xx"} 1"#,
            r#"apogee_requests_total{class="read",status="3xx"} 0"#,
            r#"apogee_requests_total{class="read",status="4xx"} 0"#,
            r#"apogee_requests_total{class="read",status="5xx"} 0"#,
            r#"apogee_request_seconds_sum{class="read"} 0.0015"#,
            r#"apogee_request_seconds_count{class="read"} 1"#,
            r#"apogee_request_seconds_bucket{le="0.001",class="read"} 0"#,
            r#"apogee_request_seconds_bucket{le="0.005",class="read"} 1"#,
            r#"apogee_request_seconds_bucket{le="0.01",class="read"} 1"#,
            r#"apogee_request_seconds_bucket{le="0.025",class="read"} 1"#,
            r#"apogee_request_seconds_bucket{le="0.05",class="read"} 1"#,
            r#"apogee_request_seconds_bucket{le="0.1",class="read"} 1"#,
            r#"apogee_request_seconds_bucket{le="0.25",class="read"} 1"#,
            r#"apogee_request_seconds_bucket{le="0.5",class="read"} 1"#,
            r#"apogee_request_seconds_bucket{le="1.0",class="read"} 1"#,
            r#"apogee_request_seconds_bucket{le="5.0",class="read"} 1"#,
            r#"apogee_request_seconds_bucket{le="+Inf",class="read"} 1"#,
            r#"apogee_refused_total{class="read",why="limit"} 0"#,
            r#"apogee_refused_total{class="read",why="shut_out"} 1"#,
            "apogee_blocks_total 1",
        ];
        assert_eq!(of_read, expected);
    }
}
