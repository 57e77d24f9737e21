//! What a Prometheus server sends to its remote storage, from one seed.
//!
//! A series has the labels that a service in Kubernetes has, the name of the metric first; one sample, as in a scrape,
//! and in one of fifty an exemplar. Labels are in the order of their names, as the protocol asks.

use crate::generated::prost::prometheus::*;
use crate::random::Random;

const METRICS: [(&str, MetricKind, &str); 6] = [
    ("http_server_requests_total", MetricKind::Counter, "Requests answered, by route and status"),
    ("http_server_request_duration_seconds_bucket", MetricKind::Histogram, "Time from the first byte to the last"),
    ("process_resident_memory_bytes", MetricKind::Gauge, "Memory that is in use"),
    ("queue_messages_waiting", MetricKind::Gauge, "Messages that nobody has taken yet"),
    ("container_cpu_usage_seconds_total", MetricKind::Counter, "Time that a container had a processor"),
    ("tls_certificate_expiry_seconds", MetricKind::Gauge, "Time until a certificate is no longer valid"),
];
const ROUTES: [&str; 5] = ["/", "/orders/{id}", "/orders/{id}/payments", "/search", "/users/{id}/größe"];
const BOUNDS: [&str; 8] = ["0.005", "0.01", "0.025", "0.1", "0.25", "1", "5", "+Inf"];
/// When everything was scraped, in milliseconds since 1970.
const SCRAPED: i64 = 1_700_000_000_000;

/// How many series a large request has: ten thousand, but a thousand in a debug build, whose times say nothing.
pub const LARGE: usize = if cfg!(debug_assertions) { 1_000 } else { 10_000 };

/// A request with this many series.
pub fn write_request(series: usize) -> WriteRequest {
    let random = &mut Random(10_000);
    let metrics = METRICS.map(|(name, kind, help)| MetricMetadata {
        kind: kind.into(),
        metric_family_name: name.into(),
        help: help.into(),
        unit: if name.contains("seconds") { "seconds".into() } else { String::new() },
    });
    WriteRequest { timeseries: (0..series).map(|_| time_series(random)).collect(), metrics: metrics.into() }
}

fn label(name: &str, value: impl Into<String>) -> Label {
    Label { name: name.into(), value: value.into() }
}

fn time_series(random: &mut Random) -> TimeSeries {
    let metric = random.below(METRICS.len() as u64) as usize;
    let pod = format!("{:08x}-{:05x}", random.below(1 << 32), random.below(1 << 20));
    let service = random.pick(&["checkout", "catalogue", "search", "mail"]);
    let mut labels = vec![
        label("__name__", METRICS[metric].0),
        label("cluster", "eu-central-1a"),
        label("container", service),
        label("instance", format!("10.{}.{}.{}:9090", random.below(32), random.below(256), random.below(256))),
        label("job", format!("production/{service}")),
    ];
    if metric < 2 {
        labels.push(label("method", random.pick(&["GET", "GET", "GET", "POST", "DELETE"])));
    }
    labels.push(label("namespace", "production"));
    labels.push(label("pod", format!("{service}-{pod}")));
    if metric < 2 {
        labels.push(label("route", random.pick(&ROUTES)));
        labels.push(label("status", random.pick(&["200", "200", "200", "304", "404", "500"])));
    }
    if metric == 1 {
        labels.push(label("le", random.pick(&BOUNDS)));
    }
    labels.sort_by(|a, b| a.name.cmp(&b.name));
    let value = match metric {
        0 | 4 => random.below(1 << 30) as f64,
        _ => random.unit().abs() * 1e6,
    };
    let timestamp = SCRAPED + random.below(15_000) as i64;
    let exemplars = match random.below(50) {
        0 => vec![Exemplar {
            labels: vec![label("trace_id", format!("{:016x}{:016x}", random.next(), random.next()))],
            value: random.unit().abs(),
            timestamp: timestamp - 3,
        }],
        _ => Vec::new(),
    };
    TimeSeries { labels, samples: vec![Sample { value, timestamp }], exemplars }
}
