//! Limits, memory that is given back, and input that means harm.

use proptest::prelude::*;

use super::*;

#[test]
fn levels_are_limited() {
    let nested = |levels: usize, open: &str, close: &str| format!("{}{}", open.repeat(levels), close.repeat(levels));
    let arena = Arena::new();
    for (open, close) in [
        ("child {", "}"),
        ("old_name {", "}"),
        ("old_name: [{ x ", "}]"),
        ("child { chosen_all <", "> }"),
        ("child { by_name { value { label: '' } key: 'a' }", "}"),
    ] {
        let open = open.replace("old_name: [{ x ", "old_name: [{ x { ").replace("old_name {", "old_name { x {");
        let close = if close == "}]" {
            "}}]"
        } else if open.starts_with("old_name {") {
            "}}"
        } else {
            close
        };
        let read = |levels: usize, limit| {
            DecodeOptions::new().recursion_limit(limit).decode::<All<'_>>(&nested(levels, &open, close), &arena)
        };
        // One repetition has two levels at the most.
        let (few, many) = (read(1, 4), read(5, 4));
        assert!(few.is_ok(), "{open}: {few:?}");
        let error = many.expect_err(&open);
        assert!(error.is_recursion_limit(), "{error}");
    }
    assert!(decode::<All<'_>>(&nested(100, "child {", "}"), &arena).is_ok());
    let error = decode::<All<'_>>(&nested(101, "child {", "}"), &arena).expect_err("too deep");
    assert!(error.is_recursion_limit());
    assert_eq!(error.path().matches("All.child").count(), 101);
    // Only the limit is between these and the end of the stack.
    for open in ["child {", "child <", "old_name {x{", "by_name { value {", "old_name: [", "doubles: ["] {
        assert!(decode::<All<'_>>(&open.repeat(100_000), &arena).is_err());
    }
}

#[test]
fn memory_is_limited_and_given_back() {
    let arena = Arena::with_capacity(1 << 20);
    let text = "leaves {} ".repeat(1000);
    let whole = size_of::<Leaf<'_>>() * 1000;
    let used = arena.used_bytes();
    for limit in [0, 1, size_of::<Leaf<'_>>(), whole / 2, whole - 1] {
        let read = DecodeOptions::new().memory_limit(limit).decode::<All<'_>>(&text, &arena);
        let error = read.expect_err("too little");
        assert!(error.is_memory_limit(), "{error}");
        assert_eq!(error.path(), "All.leaves");
        assert_eq!(arena.used_bytes(), used);
    }
    let strings = format!("{} int32: x", "strings: 'some text' ".repeat(1000));
    assert!(decode::<All<'_>>(&strings, &arena).is_err());
    assert_eq!(arena.used_bytes(), used);
    assert!(decode::<All<'_>>("lazies { number: 1 } lazy { label: 'x' } int32: x", &arena).is_err());
    assert_eq!(arena.used_bytes(), used);
    assert!(DecodeOptions::new().memory_limit(whole * 4).decode::<All<'_>>(&text, &arena).is_ok());
    assert!(arena.used_bytes() >= used + whole);

    // The limit of the arena itself.
    let small = Arena::new();
    small.set_limit(Some(1 << 12));
    let lazy = format!("lazy {{ label: '{}' }}", "x".repeat(5000));
    let lazies = format!("lazies {{ label: '{}' }} ", "x".repeat(50)).repeat(100);
    for text in
        [lazy, lazies, "leaves {} ".repeat(1000), "strings: 'abcdefgh' ".repeat(1000), "numbers {} ".repeat(4000)]
    {
        let error = decode::<All<'_>>(&text, &small).expect_err("too little");
        assert!(error.is_memory_limit(), "{error}");
    }
}

#[test]
fn fields_that_take_turns_take_linear_memory() {
    let arena = Arena::new();
    let bytes = |times: usize| {
        let text = "doubles: 1 leaves { number: 1 } numbers { key: 1 } strings: '' ".repeat(times);
        let before = arena.used_bytes();
        let read: All<'_> = decode(&text, &arena).expect("valid");
        assert_eq!((read.doubles.len(), read.leaves.len(), read.strings.len()), (times, times, times));
        arena.used_bytes() - before
    };
    let (few, many) = if cfg!(miri) { (bytes(100), bytes(800)) } else { (bytes(1000), bytes(8000)) };
    assert!(many < few * 10, "{few} and {many} bytes");
}

#[test]
fn what_is_cut_off_is_an_error_or_less() {
    let arena = Arena::new();
    let text = encode(&full(&arena));
    let step = if cfg!(miri) { 31 } else { 1 };
    for end in (0..text.len()).step_by(step).filter(|end| text.is_char_boundary(*end)) {
        let mut arena = Arena::new();
        let _ = decode::<All<'_>>(&text[..end], &arena);
        let lenient = DecodeOptions::new().ignore_unknown_fields(true);
        let _ = lenient.decode::<All<'_>>(&text[end..], &arena);
        arena.reset();
    }
}

/// Pieces of the grammar.
fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        proptest::sample::select(std::vec![
            "{",
            "}",
            "<",
            ">",
            "[",
            "]",
            ":",
            ",",
            ";",
            "-",
            "'",
            "\"",
            "\\",
            "#",
            "\n",
            " ",
            "key",
            "value",
            "1",
            "0x",
            "1.5e",
            "inf",
            "child",
            "leaf",
            "leaves",
            "by_name",
            "numbers",
            "colors",
            "Red",
            "Part",
            "old_name",
            "text",
            "'a'",
            "\\u",
            "\\777",
            "a.b/c.D",
            "doubles: [",
            "strings",
            "lazy",
            "lazies",
            "count: 1",
            "\u{e9}",
            "\0",
            "counted { key: 1 value {",
            "by_name { value {",
        ])
        .prop_map(ToOwned::to_owned),
        "\\PC{0,3}",
    ]
}

proptest! {
    #[test]
    fn nothing_does_harm(pieces in proptest::collection::vec(piece(), 0..40)) {
        let text: String = pieces.concat();
        let arena = Arena::new();
        for options in [DecodeOptions::new(), DecodeOptions::new().ignore_unknown_fields(true).memory_limit(500)] {
            match options.decode::<All<'_>>(&text, &arena) {
                // What was read can be written and read again.
                Ok(read) => {
                    let again = decode::<All<'_>>(&encode(&read), &arena);
                    prop_assert_eq!(again.ok().map(|again| wire(&again)), Some(wire(&read)));
                }
                Err(error) => {
                    prop_assert!(error.offset() <= text.len());
                    prop_assert!(error.line() > 0 && error.column() > 0);
                }
            }
        }
    }
}
