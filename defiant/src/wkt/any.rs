//! `Any`: packing and unpacking.

use crate::arena::Arena;
use crate::error::DecodeError;
use crate::message::{DecodeOptions, Message};
use crate::name::Name;
use crate::unknown::UnknownFields;

use super::Any;

impl<'arena> Any<'arena> {
    /// A message encoded, with the URL of its type.
    ///
    /// # Panics
    /// When memory or the arena's limit is exhausted.
    ///
    /// ```
    /// use defiant::Arena;
    /// use defiant::wkt::{Any, Duration};
    ///
    /// let arena = Arena::new();
    /// let any = Any::pack(&Duration::new(1, 0), &arena);
    /// assert_eq!(any.type_url, "type.googleapis.com/google.protobuf.Duration");
    /// assert_eq!(any.value, [8, 1]);
    /// ```
    #[must_use]
    pub fn pack<'m, M: Message<'m> + Name>(message: &M, arena: &'arena Arena) -> Self {
        let (domain, name) = (M::TYPE_URL_DOMAIN, M::full_name());
        let mut url = arena.vec_with_capacity(domain.len() + 1 + name.len());
        for part in [domain, "/", name] {
            url.extend_from_slice(part.as_bytes());
        }
        Any {
            // Put together from whole strings, so that this is never the default.
            type_url: core::str::from_utf8(url.into_slice()).unwrap_or_default(),
            value: message.encode_in(arena),
            unknown_fields: UnknownFields::EMPTY,
        }
    }

    /// The full name of the message inside: what stands behind the last slash of [`type_url`](Self::type_url).
    ///
    /// `None` when there is no slash, or nothing behind it: such a URL names no type.
    /// Source: <https://protobuf.dev/reference/protobuf/google.protobuf/#any>.
    ///
    /// ```
    /// use defiant::wkt::Any;
    ///
    /// let any = Any { type_url: "types.example.com/v1/tutorial.Person", ..Any::default() };
    /// assert_eq!(any.message_name(), Some("tutorial.Person"));
    /// assert_eq!(Any { type_url: "tutorial.Person", ..any }.message_name(), None);
    /// ```
    #[must_use]
    pub fn message_name(&self) -> Option<&'arena str> {
        self.type_url.rsplit_once('/').map(|(_, name)| name).filter(|name| !name.is_empty())
    }

    /// Whether the message inside is an `M`, by its name; what stands before the last slash does not count.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// use defiant::wkt::{Any, Duration, Timestamp};
    ///
    /// let any = Any::pack(&Timestamp::UNIX_EPOCH, &arena);
    /// assert!(any.is::<Timestamp<'_>>());
    /// assert!(!any.is::<Duration<'_>>());
    /// ```
    #[must_use]
    pub fn is<M: Name>(&self) -> bool {
        self.message_name() == Some(M::full_name())
    }

    /// Decodes the message inside, or `None` when it [is](Self::is) not an `M`. Its strings are borrowed from
    /// [`value`](Self::value).
    ///
    /// # Errors
    /// [`DecodeError`] when the value is malformed or passes a limit of [`DecodeOptions::new`]; offsets are counted from
    /// the start of the value.
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// use defiant::wkt::{Any, Duration, Timestamp};
    ///
    /// let any = Any::pack(&Duration::new(1, 5), &arena);
    /// assert_eq!(any.unpack(&arena)?, Some(Duration::new(1, 5)));
    /// assert_eq!(any.unpack::<Timestamp<'_>>(&arena)?, None);
    /// # Ok::<(), defiant::DecodeError>(())
    /// ```
    pub fn unpack<M: Message<'arena> + Name>(&self, arena: &'arena Arena) -> Result<Option<M>, DecodeError> {
        self.unpack_with(DecodeOptions::new(), arena)
    }

    /// [`unpack`](Self::unpack) with other limits.
    ///
    /// The limits are those of one decode: whoever unpacks what was inside of an unpacked message, and so on, counts the
    /// levels and hands on what is left.
    ///
    /// # Errors
    /// As [`unpack`](Self::unpack).
    ///
    /// ```
    /// # let arena = defiant::Arena::new();
    /// use defiant::DecodeOptions;
    /// use defiant::wkt::{Any, ListValue, Value};
    ///
    /// let inner = Value::list(&arena, [Value::from(true)]);
    /// let any = Any::pack(&inner, &arena);
    /// let error = any.unpack_with::<Value<'_>>(DecodeOptions::new().recursion_limit(1), &arena).unwrap_err();
    /// assert!(error.is_recursion_limit());
    /// ```
    pub fn unpack_with<M: Message<'arena> + Name>(
        &self,
        options: DecodeOptions,
        arena: &'arena Arena,
    ) -> Result<Option<M>, DecodeError> {
        if self.is::<M>() { options.decode_borrowed(self.value, arena).map(Some) } else { Ok(None) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wkt::{Duration, StringValue};

    #[test]
    fn type_urls() {
        for (type_url, is) in [
            ("type.googleapis.com/google.protobuf.Duration", true),
            ("/google.protobuf.Duration", true),
            ("https://example.com/a/b/google.protobuf.Duration", true),
            ("", false),
            ("/", false),
            ("google.protobuf.Duration", false),
            ("type.googleapis.com/google.protobuf.Duration/", false),
            ("type.googleapis.com/xgoogle.protobuf.Duration", false),
            ("type.googleapis.com/google.protobuf.duration", false),
            ("type.googleapis.com/.google.protobuf.Duration", false),
        ] {
            let any = Any { type_url, ..Any::default() };
            assert_eq!(any.is::<Duration<'_>>(), is, "{type_url}");
            assert_eq!(any.unpack::<Duration<'_>>(&Arena::new()).is_ok_and(|found| found.is_some()), is);
        }
    }

    #[test]
    fn a_url_that_ends_with_its_slash_names_nothing() {
        assert_eq!(Any { type_url: "type.googleapis.com/", ..Any::default() }.message_name(), None);
    }

    #[test]
    fn strings_are_borrowed_from_the_value() {
        let arena = Arena::new();
        let any = Any::pack(&StringValue::from("a string longer than the slack of a reader"), &arena);
        let inner = any.unpack::<StringValue<'_>>(&arena).ok().flatten().unwrap_or_default();
        assert!(any.value.as_ptr_range().contains(&inner.value.as_ptr()));
    }

    #[test]
    fn a_malformed_value() {
        let arena = Arena::new();
        let any = Any { value: &[8], ..Any::pack(&Duration::default(), &arena) };
        assert!(any.unpack::<Duration<'_>>(&arena).is_err_and(|error| error.is_truncated()));
        assert!(any.unpack::<StringValue<'_>>(&arena).is_ok_and(|found| found.is_none()));
    }
}
