//! Fields that are left out: reserved ones, and unknown ones where that is asked for.

use super::Parser;
use crate::text::error::Result;

impl Parser<'_, '_> {
    /// Skips what is behind a field's name: the grammar is all that counts.
    pub(super) fn skip_field(&mut self) -> Result<()> {
        let colon = self.lexer.eat(b':');
        self.skip_values(colon)?;
        self.separator();
        Ok(())
    }

    /// Skips a value or a list of them.
    fn skip_values(&mut self, colon: bool) -> Result<()> {
        if self.lexer.eat(b'[') { self.list(|this| this.skip_value(colon)) } else { self.skip_value(colon) }
    }

    /// Skips a value; without a colon before it, a message.
    fn skip_value(&mut self, colon: bool) -> Result<()> {
        match self.lexer.peek() {
            Some(b'{' | b'<') => self.skip_message(),
            _ if !colon => Err(self.lexer.expected("`:` or a message")),
            Some(b'"' | b'\'') => self.lexer.string(&mut self.scratch).map(|_| ()),
            Some(b'-') => {
                self.lexer.eat(b'-');
                self.skip_number()
            }
            _ => self.skip_number(),
        }
    }

    fn skip_number(&mut self) -> Result<()> {
        if self.lexer.is_at_number() {
            self.lexer.number().map(|_| ())
        } else {
            self.lexer.identifier("a value").map(|_| ())
        }
    }

    fn skip_message(&mut self) -> Result<()> {
        let close = self.open()?;
        while self.lexer.peek().is_some_and(|next| next != close) {
            if self.lexer.eat(b'[') {
                self.lexer.bracketed()?;
            } else {
                self.lexer.identifier("a field name")?;
            }
            self.skip_field()?;
        }
        self.close(close)
    }
}
