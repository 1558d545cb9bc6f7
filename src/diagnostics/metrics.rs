//! Types that `prometheus-client` lacks for values that are counted elsewhere and read for each scrape.

use std::fmt;

use prometheus_client::encoding::{EncodeMetric, MetricEncoder, NoLabelSet, text};
use prometheus_client::metrics::MetricType;
use prometheus_client::registry::Registry;

/// The format of [`encode`].
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4";

/// The labels of a series: names and values.
pub type Labels = [(&'static str, &'static str); 2];

/// A counter, registered under its complete name, which ends in `_total`.
///
/// OpenMetrics drops that suffix in `# TYPE`, where the text format 0.0.4 has it. The encoder writes a gauge under the registered
/// name, so the output is valid in both formats.
#[derive(Debug)]
pub struct Total(pub u64);

impl EncodeMetric for Total {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        encoder.encode_gauge(&self.0)
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Counter
    }
}

/// A [`Total`] for each combination of labels.
#[derive(Debug)]
pub struct Totals(pub Vec<(Labels, u64)>);

impl EncodeMetric for Totals {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(labels, value)| encoder.encode_family(labels)?.encode_gauge(value))
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Counter
    }
}

/// The buckets of a histogram, `(upper bound, count)`, and the sum of all values.
#[derive(Debug)]
pub struct Buckets {
    pub sum: f64,
    pub counts: Vec<(f64, u64)>,
}

/// Histograms by the value of a label.
#[derive(Debug)]
pub struct Histograms {
    pub label: &'static str,
    pub series: Vec<(&'static str, Buckets)>,
}

impl EncodeMetric for Histograms {
    fn encode(&self, mut encoder: MetricEncoder<'_>) -> fmt::Result {
        self.series.iter().try_for_each(|(value, buckets)| {
            let count = buckets.counts.iter().map(|(_, count)| count).sum();
            let labels = [(self.label, *value)];
            encoder.encode_family(&labels)?.encode_histogram::<NoLabelSet>(buckets.sum, count, &buckets.counts, None)
        })
    }

    fn metric_type(&self) -> MetricType {
        MetricType::Histogram
    }
}

/// Encodes all metrics of a registry in the text format 0.0.4.
pub fn encode(registry: &Registry) -> Result<String, fmt::Error> {
    let mut text = String::new();
    text::encode_registry(&mut text, registry)?;
    Ok(text)
}
