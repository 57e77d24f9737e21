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

    /// `#[derive(..)]`, filled lines if too long for one, as rustfmt has it.
    pub(super) fn derive(&mut self, traits: &[&str]) {
        let joined = traits.join(", ");
        // rustfmt allows for `#[derive(` and `)]` with three columns to spare.
        if joined.len() + 14 + 4 * self.depth <= 100 {
            self.line(&format!("#[derive({joined})]"));
            return;
        }
        let width = 100usize.saturating_sub(4 * (self.depth + 1));
        let mut lines: Vec<String> = Vec::new();
        for name in traits {
            match lines.last_mut() {
                Some(last) if last.len() + " ,".len() + name.len() <= width => {
                    last.push(' ');
                    last.push_str(name);
                    last.push(',');
                }
                _ => lines.push(format!("{name},")),
            }
        }
        self.block("#[derive(", ")]", |out| lines.iter().for_each(|line| out.line(line)));
    }

    /// `pub name: Type,`, broken behind the colon when too long.
    pub(super) fn field(&mut self, name: &str, type_: &str) {
        let line = format!("pub {name}: {type_},");
        if line.len() + 4 * self.depth <= 100 {
            self.line(&line);
        } else {
            self.block(&format!("pub {name}:"), "", |out| out.line(&format!("{type_},")));
            // A field has no closing line.
            self.text.pop();
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}
