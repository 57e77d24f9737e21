//! What is decoded and encoded: Google's three datasets, a payload of each kind that services send, and the sets that
//! QuickBuffers and protokt are measured with. All are made when first asked for, and the same in every run.

use std::fmt;
use std::sync::OnceLock;

use prost::Message;

use crate::datasets::Dataset;
use crate::{families, inputs, prometheus, protokt, quickbuffers, shapes, telemetry};

/// One payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Payload {
    /// `benchmarks.proto2.GoogleMessage1`: a small flat message with a sub-message.
    Message1Proto2,
    /// `benchmarks.proto3.GoogleMessage1`: the same with implicit presence.
    Message1Proto3,
    /// `benchmarks.proto2.GoogleMessage2`: a thousand groups.
    Message2,
    /// A small reply: a few short strings and numbers, one sub-message.
    ApiResponse,
    /// A log record: strings, identifiers and a map.
    LogRecord,
    /// An analytics event: small messages five levels deep.
    AnalyticsEvent,
    /// A media frame: one large field of bytes, two middling ones.
    MediaFrame,
    /// Packed `sint64` and `sint32` of all lengths.
    SignedVarints,
    /// A map tile: packed `uint32`, mostly of one or two bytes.
    Tile,
    /// Columns of packed numbers of every width.
    ColumnBatch,
    /// Triangles: three singular sub-messages of three floats each.
    Mesh,
    /// Polygons: repeated sub-messages of three floats each.
    PolygonMesh,
    /// The car of Simple Binary Encoding.
    Car,
    /// Two trades of a market, all numbers varints.
    MarketVarint,
    /// The same with two `fixed64` a trade.
    MarketFixed,
    /// The message of FlatBuffers' own benchmark.
    FooBar,
    /// A million doubles.
    PackedDoubles,
    /// A set of messages with field numbers of up to 5001: texts, bytes, maps and lists, all short.
    GenericMedium,
    /// A set of messages with a text and a number.
    GenericSmall,
    /// Two messages of the kind of [`Payload::GenericMedium`], their lists and maps long.
    GenericLarge,
    /// Long texts of characters of one, two and three bytes.
    StringHeavy,
    /// The same in oneofs.
    StringOneof,
    /// Three very long texts.
    StringVeryHeavy,
    /// A map of strings to strings.
    StringMap,
    /// The same, its entries in the order of a hash table, as most libraries send them.
    UnsortedMap,
    /// A list of strings.
    StringRepeated,
    /// Many of [`Payload::Car`], each behind its length: a stream of messages, not a message.
    CarLog,
    /// The same of [`Payload::MarketVarint`].
    MarketLog,
    /// A stream of readings of a drive: numbers.
    DriveLog,
    /// A stream of readings of a group of drives: numbers and short names.
    DriveGroupLog,
    /// What a Prometheus server sends to its remote storage: 500 series with their labels.
    RemoteWrite,
    /// The same with 10,000 series.
    RemoteWriteLarge,
    /// What the transactions of a block spend: identifiers, hashes, scripts, witnesses.
    Inputs,
    /// The schemas that come with protoc, with their comments, as protoc hands them to its plugins.
    Descriptors,
    /// The same of the schemas that Google's services have in common.
    Googleapis,
    /// OpenTelemetry: 512 spans with their attributes.
    TraceExport,
    /// OpenTelemetry: 512 logs with their attributes.
    LogsExport,
    /// A few of 500 fields.
    Sparse,
    /// A message in a message, 80 times.
    Nested,
    /// Ten million bytes in one field.
    Blob,
    /// [`Payload::AnalyticsEvent`] with the fields in descending order.
    Reversed,
    /// [`Payload::AnalyticsEvent`] with the fields in any order.
    Shuffled,
    /// All of the set of which [`Payload::GenericLarge`] has the first two messages.
    GenericHuge,
}

const COUNT: usize = Payload::GenericHuge as usize + 1;

impl Payload {
    /// All of them but [`Payload::GenericHuge`], for which there is no room where all libraries hold a message at once.
    pub const ALL: [Payload; 42] = [
        Payload::Message1Proto2,
        Payload::Message1Proto3,
        Payload::Message2,
        Payload::ApiResponse,
        Payload::LogRecord,
        Payload::AnalyticsEvent,
        Payload::MediaFrame,
        Payload::SignedVarints,
        Payload::Tile,
        Payload::ColumnBatch,
        Payload::Mesh,
        Payload::PolygonMesh,
        Payload::Car,
        Payload::MarketVarint,
        Payload::MarketFixed,
        Payload::FooBar,
        Payload::PackedDoubles,
        Payload::GenericMedium,
        Payload::GenericSmall,
        Payload::GenericLarge,
        Payload::StringHeavy,
        Payload::StringOneof,
        Payload::StringVeryHeavy,
        Payload::StringMap,
        Payload::UnsortedMap,
        Payload::StringRepeated,
        Payload::CarLog,
        Payload::MarketLog,
        Payload::DriveLog,
        Payload::DriveGroupLog,
        Payload::RemoteWrite,
        Payload::RemoteWriteLarge,
        Payload::Inputs,
        Payload::Descriptors,
        Payload::Googleapis,
        Payload::TraceExport,
        Payload::LogsExport,
        Payload::Sparse,
        Payload::Nested,
        Payload::Blob,
        Payload::Reversed,
        Payload::Shuffled,
    ];

    /// Its name: `google_message1_proto2`, `api_response`, ...
    pub const fn name(self) -> &'static str {
        match self {
            Payload::Message1Proto2 => Dataset::Message1Proto2.name(),
            Payload::Message1Proto3 => Dataset::Message1Proto3.name(),
            Payload::Message2 => Dataset::Message2.name(),
            Payload::ApiResponse => "api_response",
            Payload::LogRecord => "log_record",
            Payload::AnalyticsEvent => "analytics_event",
            Payload::MediaFrame => "media_frame",
            Payload::SignedVarints => "signed_varints",
            Payload::Tile => "tile",
            Payload::ColumnBatch => "column_batch",
            Payload::Mesh => "mesh",
            Payload::PolygonMesh => "polygon_mesh",
            Payload::Car => "car",
            Payload::MarketVarint => "market_varint",
            Payload::MarketFixed => "market_fixed",
            Payload::FooBar => "foobar",
            Payload::PackedDoubles => "packed_doubles",
            Payload::GenericMedium => "generic_medium",
            Payload::GenericSmall => "generic_small",
            Payload::GenericLarge => "generic_large",
            Payload::StringHeavy => "string_heavy",
            Payload::StringOneof => "string_oneof",
            Payload::StringVeryHeavy => "string_very_heavy",
            Payload::StringMap => "string_map",
            Payload::UnsortedMap => "unsorted_map",
            Payload::StringRepeated => "string_repeated",
            Payload::CarLog => "car_log",
            Payload::MarketLog => "market_log",
            Payload::DriveLog => "drive_log",
            Payload::DriveGroupLog => "drive_group_log",
            Payload::RemoteWrite => "remote_write",
            Payload::RemoteWriteLarge => "remote_write_large",
            Payload::Inputs => "inputs",
            Payload::Descriptors => "descriptors",
            Payload::Googleapis => "googleapis",
            Payload::TraceExport => "trace_export",
            Payload::LogsExport => "logs_export",
            Payload::Sparse => "sparse",
            Payload::Nested => "nested",
            Payload::Blob => "blob",
            Payload::Reversed => "reversed",
            Payload::Shuffled => "shuffled",
            Payload::GenericHuge => "generic_huge",
        }
    }

    /// The payload of that name; the prefix `google_` may be left out.
    pub fn from_name(name: &str) -> Option<Payload> {
        let matches =
            |payload: &Payload| name == payload.name() || payload.name().strip_prefix("google_") == Some(name);
        Payload::ALL.into_iter().chain([Payload::GenericHuge]).find(matches)
    }

    /// Whether it is so large that one library at a time is measured beside prost.
    pub const fn one_by_one(self) -> bool {
        matches!(self, Payload::GenericHuge)
    }

    /// Whether it is of the set that protokt is measured with.
    pub const fn of_protokt(self) -> bool {
        use Payload::{
            GenericLarge, GenericMedium, GenericSmall, StringHeavy, StringMap, StringOneof, StringRepeated,
            StringVeryHeavy,
        };

        matches!(
            self,
            GenericMedium
                | GenericSmall
                | GenericLarge
                | StringHeavy
                | StringOneof
                | StringVeryHeavy
                | StringMap
                | StringRepeated
        )
    }

    /// Whether it is a stream of messages, each behind its length.
    pub const fn is_log(self) -> bool {
        matches!(self, Payload::CarLog | Payload::MarketLog | Payload::DriveLog | Payload::DriveGroupLog)
    }

    /// Whether it is so large that only a long run has the time for it.
    pub const fn takes_long(self) -> bool {
        use Payload::{Blob, GenericLarge, RemoteWriteLarge, StringHeavy, StringOneof, StringVeryHeavy};

        let large =
            matches!(self, GenericLarge | StringHeavy | StringOneof | StringVeryHeavy | RemoteWriteLarge | Blob);
        large || self.is_log()
    }

    /// Which of Google's datasets it is.
    pub const fn dataset(self) -> Option<Dataset> {
        match self {
            Payload::Message1Proto2 => Some(Dataset::Message1Proto2),
            Payload::Message1Proto3 => Some(Dataset::Message1Proto3),
            Payload::Message2 => Some(Dataset::Message2),
            _ => None,
        }
    }

    /// The encoded message, or messages.
    ///
    /// # Panics
    ///
    /// When a file of Google's is not a dataset with one payload.
    pub fn wire(self) -> &'static [u8] {
        static WIRES: [OnceLock<Vec<u8>>; COUNT] = [const { OnceLock::new() }; COUNT];
        WIRES[self as usize].get_or_init(|| self.make())
    }

    /// It as a stream of messages, each behind its length.
    ///
    /// # Panics
    ///
    /// As [`wire`](Self::wire).
    pub fn stream(self) -> &'static [u8] {
        static STREAMS: [OnceLock<Vec<u8>>; COUNT] = [const { OnceLock::new() }; COUNT];
        if self.is_log() {
            return self.wire();
        }
        STREAMS[self as usize].get_or_init(|| {
            let mut stream = Vec::with_capacity(self.wire().len() + 10);
            prost::encode_length_delimiter(self.wire().len(), &mut stream).expect("a Vec grows");
            stream.extend_from_slice(self.wire());
            stream
        })
    }

    fn make(self) -> Vec<u8> {
        match self {
            Payload::Message1Proto2 => Dataset::Message1Proto2.payload().to_vec(),
            Payload::Message1Proto3 => Dataset::Message1Proto3.payload().to_vec(),
            Payload::Message2 => Dataset::Message2.payload().to_vec(),
            Payload::ApiResponse => families::api_response().encode_to_vec(),
            Payload::LogRecord => families::log_record(),
            Payload::AnalyticsEvent => families::analytics_event().encode_to_vec(),
            Payload::MediaFrame => families::media_frame().encode_to_vec(),
            Payload::SignedVarints => families::signed_varints().encode_to_vec(),
            Payload::Tile => families::tile().encode_to_vec(),
            Payload::ColumnBatch => families::column_batch().encode_to_vec(),
            Payload::Mesh => families::mesh().encode_to_vec(),
            Payload::PolygonMesh => families::polygon_mesh().encode_to_vec(),
            Payload::Car => quickbuffers::car().encode_to_vec(),
            Payload::MarketVarint => quickbuffers::market_varint().encode_to_vec(),
            Payload::MarketFixed => quickbuffers::market_fixed().encode_to_vec(),
            Payload::FooBar => quickbuffers::foobar().encode_to_vec(),
            Payload::PackedDoubles => quickbuffers::packed_doubles().encode_to_vec(),
            Payload::GenericMedium => protokt::generic_medium(),
            Payload::GenericSmall => protokt::generic_small().encode_to_vec(),
            Payload::GenericLarge => protokt::generic_large(),
            Payload::StringHeavy => protokt::string_heavy().encode_to_vec(),
            Payload::StringOneof => protokt::string_oneof().encode_to_vec(),
            Payload::StringVeryHeavy => protokt::string_very_heavy().encode_to_vec(),
            Payload::StringMap => protokt::string_map(),
            Payload::UnsortedMap => protokt::unsorted_map(),
            Payload::StringRepeated => protokt::string_repeated().encode_to_vec(),
            Payload::CarLog => quickbuffers::log(&quickbuffers::car()),
            Payload::MarketLog => quickbuffers::log(&quickbuffers::market_varint()),
            Payload::DriveLog => quickbuffers::drive_log(),
            Payload::DriveGroupLog => quickbuffers::drive_group_log(),
            Payload::RemoteWrite => prometheus::write_request(500).encode_to_vec(),
            Payload::RemoteWriteLarge => prometheus::write_request(prometheus::LARGE).encode_to_vec(),
            Payload::Inputs => inputs::inputs().encode_to_vec(),
            Payload::Descriptors => include_bytes!(concat!(env!("OUT_DIR"), "/google_descriptors.pb")).to_vec(),
            Payload::Googleapis => include_bytes!("../datasets/googleapis.pb").to_vec(),
            Payload::TraceExport => telemetry::trace_export().encode_to_vec(),
            Payload::LogsExport => telemetry::logs_export().encode_to_vec(),
            Payload::Sparse => shapes::sparse().encode_to_vec(),
            Payload::Nested => shapes::nested().encode_to_vec(),
            Payload::Blob => shapes::blob().encode_to_vec(),
            Payload::Reversed => shapes::reversed(),
            Payload::Shuffled => shapes::shuffled(),
            Payload::GenericHuge => protokt::generic_huge(),
        }
    }
}

impl From<Dataset> for Payload {
    fn from(dataset: Dataset) -> Payload {
        match dataset {
            Dataset::Message1Proto2 => Payload::Message1Proto2,
            Dataset::Message1Proto3 => Payload::Message1Proto3,
            Dataset::Message2 => Payload::Message2,
        }
    }
}

impl fmt::Display for Payload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Calls `$with!` with the streams of messages, as `logs { CarLog: quickbuffers quickbuffers_proto Car CarView; .. }`,
/// and every payload that is one message without a group, as `Car: quickbuffers quickbuffers_proto Car CarView
/// CarLazyView;`: the package, Google's module, the message, buffa's views.
macro_rules! plain_payloads {
    ($with:ident $($more:tt)*) => {
        $with! {
            logs {
                CarLog: quickbuffers quickbuffers_proto Car CarView;
                MarketLog: quickbuffers quickbuffers_proto MarketVarint MarketVarintView;
                DriveLog: quickbuffers quickbuffers_proto DriveReading DriveReadingView;
                DriveGroupLog: quickbuffers quickbuffers_proto DriveGroup DriveGroupView;
            }
            $($more)*
            Message1Proto2: proto2 message1_proto2_proto GoogleMessage1 GoogleMessage1View GoogleMessage1LazyView;
            Message1Proto3: proto3 message1_proto3_proto GoogleMessage1 GoogleMessage1View GoogleMessage1LazyView;
            ApiResponse: families families_proto ApiResponse ApiResponseView ApiResponseLazyView;
            LogRecord: families families_proto LogRecord LogRecordView LogRecordLazyView;
            AnalyticsEvent: families families_proto AnalyticsEvent AnalyticsEventView AnalyticsEventLazyView;
            MediaFrame: families families_proto MediaFrame MediaFrameView MediaFrameLazyView;
            SignedVarints: families families_proto SignedVarints SignedVarintsView SignedVarintsLazyView;
            Tile: families families_proto Tile TileView TileLazyView;
            ColumnBatch: families families_proto ColumnBatch ColumnBatchView ColumnBatchLazyView;
            Mesh: families families_proto Mesh MeshView MeshLazyView;
            PolygonMesh: families families_proto PolygonMesh PolygonMeshView PolygonMeshLazyView;
            Car: quickbuffers quickbuffers_proto Car CarView CarLazyView;
            MarketVarint: quickbuffers quickbuffers_proto MarketVarint MarketVarintView MarketVarintLazyView;
            MarketFixed: quickbuffers quickbuffers_proto MarketFixed MarketFixedView MarketFixedLazyView;
            FooBar: quickbuffers quickbuffers_proto FooBarContainer FooBarContainerView FooBarContainerLazyView;
            PackedDoubles: quickbuffers quickbuffers_proto PackedDoubles PackedDoublesView PackedDoublesLazyView;
            GenericMedium: generic generic_proto GenericSet GenericSetView GenericSetLazyView;
            GenericSmall: generic generic_proto SmallSet SmallSetView SmallSetLazyView;
            GenericLarge: generic generic_proto GenericSet GenericSetView GenericSetLazyView;
            StringHeavy: protokt protokt_proto StringHeavySet StringHeavySetView StringHeavySetLazyView;
            StringVeryHeavy: protokt protokt_proto StringHeavy StringHeavyView StringHeavyLazyView;
            StringMap: protokt protokt_proto StringMap StringMapView StringMapLazyView;
            UnsortedMap: protokt protokt_proto StringMap StringMapView StringMapLazyView;
            StringRepeated: protokt protokt_proto StringRepeated StringRepeatedView StringRepeatedLazyView;
            StringOneof: oneofs oneofs_proto StringOneofSet StringOneofSetView StringOneofSetLazyView;
            TraceExport: telemetry telemetry_proto TraceExport TraceExportView TraceExportLazyView;
            LogsExport: telemetry telemetry_proto LogsExport LogsExportView LogsExportLazyView;
            RemoteWrite: prometheus prometheus_proto WriteRequest WriteRequestView WriteRequestLazyView;
            RemoteWriteLarge: prometheus prometheus_proto WriteRequest WriteRequestView WriteRequestLazyView;
            Inputs: inputs inputs_proto Inputs InputsView InputsLazyView;
            Descriptors: descriptors descriptors_proto DescriptorSet DescriptorSetView DescriptorSetLazyView;
            Googleapis: descriptors descriptors_proto DescriptorSet DescriptorSetView DescriptorSetLazyView;
            Sparse: sparse sparse_proto Profile ProfileView ProfileLazyView;
            Nested: shapes shapes_proto Condition ConditionView ConditionLazyView;
            Blob: shapes shapes_proto Blob BlobView BlobLazyView;
            Reversed: families families_proto AnalyticsEvent AnalyticsEventView AnalyticsEventLazyView;
            Shuffled: families families_proto AnalyticsEvent AnalyticsEventView AnalyticsEventLazyView;
            GenericHuge: generic generic_proto GenericSet GenericSetView GenericSetLazyView;
        }
    };
}

/// The same with the payload that has a group.
macro_rules! payloads {
    ($with:ident) => {
        $crate::payloads::plain_payloads! {
            $with
            Message2: proto2 message2_proto GoogleMessage2 GoogleMessage2View GoogleMessage2LazyView;
        }
    };
}

pub(crate) use {payloads, plain_payloads};
