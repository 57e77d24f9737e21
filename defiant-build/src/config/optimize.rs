//! What generated messages are optimized for.

use super::Config;

/// What the code of a message is optimized for, see [`Config::optimize_for`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OptimizeFor {
    /// Code of its own for each message, the default: the fastest, at some kilobytes a message.
    Speed,
    /// A table for each message, and code that all of them share.
    CodeSize,
}

impl OptimizeFor {
    /// The value of this name in `.proto` files.
    pub(crate) fn of(name: &str) -> Option<Self> {
        match name {
            "SPEED" => Some(Self::Speed),
            "CODE_SIZE" => Some(Self::CodeSize),
            _ => None,
        }
    }
}

impl Config {
    /// What the code of messages is optimized for, instead of what their file says with `option optimize_for`.
    ///
    /// The path names messages; those inside of a message are in its path. Where several paths match, the last one counts.
    /// `LITE_RUNTIME` in a file is the same as `SPEED`: there is one runtime.
    ///
    /// Messages of either kind have the same fields and methods, the same bytes and the same errors, and can hold each
    /// other. [`CodeSize`](OptimizeFor::CodeSize) is for schemas of hundreds of messages, where machine code and the time
    /// to compile it count more than the time to decode.
    ///
    /// ```no_run
    /// # fn main() -> Result<(), defiant_build::Error> {
    /// use defiant_build::{Config, OptimizeFor};
    ///
    /// Config::new()
    ///     .optimize_for(".", OptimizeFor::CodeSize)
    ///     .optimize_for(".shop.Order", OptimizeFor::Speed)
    ///     .compile_protos(&["proto/shop.proto"], &["proto"])?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn optimize_for(&mut self, path: impl Into<String>, what: OptimizeFor) -> &mut Self {
        self.optimize_for.push((path.into(), what));
        self
    }
}
