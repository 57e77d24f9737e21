//! Messages to serde.

use core::cell::OnceCell;

use alloc::format;
use alloc::vec::Vec;

use serde::ser::{Error, Serialize, SerializeMap, SerializeSeq, Serializer};

use super::{Place, Step, describe};
use crate::descriptor::{FieldDescriptor, WellKnown};
use crate::error::words;
use crate::json::error::{Fail, Reason};
use crate::json::options::EncodeOptions;
use crate::json::read::well_known::malformed;
use crate::json::write::{Scratch, entered, fits, inner_options, is_level, joined, levels};
use crate::json::{base64, type_name};
use crate::message::Message;
use crate::reflect::{Exhausted, ExtensionType, MessageRef, Value};
use crate::unknown::by_number;

/// A message that serde can write in any of its formats, by the rules of ProtoJSON.
///
/// Names, enums, integers of 64 bits, bytes and the well-known types have the forms that they have in JSON, also in formats
/// that are no text. Only numbers of floating point are up to the format: where [`encode`](crate::json::encode) writes `1`,
/// `serde_json` writes `1.0`.
///
/// ```
/// use defiant::json::Json;
/// use defiant::{Message, UnknownFields};
///
/// #[derive(Clone, Copy, Debug, PartialEq, Message)]
/// struct Person<'arena> {
///     #[defiant(string, tag = 1)]
///     full_name: &'arena str,
///     #[defiant(int64, tag = 2)]
///     born: i64,
///     #[defiant(unknown)]
///     unknown_fields: UnknownFields<'arena>,
/// }
///
/// let person = Person { full_name: "Ada", born: 1815, ..Person::default() };
/// assert_eq!(serde_json::to_string(&Json::new(&person))?, r#"{"fullName":"Ada","born":"1815"}"#);
/// // As a part of something else.
/// let reply = serde_json::json!({ "ok": true, "person": Json::new(&person) });
/// assert_eq!(reply["person"]["fullName"], "Ada");
/// # Ok::<(), serde_json::Error>(())
/// ```
///
/// # Errors
/// Serializing fails where JSON has no form for a value, as of [`encode`](crate::json::encode), with the path of the field
/// in the error; and where the format has none: TOML has no null.
#[derive(Clone, Copy, Debug)]
pub struct Json<'a> {
    message: MessageRef<'a>,
    options: EncodeOptions<'a>,
}

impl<'a> Json<'a> {
    /// A message that has a `struct`.
    #[must_use]
    pub fn new<'arena: 'a, M: Message<'arena>>(message: &'a M) -> Self {
        Self::of(MessageRef::of(message))
    }

    /// A message that is known by its descriptor.
    #[must_use]
    pub fn of(message: MessageRef<'a>) -> Self {
        Json { message, options: EncodeOptions::new() }
    }

    /// The same with options. Whether the text is [pretty](EncodeOptions::pretty) is up to the format.
    ///
    /// ```
    /// use defiant::json::{EncodeOptions, Json};
    /// use defiant::wkt::Duration;
    ///
    /// let duration = Duration::new(1, 500_000_000);
    /// let json = Json::new(&duration).with(EncodeOptions::new().enums_as_numbers(true));
    /// assert_eq!(serde_json::to_value(json)?, "1.500s");
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn with(self, options: EncodeOptions<'a>) -> Self {
        Json { options, ..self }
    }
}

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let context = Context { options: &self.options, scratch: Scratch::Own(OnceCell::new()) };
        let node = Node { context: &context, levels: levels(&self.options), place: None };
        InMessage { node, message: self.message }.serialize(serializer)
    }
}

struct Context<'c> {
    options: &'c EncodeOptions<'c>,
    /// Where lazy messages, extensions and the content of an `Any` are decoded to.
    scratch: Scratch<'c>,
}

/// Where the writer is.
#[derive(Clone, Copy)]
struct Node<'n> {
    context: &'n Context<'n>,
    /// Levels of messages that may still be entered, the outermost included.
    levels: u32,
    place: Option<&'n Place<'n>>,
}

impl Node<'_> {
    #[cold]
    fn error<E: Error>(&self, fail: Fail) -> E {
        E::custom(describe(fail, self.place))
    }
}

struct InMessage<'n, 'm> {
    node: Node<'n>,
    message: MessageRef<'m>,
}

impl Serialize for InMessage<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let InMessage { node, message } = *self;
        let descriptor = message.descriptor();
        let levels = match is_level(descriptor.well_known) {
            true => entered(node.levels).map_err(|fail| node.error(fail))?,
            false => node.levels,
        };
        let node = Node { levels, ..node };
        let (field, value) = match descriptor.well_known {
            WellKnown::None | WellKnown::Empty => return fields(node, message, None, serializer),
            WellKnown::Any => return any(node, message, serializer),
            WellKnown::Timestamp | WellKnown::Duration | WellKnown::FieldMask => {
                let text = EncodeOptions::new().encode_message(message);
                let text = text.map_err(|error| node.error(error.into_fail()))?;
                // A string in which nothing is escaped.
                return serializer.serialize_str(text.trim_matches('"'));
            }
            WellKnown::Struct | WellKnown::ListValue | WellKnown::Wrapper => match descriptor.fields().first() {
                Some(field) => (field, message.get(field)),
                None => return Err(node.error(malformed())),
            },
            WellKnown::Value => match message.fields().next() {
                Some((_, Value::F64(number))) if !number.is_finite() => {
                    let why = "a value that is not finite has no form in JSON";
                    return Err(node.error(Fail::new(Reason::Value(why))));
                }
                Some(kind) => kind,
                None => {
                    return Err(node.error(Fail::new(Reason::Value("a value of no kind has no form in JSON"))));
                }
            },
        };
        if !fits(descriptor.well_known, value) {
            return Err(node.error(malformed()));
        }
        let place = Place { around: node.place, message: descriptor, step: Step::Field(field) };
        InValue { node: Node { place: Some(&place), ..node }, value, field }.serialize(serializer)
    }
}

/// A map of the fields of a message, behind the type of an `Any` if it is in one.
fn fields<S: Serializer>(
    node: Node<'_>,
    message: MessageRef<'_>,
    url: Option<&str>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let (descriptor, options) = (message.descriptor(), node.context.options);
    let extensions = extensions(node, message).map_err(|fail| node.error(fail))?;
    let is_written = |field: &FieldDescriptor| message.has(field) || options.all_fields && !field.has_presence();
    // Formats that are no text want to know it first.
    let written = descriptor.fields().iter().filter(|field| is_written(field)).count();
    let mut map = serializer.serialize_map(Some(written + extensions.len() + usize::from(url.is_some())))?;
    if let Some(url) = url {
        map.serialize_entry("@type", url)?;
    }
    for field in descriptor.fields().iter().filter(|field| is_written(field)) {
        let place = Place { around: node.place, message: descriptor, step: Step::Field(field) };
        let node = Node { place: Some(&place), ..node };
        let name = if options.proto_names { field.name() } else { field.json_name() };
        map.serialize_entry(name, &InValue { node, value: message.get(field), field })?;
    }
    for (extension, value) in extensions {
        let step = Step::Extension(extension.full_name());
        let place = Place { around: node.place, message: descriptor, step };
        let node = Node { place: Some(&place), ..node };
        let value = InValue { node, value, field: extension.field() };
        map.serialize_entry(&format!("[{}]", extension.full_name()), &value)?;
    }
    map.end()
}

/// The extensions among the unknown fields, ascending by number, with their values.
fn extensions<'n>(node: Node<'n>, message: MessageRef<'n>) -> Result<Vec<(ExtensionType<'n>, Value<'n>)>, Fail> {
    let mut found = Vec::new();
    let Some(resolver) = node.context.options.resolver.filter(|_| !message.unknown_fields().is_empty()) else {
        return Ok(found);
    };
    let host = message.descriptor();
    let is_known = |number| resolver.extension_by_number(host.full_name(), number).is_some();
    let runs = by_number(message.unknown_fields(), is_known).ok_or(Exhausted::Memory)?;
    for same in runs.chunk_by(|left, right| left.number == right.number) {
        let number = same.first().map_or(0, |run| run.number);
        let Some(extension) = resolver.extension_by_number(host.full_name(), number) else { continue };
        let (arena, options) = (node.context.scratch.arena(), inner_options(node.levels));
        let holder = extension.holder().decode(joined(same, arena)?, &options, arena);
        let holder = holder.map_err(|error| Fail::from(error).within_extension(host, extension.full_name()))?;
        if let Some(value) = holder.read(extension.field()) {
            found.try_reserve(1).map_err(|_| Exhausted::Memory)?;
            found.push((extension, value));
        }
    }
    Ok(found)
}

fn any<S: Serializer>(node: Node<'_>, message: MessageRef<'_>, serializer: S) -> Result<S::Ok, S::Error> {
    let (Some(Value::String(url)), Some(Value::Bytes(content))) = (message.get_by_number(1), message.get_by_number(2))
    else {
        return Err(node.error(malformed()));
    };
    if url.is_empty() && content.is_empty() {
        return serializer.serialize_map(Some(0))?.end();
    }
    let Some(name) = type_name(url) else {
        return Err(node.error(Fail::new(Reason::Value("no type URL"))));
    };
    let Some(ty) = node.context.options.resolver.and_then(|resolver| resolver.message(name)) else {
        return Err(node.error(Fail::new(Reason::Unresolved(words(format_args!("{name}"))))));
    };
    let options = inner_options(node.levels);
    let inner = ty.decode(content, &options, node.context.scratch.arena());
    let inner = inner.map_err(|error| node.error(error.into()))?;
    if matches!(inner.descriptor().well_known, WellKnown::None | WellKnown::Empty) {
        return fields(node, inner, Some(url), serializer);
    }
    let mut map = serializer.serialize_map(Some(2))?;
    map.serialize_entry("@type", url)?;
    map.serialize_entry("value", &InMessage { node, message: inner })?;
    map.end()
}

struct InValue<'n, 'v> {
    node: Node<'n>,
    value: Value<'v>,
    field: &'v FieldDescriptor,
}

impl Serialize for InValue<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let InValue { node, value, field } = *self;
        match value {
            Value::Bool(value) => serializer.serialize_bool(value),
            Value::I32(value) => serializer.serialize_i32(value),
            Value::U32(value) => serializer.serialize_u32(value),
            Value::I64(value) => serializer.collect_str(&value),
            Value::U64(value) => serializer.collect_str(&value),
            Value::F32(value) if value.is_finite() => serializer.serialize_f32(value),
            Value::F32(value) => serializer.serialize_str(not_finite(value.into())),
            Value::F64(value) if value.is_finite() => serializer.serialize_f64(value),
            Value::F64(value) => serializer.serialize_str(not_finite(value)),
            Value::String(value) => serializer.serialize_str(value),
            Value::Bytes(bytes) => {
                let mut text = alloc::vec![0; base64::encoded_len(bytes.len())];
                base64::encode(bytes, &mut text);
                // Letters, digits and the like.
                serializer.serialize_str(core::str::from_utf8(&text).unwrap_or_default())
            }
            Value::Enum(number) => match field.enumeration() {
                Some(descriptor) if descriptor.null => serializer.serialize_unit(),
                Some(descriptor) if !node.context.options.enum_numbers => match descriptor.name_of(number) {
                    Some(name) => serializer.serialize_str(name),
                    None => serializer.serialize_i32(number),
                },
                _ => serializer.serialize_i32(number),
            },
            Value::Message(message) => InMessage { node, message }.serialize(serializer),
            Value::Lazy(lazy) => {
                let message = lazy.get(node.context.scratch.arena()).map_err(|error| node.error(error.into()))?;
                InMessage { node, message }.serialize(serializer)
            }
            Value::List(list) => {
                let mut seq = serializer.serialize_seq(Some(list.len()))?;
                for value in list.iter() {
                    seq.serialize_element(&InValue { node, value, field })?;
                }
                seq.end()
            }
            Value::Map(entries) => {
                let mut map = serializer.serialize_map(Some(entries.len()))?;
                for (key, value) in entries.iter() {
                    map.serialize_entry(&Key(key), &InValue { node, value, field })?;
                }
                map.end()
            }
        }
    }
}

/// The key of a map, which is a string whatever its type.
struct Key<'v>(Value<'v>);

impl Serialize for Key<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            Value::String(key) => serializer.serialize_str(key),
            Value::Bool(key) => serializer.serialize_str(if key { "true" } else { "false" }),
            Value::I32(key) => serializer.collect_str(&key),
            Value::U32(key) => serializer.collect_str(&key),
            Value::I64(key) => serializer.collect_str(&key),
            Value::U64(key) => serializer.collect_str(&key),
            _ => Err(S::Error::custom("not a key of a map")),
        }
    }
}

fn not_finite(value: f64) -> &'static str {
    if value.is_nan() {
        "NaN"
    } else if value > 0.0 {
        "Infinity"
    } else {
        "-Infinity"
    }
}
