//! Lines with indentation.

/// rustfmt: `fn_call_width`, and `chain_width`, with `max_width` = 100.
const CALL_WIDTH: usize = 60;

/// Whether rustfmt has a value on one line that has room for it. One call is no chain.
fn is_narrow(value: &str, arguments: &str, calls: &[String]) -> bool {
    arguments.len() <= CALL_WIDTH && (calls.len() < 2 || value.len() - 1 <= CALL_WIDTH)
}

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

    /// A call of a method; behind a line break where it is too long, as rustfmt has it.
    pub(super) fn call(&mut self, receiver: &str, call: &str) {
        let line = format!("{receiver}{call}");
        if line.len() + 4 * self.depth <= 100 {
            self.line(&line);
        } else {
            self.line(receiver);
            self.depth += 1;
            self.line(call);
            self.depth -= 1;
        }
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

    /// `pub const NAME: Type<A, B> = Type::new(arguments).with_default(default).redacted();`, broken as rustfmt breaks it.
    /// The `calls` are those behind `new`.
    pub(super) fn constant(
        &mut self,
        name: &str,
        type_: &str,
        parameters: &[String],
        arguments: &str,
        calls: &[String],
    ) {
        let value = format!("{type_}::new({arguments}){};", calls.concat());
        let head = format!("pub const {name}: {type_}<{}> =", parameters.join(", "));
        let line = format!("{head} {value}");
        if is_narrow(&value, arguments, calls) && self.fits(&line) {
            return self.line(&line);
        }
        if self.fits(&head) {
            self.line(&head);
            self.depth += 1;
            self.value(&value, "", type_, arguments, calls);
            self.depth -= 1;
        } else {
            self.block(&format!("pub const {name}: {type_}<"), "", |out| {
                parameters.iter().for_each(|parameter| out.line(&format!("{parameter},")));
            });
            // The closing line is that of the value.
            self.text.pop();
            self.value(&value, "> = ", type_, arguments, calls);
        }
    }

    /// The value of a constant, on one line or broken.
    fn value(&mut self, value: &str, before: &str, type_: &str, arguments: &str, calls: &[String]) {
        let line = format!("{before}{value}");
        let call = format!("{before}{type_}::new({arguments})");
        if is_narrow(value, arguments, calls) && self.fits(&line) {
            return self.line(&line);
        }
        let on_one_line = arguments.len() <= CALL_WIDTH && self.fits(&call) && !calls.is_empty();
        if on_one_line {
            self.line(&call);
            self.depth += 1;
        } else {
            let close = if calls.is_empty() { ");" } else { ")" };
            self.block(&format!("{before}{type_}::new("), close, |out| {
                arguments.split(", ").for_each(|argument| out.line(&format!("{argument},")));
            });
        }
        for (index, call) in calls.iter().enumerate() {
            let end = if index + 1 < calls.len() { "" } else { ";" };
            self.line(&format!("{call}{end}"));
        }
        if on_one_line {
            self.depth -= 1;
        }
    }

    fn fits(&self, line: &str) -> bool {
        line.len() + 4 * self.depth <= 100
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}
