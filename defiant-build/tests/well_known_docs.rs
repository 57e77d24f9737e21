//! What the well-known types say of themselves: our own words, the official comments are not ours to copy.

use defiant_build::Config;

/// Adds the docs to what is generated of the files in `defiant::wkt`.
pub(crate) fn document(config: &mut Config) {
    for (path, text) in MESSAGES {
        config.message_attribute(format!(".google.protobuf.{path}"), comment(text));
    }
    for (path, text) in ENUMS {
        config.enum_attribute(format!(".google.protobuf.{path}"), comment(text));
    }
    for (path, text) in FIELDS {
        config.field_attribute(format!(".google.protobuf.{path}"), comment(text));
    }
}

/// A paragraph behind the generated line.
fn comment(text: &str) -> String {
    let lines = text.trim().lines().map(|line| format!("/// {}", line.trim_start()));
    ["///".to_owned()].into_iter().chain(lines).collect::<Vec<_>>().join("\n")
}

const MESSAGES: &[(&str, &str)] = &[
    (
        "Any",
        "A message of any type: its encoding beside the URL of its type. Made by [`Any::pack`], taken out by
         [`Any::unpack`].

         ```
         use defiant::Arena;
         use defiant::wkt::{Any, StringValue};

         let arena = Arena::new();
         let any = Any::pack(&StringValue::from(\"hello\"), &arena);
         assert_eq!(any.type_url, \"type.googleapis.com/google.protobuf.StringValue\");
         assert_eq!(any.unpack(&arena)?, Some(StringValue::from(\"hello\")));
         # Ok::<(), defiant::DecodeError>(())
         ```",
    ),
    ("Api", "A service, described: its methods, options and version."),
    ("Method", "A method of an [`Api`]."),
    ("Mixin", "Another service whose methods an [`Api`] has, too."),
    (
        "Duration",
        "A span of time in seconds and nanoseconds, either direction, up to about 10,000 years.

         Both fields have the same sign: a second and a half backward is `{ seconds: -1, nanos: -500_000_000 }`.

         ```
         use defiant::wkt::Duration;

         let timeout = Duration::try_from(std::time::Duration::from_millis(1_500))?;
         assert_eq!(timeout, Duration::new(1, 500_000_000));
         assert_eq!(timeout.to_string(), \"1.500s\");
         # Ok::<(), defiant::wkt::DurationError>(())
         ```",
    ),
    (
        "Empty",
        "No fields: the request or response of a method that needs none.

         ```
         assert_eq!(defiant::wkt::Empty::from(()), defiant::wkt::Empty::default());
         ```",
    ),
    (
        "FieldMask",
        "A set of fields by their paths: which ones to return, or to change. A path stands for the field and all that
         lies under it.

         ```
         use defiant::Arena;
         use defiant::wkt::FieldMask;

         let arena = Arena::new();
         let mask = FieldMask::from_json_text(\"name,home.streetName\", &arena)?;
         assert_eq!(mask.paths, [\"name\", \"home.street_name\"]);
         assert!(mask.contains(\"home.street_name\"));
         # Ok::<(), defiant::wkt::FieldMaskError>(())
         ```",
    ),
    ("SourceContext", "Where a description comes from."),
    (
        "Struct",
        "A JSON object: names and values. Made by [`Struct::new`].

         ```
         use defiant::Arena;
         use defiant::wkt::Struct;

         let arena = Arena::new();
         let person = Struct::new(&arena, [(\"name\", \"Ada\".into()), (\"age\", 36.into())]);
         assert_eq!(person.get(\"name\").and_then(|name| name.as_str()), Some(\"Ada\"));
         ```",
    ),
    (
        "Value",
        "A JSON value: null, a number, a string, a boolean, an object or a list. One without a kind is none of them,
         and an error in JSON.

         Made by `From` of what it holds, [`Value::NULL`], [`Value::object`] and [`Value::list`].

         ```
         use defiant::Arena;
         use defiant::wkt::Value;

         let arena = Arena::new();
         let point = Value::object(&arena, [(\"x\", 1.into()), (\"tags\", Value::list(&arena, [Value::NULL]))]);
         assert_eq!(point.get(\"x\").and_then(Value::as_f64), Some(1.0));
         assert!(point.get(\"tags\").and_then(Value::as_list).is_some_and(|tags| tags[0].is_null()));
         ```",
    ),
    (
        "ListValue",
        "A JSON list. Made by [`ListValue::new`].

         ```
         use defiant::Arena;
         use defiant::wkt::{ListValue, Value};

         let arena = Arena::new();
         let list = ListValue::new(&arena, [Value::from(1), Value::from(\"two\")]);
         assert_eq!(list.get(1).and_then(Value::as_str), Some(\"two\"));
         ```",
    ),
    (
        "Timestamp",
        "A point in time, independent of any time zone, in the years 1 to 9999 with nanoseconds.

         Days have 86,400 seconds: there are no leap seconds. The nanoseconds count forward also before 1970: half a
         second before is `{ seconds: -1, nanos: 500_000_000 }`.

         ```
         use defiant::wkt::{Duration, Timestamp};

         let start: Timestamp<'_> = \"2024-02-29T12:00:00+02:00\".parse()?;
         assert_eq!(start.seconds, 1_709_200_800);
         let end = start.checked_add(Duration::new(0, 250_000_000)).unwrap();
         assert_eq!(end.to_string(), \"2024-02-29T10:00:00.250Z\");
         # Ok::<(), defiant::wkt::TimestampError>(())
         ```",
    ),
    ("Type", "A message type, described."),
    ("Field", "A field of a [`Type`]."),
    ("Enum", "An enum, described."),
    ("EnumValue", "A value of an [`Enum`]."),
    ("Option", "An option of something described: its name and value."),
    ("DoubleValue", WRAPPER),
    ("FloatValue", WRAPPER),
    ("Int64Value", WRAPPER),
    ("UInt64Value", WRAPPER),
    ("Int32Value", WRAPPER),
    ("UInt32Value", WRAPPER),
    ("BoolValue", WRAPPER),
    ("StringValue", WRAPPER),
    ("BytesValue", WRAPPER),
];

const WRAPPER: &str =
    "A value that can be absent, from before `optional`, or stand where only a message can. `From` goes in and out.";

const ENUMS: &[(&str, &str)] = &[
    ("Syntax", "The syntax of a `.proto` file."),
    ("Field.Kind", "The type of a field."),
    ("Field.Cardinality", "How often a field may occur."),
    ("NullValue", "JSON's `null`, as the only value of an enum."),
    ("Value.kind", "What a [`Value`](super::Value) can be."),
];

const FIELDS: &[(&str, &str)] = &[
    ("Any.type_url", "What stands behind the last slash is the full name of the message: [`Any::message_name`]."),
    ("Any.value", "The encoded message."),
    ("Api.name", "Full name of the service."),
    ("Api.methods", "The methods, in no particular order."),
    ("Api.options", "Options of the service."),
    ("Api.version", "Version of the interface, as `major.minor`."),
    ("Api.source_context", "The file that declares it."),
    ("Api.mixins", "Services whose methods it has, too."),
    ("Api.syntax", "Syntax of that file."),
    ("Api.edition", "Edition of that file, if the syntax is [`Syntax::Editions`]."),
    ("Method.name", "Name inside the service."),
    ("Method.request_type_url", "Type URL of the request."),
    ("Method.request_streaming", "Whether requests are a stream."),
    ("Method.response_type_url", "Type URL of the response."),
    ("Method.response_streaming", "Whether responses are a stream."),
    ("Method.options", "Options of the method."),
    ("Method.syntax", "That of the service stands in [`Api::syntax`]."),
    ("Method.edition", "That of the service stands in [`Api::edition`]."),
    ("Mixin.name", "Full name of the service."),
    ("Mixin.root", "Path under which its HTTP methods lie."),
    ("Duration.seconds", "Seconds, from -315,576,000,000 to 315,576,000,000."),
    ("Duration.nanos", "Nanoseconds, from -999,999,999 to 999,999,999, of the same sign as the seconds."),
    ("FieldMask.paths", "Names of fields with dots between them, as in the `.proto` file: `home.street_name`."),
    ("SourceContext.file_name", "Path of the `.proto` file, as it is imported."),
    ("Struct.fields", "Values by name."),
    ("Value.kind.null_value", "JSON's `null`."),
    ("Value.kind.number_value", "A JSON number, which is finite."),
    ("Value.kind.string_value", "A JSON string."),
    ("Value.kind.bool_value", "`true` or `false`."),
    ("Value.kind.struct_value", "A JSON object."),
    ("Value.kind.list_value", "A JSON list."),
    ("ListValue.values", "The values, in order."),
    ("Timestamp.seconds", "Seconds since 1970-01-01T00:00:00Z, from -62,135,596,800 to 253,402,300,799."),
    ("Timestamp.nanos", "Nanoseconds forward from there, from 0 to 999,999,999."),
    ("Type.name", "Full name."),
    ("Type.fields", "The fields."),
    ("Type.oneofs", "Names of the oneofs; [`Field::oneof_index`] counts in here."),
    ("Type.options", "Options of the message."),
    ("Type.source_context", "The file that declares it."),
    ("Type.syntax", "Syntax of that file."),
    ("Type.edition", "Edition of that file, if the syntax is [`Syntax::Editions`]."),
    ("Field.kind", "Its type."),
    ("Field.cardinality", "How often it may occur."),
    ("Field.number", "Field number."),
    ("Field.name", "Name as in the `.proto` file."),
    ("Field.type_url", "Type URL of the message or enum, if it is of one."),
    ("Field.oneof_index", "Which of [`Type::oneofs`] it belongs to, counted from 1; 0 for none."),
    ("Field.packed", "Whether the elements of a repeated field stand in one record."),
    ("Field.options", "Options of the field."),
    ("Field.json_name", "Name in ProtoJSON."),
    ("Field.default_value", "Text of the declared default, in proto2."),
    ("Enum.name", "Full name."),
    ("Enum.enumvalue", "The values, in the order of declaration."),
    ("Enum.options", "Options of the enum."),
    ("Enum.source_context", "The file that declares it."),
    ("Enum.syntax", "Syntax of that file."),
    ("Enum.edition", "Edition of that file, if the syntax is [`Syntax::Editions`]."),
    ("EnumValue.name", "Name as in the `.proto` file."),
    ("EnumValue.number", "Number on the wire."),
    ("EnumValue.options", "Options of the value."),
    ("Option.name", "Short name for the options of `descriptor.proto`, full name for custom ones."),
    ("Option.value", "The value; a scalar is in its wrapper, such as [`Int32Value`]."),
    ("DoubleValue.value", VALUE),
    ("FloatValue.value", VALUE),
    ("Int64Value.value", VALUE),
    ("UInt64Value.value", VALUE),
    ("Int32Value.value", VALUE),
    ("UInt32Value.value", VALUE),
    ("BoolValue.value", VALUE),
    ("StringValue.value", VALUE),
    ("BytesValue.value", VALUE),
];

const VALUE: &str = "What is wrapped.";
