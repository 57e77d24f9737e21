//! A payload of each kind that services send, as prost's types, from one seed each.
//!
//! Lengths are skewed as in life: most are short, a few are long; about one word in twenty is not ASCII.

use prost::Message;

use crate::generated::prost::families::*;
use crate::random::Random;

impl Random {
    /// Up to `bits` bits; each further seven bits are half as likely.
    pub(crate) fn skewed(&mut self, bits: u32) -> u64 {
        let mut used = 7;
        while used < bits && self.below(2) == 0 {
            used += 7;
        }
        self.next() >> (64 - used.min(bits))
    }

    /// The same with either sign.
    pub(crate) fn signed(&mut self, bits: u32) -> i64 {
        let magnitude = self.skewed(bits - 1) as i64;
        if self.below(2) == 0 { magnitude } else { -magnitude }
    }

    pub(crate) fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }

    /// Words with spaces between them.
    pub(crate) fn text(&mut self, words: u64) -> String {
        let mut text = String::new();
        for _ in 0..words {
            if !text.is_empty() {
                text.push(' ');
            }
            let odd = self.below(20) == 0;
            text.push_str(self.pick(if odd { &FOREIGN } else { &WORDS }));
        }
        text
    }
}

const WORDS: [&str; 24] = [
    "a",
    "to",
    "of",
    "key",
    "row",
    "node",
    "user",
    "cache",
    "query",
    "token",
    "retry",
    "shard",
    "queue",
    "closed",
    "leader",
    "opened",
    "expired",
    "timeout",
    "accepted",
    "throttled",
    "connection",
    "checkpoint",
    "replication",
    "authorization",
];
const FOREIGN: [&str; 6] = ["café", "größe", "naïve", "señal", "čas", "東京"];

/// A small reply, about 129 bytes.
pub fn api_response() -> ApiResponse {
    ApiResponse {
        request_id: "req-7f3a9c41d02e".into(),
        status: 200,
        reason: "accepted and queued".into(),
        account: Some(Account {
            id: 184_467_440,
            display_name: "Zoë Müller-Lindgren".into(),
            email: "zoe.mueller-lindgren@mail.north.example".into(),
            created_at: 1_700_000_000_000,
            plan: Plan::Team.into(),
        }),
        elapsed_micros: 1_841,
        cached: true,
    }
}

/// A log record, about 637 bytes, the entries of its map in the order of the keys: encoded, because prost's map has
/// an order of its own.
pub fn log_record() -> Vec<u8> {
    let random = &mut Random(637);
    let record = LogRecord {
        time_unix_nanos: 1_700_000_000_123_456_789,
        severity: Severity::Warn.into(),
        service: "checkout".into(),
        host: "ip-10-31-7-204.eu-central.internal".into(),
        body: format!("payment provider answered late: {}", random.text(22)),
        source_file: "src/payment/provider/client.rs".into(),
        source_line: 1_284,
        trace_id: random.bytes(16),
        span_id: random.bytes(8),
        topics: vec!["payment".into(), "latency".into(), "größe".into()],
        attributes: Default::default(),
    };
    let attributes = [
        ("app.version", "4.18.2+b7731"),
        ("cloud.zone", "eu-central-1b"),
        ("container", "checkout-6d9f7c5b8-xk2lp"),
        ("http.method", "POST"),
        ("http.route", "/v2/orders/{order}/payments"),
        ("http.status", "504"),
        ("order.note", "second attempt after the first one was not counted"),
        ("user.city", "Kraków"),
        ("user.tier", "gold"),
    ];
    let attributes = attributes.map(|(key, value)| LogAttribute { key: key.into(), value: value.into() });
    let mut wire = record.encode_to_vec();
    LogAttributes { attributes: attributes.into() }.encode(&mut wire).expect("a Vec grows");
    wire
}

/// An analytics event, about 3.2 KB: a hundred or so small messages.
pub fn analytics_event() -> AnalyticsEvent {
    let random = &mut Random(3200);
    let mut at = 1_700_000_000_000;
    let page_views = (0..6).map(|_| page_view(random, &mut at)).collect();
    AnalyticsEvent {
        event_id: "01HF8Z6T4Q0V9M3R7K2C".into(),
        name: "session_summary".into(),
        sent_at: 1_700_000_000_000_000,
        client: Some(Client {
            client_id: "c-5b1f0a77".into(),
            device: Some(Device {
                model: "Tablet 11 (2. Größe)".into(),
                operating_system: Some(OperatingSystem { name: "linux".into(), version: "6.18.44".into() }),
                screen: Some(Screen { width: 2560, height: 1600, density: 2.25 }),
            }),
            location: Some(Location {
                country: "PL".into(), city: "Łódź".into(), latitude: 51.759, longitude: 19.456
            }),
            experiments: vec!["new-cart".into(), "fast-search-b".into(), "dark".into()],
        }),
        page_views,
    }
}

fn page_view(random: &mut Random, at: &mut u64) -> PageView {
    *at += 1_000 + random.skewed(20);
    let url = format!("https://shop.example/{}/{}", random.pick(&WORDS), random.skewed(21));
    let interactions = (0..5 + random.below(3)).map(|_| interaction(random)).collect();
    PageView { url, started_at: *at, interactions }
}

fn interaction(random: &mut Random) -> Interaction {
    let properties = (0..2 + random.below(3)).map(|_| property(random)).collect();
    Interaction {
        element: format!("{}-{}", random.pick(&WORDS), random.below(40)),
        point: Some(Point { x: random.signed(12) as i32, y: random.signed(12) as i32 }),
        after_millis: random.skewed(21) as u32,
        properties,
    }
}

fn property(random: &mut Random) -> Property {
    let value = match random.below(4) {
        0 => PropertyValue { text: random.text(1), ..PropertyValue::default() },
        1 => PropertyValue { integer: random.signed(35), ..PropertyValue::default() },
        2 => PropertyValue { number: random.unit() * 100.0, ..PropertyValue::default() },
        _ => PropertyValue { flag: true, ..PropertyValue::default() },
    };
    Property { key: random.pick(&WORDS).into(), value: Some(value) }
}

/// A media frame, about 11 KB.
pub fn media_frame() -> MediaFrame {
    let random = &mut Random(11_000);
    MediaFrame {
        stream_id: "cam-entrance-03/main".into(),
        presentation_time: 90_000 * 3_600,
        decode_time: 90_000 * 3_600 - 3_003,
        keyframe: true,
        codec: Codec::Video.into(),
        width: 1920,
        height: 1080,
        data: random.bytes(10_240),
        side_data: vec![random.bytes(640), random.bytes(96)],
    }
}

/// Differences, about 1.5 KB.
pub fn signed_varints() -> SignedVarints {
    let random = &mut Random(1500);
    SignedVarints {
        deltas: (0..370).map(|_| random.signed(56)).collect(),
        steps: (0..235).map(|_| random.signed(28) as i32).collect(),
    }
}

/// A map tile, about 6 KB.
pub fn tile() -> Tile {
    let random = &mut Random(6000);
    let layers = ["water", "roads", "buildings"].map(|name| layer(random, name));
    Tile { layers: layers.into() }
}

fn layer(random: &mut Random, name: &str) -> Layer {
    let features = (0..14).map(|id| {
        let mut geometry = vec![9, random.skewed(13) as u32, random.skewed(13) as u32];
        let points = 6 + random.skewed(6);
        geometry.push((points as u32) << 3 | 2);
        for _ in 0..points {
            // Zigzag steps of a path: mostly below 64, some up to 8191.
            geometry.extend([random.skewed(14) as u32, random.skewed(14) as u32]);
        }
        Feature {
            id: 1_000 + id,
            shape: Shape::Line.into(),
            tags: (0..2 * random.below(4)).map(|_| random.below(12) as u32).collect(),
            geometry,
        }
    });
    Layer {
        name: name.into(),
        extent: 4096,
        features: features.collect(),
        keys: ["class", "name", "surface", "lanes"].map(String::from).into(),
        values: (0..10).map(|_| random.text(1)).collect(),
    }
}

/// Columns of packed numbers, about 23 KB.
pub fn column_batch() -> ColumnBatch {
    const ROWS: u64 = 648;
    let random = &mut Random(23_000);
    let mut timestamp = 1_700_000_000_000_000_000;
    let columns = vec![
        Column { name: "price".into(), doubles: (0..ROWS).map(|_| random.unit() * 1e4).collect(), ..Column::default() },
        Column { name: "weight".into(), doubles: (0..ROWS).map(|_| random.unit()).collect(), ..Column::default() },
        Column { name: "score".into(), floats: (0..ROWS).map(|_| random.unit() as f32).collect(), ..Column::default() },
        Column {
            name: "time".into(),
            timestamps: (0..ROWS)
                .map(|_| {
                    timestamp += random.skewed(35);
                    timestamp
                })
                .collect(),
            ..Column::default()
        },
        Column {
            name: "balance".into(),
            differences: (0..ROWS).map(|_| random.signed(42)).collect(),
            ..Column::default()
        },
        Column {
            name: "stock".into(),
            differences: (0..ROWS).map(|_| random.signed(21)).collect(),
            ..Column::default()
        },
        Column {
            name: "product".into(),
            codes: (0..ROWS).map(|_| random.skewed(21) as u32).collect(),
            ..Column::default()
        },
        Column { name: "sold".into(), flags: (0..ROWS).map(|_| random.below(3) == 0).collect(), ..Column::default() },
    ];
    ColumnBatch { rows: ROWS, columns }
}

fn vertex(random: &mut Random) -> Vertex {
    Vertex { x: random.unit() as f32, y: random.unit() as f32, z: random.unit() as f32 }
}

/// 256 triangles of three vertices.
pub fn mesh() -> Mesh {
    let random = &mut Random(256);
    let mut corner = || Some(vertex(random));
    let triangles = (0..256).map(|_| Triangle { a: corner(), b: corner(), c: corner() });
    Mesh { name: "sphere".into(), triangles: triangles.collect() }
}

/// 192 polygons of three to five vertices.
pub fn polygon_mesh() -> PolygonMesh {
    let random = &mut Random(192);
    let mut polygon = || Polygon { vertices: (0..3 + random.below(3)).map(|_| vertex(random)).collect() };
    PolygonMesh { name: "hull".into(), polygons: (0..192).map(|_| polygon()).collect() }
}
