//! Lines with indentation.

#[derive(Default)]
pub(super) struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    /// One line; without text, an empty one.
    pub(super) fn line(&mut self, line: &str) {
        if !line.is_empty() {
            self.text.extend(std::iter::repeat_n("    ", self.depth));
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// Text of someone else's, as it is.
    pub(super) fn verbatim(&mut self, text: &str) {
        self.text.push_str(text);
        if !text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// A line that opens a block, and what is in it.
    pub(super) fn block(&mut self, open: &str, close: &str, body: impl FnOnce(&mut Self)) {
        self.line(open);
        self.depth += 1;
        body(self);
        self.depth -= 1;
        self.line(close);
    }

    pub(super) fn docs<'a>(&mut self, lines: impl IntoIterator<Item = &'a str>) {
        for line in lines {
            if line.is_empty() { self.line("///") } else { self.line(&format!("/// {line}")) }
        }
    }

    /// `name(a, b)` as an attribute: on one line if short, otherwise one argument a line, as rustfmt has it.
    pub(super) fn attribute(&mut self, name: &str, arguments: &[String]) {
        let joined = arguments.join(", ");
        let line = format!("#[{name}({joined})]");
        // rustfmt: attr_fn_like_width = 70, max_width = 100.
        if joined.len() <= 70 && line.len() + 4 * self.depth <= 100 {
            self.line(&line);
            return;
        }
        self.block(&format!("#[{name}("), ")]", |out| {
            for (index, argument) in arguments.iter().enumerate() {
                let comma = if index + 1 < arguments.len() { "," } else { "" };
                out.line(&format!("{argument}{comma}"));
            }
        });
    }

    /// `#[derive(..)]`; if too long, the traits on a line of their own, or each on one, as rustfmt has it.
    pub(super) fn derive(&mut self, traits: &[&str]) {
        let joined = traits.join(", ");
        // rustfmt allows for `#[derive(` and `)]` with three columns to spare.
        if joined.len() + 14 + 4 * self.depth <= 100 {
            self.line(&format!("#[derive({joined})]"));
            return;
        }
        let one_line = joined.len() + 1 + 4 * (self.depth + 1) <= 100;
        self.block("#[derive(", ")]", |out| {
            if one_line {
                out.line(&format!("{joined},"));
            } else {
                traits.iter().for_each(|name| out.line(&format!("{name},")));
            }
        });
    }

    /// `pub name: Type,`, broken behind the colon when too long, or else inside the type's angle brackets.
    pub(super) fn field(&mut self, name: &str, type_: &str) {
        let fits = |length: usize, depth: usize| length + 4 * depth <= 100;
        let line = format!("pub {name}: {type_},");
        if fits(line.len(), self.depth) {
            self.line(&line);
            return;
        }
        let broken = match type_.strip_suffix('>').and_then(|inner| inner.split_once('<')) {
            Some(parts) if !fits(type_.len() + 1, self.depth + 1) => Some(parts),
            _ => None,
        };
        let Some((outer, arguments)) = broken else {
            self.line(&format!("pub {name}:"));
            self.depth += 1;
            self.line(&format!("{type_},"));
            self.depth -= 1;
            return;
        };
        // A map has no comma in its arguments but those between them: keys and values have one argument at most.
        self.block(&format!("pub {name}: {outer}<"), ">,", |out| {
            arguments.split(", ").for_each(|argument| out.line(&format!("{argument},")));
        });
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}
