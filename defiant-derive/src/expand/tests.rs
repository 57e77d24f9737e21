//! The output for a representative file of items, compared with a golden file, and the parts that deserve a word.
//!
//! `BLESS=1 cargo test -p defiant-derive` rewrites the golden file.

use std::path::PathBuf;

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::{DeriveInput, File, Item};

use crate::{expand, schema};

/// Derives what the `#[derive(...)]` on the item names.
fn derive(item: &Item) -> Option<TokenStream> {
    let input: DeriveInput = syn::parse2(item.to_token_stream()).ok()?;
    let derives = input.attrs.iter().find(|attribute| attribute.path().is_ident("derive"))?.to_token_stream();
    let derives = derives.to_string();
    let output = if derives.contains("Message") {
        schema::Message::read(&input).map(|message| expand::message(&message))
    } else if derives.contains("Oneof") {
        schema::Oneof::read(&input).map(|oneof| expand::oneof(&oneof))
    } else {
        schema::Enumeration::read(&input).map(|enumeration| expand::enumeration(&enumeration))
    };
    Some(output.unwrap_or_else(|error| error.to_compile_error()))
}

/// The output for all items of a source file, modules included, as formatted text.
fn expansion(source: &str) -> String {
    fn items(list: &[Item], output: &mut TokenStream) {
        for item in list {
            match item {
                Item::Mod(module) => {
                    if let Some((_, list)) = &module.content {
                        items(list, output);
                    }
                }
                item => output.extend(derive(item)),
            }
        }
    }
    let file: File = syn::parse_str(source).unwrap_or_else(|error| panic!("{error}"));
    let mut output = TokenStream::new();
    items(&file.items, &mut output);
    let file: File = syn::parse2(output).unwrap_or_else(|error| panic!("the output is no Rust: {error}"));
    prettyplease::unparse(&file)
}

#[test]
fn golden() {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let read =
        |name: &str| std::fs::read_to_string(directory.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    let output = expansion(&read("input.rs"));
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(directory.join("expansion.rs"), &output).unwrap_or_else(|error| panic!("{error}"));
    }
    let golden = read("expansion.rs");
    if let Some((line, (found, expected))) =
        output.lines().zip(golden.lines()).enumerate().find(|(_, (found, expected))| found != expected)
    {
        panic!("line {}: found\n{found}\nexpected\n{expected}\n(BLESS=1 rewrites)", line + 1);
    }
    assert_eq!(output.lines().count(), golden.lines().count(), "BLESS=1 rewrites");
}

fn message(fields: &str) -> String {
    expansion(&format!(
        "#[derive(Message)] struct M<'arena> {{ {fields} #[defiant(unknown)] unknown: UnknownFields<'arena> }}"
    ))
}

/// The arms of the two matches on keys in the output, of one byte and of more, as their patterns.
fn patterns(output: &str) -> [Vec<String>; 2] {
    let start = output.find("if *key < 0x80 {").unwrap_or_else(|| panic!("no match in {output}"));
    let (one_byte, more_bytes) =
        output[start..].split_once("} else {").unwrap_or_else(|| panic!("one match in {output}"));
    let arms = |text: &str, indent: usize| {
        text.lines()
            .skip_while(|line| !line.contains("match *key {"))
            .skip(1)
            .take_while(|line| line.starts_with(&" ".repeat(indent)))
            .filter(|line| !line[indent..].starts_with([' ', '}', ')']))
            .filter_map(|line| line.split_once(" => ").map(|(pattern, _)| pattern.trim().to_owned()))
            .collect()
    };
    [arms(one_byte, 16), arms(more_bytes, 20)]
}

#[test]
fn tags_ascend_and_have_the_wire_type_of_the_field() {
    let output = message(
        "#[defiant(fixed32, tag = 9)] a: u32, #[defiant(double, tag = 8)] b: f64, #[defiant(string, tag = 7)] c: S, \
         #[defiant(group, tag = 6)] d: G, #[defiant(sint64, repeated, tag = 5)] e: V, \
         #[defiant(fixed64, repeated, packed = false, tag = 4)] f: V, #[defiant(map = \"string, message\", tag = 3)] g: X, \
         #[defiant(message, repeated, tag = 2)] h: X, #[defiant(enumeration, tag = 536870911)] i: X,",
    );
    // The last field has a tag of five bytes, f8 ff ff ff 0f, little end first.
    let expected = ["18", "26", "33", "34", "40", "42", "51", "58", "65", "77", "_"];
    assert_eq!(patterns(&output), [&expected[..], &["68719476728", "_"]], "{output}");
}

#[test]
fn a_oneof_leaves_end_group_tags_alone() {
    let output = message("#[defiant(oneof = \"K\", tags = \"16, 11, 10\")] k: Option<K>,");
    let expected = [["80..=83 | 85 | 88..=91 | 93", "_"], ["384..=387 | 389", "_"]];
    assert_eq!(patterns(&output), expected, "{output}");
}

#[test]
fn required_fields_are_counted_beyond_one_word() {
    let fields: String = (1..=66).map(|n| format!("#[defiant(int32, required, tag = {n})] f{n}: i32,")).collect();
    let output = message(&fields);
    assert!(output.contains("let mut seen = r.seen_before(&*self, scope, [18446744073709551615, 3]);"), "{output}");
    assert!(output.contains("seen[0] |= 9223372036854775808;"), "{output}");
    assert!(output.contains("if seen[0] != 18446744073709551615 {"), "{output}");
    assert!(output.contains("if seen[1] != 3 {"), "{output}");

    let single = message("#[defiant(message, required, tag = 7)] f: Option<&'arena N<'arena>>,");
    assert!(single.contains("if seen != 1 {\n"), "{single}");
    assert!(single.contains("return reader.incomplete(&*self, &[seen], Self::TABLE, 7);"), "{single}");
    assert!(!message("#[defiant(int32, tag = 1)] f: i32,").contains("seen"));
}

#[test]
fn an_accessor_shadows_no_method_of_message() {
    let output = message(
        "#[defiant(int32, optional, tag = 1)] pub encode: Option<i32>, \
         #[defiant(int32, optional, tag = 2)] pub encode_: Option<i32>, \
         #[defiant(int32, optional, tag = 3)] pub(crate) r#type: Option<i32>, \
         #[defiant(int32, tag = 4)] pub plain: i32,",
    );
    let methods: Vec<&str> = output
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pub"))
        .filter_map(|line| line.split_once("(&self)").map_or(line.strip_suffix('('), |(start, _)| Some(start)))
        .collect();
    assert_eq!(methods, [" fn encode__", " fn encode_", "(crate) fn r#type"], "{output}");
}

#[test]
fn the_runtime_can_have_another_name() {
    let output = expansion(
        "#[derive(Message)] #[defiant(crate = \"crate::pb\")] struct M<'a> { \
                     #[defiant(int32, tag = 1)] a: i32, #[defiant(oneof = \"K\", tags = \"2\")] k: K, \
                     #[defiant(map = \"int32, message\", tag = 3)] m: T, #[defiant(unknown)] u: U }
                     #[derive(Oneof)] #[defiant(crate = \"crate::pb\")] enum K<'a> { #[defiant(string, tag = 2)] A(S) }
                     #[derive(Enumeration)] #[defiant(crate = \"crate::pb\")] enum E { A = 1 }
                     #[derive(Enumeration)] #[defiant(crate = \"crate::pb\", open(A = 0))] struct O(i32);",
    );
    assert!(output.contains("crate::pb::__private::write_implicit::int32("), "{output}");
    assert!(output.contains("impl crate::pb::Enumeration for O"), "{output}");
    assert!(!output.contains("defiant"), "{output}");
}

#[test]
fn the_debug_of_an_open_enumeration_can_be_left_out() {
    let open =
        |words: &str| expansion(&format!("#[derive(Enumeration)] #[defiant({words}open(A = 0))] struct O(i32);"));
    assert!(open("").contains("impl ::core::fmt::Debug for O"));
    assert!(!open("debug = false, ").contains("Debug"));
}

#[test]
fn names_of_values_are_not_mistaken_for_associated_types() {
    let output = expansion("#[derive(Enumeration)] enum E { Error = 1 }");
    assert!(!output.contains("Self::Error>"), "{output}");
}

#[test]
fn defaults_are_documented_as_written() {
    let output = message(
        "#[defiant(int32, optional, tag = 1, default = -7)] a: T, \
         #[defiant(string, optional, tag = 2, default = \"a b\")] b: T, \
         #[defiant(float, optional, tag = 3, default = -f32::NAN)] c: T, \
         #[defiant(string, optional, tag = 4, default = \"`\")] d: T, \
         #[defiant(int64, optional, tag = 5, default = 1 as i64)] e: T, \
         #[defiant(bool, optional, tag = 6)] f: T, #[defiant(message, tag = 7)] g: T,",
    );
    for doc in [
        "The value of `a`, or its default `-7` when unset.",
        "The value of `b`, or its default `\"a b\"` when unset.",
        "The value of `c`, or its default `-f32::NAN` when unset.",
        "The value of `d`, or its declared default when unset.",
        "The value of `e`, or its default `1 as i64` when unset.",
        "The value of `f`, or `false` when unset.",
        "The message in `g`, or an empty one when unset.",
    ] {
        assert!(output.contains(doc), "{doc} in {output}");
    }
}

#[test]
fn deprecated_members_may_be_touched() {
    let output = message("#[defiant(int32, optional, tag = 1)] #[deprecated] pub old: Option<i32>,");
    assert!(
        output.contains("#[allow(deprecated)]\nunsafe impl<'arena> ::defiant::Message<'arena> for M<'arena>"),
        "{output}"
    );
    assert!(output.contains("    #[deprecated]\n    #[inline]\n    pub fn old"), "{output}");
}

fn golden_input() -> String {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/input.rs");
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{error}"))
}

/// Each impl of `Send` and `Sync` stands beside a function that requires both of every field.
#[test]
fn send_and_sync_are_proven_for_every_field() {
    let source = golden_input();
    let output = expansion(&source);
    let mut promised = 0;
    for item in syn::parse_str::<File>(&source).unwrap_or_else(|error| panic!("{error}")).items {
        let Item::Struct(item) = item else { continue };
        let name = &item.ident;
        let Some((_, proof)) = output.split_once(&format!("::core::marker::Sync for {name}<'arena> {{}}")) else {
            continue;
        };
        promised += 1;
        let (proof, _) = proof.split_once("\n};").expect("the end of the constant");
        assert!(proof.contains("fn check<__Part: ::core::marker::Send + ::core::marker::Sync>"), "{proof}");
        for field in &item.fields {
            let field = field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
            assert!(proof.contains(&format!("check(&whole.{field});")), "{name}: no proof for {field} in {proof}");
        }
        // Nothing that the path of the runtime leads to takes part in the proof.
        assert!(!proof.contains("defiant"), "{proof}");
    }
    assert!(promised > 0);
}

/// What stands in an `unsafe` block of the output is one call that is passed places of the message, so it is true wherever the
/// path of the runtime leads to.
#[test]
fn unsafe_blocks_rest_on_places_only() {
    let calls = [
        "::defiant::__private::FieldOf::new::<",
        "::defiant::__private::FieldOf::with_default::<",
        "::defiant::__private::FieldOf::member(__m,field,",
        "::defiant::__private::OneofOf::new(__m,field,",
        "::defiant::__private::DescriptorOf::new(__m,__unknown,&__FIELDS,",
        "::defiant::__private::Entry::field::<",
        "::defiant::__private::Entry::packable::<",
        "::defiant::__private::Entry::message::<",
        "::defiant::__private::Entry::partial::<",
        "::defiant::__private::Entry::first_member(__m,field,",
        "::defiant::__private::Entry::member(__m,field,",
        "::defiant::__private::Class::new::<",
        "value.into_value::<",
    ];
    let output: String = expansion(&golden_input()).split_whitespace().collect();
    let mut seen = std::collections::BTreeSet::new();
    for (at, _) in output.match_indices("unsafe{") {
        let block = &output[at + "unsafe{".len()..];
        let call = calls.iter().find(|call| block.starts_with(**call));
        let call = call.unwrap_or_else(|| panic!("another block: {block:.120}"));
        seen.insert(*call);
        let arguments = if call.ends_with('<') { block.split_once(">(").map_or("", |(_, rest)| rest) } else { "" };
        let is_place = ["__m,field,", "__m,__unknown,", ")"].iter().any(|start| arguments.starts_with(start));
        assert!(!call.ends_with('<') || is_place, "another argument: {block:.120}");
        // No other call stands in the block: the only parentheses are those of this one.
        let (block, _) = block.split_once('}').expect("the end of the block");
        assert_eq!(block.matches('(').count(), 1, "another call: {block:.200}");
    }
    assert_eq!(seen.len(), calls.len(), "{seen:?}");
    // No macro of the runtime sees the keyword, with which it could make blocks of its own.
    assert!(!output.contains("::defiant::__private::reflected!"), "a macro with `unsafe` in its input");
}

#[test]
fn nothing_of_the_prelude_is_named() {
    let source = golden_input();
    // The types of the input are written with absolute paths, so every bare name would come from the derive.
    let output = expansion(&source);
    for name in ["Ok", "Err", "Some", "None", "Option", "Result", "Default", "From", "TryFrom", "IntoIterator"] {
        for (at, _) in output.match_indices(name) {
            let (before, after) = (&output[..at], &output[at + name.len()..]);
            let is_word = !before.ends_with(is_of_word) && !after.starts_with(is_of_word);
            let is_prose = before.lines().last().is_some_and(|line| line.trim_start().starts_with("///"));
            let is_fine = !is_word || is_prose || before.ends_with("::");
            assert!(is_fine, "bare `{name}` before {:.80}", after);
        }
    }
}

fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}
