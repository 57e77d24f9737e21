//! Comments of `.proto` files as rustdoc: nothing in them is run as a test, and nothing in them warns.

/// The lines of the docs, without slashes; none for an empty comment.
pub(crate) fn rustdoc(comment: &str) -> Vec<String> {
    let mut blocks = Blocks::default();
    for line in dedent(comment) {
        blocks.line(&line);
    }
    blocks.finish()
}

/// Drops what no comment should hold, turns tabs into spaces, and takes away the space behind the slashes.
fn dedent(comment: &str) -> Vec<String> {
    // `/** ..`, as documentation is marked elsewhere.
    let comment = comment.strip_prefix('*').filter(|rest| rest.starts_with(char::is_whitespace)).unwrap_or(comment);
    let lines = comment.lines().map(|line| {
        let clean: String = line.replace('\t', "    ").chars().filter(|&c| !c.is_control() && !is_bidi(c)).collect();
        clean.trim_end().to_owned()
    });
    lines
        .map(|line| {
            let line = unmarked(&line);
            line.strip_prefix(' ').unwrap_or(line).to_owned()
        })
        .collect()
}

/// A line without the third slash of `/// ..`, or the `!` of `//! ..`, as documentation is marked elsewhere.
fn unmarked(line: &str) -> &str {
    let rest = line.strip_prefix('!').unwrap_or_else(|| line.trim_start_matches('/'));
    if rest.is_empty() || rest.starts_with(' ') { rest } else { line }
}

/// Characters that reorder text, which rustc denies in comments.
fn is_bidi(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// An open list item.
struct Item {
    /// Spaces before its marker, as written.
    raw: usize,
    /// The column of its content, as we write it.
    content: usize,
}

/// An open code block.
struct Code {
    /// The fence that ends it; without one, less indentation does.
    fence: Option<String>,
    /// Spaces to take away from its lines.
    base: usize,
    /// Where it starts in the output.
    start: usize,
}

#[derive(Default)]
struct Blocks {
    out: Vec<String>,
    items: Vec<Item>,
    code: Option<Code>,
    /// The line before was blank, or there was none.
    fresh: bool,
    /// A rule like `|---|` has made the paragraph a table.
    table: bool,
}

impl Blocks {
    fn line(&mut self, line: &str) {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let text = line.trim_start_matches(' ');
        if let Some(code) = &self.code {
            match &code.fence {
                Some(fence) if is_closing(text, fence) => return self.close(),
                Some(_) => return self.code_line(line, code.base),
                None if text.is_empty() || indent >= code.base => return self.code_line(line, code.base),
                None => self.close(),
            }
        }
        if text.is_empty() {
            self.fresh = true;
            self.table = false;
            if !self.out.is_empty() {
                self.out.push(String::new());
            }
            return;
        }
        let fresh = self.fresh || self.out.last().is_none_or(String::is_empty);
        self.fresh = false;
        if let Some(fence) = opening(text) {
            return self.open(Some(fence), indent);
        }
        if is_break(text) {
            while self.items.last().is_some_and(|item| indent <= item.raw) {
                self.items.pop();
            }
            let column = self.column();
            return self.push(column, text);
        }
        // In the middle of a paragraph of the same block, only some markers count.
        let anywhere = fresh || self.items.iter().any(|item| indent <= item.raw);
        if let Some(marker) = marker(text, anywhere) {
            return self.item(indent, &text[..marker], text[marker..].trim_start());
        }
        if fresh {
            while self.items.last().is_some_and(|item| indent <= item.raw) {
                self.items.pop();
            }
            if self.items.is_empty() && indent >= 4 {
                self.open(None, indent);
                return self.code_line(line, indent);
            }
        }
        let column = self.column();
        let text = if is_table_rule(text) && !self.table {
            // Not below a row that a bar would part inside backticks.
            let whole = self.out.last().is_none_or(|row| !bars_in_code(row));
            self.table = whole;
            if whole { text.to_owned() } else { text.replace('|', "\\|").replace(':', "\\:") }
        } else if self.table {
            in_table(text)
        } else {
            inline(text)
        };
        self.push(column, &text);
    }

    /// Where the text of the innermost open item stands.
    fn column(&self) -> usize {
        self.items.last().map_or(0, |item| item.content)
    }

    fn push(&mut self, column: usize, text: &str) {
        self.out.push(format!("{:column$}{text}", ""));
    }

    fn item(&mut self, indent: usize, marker: &str, text: &str) {
        while self.items.last().is_some_and(|item| indent <= item.raw) {
            self.items.pop();
        }
        let column = self.column();
        self.push(column, format!("{marker} {}", inline(text)).trim_end());
        self.items.push(Item { raw: indent, content: column + marker.len() + 1 });
    }

    fn open(&mut self, fence: Option<String>, base: usize) {
        self.code = Some(Code { fence, base, start: self.out.len() });
    }

    fn code_line(&mut self, line: &str, base: usize) {
        let column = self.column();
        let spaces = line.len() - line.trim_start_matches(' ').len();
        let text = &line[spaces.min(base)..];
        if text.is_empty() { self.out.push(String::new()) } else { self.push(column, text) }
    }

    fn close(&mut self) {
        let Some(code) = self.code.take() else { return };
        // Blank lines before the end of an indented block are behind it.
        let mut blank = 0;
        while code.fence.is_none() && self.out.last().is_some_and(String::is_empty) {
            self.out.pop();
            blank += 1;
        }
        let fence = code.fence.unwrap_or_else(|| {
            let holds_fence = self.out[code.start..].iter().any(|line| line.contains("```"));
            if holds_fence { "~~~~" } else { "```" }.to_owned()
        });
        let column = self.column();
        self.out.insert(code.start, format!("{:column$}{fence}text", ""));
        self.push(column, &fence);
        self.out.extend(std::iter::repeat_n(String::new(), blank));
        self.fresh = true;
    }

    fn finish(mut self) -> Vec<String> {
        self.close();
        while self.out.last().is_some_and(String::is_empty) {
            self.out.pop();
        }
        self.out.dedup_by(|next, before| next.is_empty() && before.is_empty());
        self.out
    }
}

/// The fence a line opens a code block with.
fn opening(text: &str) -> Option<String> {
    let mark = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = text.len() - text.trim_start_matches(mark).len();
    let info = &text[length..];
    // Backticks behind backticks are a code span.
    (length >= 3 && !(mark == '`' && info.contains('`'))).then(|| text[..length].to_owned())
}

fn is_closing(text: &str, fence: &str) -> bool {
    let mark = fence.chars().next().unwrap_or('`');
    text.len() >= fence.len() && text.chars().all(|c| c == mark)
}

/// The length of the list marker a line begins with. In the middle of a paragraph only `1.` counts.
fn marker(text: &str, anywhere: bool) -> Option<usize> {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let length = match text.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) && (anywhere || &text[..digits] == "1") => digits + 1,
        _ => return None,
    };
    // A lone marker in a paragraph would be an underline.
    (text[length..].starts_with(' ')).then_some(length)
}

/// A line across the page: `***`, `- - -`. Below a paragraph, dashes make that a heading.
fn is_break(text: &str) -> bool {
    let marks = |mark: char| text.chars().all(|c| c == mark || c == ' ') && text.matches(mark).count() >= 3;
    marks('*') || marks('-') || marks('_')
}

/// Whether a line makes the paragraph it is in a table.
fn is_table_rule(text: &str) -> bool {
    text.contains('-') && text.contains(['|', ':']) && text.chars().all(|c| matches!(c, '-' | '|' | ':' | ' '))
}

/// A row of a table. Bars part cells even inside backticks: then these are escaped.
fn in_table(text: &str) -> String {
    if bars_in_code(text) { inline(&text.replace('`', "\\`")) } else { inline(text) }
}

/// Whether there may be a bar inside backticks.
fn bars_in_code(row: &str) -> bool {
    let doubtful = row.contains("``") || row.contains("\\`");
    row.contains('|') && (doubtful || row.split('`').skip(1).step_by(2).any(|code| code.contains('|')))
}

/// One line of text: brackets, tags and stray backticks escaped, bare URLs made links.
fn inline(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = text;
    // What would begin a block here was none of those we know.
    if rest.starts_with(['>', '~']) {
        out.push('\\');
    } else if let Some(marker) = marker(rest, true) {
        out.push_str(&rest[..marker - 1]);
        out.push('\\');
        rest = &rest[marker - 1..];
    }
    while let Some(first) = rest.chars().next() {
        let taken = match first {
            '`' => code_span(rest, &mut out),
            '<' => match rest[1..].find('>').filter(|end| {
                is_url(&rest[1..=*end]) && !rest[1..=*end].contains(|c: char| c.is_whitespace() || c == '<')
            }) {
                Some(end) => copy(rest, end + 2, &mut out),
                None => escape(rest, &mut out),
            },
            '[' => match link(rest).filter(|_| !out.ends_with('!')) {
                Some(length) => copy(rest, length, &mut out),
                None => escape(rest, &mut out),
            },
            ']' => escape(rest, &mut out),
            '\\' if rest[1..].starts_with(|c: char| c.is_ascii_punctuation()) => copy(rest, 2, &mut out),
            // The bracket of the link is not to be what it escapes.
            '\\' if is_url(&rest[1..]) => escape(rest, &mut out),
            'h' if is_url(rest) => {
                let length = url_length(rest);
                out.push('<');
                copy(rest, length, &mut out);
                out.push('>');
                length
            }
            _ => copy(rest, first.len_utf8(), &mut out),
        };
        rest = &rest[taken..];
    }
    // A backslash at the end would break the line; a pipe-less table or a heading may stay.
    if out.ends_with('\\') && !out.ends_with("\\\\") {
        out.push('\\');
    }
    out
}

fn copy(rest: &str, length: usize, out: &mut String) -> usize {
    out.push_str(&rest[..length]);
    length
}

fn escape(rest: &str, out: &mut String) -> usize {
    out.push('\\');
    copy(rest, 1, out)
}

/// A run of backticks and all up to the same run, or the run escaped.
fn code_span(rest: &str, out: &mut String) -> usize {
    let run = rest.len() - rest.trim_start_matches('`').len();
    let mut at = run;
    while let Some(found) = rest[at..].find('`') {
        let start = at + found;
        let length = rest[start..].len() - rest[start..].trim_start_matches('`').len();
        if length == run {
            return copy(rest, start + length, out);
        }
        at = start + length;
    }
    (0..run).for_each(|_| out.push_str("\\`"));
    run
}

/// The length of `[text](https://..)`.
fn link(rest: &str) -> Option<usize> {
    let close = rest.find(']')?;
    let target = rest[close + 1..].strip_prefix('(')?;
    let end = target.find(')')?;
    let plain = |text: &str| !text.contains(['[', '<', '`', '\\']) && !text.is_empty();
    (plain(&rest[1..close])
        && plain(&target[..end])
        && !target[..end].contains('(')
        && is_url(target)
        && !target[..end].contains(char::is_whitespace))
    .then_some(close + 1 + 1 + end + 1)
}

/// Whether a web address begins here, as rustdoc sees it.
fn is_url(text: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme) && url_length(text) > scheme.len())
}

/// Up to a space or a bracket, without the punctuation of the sentence around it.
fn url_length(text: &str) -> usize {
    let end = text
        .find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`' | '[' | ']' | '\\'))
        .unwrap_or(text.len());
    let mut url = &text[..end];
    loop {
        let trimmed = url.trim_end_matches(['.', ',', ';', ':', '!', '?', '\'', '*', '_']);
        let trimmed = match trimmed.strip_suffix(')') {
            Some(inner) if inner.matches('(').count() <= inner.matches(')').count() => inner,
            _ => trimmed,
        };
        if trimmed.len() == url.len() {
            return url.len();
        }
        url = trimmed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(comment: &str) -> String {
        rustdoc(comment).join("\n")
    }

    #[test]
    fn plain_text_stays() {
        assert_eq!(text(" A person.\n\n Has a name.\n"), "A person.\n\nHas a name.");
        assert_eq!(text("\n\n \n"), "");
    }

    #[test]
    fn brackets_tags_and_urls() {
        assert_eq!(text("[a] <b> Vec<u8> `x[0] <y>`"), r"\[a\] \<b> Vec\<u8> `x[0] <y>`");
        assert_eq!(text("see https://a.b/c(d)."), "see <https://a.b/c(d)>.");
        assert_eq!(text("(http://a.b), <http://c.d>"), "(<http://a.b>), <http://c.d>");
        assert_eq!(text("[here](https://a.b/c) [there](x)"), r"[here](https://a.b/c) \[there\](x)");
        assert_eq!(text("a ` stray"), r"a \` stray");
        assert_eq!(text(r"\[done\]"), r"\[done\]");
        assert_eq!(text("> quoted"), r"\> quoted");
    }

    #[test]
    fn marks_of_documentation() {
        assert_eq!(text("/ Three.\n/\n/ More"), "Three.\n\nMore");
        assert_eq!(text("! Inner"), "Inner");
        assert_eq!(text("* In the style of Java.\n More."), "In the style of Java.\nMore.");
        // Behind two slashes and a space, these are what they are.
        assert_eq!(text(" / a\n * b\n /c"), "/ a\n* b\n  /c");
        assert_eq!(text("/path"), "/path");
    }

    #[test]
    fn code_becomes_text() {
        assert_eq!(text("Use:\n\n     let x;\n       y\n\n\n Done"), "Use:\n\n```text\nlet x;\n  y\n```\n\nDone");
        assert_eq!(text("```rust\npanic!()\n```\nend"), "```text\npanic!()\n```\nend");
        assert_eq!(text("```\nopen"), "```text\nopen\n```");
        assert_eq!(text("~~~\n```\n~~~"), "~~~text\n```\n~~~");
    }

    #[test]
    fn lists() {
        assert_eq!(
            text("- a\n  more\n    - b\nlazy\n\n          deep\n\nout"),
            "- a\n  more\n  - b\n    lazy\n\n    deep\n\nout"
        );
        assert_eq!(text("In\n2023. It was"), "In\n2023\\. It was");
        assert_eq!(text("-      not code"), "- not code");
    }

    #[test]
    fn tables() {
        assert_eq!(text("| `a` | [b] |\n|---|:-:|\n| `c` | d |"), "| `a` | \\[b\\] |\n|---|:-:|\n| `c` | d |");
        assert_eq!(text("|a|b|\n|-|-|\n| `<x> | y` | z"), "|a|b|\n|-|-|\n| \\`\\<x> | y\\` | z");
        assert_eq!(text("| `<x> | y` |\n|-|-|"), "| `<x> | y` |\n\\|-\\|-\\|");
        assert_eq!(text("a\n\n---\n* * *\nb"), "a\n\n---\n* * *\nb");
    }

    #[test]
    fn characters_that_rustc_denies() {
        assert_eq!(text("a\u{202e}b\rc\0"), "abc");
    }
}
