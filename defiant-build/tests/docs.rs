//! Comments of any shape, seen with the eyes of rustdoc: nothing is a test, HTML, a broken link or a bare URL.

use defiant_build::Comments;
use proptest::prelude::*;
use pulldown_cmark::{BrokenLink, CodeBlockKind, CowStr, Event, LinkType, Options, Parser, Tag, TagEnd};

/// What markdown, rustdoc or a `.proto` file gives a meaning to.
const PIECES: &[&str] = &[
    " ",
    "  ",
    "    ",
    "\t",
    "\n",
    "\n",
    "\n\n",
    "a",
    "word",
    "é",
    "`",
    "``",
    "```",
    "````",
    "~~~",
    "rust",
    "[",
    "]",
    "(",
    ")",
    "[a]",
    "[a]: ",
    "[^a]",
    "[`a`]",
    "(b)",
    "<",
    ">",
    "<b>",
    "</b>",
    "<!--",
    "-->",
    "<https://a.bc>",
    "https://a.bc/d",
    "http://",
    "https://",
    "HTTP://a.bc",
    "www.a.bc",
    "\\",
    "\\\\",
    "*",
    "**",
    "_",
    "-",
    "- ",
    "* ",
    "+ ",
    "1. ",
    "2) ",
    "> ",
    "# ",
    "#",
    "===",
    "---",
    "|",
    "| a |",
    "|---|",
    "&amp;",
    "&",
    ";",
    "!",
    "![a]",
    "\"",
    "'",
    ":",
    ".",
    ",",
    "/",
    "/ ",
    "//",
    "*/",
    "/*",
    "$x$",
    "~~",
    "- [ ] ",
    "\u{202e}",
    "\0",
    "\r",
];

/// The options of rustdoc.
fn options() -> Options {
    Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_SMART_PUNCTUATION
}

/// Why rustdoc would complain, if it would.
fn complaint(markdown: &str) -> Option<String> {
    let mut broken = None;
    let mut callback = |link: BrokenLink<'_>| {
        broken = Some(link.reference.to_string());
        None::<(CowStr<'_>, CowStr<'_>)>
    };
    let mut found = None;
    let (mut in_code, mut in_link) = (false, false);
    for event in Parser::new_with_broken_link_callback(markdown, options(), Some(&mut callback)) {
        let wrong = match &event {
            Event::Html(_) | Event::InlineHtml(_) => true,
            Event::Start(Tag::CodeBlock(kind)) => {
                in_code = true;
                !matches!(kind, CodeBlockKind::Fenced(info) if &**info == "text")
            }
            Event::Start(Tag::Link { link_type, dest_url, .. }) => {
                in_link = true;
                !matches!(link_type, LinkType::Autolink | LinkType::Inline) || !dest_url.starts_with("http")
            }
            Event::End(TagEnd::CodeBlock) => {
                in_code = false;
                false
            }
            Event::End(TagEnd::Link) => {
                in_link = false;
                false
            }
            Event::Start(Tag::Image { .. }) | Event::FootnoteReference(_) => true,
            Event::Text(text) => !in_code && !in_link && has_bare_url(text),
            _ => false,
        };
        if wrong && found.is_none() {
            found = Some(format!("{event:?}"));
        }
    }
    broken.or(found)
}

/// As rustdoc's lint sees it, roughly: a scheme and a name with a dot.
fn has_bare_url(text: &str) -> bool {
    ["http://", "https://"].iter().flat_map(|scheme| text.split(scheme).skip(1)).any(|rest| {
        let name: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '.').collect();
        name.split_once('.').is_some_and(|(host, zone)| host.len() >= 2 && zone.len() >= 2)
    })
}

fn rustdoc(comment: &str) -> String {
    let leading = comment.split('\n').map(str::to_owned).collect();
    Comments { leading, ..Comments::default() }.rustdoc().join("\n")
}

#[test]
fn the_complaints_are_seen() {
    for markdown in
        ["    code", "```\ncode\n```", "```rust\ncode\n```", "[a]", "[a](b)", "<b>", "see http://ab.cd", "![a](b)"]
    {
        assert!(complaint(markdown).is_some(), "{markdown}");
    }
    for markdown in ["text", "```text\ncode\n```", "`[a]`", "<http://ab.cd>", "[a](https://b.c)", "- a\n- b"] {
        assert_eq!(complaint(markdown), None, "{markdown}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rustdoc_never_complains(pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40)) {
        let comment = pieces.concat();
        let markdown = rustdoc(&comment);
        prop_assert_eq!(complaint(&markdown), None, "\n{:?} became\n{}", comment, markdown);
        let denied = markdown.contains(['\r', '\0', '\u{202e}']);
        prop_assert!(!denied);
        // Nothing gets lost but what stands behind the fence of a code block.
        if !comment.contains(['`', '~']) {
            prop_assert_eq!(markdown.matches("word").count(), comment.matches("word").count());
        }
    }
}
