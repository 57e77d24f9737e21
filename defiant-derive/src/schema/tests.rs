//! Every check with the words it says, and that mistakes come together.

use quote::ToTokens as _;
use syn::{DeriveInput, parse_str};

use super::{Cardinality, Codec, Enumeration, EnumerationForm, Message, Oneof, Shape};

fn parse(source: &str) -> DeriveInput {
    parse_str(source).unwrap_or_else(|error| panic!("{error} in {source}"))
}

fn all<T>(result: syn::Result<T>) -> Vec<String> {
    result.err().into_iter().flatten().map(|error| error.to_string()).collect()
}

/// The mistakes in a message with these fields and a good unknown field.
fn fields(fields: &str) -> Vec<String> {
    all(Message::read(&parse(&format!(
        "struct M<'arena> {{ {fields} #[defiant(unknown)] unknown_fields: UnknownFields<'arena> }}"
    ))))
}

/// The mistakes of a single field with this attribute.
fn field(attribute: &str) -> Vec<String> {
    fields(&format!("#[defiant({attribute})] f: T,"))
}

fn oneof(source: &str) -> Vec<String> {
    all(Oneof::read(&parse(source)))
}

fn enumeration(source: &str) -> Vec<String> {
    all(Enumeration::read(&parse(source)))
}

/// Exactly these mistakes, each containing the text.
#[track_caller]
fn says(mistakes: &[String], expected: &[&str]) {
    let fits = mistakes.len() == expected.len()
        && mistakes.iter().zip(expected).all(|(mistake, expected)| mistake.contains(expected));
    assert!(fits, "expected {expected:#?}, found {mistakes:#?}");
}

#[test]
fn field_numbers() {
    for (attribute, expected) in [
        ("int32", "`f` has no field number: add `tag = 1`"),
        ("int32, tag = 0", "field numbers start at 1"),
        ("int32, tag = -3", "field number -3 is negative"),
        ("int32, tag = \"-3\"", "field number -3 is negative"),
        ("int32, tag = 536870912", "field number 536870912 is too large; the largest is 536870911"),
        ("int32, tag = 99999999999999999999", "is too large"),
        ("int32, tag = 19000", "field number 19000 is reserved"),
        ("int32, tag = \"19999\"", "field number 19999 is reserved"),
        ("int32, tag = \"one\"", "`one` is not a field number"),
        ("int32, tag = ONE", "expected a field number: `tag = 1`"),
        ("int32, tag", "`tag` needs a value: `tag = 1`"),
        ("int32, tag = 1, tag = 2", "`tag` is given twice"),
        ("int32, tags = \"1\"", "`tags` belongs to a oneof"),
    ] {
        says(&field(attribute), &[expected]);
    }
    for good in ["1", "\"1\"", "18999", "20000", "536870911", "0x10"] {
        says(&field(&format!("int32, tag = {good}")), &[]);
    }
}

#[test]
fn a_number_belongs_to_one_field() {
    says(
        &fields(
            "#[defiant(int32, tag = 1)] a: i32, #[defiant(string, tag = 1)] b: &'arena str, \
             #[defiant(oneof = \"K\", tags = \"2, 1, 2\")] c: Option<K>,",
        ),
        &[
            "field number 1 of `b` is already used by `a`",
            "field number 1 of `c` is already used by `a`",
            "field number 2 stands twice in `c`",
        ],
    );
}

#[test]
fn type_words() {
    says(&field("tag = 1"), &["`f` has no proto type; here stand a type (int32, int64, uint32"]);
    says(&field("int32, string, tag = 1"), &["`string` contradicts `int32`: a field has one proto type"]);
    says(&field("int32, int32, tag = 1"), &["`int32` is given twice"]);
    says(&field("strin, tag = 1"), &["unknown word `strin`; here stand a type (int32,"]);
    says(&field("int32, option, tag = 1"), &["unknown word `option`"]);
    says(&field("int32 = 4, tag = 1"), &["`int32` takes no value: write just `int32`"]);
    says(&field("bytes = \"vec\", tag = 1"), &["`bytes` takes no value"]);
    says(&field("enumeration = \"Color\", tag = 1"), &["the enum is known from the type of the field"]);
    says(&field("int32 tag = 1"), &["expected `,`"]);
}

#[test]
fn cardinalities() {
    says(&field("int32, optional, repeated, tag = 1"), &["`repeated` contradicts `optional`"]);
    says(&field("int32, required, repeated, tag = 1"), &["`repeated` contradicts `required`"]);
    says(&field("int32, optional = true, tag = 1"), &["`optional` takes no value"]);
}

#[test]
fn packed() {
    says(&field("int32, packed, tag = 1"), &["`packed` only applies to a repeated field"]);
    says(&field("int32, optional, packed = true, tag = 1"), &["`packed` only applies to a repeated field"]);
    for word in ["string", "bytes", "message", "group"] {
        says(&field(&format!("{word}, repeated, packed, tag = 1")), &["only numbers can be packed"]);
    }
    says(&field("int32, repeated, packed = 3, tag = 1"), &["expected `packed = true` or `packed = false`"]);
    for good in ["packed", "packed = true", "packed = false", "packed = \"false\""] {
        says(&field(&format!("int32, repeated, {good}, tag = 1")), &[]);
    }
}

#[test]
fn defaults() {
    says(&field("int32, default = 1, tag = 1"), &["`default` needs `optional` or `required`"]);
    says(&field("int32, repeated, default = 1, tag = 1"), &["`default` does not apply to a repeated field"]);
    says(&field("message, default = 1, tag = 1"), &["`default` does not apply to a message"]);
    says(&field("group, repeated, default = 1, tag = 1"), &["`default` does not apply to a group"]);
    says(&field("map = \"int32, int32\", default = 1, tag = 1"), &["`default` does not apply to a map"]);
    says(&field("int32, optional, default, tag = 1"), &["`default` needs a value: `default = 7`"]);
    for good in ["7", "-1", "\"a\"", "b\"\\x00a\"", "f32::NAN", "Color::Blue", "1 << 3", "(1, 2).0", "-f64::INFINITY"] {
        says(&field(&format!("int32, optional, default = {good}, tag = 1")), &[]);
    }
}

#[test]
fn inline() {
    says(&field("message, repeated, inline, tag = 1"), &["`inline` does not apply to a repeated field"]);
    says(&field("int32, inline, tag = 1"), &["`inline` only applies to messages and groups, not to `int32`"]);
    says(&field("map = \"int32, message\", inline, tag = 1"), &["`inline` only applies to messages and groups"]);
    says(&field("message, inline, tag = 1"), &[]);
    says(&field("message, lazy, tag = 1"), &[]);
    says(&field("message, repeated, lazy, tag = 1"), &[]);
    says(&field("group, lazy, tag = 1"), &["`lazy` only applies to messages, not to `group`"]);
    says(&field("string, lazy, tag = 1"), &["`lazy` only applies to messages, not to `string`"]);
    says(&field("int32, tag = 1, json_name"), &["`json_name` needs a value"]);
    says(&field("int32, tag = 1, debug_redact = true"), &["`debug_redact` takes no value"]);
    says(&field("oneof, tags = \"1\", debug_redact"), &["`debug_redact` does not apply to a oneof"]);
    says(&field("message, lazy, inline, tag = 1"), &["`lazy` contradicts `inline`"]);
    says(&field("message, lazy = true, tag = 1"), &["`lazy`"]);
    says(&field("oneof = \"E\", tags = \"1\", lazy"), &["`lazy` does not apply to a oneof"]);
}

#[test]
fn maps() {
    for key in ["float", "double", "bytes", "message", "group", "enumeration"] {
        says(&field(&format!("map = \"{key}, int32\", tag = 1")), &[&format!("`{key}` cannot be the key of a map")]);
    }
    says(&field("map = \"strin, int32\", tag = 1"), &["unknown map key type `strin`"]);
    says(&field("map = \"string, group\", tag = 1"), &["`group` cannot be the value of a map; `message` can"]);
    says(&field("map = \"string, map\", tag = 1"), &["unknown map value type `map`"]);
    says(
        &field("map = \"float, group\", tag = 0"),
        &["field numbers start at 1", "`float` cannot be the key", "`group` cannot be the value"],
    );
    for list in ["string", "string, int32, int32", ""] {
        says(&field(&format!("map = \"{list}\", tag = 1")), &["a map has a key and a value"]);
    }
    says(&field("map, tag = 1"), &["`map` needs a value: `map = \"string, int32\"`"]);
    says(&field("map = \"string, int32\", repeated, tag = 1"), &["`repeated` does not apply to a map"]);
}

#[test]
fn oneof_fields() {
    says(&field("oneof = \"K\""), &["add `tags = \"10, 11\"`"]);
    says(&field("oneof = \"K\", tags = \"\""), &["at least one field number"]);
    says(
        &field("oneof = \"K\", tags = \"1, x, 19000\""),
        &["`x` is not a field number", "field number 19000 is reserved"],
    );
    says(&field("oneof = \"K\", tag = 1"), &["`tag` does not apply to a oneof"]);
    says(&field("oneof = \"K<'a>>\", tags = \"1\""), &["expected a path in the string"]);
    says(
        &field("oneof = \"K\", tags = \"1\", optional, default = 1"),
        &["`optional` does not apply to a oneof", "`default` does not apply to a oneof"],
    );
    for good in ["oneof = \"m::K\"", "oneof = m::K", "oneof"] {
        says(&field(&format!("{good}, tags = \"1, 2,\"")), &[]);
    }
}

#[test]
fn unknown_fields() {
    says(&all(Message::read(&parse("struct M<'a> {}"))), &["`M` needs a field for unknown fields"]);
    says(
        &fields("#[defiant(unknown)] first: U,"),
        &["a message has one field for unknown fields; `first` is it already"],
    );
    says(&fields("plain: i32,"), &["the field `plain` needs an attribute such as `#[defiant(string, tag = 1)]`"]);
    says(&fields("/// docs\n #[allow(x)] plain: i32,"), &["the field `plain` needs an attribute"]);
    says(
        &all(Message::read(&parse("struct M<'a> { #[defiant(unknown, tag = 1)] u: U }"))),
        &["`tag` does not apply to the unknown fields"],
    );
}

#[test]
fn items() {
    let unknown = "#[defiant(unknown)] u: U";
    let message = |source: &str| all(Message::read(&parse(source)));
    for not_a_message in ["struct M<'a>(i32);", "struct M;", "enum M { A }", "union M { a: i32 }"] {
        says(&message(not_a_message), &["a message is a struct with named fields"]);
    }
    says(
        &message(&format!("struct M {{ {unknown} }}")),
        &["exactly one lifetime parameter, that of the arena: write `struct M<'arena>`"],
    );
    says(&message(&format!("struct M<'a, 'b> {{ {unknown} }}")), &["only one lifetime parameter is possible"]);
    says(&message(&format!("struct M<'a, T> {{ {unknown} }}")), &["type parameters are not supported"]);
    says(&message(&format!("struct M<'a, const N: usize> {{ {unknown} }}")), &["const parameters are not supported"]);
    says(&message(&format!("struct M<'a: 'static> {{ {unknown} }}")), &["has no bounds"]);
    says(&message(&format!("struct M<'a> where u8: Copy {{ {unknown} }}")), &["where clauses are not supported"]);
    says(
        &message(&format!("#[defiant(nam = \"M\")] struct M<'a> {{ {unknown} }}")),
        &["unknown word `nam`; here stand name, package, domain, crate"],
    );
    says(
        &message(&format!("#[defiant(name = \"a.b.M\", package = \"a.c\")] struct M<'a> {{ {unknown} }}")),
        &["the name \"a.b.M\" is not in the package \"a.c\""],
    );
    says(
        &message(&format!("#[defiant(package = \"M\", domain = \"a/\")] struct M<'a> {{ {unknown} }}")),
        &["has no slash at its end", "the name \"M\" is not in the package \"M\""],
    );
    says(
        &message(&format!("#[defiant(name = M)] struct M<'a> {{ {unknown} }}")),
        &["expected a string: `name = \"package.Name\"`"],
    );
    says(
        &message(&format!("#[defiant(crate = \"1\")] struct M<'a> {{ {unknown} }}")),
        &["expected a path in the string"],
    );
    says(
        &message(&format!("#[defiant] struct M<'a> {{ {unknown} }}")),
        &["expected attribute arguments in parentheses"],
    );
}

#[test]
fn oneofs() {
    says(&oneof("struct K(i32);"), &["a oneof is an enum"]);
    says(&oneof("enum K {}"), &["a oneof needs at least one variant"]);
    says(&oneof("enum K<'a, 'b> { #[defiant(int32, tag = 1)] A(i32) }"), &["only one lifetime parameter"]);
    for held in ["", "()", "(i32, i32)", "{ a: i32 }"] {
        says(
            &oneof(&format!("enum K {{ #[defiant(int32, tag = 1)] A{held} }}")),
            &["a member of a oneof holds exactly one value: write `A(Type)`"],
        );
    }
    says(&oneof("enum K { A(i32) }"), &["the variant `A` needs an attribute"]);
    for (attribute, expected) in [
        ("int32, repeated, tag = 1", "`repeated` does not apply to a member of a oneof"),
        ("int32, packed, tag = 1", "`packed` only applies to a repeated field"),
        ("int32, optional, tag = 1", "`optional` does not apply to a member of a oneof"),
        ("int32, default = 1, tag = 1", "`default` does not apply to a member of a oneof"),
        ("map = \"int32, int32\", tag = 1", "`map` cannot be a member of a oneof"),
        ("oneof = \"K\", tags = \"1\"", "`oneof` cannot be a member of a oneof"),
        ("unknown", "`unknown` cannot be a member of a oneof"),
        ("int32", "`A` has no field number"),
        ("tag = 1", "`A` has no proto type; here stand a type"),
    ] {
        says(&oneof(&format!("enum K {{ #[defiant({attribute})] A(i32) }}")), &[expected]);
    }
    says(
        &oneof("enum K { #[defiant(int32, tag = 1)] A(i32), #[defiant(bool, tag = 1)] B(bool) }"),
        &["field number 1 of `B` is already used by `A`"],
    );
}

#[test]
fn closed_enumerations() {
    says(&enumeration("enum E {}"), &["an enumeration needs at least one value"]);
    says(&enumeration("enum E { A, B = 1 }"), &["`A` has no number: write `A = 1`"]);
    says(&enumeration("enum E { A = 1, B = 0x1 }"), &["the number 1 of `B` is already that of `A`"]);
    says(
        &enumeration("enum E { A = 2147483648, B = -2147483649 }"),
        &["2147483648 does not fit", "-2147483649 does not fit"],
    );
    says(&enumeration("enum E { A = ONE }"), &["the number of a value is an integer literal"]);
    says(&enumeration("enum E { A(i32) = 1 }"), &["a value of an enumeration holds nothing"]);
    says(&enumeration("enum E<'a> { A = 1 }"), &["an enumeration has no lifetime parameter"]);
    says(&enumeration("enum E { #[defiant(nam = \"A\")] A = 1 }"), &["unknown word `nam`"]);
    says(
        &enumeration("enum E { #[defiant(name = \"X\")] A = 1, #[defiant(name = \"X\")] B = 2 }"),
        &["the proto name `X` of `B` is already that of `A`"],
    );
    says(&enumeration("#[defiant(open(A = 0))] enum E { A = 1 }"), &["`open` needs a newtype, `struct E(pub i32);`"]);
    says(
        &enumeration("#[defiant(alias(C = 2 \"C\"))] enum E { A = 1 }"),
        &["`C` is an alias of 2, which no variant has"],
    );
    says(&enumeration("#[defiant(alias(A = 1 \"C\"))] enum E { A = 1 }"), &["the value `A` is declared twice"]);
    says(&enumeration("#[defiant(alias(C = 1 \"C\"), alias(D = 1))] enum E { A = 1, B = -2147483648 }"), &[]);
}

#[test]
fn open_enumerations() {
    says(&enumeration("struct E(i32);"), &["an open enumeration lists its values"]);
    says(&enumeration("#[defiant(open())] struct E(i32);"), &["an enumeration needs at least one value"]);
    says(
        &enumeration("#[defiant(open(A = 1 \"A\"))] struct E(i32);"),
        &["the first value of an open enumeration is 0"],
    );
    says(&enumeration("#[defiant(open(A = 0))] struct E { a: i32 }"), &["an open enumeration is a newtype"]);
    says(&enumeration("#[defiant(open(A = 0, A = 1))] struct E(i32);"), &["the value `A` is declared twice"]);
    says(&enumeration("#[defiant(open(A = 0 \"X\", B = 1 \"X\"))] struct E(i32);"), &["the proto name `X` of `B`"]);
    says(&enumeration("#[defiant(open(A))] struct E(i32);"), &["the number of the value stands here"]);
    says(&enumeration("#[defiant(open)] struct E(i32);"), &["`open` needs a list"]);
    says(&enumeration("#[defiant(open(A = 0), alias(B = 0))] struct E(i32);"), &["lists aliases in `open(...)`"]);
    says(&enumeration("union E { a: i32 }"), &["an enumeration is a Rust enum, or a newtype"]);
    says(
        &enumeration("#[defiant(open(/// docs\n A = 0 \"A\", #[deprecated] B = 0 \"B\", C = -1,))] struct E(pub i32);"),
        &[],
    );
}

#[test]
fn all_mistakes_come_at_once() {
    says(
        &all(Message::read(&parse(
            "#[defiant(nom = \"x\")] struct M { \
                 #[defiant(strng, tag = 1)] a: i32, \
                 #[defiant(int32, tag = 0)] b: i32, \
                 #[defiant(int32, optional, repeated, tag = 19500)] c: i32, \
                 #[defiant(map = \"float, int32\", tag = 5)] d: i32, \
                 e: i32, \
             }",
        ))),
        &[
            "unknown word `nom`",
            "exactly one lifetime parameter",
            "unknown word `strng`",
            "field numbers start at 1",
            "`repeated` contradicts `optional`",
            "19500 is reserved",
            "`float` cannot be the key",
            "the field `e` needs an attribute",
        ],
    );
}

#[test]
fn shapes() {
    let shape = |attribute: &str| {
        let source = format!("struct M<'a> {{ #[defiant({attribute}, tag = 1)] f: T, #[defiant(unknown)] u: U }}");
        Message::read(&parse(&source)).map(|message| message.fields[0].shape).unwrap_or_else(|e| panic!("{e}"))
    };
    assert_eq!(shape("int32"), Shape::Implicit(Codec::Int32));
    assert_eq!(shape("string, optional"), Shape::Optional(Codec::Str));
    assert_eq!(shape("bytes, required"), Shape::Required(Codec::Bytes));
    assert_eq!(shape("double, repeated"), Shape::Repeated { codec: Codec::Double, packed: true });
    assert_eq!(shape("bool, repeated, packed = false"), Shape::Repeated { codec: Codec::Bool, packed: false });
    assert_eq!(shape("string, repeated"), Shape::Repeated { codec: Codec::Str, packed: false });
    let message = |group, inline, cardinality| Shape::Message { group, inline, cardinality };
    assert_eq!(shape("message"), message(false, false, Cardinality::Optional));
    assert_eq!(shape("message, optional, inline"), message(false, true, Cardinality::Optional));
    assert_eq!(shape("group, required"), message(true, false, Cardinality::Required));
    assert_eq!(shape("group, repeated"), message(true, false, Cardinality::Repeated));
    assert_eq!(shape("message, lazy"), Shape::Lazy(Cardinality::Optional));
    assert_eq!(shape("message, lazy, required"), Shape::Lazy(Cardinality::Required));
    assert_eq!(shape("message, lazy, repeated"), Shape::Lazy(Cardinality::Repeated));
}

#[test]
fn names() {
    let message = Message::read(&parse(
        "struct M<'a> { #[defiant(int32, tag = 2)] r#type: i32, #[defiant(int32, tag = 1, name = \"camelCase\")] \
         camel_case: i32, #[defiant(unknown)] u: U }",
    ));
    let names: Vec<_> = message.iter().flat_map(|m| &m.fields).map(|f| (f.number.value, f.name.as_str())).collect();
    assert_eq!(names, [(1, "camelCase"), (2, "type")]);

    let oneof = Oneof::read(&parse(
        "enum K { #[defiant(int32, tag = 2)] HomeAddress(i32), #[defiant(int32, tag = 1, name = \"x\")] B(i32) }",
    ));
    let names: Vec<_> = oneof.iter().flat_map(|o| &o.variants).map(|f| (f.number.value, f.name.as_str())).collect();
    assert_eq!(names, [(1, "x"), (2, "home_address")]);

    let open = Enumeration::read(&parse("#[defiant(name = \"p.E\", open(A = 0, B = -1 \"E_B\"))] struct E(i32);"));
    let Ok(Enumeration { item, form: EnumerationForm::Open(values), debug: true }) = open else { panic!("not open") };
    assert_eq!(item.name, "p.E");
    let names: Vec<_> = values.iter().map(|value| (value.number, value.name.as_str())).collect();
    assert_eq!(names, [(0, "A"), (-1, "E_B")]);
}

#[test]
fn lints_of_the_item_reach_its_impls() {
    let message = Message::read(&parse(
        "#[allow(deprecated, reason = \"x\")] #[expect(clippy::all)] #[deprecated] struct M<'a> { #[defiant(unknown)] u: U }",
    ));
    let allowed: Vec<_> =
        message.iter().flat_map(|m| &m.item.allowed).map(|tokens| tokens.to_token_stream().to_string()).collect();
    assert_eq!(allowed, ["deprecated ,", "clippy :: all", "deprecated"]);
}

#[test]
fn message_sets() {
    let read = |words: &str, field: &str| {
        all(Message::read(&parse(&format!(
            "#[defiant({words})] struct M<'arena> {{ {field} #[defiant(unknown)] u: UnknownFields<'arena> }}"
        ))))
    };
    says(&read("message_set", ""), &[]);
    says(&read("message_set = true", ""), &["`message_set` takes no value"]);
    says(&read("message_set, message_set", ""), &["`message_set` is given twice"]);
    let alone = "a message set has extensions only";
    says(&read("message_set", "#[defiant(int32, tag = 1)] f: i32,"), &[alone]);
    says(&read("message_set", "#[defiant(oneof, tags = \"1\")] f: Option<T>,"), &[alone]);
    says(
        &read("message_sets", ""),
        &["unknown word `message_sets`; here stand name, package, domain, crate, message_set, reserved, optimize_for"],
    );
}

#[test]
fn reserved_names() {
    let read = |words: &str| {
        Message::read(&parse(&format!("#[defiant({words})] struct M<'a> {{ #[defiant(unknown)] u: U }}")))
    };
    let names = |words: &str| read(words).map(|message| message.reserved).ok();
    assert_eq!(names("name = \"M\""), Some(Vec::new()));
    assert_eq!(names("reserved = \"a, b_2,_c\""), Some(vec!["a".to_owned(), "b_2".to_owned(), "_c".to_owned()]));
    for (words, complaints) in [
        ("reserved", &["`reserved` needs a value: `reserved = \"old_name, older_name\"`"][..]),
        ("reserved = \"a, 1b\"", &["`1b` is no field name"]),
        ("reserved = \"\"", &["`` is no field name"]),
        ("reserved = \"a\", reserved = \"b\"", &["`reserved` is given twice"]),
    ] {
        says(&all(read(words)), complaints);
    }
}

#[test]
fn what_to_optimize_for() {
    let message = |words: &str| {
        Message::read(&parse(&format!("#[defiant({words})] struct M<'a> {{ #[defiant(unknown)] u: U }}")))
    };
    let oneof = |words: &str| {
        Oneof::read(&parse(&format!("#[defiant({words})] enum K {{ #[defiant(int32, tag = 1)] A(i32) }}")))
    };
    for (words, code_size) in
        [("name = \"M\"", false), ("optimize_for = \"speed\"", false), ("optimize_for = \"code_size\"", true)]
    {
        assert_eq!(message(words).map(|message| message.code_size).ok(), Some(code_size), "{words}");
        assert_eq!(oneof(words).map(|oneof| oneof.code_size).ok(), Some(code_size), "{words}");
    }
    for (words, complaints) in [
        ("optimize_for = \"size\"", &["unknown `size`; a message is optimized for `speed` or `code_size`"][..]),
        ("optimize_for", &["`optimize_for` needs a value: `optimize_for = \"code_size\"`"]),
        ("optimize_for = code_size", &["expected a string: `optimize_for = \"code_size\"`"]),
        ("optimize_for = \"speed\", optimize_for = \"x\"", &["`optimize_for` is given twice"]),
    ] {
        says(&all(message(words)), complaints);
        says(&all(oneof(words)), complaints);
    }
    says(&all(oneof("optimise_for")), &["unknown word `optimise_for`; here stand name, crate, optimize_for"]);
}
