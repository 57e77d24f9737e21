//! What a service sends to an OpenTelemetry collector, from one seed each: batches of spans and of logs.
//!
//! Batches have the 512 records at most that the SDKs send at once; attributes have the names of the semantic
//! conventions.

use crate::generated::prost::telemetry::any_value::Value;
use crate::generated::prost::telemetry::*;
use crate::random::Random;

/// How many spans or logs a batch has.
const BATCH: usize = 512;
/// When everything begins, in nanoseconds since 1970.
const BEGIN: u64 = 1_700_000_000_000_000_000;
const SCHEMA: &str = "https://opentelemetry.io/schemas/1.26.0";

fn attribute(key: &str, value: Value) -> KeyValue {
    KeyValue { key: key.into(), value: Some(AnyValue { value: Some(value) }) }
}

fn text(key: &str, value: impl Into<String>) -> KeyValue {
    attribute(key, Value::StringValue(value.into()))
}

fn resource() -> Resource {
    let arguments = ["checkout", "--listen", "0.0.0.0:8080"]
        .map(|argument| AnyValue { value: Some(Value::StringValue(argument.into())) });
    Resource {
        attributes: vec![
            text("service.name", "checkout"),
            text("service.version", "4.18.2"),
            text("service.instance.id", "6d9f7c5b8-xk2lp"),
            text("k8s.namespace.name", "production"),
            text("host.name", "ip-10-31-7-204.eu-central.internal"),
            attribute("process.pid", Value::IntValue(4711)),
            attribute("process.command_args", Value::ArrayValue(ArrayValue { values: arguments.into() })),
        ],
        dropped_attributes_count: 0,
    }
}

fn scope(name: &str) -> Scope {
    Scope { name: name.into(), version: "0.58.0".into(), ..Scope::default() }
}

/// 512 spans of requests that were served and made.
pub fn trace_export() -> TraceExport {
    let random = &mut Random(512);
    let scope_spans = ["http.server", "http.client", "sql"].map(|name| ScopeSpans {
        scope: Some(scope(name)),
        spans: (0..BATCH / 3 + usize::from(name != "http.server")).map(|_| span(random, name)).collect(),
        schema_url: SCHEMA.into(),
    });
    TraceExport {
        resource_spans: vec![ResourceSpans {
            resource: Some(resource()),
            scope_spans: scope_spans.into(),
            schema_url: SCHEMA.into(),
        }],
    }
}

fn span(random: &mut Random, scope: &str) -> Span {
    let start = BEGIN + random.below(5_000_000_000);
    let failed = random.below(40) == 0;
    let (kind, name, mut attributes) = match scope {
        "sql" => (
            SpanKind::Client,
            "SELECT orders",
            vec![
                text("db.system", "postgresql"),
                text("db.query.text", format!("SELECT * FROM orders WHERE customer = ${}", 1 + random.below(3))),
                attribute("db.response.returned_rows", Value::IntValue(random.skewed(14) as i64)),
            ],
        ),
        _ => (
            if scope == "http.server" { SpanKind::Server } else { SpanKind::Client },
            random.pick(&["GET /orders/{id}", "POST /orders", "GET /search"]),
            vec![
                text("http.request.method", random.pick(&["GET", "GET", "POST"])),
                text("url.path", format!("/orders/{}", random.below(1 << 30))),
                attribute("http.response.status_code", Value::IntValue(if failed { 503 } else { 200 })),
                text("server.address", "checkout.production.svc"),
                attribute("server.port", Value::IntValue(8080)),
                text("user_agent.original", "Mozilla/5.0 (X11; Linux x86_64; rv:133.0)"),
            ],
        ),
    };
    if random.below(8) == 0 {
        attributes.push(attribute("cache.ratio", Value::DoubleValue(random.unit().abs())));
        attributes.push(attribute("cache.hit", Value::BoolValue(true)));
    }
    let events = failed.then(|| SpanEvent {
        time_unix_nano: start + 900_000,
        name: "exception".into(),
        attributes: vec![
            text("exception.type", "ConnectionClosed"),
            text("exception.message", random.text(9)),
            text("exception.stacktrace", (0..12).map(|_| format!("  at {}\n", random.text(4))).collect::<String>()),
        ],
        dropped_attributes_count: 0,
    });
    let code = if failed { StatusCode::Error } else { StatusCode::Unset };
    Span {
        trace_id: random.bytes(16),
        span_id: random.bytes(8),
        parent_span_id: if random.below(5) == 0 { Vec::new() } else { random.bytes(8) },
        name: name.into(),
        kind: kind.into(),
        start_time_unix_nano: start,
        end_time_unix_nano: start + 1_000_000 + random.skewed(28),
        attributes,
        events: events.into_iter().collect(),
        status: Some(SpanStatus { message: String::new(), code: code.into() }),
        flags: 1,
        ..Span::default()
    }
}

/// 512 logs, one in eight with a structured body.
pub fn logs_export() -> LogsExport {
    let random = &mut Random(513);
    let scope_logs = ["checkout::payment", "checkout::http"].map(|name| ScopeLogs {
        scope: Some(scope(name)),
        log_records: (0..BATCH / 2).map(|_| log(random)).collect(),
        schema_url: SCHEMA.into(),
    });
    LogsExport {
        resource_logs: vec![ResourceLogs {
            resource: Some(resource()),
            scope_logs: scope_logs.into(),
            schema_url: SCHEMA.into(),
        }],
    }
}

fn log(random: &mut Random) -> LogEntry {
    let at = BEGIN + random.below(5_000_000_000);
    let (number, name) = match random.below(10) {
        0 => (SeverityNumber::Warn, "WARN"),
        1 => (SeverityNumber::Error, "ERROR"),
        _ => (SeverityNumber::Info, "INFO"),
    };
    let words = 6 + random.below(12);
    let message = random.text(words);
    let body = match random.below(8) {
        0 => Value::KvlistValue(KeyValueList {
            values: vec![
                text("message", message),
                attribute("attempt", Value::IntValue(random.below(5) as i64)),
                text("order", format!("{:x}", random.below(1 << 40))),
            ],
        }),
        _ => Value::StringValue(message),
    };
    // A log has to do with a span, or has not.
    let traced = random.below(4) > 0;
    LogEntry {
        time_unix_nano: at,
        severity_number: number.into(),
        severity_text: name.into(),
        body: Some(AnyValue { value: Some(body) }),
        attributes: vec![
            text("code.file.path", "src/payment/provider/client.rs"),
            attribute("code.line.number", Value::IntValue(1 + random.below(2_000) as i64)),
            text("thread.name", format!("worker-{}", random.below(16))),
        ],
        flags: u32::from(traced),
        trace_id: if traced { random.bytes(16) } else { Vec::new() },
        span_id: if traced { random.bytes(8) } else { Vec::new() },
        observed_time_unix_nano: at + 40_000,
        ..LogEntry::default()
    }
}
