//! The one error of this crate.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why no code was generated.
///
/// Nothing has been written when a call returns this. `Display` names the place, one line per problem:
/// `proto/person.proto:4:12: Expected ";".`
pub struct Error(Box<Kind>);

/// One complaint about one `.proto` file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub(crate) file: Option<PathBuf>,
    pub(crate) line: Option<u32>,
    pub(crate) column: Option<u32>,
    pub(crate) message: String,
}

#[derive(Debug)]
enum Kind {
    Io { what: String, source: io::Error },
    NoProtoc { reason: String },
    InvalidProto(Vec<Diagnostic>),
    Unsupported(Vec<Diagnostic>),
    InvalidDescriptorSet(String),
    Config(Vec<String>),
}

impl Error {
    #[cold]
    pub(crate) fn io(what: impl Into<String>, source: io::Error) -> Self {
        Self(Box::new(Kind::Io { what: what.into(), source }))
    }

    #[cold]
    pub(crate) fn no_protoc(reason: impl Into<String>) -> Self {
        Self(Box::new(Kind::NoProtoc { reason: reason.into() }))
    }

    #[cold]
    pub(crate) fn invalid_proto(diagnostics: Vec<Diagnostic>) -> Self {
        Self(Box::new(Kind::InvalidProto(diagnostics)))
    }

    #[cold]
    pub(crate) fn unsupported(diagnostics: Vec<Diagnostic>) -> Self {
        Self(Box::new(Kind::Unsupported(diagnostics)))
    }

    #[cold]
    pub(crate) fn invalid_descriptor_set(message: impl Into<String>) -> Self {
        Self(Box::new(Kind::InvalidDescriptorSet(message.into())))
    }

    #[cold]
    pub(crate) fn config(messages: Vec<String>) -> Self {
        Self(Box::new(Kind::Config(messages)))
    }

    /// The same with paths on disk where they are known.
    pub(crate) fn located(mut self, on_disk: impl Fn(&Path) -> Option<PathBuf>) -> Self {
        if let Kind::InvalidProto(diagnostics) | Kind::Unsupported(diagnostics) = &mut *self.0 {
            for diagnostic in diagnostics {
                let found = diagnostic.file.as_deref().and_then(&on_disk);
                diagnostic.file = found.or_else(|| diagnostic.file.take());
            }
        }
        self
    }

    /// True when a `.proto` file is at fault: a syntax error, a missing import, a type that does not exist.
    ///
    /// The places are in [`diagnostics`](Self::diagnostics).
    #[must_use]
    pub fn is_invalid_proto(&self) -> bool {
        matches!(*self.0, Kind::InvalidProto(_))
    }

    /// True when the input is valid protobuf that this version cannot generate code for.
    #[must_use]
    pub fn is_unsupported(&self) -> bool {
        matches!(*self.0, Kind::Unsupported(_))
    }

    /// True when there is no protobuf compiler, or it could not be started.
    #[must_use]
    pub fn is_protoc_missing(&self) -> bool {
        matches!(*self.0, Kind::NoProtoc { .. })
    }

    /// True when the [`Config`](crate::Config) is at fault, for example a path that matches nothing.
    #[must_use]
    pub fn is_config(&self) -> bool {
        matches!(*self.0, Kind::Config(_))
    }

    /// True when a file or directory could not be read or written.
    #[must_use]
    pub fn is_io(&self) -> bool {
        matches!(*self.0, Kind::Io { .. })
    }

    /// True when a descriptor set is not one: its bytes do not decode, or it lacks what it refers to.
    #[must_use]
    pub fn is_invalid_descriptor_set(&self) -> bool {
        matches!(*self.0, Kind::InvalidDescriptorSet(_))
    }

    /// The complaints about `.proto` files, in the order the compiler made them.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        match &*self.0 {
            Kind::InvalidProto(diagnostics) | Kind::Unsupported(diagnostics) => diagnostics,
            _ => &[],
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Kind::Io { what, source } => write!(f, "{what}: {source}"),
            Kind::NoProtoc { reason } => write!(
                f,
                "no protobuf compiler: {reason} (enable the feature `vendored-protoc` of defiant-build, set the environment variable PROTOC, or call Config::protoc_executable)"
            ),
            Kind::InvalidProto(diagnostics) | Kind::Unsupported(diagnostics) => lines(f, diagnostics),
            Kind::InvalidDescriptorSet(message) => write!(f, "invalid descriptor set: {message}"),
            Kind::Config(messages) => lines(f, messages),
        }
    }
}

fn lines<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T]) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str("\n")?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

/// The same text as `Display`: a build script that returns the error from `main` shows `Debug` to its user.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &*self.0 {
            Kind::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl Diagnostic {
    pub(crate) fn general(message: impl Into<String>) -> Self {
        Self { file: None, line: None, column: None, message: message.into() }
    }

    /// The file, as a path on disk where it is known, otherwise as it is imported.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        self.file.as_deref()
    }

    /// The line, counted from 1.
    #[must_use]
    pub fn line(&self) -> Option<u32> {
        self.line
    }

    /// The column, counted from 1.
    #[must_use]
    pub fn column(&self) -> Option<u32> {
        self.column
    }

    /// What is wrong.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}:", file.display())?;
            if let Some(line) = self.line {
                write!(f, "{line}:")?;
                if let Some(column) = self.column {
                    write!(f, "{column}:")?;
                }
            }
            f.write_str(" ")?;
        }
        f.write_str(&self.message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn display_names_the_place() {
        let at = Diagnostic { file: Some("a/b.proto".into()), line: Some(3), column: Some(7), message: "no".into() };
        assert_eq!(at.to_string(), "a/b.proto:3:7: no");
        let error = Error::invalid_proto(vec![at, Diagnostic::general("nor this")]);
        assert_eq!(error.to_string(), "a/b.proto:3:7: no\nnor this");
        assert_eq!(format!("{error:?}"), error.to_string());
        assert!(error.is_invalid_proto() && !error.is_config());
    }
}
