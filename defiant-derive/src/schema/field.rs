//! One field of a message, or one variant of a oneof: type word, cardinality, number, default.

use std::collections::HashSet;

use proc_macro2::Span;
use syn::{Attribute, Expr, Ident, LitStr, Path, Type, Visibility};

use super::attribute::{Word, Words};
use super::codec::{Cardinality, Codec, MapValue, Shape};
use super::errors::Errors;
use super::item::deprecation;
use super::number::Number;

/// A field with a number of its own.
pub(crate) struct Field {
    pub(crate) ident: Ident,
    pub(crate) visibility: Visibility,
    pub(crate) ty: Type,
    pub(crate) shape: Shape,
    pub(crate) number: Number,
    /// The proto name.
    pub(crate) name: String,
    /// The name in JSON, if it is not what the proto name makes it.
    pub(crate) json_name: Option<String>,
    /// Its values are kept out of what is made for reading: the option `debug_redact`.
    pub(crate) redacted: bool,
    pub(crate) default: Option<Expr>,
    /// Where the type word stands: errors about a codec that does not fit the Rust type point here.
    pub(crate) span: Span,
    pub(crate) deprecation: Option<Attribute>,
}

impl Field {
    /// The name in JSON: <https://protobuf.dev/programming-guides/json/>.
    pub(crate) fn json_name(&self) -> String {
        if let Some(name) = &self.json_name {
            return name.clone();
        }
        let mut json = String::with_capacity(self.name.len());
        let mut capital = false;
        for character in self.name.chars() {
            match character {
                '_' => capital = true,
                other if capital => {
                    json.push(other.to_ascii_uppercase());
                    capital = false;
                }
                other => json.push(other),
            }
        }
        json
    }
}

/// A oneof in a message; its members stand in an enum of their own.
pub(crate) struct OneofField {
    pub(crate) ident: Ident,
    pub(crate) ty: Type,
    /// The enum, as written in `oneof = "..."`.
    pub(crate) path: Option<Path>,
    /// The field numbers of the members, ascending, at least one.
    pub(crate) numbers: Vec<Number>,
    /// The proto name.
    pub(crate) name: String,
    pub(crate) deprecation: Option<Attribute>,
}

/// What an attribute declares.
pub(super) enum Declaration {
    Field(Declared),
    Oneof { path: Option<Path>, numbers: Vec<Number>, name: Option<String> },
    Unknown,
}

/// A field without its Rust side.
pub(super) struct Declared {
    shape: Shape,
    pub(super) number: Number,
    pub(super) name: Option<String>,
    json_name: Option<String>,
    redacted: bool,
    default: Option<Expr>,
    span: Span,
}

impl Declared {
    /// Joins the declaration with the Rust field or variant it stands on.
    pub(super) fn on(
        self,
        ident: &Ident,
        visibility: Visibility,
        ty: &Type,
        name: String,
        attributes: &[Attribute],
    ) -> Field {
        Field {
            ident: ident.clone(),
            visibility,
            ty: ty.clone(),
            shape: self.shape,
            number: self.number,
            name: self.name.unwrap_or(name),
            json_name: self.json_name,
            redacted: self.redacted,
            default: self.default,
            span: self.span,
            deprecation: deprecation(attributes),
        }
    }
}

/// Where a declaration stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Field,
    Variant,
}

const FIELD_WORDS: &str = "a type (int32, int64, uint32, uint64, sint32, sint64, fixed32, fixed64, sfixed32, \
    sfixed64, float, double, bool, string, bytes, enumeration, message, group, map, oneof, unknown) and optional, \
    required, repeated, packed, inline, lazy, tag, tags, default, name, json_name, debug_redact";
const VARIANT_WORDS: &str = "a type (int32, int64, uint32, uint64, sint32, sint64, fixed32, fixed64, sfixed32, \
    sfixed64, float, double, bool, string, bytes, enumeration, message, group) and inline, tag, name, json_name, debug_redact";

/// The words of one attribute by role; a role that was given twice keeps its first word.
#[derive(Default)]
struct Roles<'w> {
    types: Vec<&'w Word>,
    cardinality: Option<&'w Word>,
    packed: Option<&'w Word>,
    inline: Option<&'w Word>,
    lazy: Option<&'w Word>,
    tag: Option<&'w Word>,
    tags: Option<&'w Word>,
    default: Option<&'w Word>,
    name: Option<&'w Word>,
    json_name: Option<&'w Word>,
    redact: Option<&'w Word>,
}

impl<'w> Roles<'w> {
    fn sort(words: &'w [Word], place: Place, errors: &mut Errors) -> (Self, bool) {
        let mut roles = Self::default();
        let mut seen = HashSet::new();
        let mut all_known = true;
        for word in words {
            let name = word.name();
            if !seen.insert(name.clone()) {
                errors.at(word.span(), format!("`{name}` is given twice"));
                continue;
            }
            match name.as_str() {
                "message" | "group" | "map" | "oneof" | "unknown" => roles.types.push(word),
                known if Codec::of(known).is_some() => roles.types.push(word),
                "optional" | "required" | "repeated" => match roles.cardinality {
                    Some(first) => errors.at(
                        word.span(),
                        format!("`{name}` contradicts `{}`: a field has one cardinality", first.name()),
                    ),
                    None => {
                        if let Err(error) = word.alone() {
                            errors.push(error);
                        }
                        roles.cardinality = Some(word);
                    }
                },
                "packed" => roles.packed = Some(word),
                "inline" => roles.inline = Some(word),
                "lazy" => roles.lazy = Some(word),
                "tag" => roles.tag = Some(word),
                "tags" => roles.tags = Some(word),
                "default" => roles.default = Some(word),
                "name" => roles.name = Some(word),
                "json_name" => roles.json_name = Some(word),
                "debug_redact" => roles.redact = Some(word),
                unknown => {
                    let known = if place == Place::Field { FIELD_WORDS } else { VARIANT_WORDS };
                    errors.at(word.span(), format!("unknown word `{unknown}`; here stand {known}"));
                    all_known = false;
                }
            }
        }
        (roles, all_known)
    }

    /// Rejects the words that have no meaning for `what`.
    fn only(&self, what: &str, allowed: &[&str], errors: &mut Errors) {
        let optional = [
            self.cardinality,
            self.packed,
            self.inline,
            self.lazy,
            self.tag,
            self.tags,
            self.default,
            self.name,
            self.json_name,
            self.redact,
        ];
        for word in optional.into_iter().flatten() {
            let name = word.name();
            if !allowed.contains(&name.as_str()) {
                errors.at(word.span(), format!("`{name}` does not apply to {what}"));
            }
        }
    }
}

/// Reads the attributes of the field or variant `ident`. `None` after a mistake, which is recorded.
pub(super) fn declaration(
    attributes: &[Attribute],
    ident: &Ident,
    place: Place,
    errors: &mut Errors,
) -> Option<Declaration> {
    let words = Words::read(attributes, errors);
    if !words.present {
        let (what, more) = match place {
            Place::Field => ("field", ", or `#[defiant(unknown)]` for the unknown fields"),
            Place::Variant => ("variant", ""),
        };
        errors.at(
            ident.span(),
            format!("the {what} `{ident}` needs an attribute such as `#[defiant(string, tag = 1)]`{more}"),
        );
        return None;
    }
    let (roles, all_known) = Roles::sort(&words.list, place, errors);
    let ty = match roles.types.as_slice() {
        [ty] => *ty,
        [] => {
            // An unreadable or misspelt word may well have been the type.
            if words.complete && all_known {
                let known = if place == Place::Field { FIELD_WORDS } else { VARIANT_WORDS };
                errors.at(ident.span(), format!("`{ident}` has no proto type; here stand {known}"));
            }
            if let Some(tag) = roles.tag {
                Number::one(tag, errors);
            } else if words.complete && all_known {
                missing_number(ident, errors);
            }
            return None;
        }
        [first, others @ ..] => {
            for other in others {
                errors.at(
                    other.span(),
                    format!("`{}` contradicts `{}`: a field has one proto type", other.name(), first.name()),
                );
            }
            return None;
        }
    };
    match ty.name().as_str() {
        word @ ("oneof" | "unknown" | "map") if place == Place::Variant => {
            errors.at(ty.span(), format!("`{word}` cannot be a member of a oneof"));
            None
        }
        "unknown" => {
            errors.keep(ty.alone())?;
            roles.only("the unknown fields", &[], errors);
            Some(Declaration::Unknown)
        }
        "oneof" => oneof(ty, &roles, words.complete, errors),
        _ => field(ty, &roles, ident, place, words.complete, errors).map(Declaration::Field),
    }
}

fn missing_number(ident: &Ident, errors: &mut Errors) {
    errors.at(ident.span(), format!("`{ident}` has no field number: add `tag = 1`"));
}

fn oneof(ty: &Word, roles: &Roles<'_>, complete: bool, errors: &mut Errors) -> Option<Declaration> {
    let path = match ty.is_alone() {
        true => None,
        false => errors.keep(ty.path("oneof = \"message::Kind\"")),
    };
    if let Some(tag) = roles.tag {
        errors.at(
            tag.span(),
            "`tag` does not apply to a oneof: list the field numbers of its members, `tags = \"10, 11\"`",
        );
    }
    roles.only("a oneof", &["tag", "tags", "name"], errors);
    let name = roles.name.and_then(|word| errors.keep(word.text("name = \"proto_name\""))).map(|text| text.value());
    match roles.tags {
        Some(tags) => {
            let mut numbers = Number::several(tags, errors)?;
            numbers.sort_by_key(|number| number.value);
            Some(Declaration::Oneof { path, numbers, name })
        }
        None => {
            if complete && roles.tag.is_none() {
                errors.at(ty.span(), "a oneof lists the field numbers of its members: add `tags = \"10, 11\"`");
            }
            None
        }
    }
}

fn field(
    ty: &Word,
    roles: &Roles<'_>,
    ident: &Ident,
    place: Place,
    complete: bool,
    errors: &mut Errors,
) -> Option<Declared> {
    if let Some(tags) = roles.tags {
        errors.at(tags.span(), "`tags` belongs to a oneof; a field has one number: `tag = 1`");
    }
    let number = match roles.tag {
        Some(tag) => Number::one(tag, errors),
        None => {
            if complete && roles.tags.is_none() {
                missing_number(ident, errors);
            }
            None
        }
    };
    let name = roles.name.and_then(|word| errors.keep(word.text("name = \"proto_name\""))).map(|text| text.value());
    let json_name =
        roles.json_name.and_then(|word| errors.keep(word.text("json_name = \"jsonName\""))).map(|text| text.value());
    let redacted = roles.redact.is_some_and(|word| errors.keep(word.alone()).is_some());
    let shape = match place {
        Place::Field => shape(ty, roles, errors),
        Place::Variant => variant_shape(ty, roles, errors),
    };
    let default = default(ty, roles, shape, place, errors);
    Some(Declared { shape: shape?, number: number?, name, json_name, redacted, default, span: ty.span() })
}

/// The shape of a field of a message.
fn shape(ty: &Word, roles: &Roles<'_>, errors: &mut Errors) -> Option<Shape> {
    let word = ty.name();
    let cardinality = roles.cardinality.map(Word::name);
    let packed = packed(&word, cardinality.as_deref(), roles, errors);
    let inline = inline(&word, cardinality.as_deref(), roles, errors);
    let lazy = lazy(&word, roles, errors);
    if word == "map" {
        if let Some(cardinality) = roles.cardinality {
            errors.at(
                cardinality.span(),
                format!("`{}` does not apply to a map, which is repeated by nature", cardinality.name()),
            );
        }
        return map(ty, errors);
    }
    without_value(ty, errors)?;
    let Some(codec) = Codec::of(&word) else {
        let cardinality = match cardinality.as_deref() {
            Some("required") => Cardinality::Required,
            Some("repeated") => Cardinality::Repeated,
            _ => Cardinality::Optional,
        };
        if lazy {
            return Some(Shape::Lazy(cardinality));
        }
        return Some(Shape::Message { group: word == "group", inline, cardinality });
    };
    Some(match cardinality.as_deref() {
        Some("optional") => Shape::Optional(codec),
        Some("required") => Shape::Required(codec),
        Some("repeated") => Shape::Repeated { codec, packed: packed.unwrap_or_else(|| codec.is_packable()) },
        _ => Shape::Implicit(codec),
    })
}

/// The shape of a member of a oneof: what the runtime reads it as.
fn variant_shape(ty: &Word, roles: &Roles<'_>, errors: &mut Errors) -> Option<Shape> {
    let word = ty.name();
    if let Some(cardinality) = roles.cardinality {
        errors.at(
            cardinality.span(),
            format!("`{}` does not apply to a member of a oneof, which is set or not", cardinality.name()),
        );
    }
    packed(&word, None, roles, errors);
    let inline = inline(&word, None, roles, errors);
    if let Some(lazy) = roles.lazy {
        errors.at(lazy.span(), "`lazy` does not apply to a member of a oneof");
    }
    without_value(ty, errors)?;
    Some(match Codec::of(&word) {
        Some(codec) => Shape::Optional(codec),
        None => Shape::Message { group: word == "group", inline, cardinality: Cardinality::Optional },
    })
}

/// Type words other than `map` and `oneof` stand alone.
fn without_value(ty: &Word, errors: &mut Errors) -> Option<()> {
    if ty.is_alone() {
        return Some(());
    }
    let word = ty.name();
    errors.at(
        ty.span(),
        match word.as_str() {
            "enumeration" => "`enumeration` takes no value: the enum is known from the type of the field".to_owned(),
            _ => format!("`{word}` takes no value: write just `{word}`"),
        },
    );
    None
}

fn packed(word: &str, cardinality: Option<&str>, roles: &Roles<'_>, errors: &mut Errors) -> Option<bool> {
    let packed = roles.packed?;
    match Codec::of(word) {
        Some(codec) if codec.is_packable() => {
            if cardinality == Some("repeated") {
                return errors.keep(packed.boolean());
            }
            errors.at(packed.span(), "`packed` only applies to a repeated field");
        }
        _ => errors.at(packed.span(), format!("`packed` does not apply to `{word}`: only numbers can be packed")),
    }
    None
}

fn inline(word: &str, cardinality: Option<&str>, roles: &Roles<'_>, errors: &mut Errors) -> bool {
    let Some(inline) = roles.inline else {
        return false;
    };
    if errors.keep(inline.alone()).is_none() {
        return false;
    }
    match word {
        "message" | "group" if cardinality == Some("repeated") => {
            errors.at(inline.span(), "`inline` does not apply to a repeated field, whose messages stand in one slice");
            false
        }
        "message" | "group" => true,
        _ => {
            errors.at(inline.span(), format!("`inline` only applies to messages and groups, not to `{word}`"));
            false
        }
    }
}

fn lazy(word: &str, roles: &Roles<'_>, errors: &mut Errors) -> bool {
    let Some(lazy) = roles.lazy else {
        return false;
    };
    if errors.keep(lazy.alone()).is_none() {
        return false;
    }
    if word != "message" {
        errors.at(lazy.span(), format!("`lazy` only applies to messages, not to `{word}`"));
        return false;
    }
    if roles.inline.is_some() {
        errors.at(lazy.span(), "`lazy` contradicts `inline`: a message that stays encoded is not held in the struct");
        return false;
    }
    true
}

fn default(ty: &Word, roles: &Roles<'_>, shape: Option<Shape>, place: Place, errors: &mut Errors) -> Option<Expr> {
    let word = roles.default?;
    let refusal = match (place, shape) {
        (Place::Variant, _) => "`default` does not apply to a member of a oneof: an unset oneof has no value",
        (_, Some(Shape::Optional(_) | Shape::Required(_)) | None) => {
            return errors.keep(word.expression("default = 7")).cloned();
        }
        (_, Some(Shape::Implicit(_))) => {
            "`default` needs `optional` or `required`: with implicit presence the default is always zero"
        }
        (_, Some(Shape::Repeated { .. })) => "`default` does not apply to a repeated field, whose default is empty",
        (_, Some(Shape::Map(..))) => "`default` does not apply to a map, whose default is empty",
        (_, Some(Shape::Message { .. } | Shape::Lazy(_))) => {
            errors.at(word.span(), format!("`default` does not apply to a {}, whose fields have their own", ty.name()));
            return None;
        }
    };
    errors.at(word.span(), refusal);
    None
}

/// Reads `map = "string, int32"`.
fn map(ty: &Word, errors: &mut Errors) -> Option<Shape> {
    let text: LitStr = errors.keep(ty.text("map = \"string, int32\""))?;
    let list = text.value();
    let Some((key, value)) = list.split_once(',').filter(|(_, value)| !value.contains(',')) else {
        errors.at(text.span(), "a map has a key and a value: `map = \"string, int32\"`");
        return None;
    };
    let (key, value) = (key.trim(), value.trim());
    let key = match (Codec::of(key), key) {
        (Some(codec), _) if codec.is_map_key() => Some(codec),
        (Some(_), _) | (None, "message" | "group") => {
            errors
                .at(text.span(), format!("`{key}` cannot be the key of a map; only integers, `bool` and `string` can"));
            None
        }
        _ => {
            errors.at(text.span(), format!("unknown map key type `{key}`; keys are integers, `bool` or `string`"));
            None
        }
    };
    let value = match (Codec::of(value), value) {
        (Some(codec), _) => Some(MapValue::Codec(codec)),
        (None, "message") => Some(MapValue::Message),
        (None, "group") => {
            errors.at(text.span(), "`group` cannot be the value of a map; `message` can");
            None
        }
        _ => {
            errors.at(
                text.span(),
                format!("unknown map value type `{value}`; values are scalars, `enumeration` or `message`"),
            );
            None
        }
    };
    Some(Shape::Map(key?, value?))
}
