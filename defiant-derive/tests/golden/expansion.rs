#[automatically_derived]
unsafe impl<'arena> ::defiant::Message<'arena> for Person<'arena> {
    type __Code = ::defiant::__private::Compiled;
    const DEFAULT: Self = Self {
        name: "",
        id: ::core::option::Option::None,
        email: "",
        scores: ::defiant::__private::no_elements(),
        home: ::core::option::Option::None,
        route: ::defiant::__private::no_elements(),
        part: ::defiant::__private::no_elements(),
        counts: ::defiant::Map::EMPTY,
        color: ::defiant::__private::unset_enum(),
        r#type: ::core::option::Option::None,
        kind: Kind::B,
        pos: ::core::option::Option::None,
        body: ::core::option::Option::None,
        rows: ::defiant::__private::no_elements(),
        payload: ::core::option::Option::None,
        unknown_fields: ::defiant::UnknownFields::EMPTY,
    };
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn __unset() -> Self {
        Self {
            name: "",
            id: ::core::option::Option::None,
            email: "",
            scores: ::defiant::__private::no_elements(),
            home: ::core::option::Option::None,
            route: ::defiant::__private::no_elements(),
            part: ::defiant::__private::no_elements(),
            counts: ::defiant::Map::EMPTY,
            color: ::defiant::__private::unset_enum(),
            r#type: ::core::option::Option::None,
            kind: Kind::B,
            pos: ::core::option::Option::None,
            body: ::core::option::Option::None,
            rows: ::defiant::__private::no_elements(),
            payload: ::core::option::Option::None,
            unknown_fields: ::defiant::UnknownFields::EMPTY,
        }
    }
    const TABLE: &'static ::defiant::__private::Table = &::defiant::__private::Table {
        name: "tutorial.Person",
        fields: &[
            (10, "name"),
            (16, "id"),
            (26, "email"),
            (34, "scores"),
            (42, "home"),
            (50, "route"),
            (59, "part"),
            (66, "counts"),
            (72, "color"),
            (98, "type"),
            (104, "kind"),
            (122, "pos"),
            (130, "body"),
            (138, "rows"),
        ],
        oneofs: &[
            <<::core::option::Option<
                person::Payload<'arena>,
            > as ::core::iter::IntoIterator>::Item as ::defiant::__private::Oneof<
                'arena,
            >>::FIELDS,
        ],
        messages: &[
            (
                42,
                <::defiant::__private::OptionalMessage as ::defiant::__private::Nested<
                    'arena,
                    ::core::option::Option<&'arena Point<'arena>>,
                >>::table,
            ),
            (
                122,
                <::defiant::__private::InlineMessage as ::defiant::__private::Nested<
                    'arena,
                    ::core::option::Option<Point<'arena>>,
                >>::table,
            ),
        ],
        oneof_messages: &[
            <<::core::option::Option<
                person::Payload<'arena>,
            > as ::core::iter::IntoIterator>::Item as ::defiant::__private::Oneof<
                'arena,
            >>::MESSAGES,
        ],
    };
    const __FLAT: bool = true
        && <::defiant::__private::OptionalMessage as ::defiant::__private::Held<
            'arena,
            ::core::option::Option<&'arena Point<'arena>>,
        >>::LEAF
        && <::defiant::__private::RepeatedMessage as ::defiant::__private::Held<
            'arena,
            &'arena [Point<'arena>],
        >>::LEAF
        && <::defiant::__private::RepeatedGroup as ::defiant::__private::Held<
            'arena,
            &'arena [person::Part<'arena>],
        >>::LEAF
        && <::defiant::__private::InlineMessage as ::defiant::__private::Held<
            'arena,
            ::core::option::Option<Point<'arena>>,
        >>::LEAF
        && <<::core::option::Option<
            person::Payload<'arena>,
        > as ::core::iter::IntoIterator>::Item as ::defiant::__private::Oneof<
            'arena,
        >>::MESSAGES
            .is_empty();
    const __DESCRIPTOR: ::defiant::__private::Address<Self> = {
        static __FIELDS: [::defiant::__private::FieldOf<Person<'static>>; 16] = {
            let __m = &<Person<'static> as ::defiant::Message<'static>>::DEFAULT;
            [
                {
                    let field = &__m.name;
                    let names = ::defiant::__private::Names::new(
                        ",\"name\":        ",
                        8,
                        0,
                        0,
                    );
                    let described = unsafe {
                        ::defiant::__private::FieldOf::new::<
                            ::defiant::__private::Implicit<::defiant::__private::Str>,
                            _,
                        >(__m, field, 1, names)
                    };
                    described
                },
                {
                    let field = &__m.id;
                    let names = ::defiant::__private::Names::new(
                        ",\"id\":          ",
                        6,
                        0,
                        0,
                    );
                    let default = const {
                        &::defiant::__private::FieldOf::<
                            Person<'static>,
                        >::value::<
                            ::defiant::__private::Optional<::defiant::__private::Int32>,
                            ::core::option::Option<i32>,
                        >(7)
                    };
                    let described = unsafe {
                        ::defiant::__private::FieldOf::with_default::<
                            ::defiant::__private::Optional<::defiant::__private::Int32>,
                            _,
                        >(__m, field, 2, names, default)
                    };
                    described
                },
                {
                    let field = &__m.email;
                    let names = ::defiant::__private::Names::new(
                        ",\"email\":       ",
                        9,
                        0,
                        0,
                    );
                    let described = unsafe {
                        ::defiant::__private::FieldOf::new::<
                            ::defiant::__private::Required<::defiant::__private::Str>,
                            _,
                        >(__m, field, 3, names)
                    };
                    described
                },
                {
                    let field = &__m.scores;
                    let names = ::defiant::__private::Names::new(
                        ",\"scores\":      ",
                        10,
                        0,
                        0,
                    );
                    let described = unsafe {
                        ::defiant::__private::FieldOf::new::<
                            ::defiant::__private::Packed<::defiant::__private::Int32>,
                            _,
                        >(__m, field, 4, names)
                    };
                    described
                },
                {
                    let field = &__m.home;
                    let names = ::defiant::__private::Names::new(
                        ",\"home\":        ",
                        8,
                        0,
                        0,
                    );
                    let described = unsafe {
                        ::defiant::__private::FieldOf::new::<
                            ::defiant::__private::OptionalMessage,
                            _,
                        >(__m, field, 5, names)
                    };
                    described
                },
                {
                    let field = &__m.route;
                    let names = ::defiant::__private::Names::new(
                        ",\"route\":       ",
                        9,
                        0,
                        0,
                    );
                    let described = unsafe {
                        ::defiant::__private::FieldOf::new::<
                            ::defiant::__private::RepeatedMessage,
                            _,
                        >(__m, field, 6, names)
                    };
                    described
                },
                {
                    let field = &__m.part;
                    let names = ::defiant::__private::Names::new(
                        ",\"part\":        ",
                        8,
                        0,
                        0,
                    );
                    let described = unsafe {
                        ::defiant::__private::FieldOf::new::<
                            ::defiant::__private::RepeatedGroup,
                            _,
                        >(__m, field, 7, names)
                    };
                    described
                },
                {
                    let field = &__m.counts;
                    let names = ::defiant::__private::Names::new(
                        ",\"counts\":      ",
                        10,
                        0,
                        0,
                    );
                    let described = unsafe {
                        ::defiant::__private::FieldOf::new::<
                            ::defiant::__private::MapOf<
                                ::defiant::__private::Str,
                                ::defiant::__private::Int32,
                            >,
                            _,
                        >(__m, field, 8, names)
                    };
                    described
                },
                {
                    let field = &__m.color;
                    let names = ::defiant::__private::Names::new(
                        ",\"color\":       ",
                        9,
                        0,
                        0,
                    );
                    let described = unsafe {
                        ::defiant::__private::FieldOf::new::<
                            ::defiant::__private::Implicit<::defiant::__private::Enum>,
                            _,
                        >(__m, field, 9, names)
                    };
                    described
                },
                {
                    let field = &__m.payload;
                    unsafe { ::defiant::__private::FieldOf::member(__m, field, 10, 0) }
                },
                {
                    let field = &__m.payload;
                    unsafe { ::defiant::__private::FieldOf::member(__m, field, 11, 0) }
                },
                {
                    let field = &__m.r#type;
                    let names = ::defiant::__private::Names::new(
                        ",\"type\":        ",
                        8,
                        0,
                        0,
                    );
                    let default = const {
                        &::defiant::__private::FieldOf::<
                            Person<'static>,
                        >::value::<
                            ::defiant::__private::Optional<::defiant::__private::Bytes>,
                            ::core::option::Option<&'static [u8]>,
                        >(b"\x00a")
                    };
                    let described = unsafe {
                        ::defiant::__private::FieldOf::with_default::<
                            ::defiant::__private::Optional<::defiant::__private::Bytes>,
                            _,
                        >(__m, field, 12, names, default)
                    };
                    described
                },
                {
                    let field = &__m.kind;
                    let names = ::defiant::__private::Names::new(
                        ",\"kind\":        ",
                        8,
                        0,
                        0,
                    );
                    let default = const {
                        &::defiant::__private::FieldOf::<
                            Person<'static>,
                        >::value::<
                            ::defiant::__private::Required<::defiant::__private::Enum>,
                            Kind,
                        >(Kind::B)
                    };
                    let described = unsafe {
                        ::defiant::__private::FieldOf::with_default::<
                            ::defiant::__private::Required<::defiant::__private::Enum>,
                            _,
                        >(__m, field, 13, names, default)
                    };
                    described
                },
                {
                    let field = &__m.pos;
                    let names = ::defiant::__private::Names::new(
                        ",\"pos\":         ",
                        7,
                        0,
                        0,
                    );
                    let described = unsafe {
                        ::defiant::__private::FieldOf::new::<
                            ::defiant::__private::InlineMessage,
                            _,
                        >(__m, field, 15, names)
                    };
                    described
                },
                {
                    let field = &__m.body;
                    let names = ::defiant::__private::Names::new(
                        ",\"body\":        ",
                        8,
                        0,
                        0,
                    );
                    let described = unsafe {
                        ::defiant::__private::FieldOf::new::<
                            ::defiant::__private::OptionalLazy,
                            _,
                        >(__m, field, 16, names)
                    };
                    described
                },
                {
                    let field = &__m.rows;
                    let names = ::defiant::__private::Names::new(
                        ",\"rows\":        ",
                        8,
                        0,
                        0,
                    );
                    let described = unsafe {
                        ::defiant::__private::FieldOf::new::<
                            ::defiant::__private::Repeated<
                                ::defiant::__private::LazyMessage,
                            >,
                            _,
                        >(__m, field, 17, names)
                    };
                    described
                },
            ]
        };
        static __ONEOFS: [::defiant::__private::OneofOf<Person<'static>>; 1] = {
            let __m = &<Person<'static> as ::defiant::Message<'static>>::DEFAULT;
            [
                {
                    let field = &__m.payload;
                    unsafe {
                        ::defiant::__private::OneofOf::new(__m, field, "payload", 0)
                    }
                },
            ]
        };
        static __ORDER: [u16; 32] = ::defiant::__private::FieldOf::order(&__FIELDS);
        static __MESSAGE: ::defiant::__private::DescriptorOf<Person<'static>> = {
            let __m = &<Person<'static> as ::defiant::Message<'static>>::DEFAULT;
            let __unknown = &__m.unknown_fields;
            let descriptor = unsafe {
                ::defiant::__private::DescriptorOf::new(
                    __m,
                    __unknown,
                    &__FIELDS,
                    &__ONEOFS,
                    &__ORDER,
                )
            };
            descriptor
        };
        ::defiant::__private::Address::of(&__MESSAGE)
    };
    #[inline]
    fn default_ref() -> &'arena Self {
        &<Person<'static> as ::defiant::Message<'static>>::DEFAULT
    }
    fn __merge<__OnDemand>(
        &mut self,
        at: ::defiant::__private::Cursor,
        cx: &mut ::defiant::__private::Context<'arena>,
        scope: ::defiant::__private::Scope,
    ) -> ::defiant::__private::Cursor {
        let mut reader = at.enter(cx, scope);
        let r = &mut reader;
        let [mut seen] = r.seen_before(&*self, scope, [3]);
        let (fault, key) = loop {
            let mut whole = match r.first() {
                ::core::result::Result::Ok(::core::option::Option::Some(first)) => first,
                ::core::result::Result::Ok(::core::option::Option::None) => {
                    break (reader.end(), 0);
                }
                ::core::result::Result::Err(fault) => {
                    return reader.fail_behind(fault, at, Self::TABLE);
                }
            };
            let key = &mut whole;
            if let ::core::result::Result::Err(fault) = if *key < 0x80 {
                match *key {
                    10 => r.read_implicit_string(&mut self.name),
                    16 => r.read_optional_int32(&mut self.id),
                    26 => {
                        seen |= 1;
                        r.read_required_string(&mut self.email)
                    }
                    32 => {
                        r.read_packed(
                            ::defiant::__private::Int32,
                            &mut self.scores,
                            &mut self.unknown_fields,
                            32,
                        )
                    }
                    34 => {
                        r.read_run(
                            ::defiant::__private::Int32,
                            &mut self.scores,
                            &mut self.unknown_fields,
                            34,
                        )
                    }
                    42 => r.read_message(&mut self.home, &mut self.unknown_fields, 42),
                    50 => r.read_messages(&mut self.route, &mut self.unknown_fields, 50),
                    59 => {
                        r.read_field(
                            ::defiant::__private::RepeatedGroup,
                            &mut self.part,
                            &mut self.unknown_fields,
                            59,
                        )
                    }
                    66 => {
                        r.read_map(
                            ::defiant::__private::Str,
                            ::defiant::__private::Int32,
                            &mut self.counts,
                            &mut self.unknown_fields,
                            66,
                        )
                    }
                    72 => {
                        r.read_implicit_enumeration(
                            &mut self.color,
                            &mut self.unknown_fields,
                            72,
                        )
                    }
                    80..=83 | 85 | 88..=91 | 93 => {
                        r.oneof(&mut self.payload, &mut self.unknown_fields, *key)
                    }
                    98 => r.read_optional_bytes(&mut self.r#type),
                    104 => {
                        match r
                            .read_required_partial(
                                ::defiant::__private::Enum,
                                &mut self.kind,
                                &mut self.unknown_fields,
                                104,
                            )
                        {
                            ::core::result::Result::Ok(read) => {
                                if read {
                                    seen |= 2;
                                }
                                ::core::result::Result::Ok(())
                            }
                            ::core::result::Result::Err(fault) => {
                                ::core::result::Result::Err(fault)
                            }
                        }
                    }
                    122 => {
                        r.read_field(
                            ::defiant::__private::InlineMessage,
                            &mut self.pos,
                            &mut self.unknown_fields,
                            122,
                        )
                    }
                    _ => r.other_short(&mut self.unknown_fields, *key),
                }
            } else {
                *key = r.second();
                loop {
                    break match *key {
                        386 => {
                            r.read_field(
                                ::defiant::__private::OptionalLazy,
                                &mut self.body,
                                &mut self.unknown_fields,
                                130,
                            )
                        }
                        394 => {
                            r.read_repeated(
                                ::defiant::__private::LazyMessage,
                                &mut self.rows,
                                &mut self.unknown_fields,
                                138,
                            )
                        }
                        _ => {
                            match r.other(&mut self.unknown_fields, key) {
                                ::core::result::Result::Ok(true) => continue,
                                ::core::result::Result::Ok(false) => {
                                    ::core::result::Result::Ok(())
                                }
                                ::core::result::Result::Err(fault) => {
                                    ::core::result::Result::Err(fault)
                                }
                            }
                        }
                    };
                }
            } {
                break (fault, whole);
            }
        };
        if fault.is_end() {
            if seen != 3 {
                return reader
                    .incomplete(
                        &*self,
                        &[seen],
                        Self::TABLE,
                        match (!seen).trailing_zeros() {
                            0 => 3,
                            _ => 13,
                        },
                    );
            }
            reader.leave()
        } else {
            reader.fail(fault, key, Self::TABLE)
        }
    }
    fn __encode<__Sink: ::defiant::__private::Sink<'arena>>(
        &self,
        mut sink: __Sink,
    ) -> __Sink {
        ::defiant::__private::encode_unknown(&self.unknown_fields, &mut sink);
        ::defiant::__private::write_repeated(
            ::defiant::__private::LazyMessage,
            &self.rows,
            &mut sink,
            17,
        );
        ::defiant::__private::write_field(
            ::defiant::__private::OptionalLazy,
            &self.body,
            &mut sink,
            16,
        );
        ::defiant::__private::write_field(
            ::defiant::__private::InlineMessage,
            &self.pos,
            &mut sink,
            15,
        );
        ::defiant::__private::write_required::enumeration(&self.kind, &mut sink, 13);
        ::defiant::__private::write_optional::bytes(&self.r#type, &mut sink, 12);
        if let ::core::option::Option::Some(oneof) = &self.payload {
            let oneof: &person::Payload = oneof;
            ::defiant::__private::Oneof::__encode(oneof, &mut sink);
        }
        ::defiant::__private::write_implicit::enumeration(&self.color, &mut sink, 9);
        ::defiant::__private::write_map(
            ::defiant::__private::Str,
            ::defiant::__private::Int32,
            &self.counts,
            &mut sink,
            8,
        );
        ::defiant::__private::write_field(
            ::defiant::__private::RepeatedGroup,
            &self.part,
            &mut sink,
            7,
        );
        ::defiant::__private::write_messages(&self.route, &mut sink, 6);
        ::defiant::__private::write_message(&self.home, &mut sink, 5);
        ::defiant::__private::write_packed(
            ::defiant::__private::Int32,
            &self.scores,
            &mut sink,
            4,
        );
        ::defiant::__private::write_required::string(&self.email, &mut sink, 3);
        ::defiant::__private::write_optional::int32(&self.id, &mut sink, 2);
        ::defiant::__private::write_implicit::string(&self.name, &mut sink, 1);
        sink
    }
}
#[automatically_derived]
impl<'arena> ::core::default::Default for Person<'arena> {
    #[inline]
    fn default() -> Self {
        ::defiant::Message::__unset()
    }
}
#[allow(single_use_lifetimes)]
const _: () = {
    unsafe impl<'arena> ::core::marker::Send for Person<'arena> {}
    unsafe impl<'arena> ::core::marker::Sync for Person<'arena> {}
    #[allow(dead_code)]
    fn parts<'arena>(whole: &Person<'arena>) {
        fn check<__Part: ::core::marker::Send + ::core::marker::Sync>(_: &__Part) {}
        check(&whole.name);
        check(&whole.id);
        check(&whole.email);
        check(&whole.scores);
        check(&whole.home);
        check(&whole.route);
        check(&whole.part);
        check(&whole.counts);
        check(&whole.color);
        check(&whole.r#type);
        check(&whole.kind);
        check(&whole.pos);
        check(&whole.body);
        check(&whole.rows);
        check(&whole.payload);
        check(&whole.unknown_fields);
    }
};
const _: () = {
    #[doc(hidden)]
    #[allow(
        dead_code,
        missing_copy_implementations,
        missing_debug_implementations,
        unnameable_types,
        unreachable_pub
    )]
    pub struct PersonFamily;
    impl ::defiant::__private::MessageFamily for PersonFamily {
        type In<'arena> = Person<'arena>;
        type Family = PersonFamily;
        #[inline]
        fn __shorten<'short, 'long: 'short>(
            message: &'short Self::In<'long>,
        ) -> &'short Self::In<'short> {
            message
        }
        #[inline]
        fn __unknown<'m, 'arena>(
            message: &'m Self::In<'arena>,
        ) -> &'m ::defiant::UnknownFields<'arena> {
            &message.unknown_fields
        }
        #[inline]
        fn __unknown_mut<'m, 'arena>(
            message: &'m mut Self::In<'arena>,
        ) -> &'m mut ::defiant::UnknownFields<'arena> {
            &mut message.unknown_fields
        }
    }
    impl ::defiant::__private::OfFamily for Person<'_> {
        type Family = PersonFamily;
    }
};
#[automatically_derived]
impl ::defiant::Name for Person<'_> {
    const PACKAGE: &'static str = "tutorial";
    const NAME: &'static str = "Person";
    #[inline]
    fn full_name() -> &'static str {
        "tutorial.Person"
    }
}
#[automatically_derived]
#[allow(dead_code, clippy::len_without_is_empty)]
impl<'arena> Person<'arena> {
    /// The value of `id`, or its default `7` when unset.
    #[inline]
    pub fn id(&self) -> ::core::primitive::i32 {
        ::core::option::Option::unwrap_or(self.id, 7)
    }
    /// The message in `home`, or an empty one when unset.
    #[inline]
    pub fn home(
        &self,
    ) -> <::core::option::Option<
        &'arena Point<'arena>,
    > as ::defiant::__private::Explicit>::Value {
        ::defiant::__private::message_or_default(self.home)
    }
    /// The value of `type`, or its default `b"\x00a"` when unset.
    #[inline]
    pub fn r#type(&self) -> &'arena [::core::primitive::u8] {
        ::core::option::Option::unwrap_or(self.r#type, b"\x00a")
    }
    /// The message in `pos`, or an empty one when unset.
    #[inline]
    pub fn pos(
        &self,
    ) -> <::core::option::Option<
        Point<'arena>,
    > as ::defiant::__private::Explicit>::Value {
        ::core::option::Option::unwrap_or_default(self.pos)
    }
    /// Decodes the message in `body`, or gives an empty one when unset.
    ///
    /// # Errors
    /// When the content is malformed or passes a limit.
    pub fn body(
        &self,
        arena: &'arena ::defiant::Arena,
    ) -> ::core::result::Result<
        <::defiant::__private::OptionalLazy as ::defiant::__private::LazyPresence<
            'arena,
            ::core::option::Option<::defiant::Lazy<'arena, Point<'arena>>>,
        >>::Target,
        ::defiant::DecodeError,
    > {
        <::defiant::__private::OptionalLazy as ::defiant::__private::LazyPresence<
            'arena,
            ::core::option::Option<::defiant::Lazy<'arena, Point<'arena>>>,
        >>::get(self.body, arena, <Self as ::defiant::Message<'arena>>::TABLE, 16)
    }
}
#[automatically_derived]
unsafe impl<'arena> ::defiant::Message<'arena> for Point<'arena> {
    type __Code = ::defiant::__private::Compiled;
    const DEFAULT: Self = Self {
        unknown_fields: ::defiant::UnknownFields::EMPTY,
    };
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn __unset() -> Self {
        Self {
            unknown_fields: ::defiant::UnknownFields::EMPTY,
        }
    }
    const TABLE: &'static ::defiant::__private::Table = &::defiant::__private::Table {
        name: "Point",
        fields: &[],
        oneofs: &[],
        messages: &[],
        oneof_messages: &[],
    };
    const SMALL: bool = true;
    const __LEAF: bool = true;
    const __DESCRIPTOR: ::defiant::__private::Address<Self> = {
        static __FIELDS: [::defiant::__private::FieldOf<Point<'static>>; 0] = { [] };
        static __ORDER: [u16; 0] = ::defiant::__private::FieldOf::order(&__FIELDS);
        static __MESSAGE: ::defiant::__private::DescriptorOf<Point<'static>> = {
            let __m = &<Point<'static> as ::defiant::Message<'static>>::DEFAULT;
            let __unknown = &__m.unknown_fields;
            let descriptor = unsafe {
                ::defiant::__private::DescriptorOf::new(
                    __m,
                    __unknown,
                    &__FIELDS,
                    &[],
                    &__ORDER,
                )
            };
            descriptor
        };
        ::defiant::__private::Address::of(&__MESSAGE)
    };
    #[inline]
    fn default_ref() -> &'arena Self {
        &<Point<'static> as ::defiant::Message<'static>>::DEFAULT
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn __field<__OnDemand>(
        &mut self,
        key: &mut u64,
        r: &mut ::defiant::__private::Reader<'_, 'arena>,
    ) -> ::core::result::Result<(), ::defiant::__private::Fault> {
        match *key {
            0x80.. => r.other_long(&mut self.unknown_fields, key),
            _ => r.other_short(&mut self.unknown_fields, *key),
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn __encode<__Sink: ::defiant::__private::Sink<'arena>>(
        &self,
        mut sink: __Sink,
    ) -> __Sink {
        ::defiant::__private::encode_unknown(&self.unknown_fields, &mut sink);
        sink
    }
}
#[automatically_derived]
impl<'arena> ::core::default::Default for Point<'arena> {
    #[inline]
    fn default() -> Self {
        ::defiant::Message::__unset()
    }
}
const _: () = {
    #[doc(hidden)]
    #[allow(
        dead_code,
        missing_copy_implementations,
        missing_debug_implementations,
        unnameable_types,
        unreachable_pub
    )]
    pub struct PointFamily;
    impl ::defiant::__private::MessageFamily for PointFamily {
        type In<'arena> = Point<'arena>;
        type Family = PointFamily;
        #[inline]
        fn __shorten<'short, 'long: 'short>(
            message: &'short Self::In<'long>,
        ) -> &'short Self::In<'short> {
            message
        }
        #[inline]
        fn __unknown<'m, 'arena>(
            message: &'m Self::In<'arena>,
        ) -> &'m ::defiant::UnknownFields<'arena> {
            &message.unknown_fields
        }
        #[inline]
        fn __unknown_mut<'m, 'arena>(
            message: &'m mut Self::In<'arena>,
        ) -> &'m mut ::defiant::UnknownFields<'arena> {
            &mut message.unknown_fields
        }
    }
    impl ::defiant::__private::OfFamily for Point<'_> {
        type Family = PointFamily;
    }
};
#[automatically_derived]
impl ::defiant::Name for Point<'_> {
    const PACKAGE: &'static str = "";
    const NAME: &'static str = "Point";
    #[inline]
    fn full_name() -> &'static str {
        "Point"
    }
}
#[automatically_derived]
unsafe impl<'arena> ::defiant::__private::Oneof<'arena> for Payload<'arena> {
    const FIELDS: &'static [(u32, &'static str)] = &[(82, "text"), (90, "place")];
    const MESSAGES: &'static [::defiant::__private::NestedTable] = &[
        (
            90,
            <::defiant::__private::OptionalMessage as ::defiant::__private::Nested<
                'arena,
                ::core::option::Option<&'arena super::Point<'arena>>,
            >>::table,
        ),
    ];
    fn __merge<__OnDemand>(
        slot: &mut ::core::option::Option<Self>,
        unknown: &mut ::defiant::UnknownFields<'arena>,
        key: u64,
        at: ::defiant::__private::Cursor,
        cx: &mut ::defiant::__private::Context<'arena>,
    ) -> ::defiant::__private::Cursor {
        let mut reader = at.resume(cx);
        let r = &mut reader;
        let step = match key {
            82 => {
                let mut value = match *slot {
                    ::core::option::Option::Some(Self::Text(value)) => {
                        ::core::option::Option::Some(value)
                    }
                    ::core::option::Option::Some(_) | ::core::option::Option::None => {
                        ::core::option::Option::None
                    }
                };
                let step = r.read_optional_string(&mut value);
                if let ::core::option::Option::Some(value) = value {
                    *slot = ::core::option::Option::Some(Self::Text(value));
                }
                step
            }
            90 => {
                let mut value = match *slot {
                    ::core::option::Option::Some(Self::Place(value)) => {
                        ::core::option::Option::Some(value)
                    }
                    ::core::option::Option::Some(_) | ::core::option::Option::None => {
                        ::core::option::Option::None
                    }
                };
                let step = r.read_message(&mut value, unknown, 90);
                if let ::core::option::Option::Some(value) = value {
                    *slot = ::core::option::Option::Some(Self::Place(value));
                }
                step
            }
            _ => r.skip_unknown(unknown, key),
        };
        match step {
            ::core::result::Result::Ok(()) => reader.yield_back(),
            ::core::result::Result::Err(fault) => reader.give_up(fault),
        }
    }
    fn __encode<__Sink: ::defiant::__private::Sink<'arena>>(&self, sink: &mut __Sink) {
        match self {
            Self::Text(value) => {
                ::defiant::__private::write_required::string(value, sink, 10)
            }
            Self::Place(value) => {
                ::defiant::__private::write_message(
                    &::core::option::Option::Some(*value),
                    sink,
                    11,
                )
            }
        }
    }
    const __MEMBERS: &'static [::defiant::__private::Member] = &[
        ::defiant::__private::Member::new::<
            ::defiant::__private::Optional<::defiant::__private::Str>,
            ::core::option::Option<&'arena str>,
        >(10, ::defiant::__private::Names::new(",\"text\":        ", 8, 0, 0)),
        ::defiant::__private::Member::new::<
            ::defiant::__private::OptionalMessage,
            ::core::option::Option<&'arena super::Point<'arena>>,
        >(11, ::defiant::__private::Names::new(",\"place\":       ", 9, 0, 0)),
    ];
    fn __get(&self) -> (u32, ::defiant::__private::Raw<'arena>) {
        match self {
            Self::Text(value) => {
                (
                    10,
                    ::defiant::__private::Raw::of::<
                        ::defiant::__private::Optional<::defiant::__private::Str>,
                        &'arena str,
                    >(value),
                )
            }
            Self::Place(value) => {
                (
                    11,
                    ::defiant::__private::Raw::of::<
                        ::defiant::__private::OptionalMessage,
                        &'arena super::Point<'arena>,
                    >(value),
                )
            }
        }
    }
    unsafe fn __set(
        number: u32,
        value: ::defiant::__private::Raw<'arena>,
    ) -> ::core::option::Option<Self> {
        match number {
            10 => {
                unsafe {
                    value
                        .into_value::<
                            ::defiant::__private::Optional<::defiant::__private::Str>,
                            &'arena str,
                        >()
                }
                    .map(Self::Text)
            }
            11 => {
                unsafe {
                    value
                        .into_value::<
                            ::defiant::__private::OptionalMessage,
                            &'arena super::Point<'arena>,
                        >()
                }
                    .map(Self::Place)
            }
            _ => ::core::option::Option::None,
        }
    }
}
#[allow(single_use_lifetimes)]
const _: () = {
    unsafe impl<'arena> ::core::marker::Send for Payload<'arena> {}
    unsafe impl<'arena> ::core::marker::Sync for Payload<'arena> {}
    #[allow(dead_code)]
    fn parts<'arena>(whole: &Payload<'arena>) {
        fn check<__Part: ::core::marker::Send + ::core::marker::Sync>(_: &__Part) {}
        match whole {
            Payload::Text(part) => check(part),
            Payload::Place(part) => check(part),
        }
    }
};
#[automatically_derived]
unsafe impl<'arena> ::defiant::Message<'arena> for Part<'arena> {
    type __Code = ::defiant::__private::Compiled;
    const DEFAULT: Self = Self {
        answer: ::core::option::Option::None,
        unknown_fields: ::defiant::UnknownFields::EMPTY,
    };
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn __unset() -> Self {
        Self {
            answer: ::core::option::Option::None,
            unknown_fields: ::defiant::UnknownFields::EMPTY,
        }
    }
    const TABLE: &'static ::defiant::__private::Table = &::defiant::__private::Table {
        name: "tutorial.Person.Part",
        fields: &[],
        oneofs: &[
            <<::core::option::Option<
                Answer,
            > as ::core::iter::IntoIterator>::Item as ::defiant::__private::Oneof<
                'arena,
            >>::FIELDS,
        ],
        messages: &[],
        oneof_messages: &[
            <<::core::option::Option<
                Answer,
            > as ::core::iter::IntoIterator>::Item as ::defiant::__private::Oneof<
                'arena,
            >>::MESSAGES,
        ],
    };
    const __LEAF: bool = true
        && <<::core::option::Option<
            Answer,
        > as ::core::iter::IntoIterator>::Item as ::defiant::__private::Oneof<
            'arena,
        >>::MESSAGES
            .is_empty();
    const __DESCRIPTOR: ::defiant::__private::Address<Self> = {
        static __FIELDS: [::defiant::__private::FieldOf<Part<'static>>; 1] = {
            let __m = &<Part<'static> as ::defiant::Message<'static>>::DEFAULT;
            [
                {
                    let field = &__m.answer;
                    unsafe { ::defiant::__private::FieldOf::member(__m, field, 7, 0) }
                },
            ]
        };
        static __ONEOFS: [::defiant::__private::OneofOf<Part<'static>>; 1] = {
            let __m = &<Part<'static> as ::defiant::Message<'static>>::DEFAULT;
            [
                {
                    let field = &__m.answer;
                    unsafe {
                        ::defiant::__private::OneofOf::new(__m, field, "answer", 0)
                    }
                },
            ]
        };
        static __ORDER: [u16; 2] = ::defiant::__private::FieldOf::order(&__FIELDS);
        static __MESSAGE: ::defiant::__private::DescriptorOf<Part<'static>> = {
            let __m = &<Part<'static> as ::defiant::Message<'static>>::DEFAULT;
            let __unknown = &__m.unknown_fields;
            let descriptor = unsafe {
                ::defiant::__private::DescriptorOf::new(
                    __m,
                    __unknown,
                    &__FIELDS,
                    &__ONEOFS,
                    &__ORDER,
                )
            };
            descriptor
        };
        ::defiant::__private::Address::of(&__MESSAGE)
    };
    #[inline]
    fn default_ref() -> &'arena Self {
        &<Part<'static> as ::defiant::Message<'static>>::DEFAULT
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn __field<__OnDemand>(
        &mut self,
        key: &mut u64,
        r: &mut ::defiant::__private::Reader<'_, 'arena>,
    ) -> ::core::result::Result<(), ::defiant::__private::Fault> {
        match *key {
            56..=59 | 61 => r.oneof(&mut self.answer, &mut self.unknown_fields, *key),
            0x80.. => r.other_long(&mut self.unknown_fields, key),
            _ => r.other_short(&mut self.unknown_fields, *key),
        }
    }
    fn __encode<__Sink: ::defiant::__private::Sink<'arena>>(
        &self,
        mut sink: __Sink,
    ) -> __Sink {
        ::defiant::__private::encode_unknown(&self.unknown_fields, &mut sink);
        if let ::core::option::Option::Some(oneof) = &self.answer {
            let oneof: &Answer = oneof;
            ::defiant::__private::Oneof::__encode(oneof, &mut sink);
        }
        sink
    }
}
#[automatically_derived]
impl<'arena> ::core::default::Default for Part<'arena> {
    #[inline]
    fn default() -> Self {
        ::defiant::Message::__unset()
    }
}
#[allow(single_use_lifetimes)]
const _: () = {
    unsafe impl<'arena> ::core::marker::Send for Part<'arena> {}
    unsafe impl<'arena> ::core::marker::Sync for Part<'arena> {}
    #[allow(dead_code)]
    fn parts<'arena>(whole: &Part<'arena>) {
        fn check<__Part: ::core::marker::Send + ::core::marker::Sync>(_: &__Part) {}
        check(&whole.answer);
        check(&whole.unknown_fields);
    }
};
const _: () = {
    #[doc(hidden)]
    #[allow(
        dead_code,
        missing_copy_implementations,
        missing_debug_implementations,
        unnameable_types,
        unreachable_pub
    )]
    pub struct PartFamily;
    impl ::defiant::__private::MessageFamily for PartFamily {
        type In<'arena> = Part<'arena>;
        type Family = PartFamily;
        #[inline]
        fn __shorten<'short, 'long: 'short>(
            message: &'short Self::In<'long>,
        ) -> &'short Self::In<'short> {
            message
        }
        #[inline]
        fn __unknown<'m, 'arena>(
            message: &'m Self::In<'arena>,
        ) -> &'m ::defiant::UnknownFields<'arena> {
            &message.unknown_fields
        }
        #[inline]
        fn __unknown_mut<'m, 'arena>(
            message: &'m mut Self::In<'arena>,
        ) -> &'m mut ::defiant::UnknownFields<'arena> {
            &mut message.unknown_fields
        }
    }
    impl ::defiant::__private::OfFamily for Part<'_> {
        type Family = PartFamily;
    }
};
#[automatically_derived]
impl ::defiant::Name for Part<'_> {
    const PACKAGE: &'static str = "tutorial";
    const NAME: &'static str = "Person.Part";
    #[inline]
    fn full_name() -> &'static str {
        "tutorial.Person.Part"
    }
}
#[automatically_derived]
unsafe impl<'arena> ::defiant::__private::Oneof<'arena> for Answer {
    const FIELDS: &'static [(u32, &'static str)] = &[(56, "yes")];
    const MESSAGES: &'static [::defiant::__private::NestedTable] = &[];
    fn __merge<__OnDemand>(
        slot: &mut ::core::option::Option<Self>,
        unknown: &mut ::defiant::UnknownFields<'arena>,
        key: u64,
        at: ::defiant::__private::Cursor,
        cx: &mut ::defiant::__private::Context<'arena>,
    ) -> ::defiant::__private::Cursor {
        let mut reader = at.resume(cx);
        let r = &mut reader;
        let step = match key {
            56 => {
                let mut value = match *slot {
                    ::core::option::Option::Some(Self::Yes(value)) => {
                        ::core::option::Option::Some(value)
                    }
                    ::core::option::Option::None => ::core::option::Option::None,
                };
                let step = r.read_optional_bool(&mut value);
                if let ::core::option::Option::Some(value) = value {
                    *slot = ::core::option::Option::Some(Self::Yes(value));
                }
                step
            }
            _ => r.skip_unknown(unknown, key),
        };
        match step {
            ::core::result::Result::Ok(()) => reader.yield_back(),
            ::core::result::Result::Err(fault) => reader.give_up(fault),
        }
    }
    fn __encode<__Sink: ::defiant::__private::Sink<'arena>>(&self, sink: &mut __Sink) {
        match self {
            Self::Yes(value) => {
                ::defiant::__private::write_required::bool(value, sink, 7)
            }
        }
    }
    const __MEMBERS: &'static [::defiant::__private::Member] = &[
        ::defiant::__private::Member::new::<
            ::defiant::__private::Optional<::defiant::__private::Bool>,
            ::core::option::Option<bool>,
        >(7, ::defiant::__private::Names::new(",\"yes\":         ", 7, 0, 0)),
    ];
    fn __get(&self) -> (u32, ::defiant::__private::Raw<'arena>) {
        match self {
            Self::Yes(value) => {
                (
                    7,
                    ::defiant::__private::Raw::of::<
                        ::defiant::__private::Optional<::defiant::__private::Bool>,
                        bool,
                    >(value),
                )
            }
        }
    }
    unsafe fn __set(
        number: u32,
        value: ::defiant::__private::Raw<'arena>,
    ) -> ::core::option::Option<Self> {
        match number {
            7 => {
                unsafe {
                    value
                        .into_value::<
                            ::defiant::__private::Optional<::defiant::__private::Bool>,
                            bool,
                        >()
                }
                    .map(Self::Yes)
            }
            _ => ::core::option::Option::None,
        }
    }
}
#[automatically_derived]
#[allow(dead_code, non_upper_case_globals)]
impl Color {
    /// As in roses.
    pub const Red: Self = Self(0);
    /// `COLOR_GREEN`, the value 1.
    pub const Green: Self = Self(1);
    /// `COLOR_ROUGE`, the value 0.
    pub const Rouge: Self = Self(0);
    /// The name of the value in its `.proto`; `None` for a number that has none.
    #[inline]
    #[must_use]
    pub const fn as_str_name(self) -> ::core::option::Option<&'static str> {
        match self.0 {
            0 => ::core::option::Option::Some("COLOR_RED"),
            1 => ::core::option::Option::Some("COLOR_GREEN"),
            _ => ::core::option::Option::None,
        }
    }
    /// The value that has this name in its `.proto`.
    #[inline]
    #[must_use]
    pub fn from_str_name(name: &str) -> ::core::option::Option<Self> {
        match name {
            "COLOR_RED" => ::core::option::Option::Some(Self(0)),
            "COLOR_GREEN" => ::core::option::Option::Some(Self(1)),
            "COLOR_ROUGE" => ::core::option::Option::Some(Self(0)),
            _ => ::core::option::Option::None,
        }
    }
}
#[automatically_derived]
impl ::defiant::Enumeration for Color {
    const DEFAULT: Self = Self(0);
    const NAME: &'static str = "tutorial.Color";
    const VALUES: &'static [(&'static str, i32)] = &[
        ("COLOR_RED", 0),
        ("COLOR_GREEN", 1),
        ("COLOR_ROUGE", 0),
    ];
    const OPEN: bool = true;
    const __DESCRIPTOR: &'static ::defiant::__private::EnumOf<Self> = {
        static __ENUM: ::defiant::__private::EnumOf<Color> = ::defiant::__private::EnumOf::new();
        &__ENUM
    };
    #[inline]
    fn from_number(number: i32) -> ::core::option::Option<Self> {
        ::core::option::Option::Some(Self(number))
    }
    #[inline]
    fn number(self) -> i32 {
        self.0
    }
}
#[automatically_derived]
impl ::core::fmt::Debug for Color {
    #[inline]
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self.0 {
            0 => f.write_str("Red"),
            1 => f.write_str("Green"),
            number => f.debug_tuple("Color").field(&number).finish(),
        }
    }
}
#[automatically_derived]
impl ::core::convert::From<i32> for Color {
    #[inline]
    fn from(number: i32) -> Self {
        Self(number)
    }
}
#[automatically_derived]
impl ::core::default::Default for Color {
    #[inline]
    fn default() -> Self {
        <Self as ::defiant::Enumeration>::DEFAULT
    }
}
#[automatically_derived]
impl ::core::convert::From<Color> for i32 {
    #[inline]
    fn from(value: Color) -> Self {
        <Color as ::defiant::Enumeration>::number(value)
    }
}
#[automatically_derived]
#[allow(dead_code, non_upper_case_globals)]
impl Kind {
    /// `KIND_ALPHA`, the value 1.
    pub const Alpha: Self = Self::A;
    /// The name of the value in its `.proto`.
    #[inline]
    #[must_use]
    pub const fn as_str_name(self) -> &'static str {
        match self {
            Self::A => "KIND_A",
            Self::B => "B",
        }
    }
    /// The value that has this name in its `.proto`.
    #[inline]
    #[must_use]
    pub fn from_str_name(name: &str) -> ::core::option::Option<Self> {
        match name {
            "KIND_A" => ::core::option::Option::Some(Self::A),
            "B" => ::core::option::Option::Some(Self::B),
            "KIND_ALPHA" => ::core::option::Option::Some(Self::A),
            _ => ::core::option::Option::None,
        }
    }
}
#[automatically_derived]
impl ::defiant::Enumeration for Kind {
    const DEFAULT: Self = Self::A;
    const NAME: &'static str = "tutorial.Kind";
    const VALUES: &'static [(&'static str, i32)] = &[
        ("KIND_A", 1),
        ("B", -2),
        ("KIND_ALPHA", 1),
    ];
    const OPEN: bool = false;
    const __DESCRIPTOR: &'static ::defiant::__private::EnumOf<Self> = {
        static __ENUM: ::defiant::__private::EnumOf<Kind> = ::defiant::__private::EnumOf::new();
        &__ENUM
    };
    #[inline]
    fn from_number(number: i32) -> ::core::option::Option<Self> {
        match number {
            1 => ::core::option::Option::Some(Self::A),
            -2 => ::core::option::Option::Some(Self::B),
            _ => ::core::option::Option::None,
        }
    }
    #[inline]
    fn number(self) -> i32 {
        self as i32
    }
}
#[automatically_derived]
impl ::core::convert::TryFrom<i32> for Kind {
    type Error = ::defiant::UnknownEnumValue;
    #[inline]
    fn try_from(
        number: i32,
    ) -> ::core::result::Result<Self, ::defiant::UnknownEnumValue> {
        match <Self as ::defiant::Enumeration>::from_number(number) {
            ::core::option::Option::Some(value) => ::core::result::Result::Ok(value),
            ::core::option::Option::None => {
                ::core::result::Result::Err(::defiant::UnknownEnumValue(number))
            }
        }
    }
}
#[automatically_derived]
impl ::core::default::Default for Kind {
    #[inline]
    fn default() -> Self {
        <Self as ::defiant::Enumeration>::DEFAULT
    }
}
#[automatically_derived]
impl ::core::convert::From<Kind> for i32 {
    #[inline]
    fn from(value: Kind) -> Self {
        <Kind as ::defiant::Enumeration>::number(value)
    }
}
#[automatically_derived]
unsafe impl<'arena> ::defiant::Message<'arena> for Options<'arena> {
    type __Code = ::defiant::__private::Compiled;
    const DEFAULT: Self = Self {
        unknown_fields: ::defiant::UnknownFields::EMPTY,
    };
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn __unset() -> Self {
        Self {
            unknown_fields: ::defiant::UnknownFields::EMPTY,
        }
    }
    const TABLE: &'static ::defiant::__private::Table = &::defiant::__private::Table {
        name: "tutorial.Options",
        fields: &[],
        oneofs: &[],
        messages: &[],
        oneof_messages: &[],
    };
    const SMALL: bool = true;
    const __LEAF: bool = true;
    const __DESCRIPTOR: ::defiant::__private::Address<Self> = {
        static __FIELDS: [::defiant::__private::FieldOf<Options<'static>>; 0] = { [] };
        static __ORDER: [u16; 0] = ::defiant::__private::FieldOf::order(&__FIELDS);
        static __MESSAGE: ::defiant::__private::DescriptorOf<Options<'static>> = {
            let __m = &<Options<'static> as ::defiant::Message<'static>>::DEFAULT;
            let __unknown = &__m.unknown_fields;
            let descriptor = unsafe {
                ::defiant::__private::DescriptorOf::new(
                    __m,
                    __unknown,
                    &__FIELDS,
                    &[],
                    &__ORDER,
                )
            };
            descriptor.message_set().reserved(&["old_name", "older_name"])
        };
        ::defiant::__private::Address::of(&__MESSAGE)
    };
    #[inline]
    fn default_ref() -> &'arena Self {
        &<Options<'static> as ::defiant::Message<'static>>::DEFAULT
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn __field<__OnDemand>(
        &mut self,
        key: &mut u64,
        r: &mut ::defiant::__private::Reader<'_, 'arena>,
    ) -> ::core::result::Result<(), ::defiant::__private::Fault> {
        match *key {
            0x80.. => r.other_long(&mut self.unknown_fields, key),
            _ => r.message_set(&mut self.unknown_fields, *key),
        }
    }
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn __encode<__Sink: ::defiant::__private::Sink<'arena>>(
        &self,
        mut sink: __Sink,
    ) -> __Sink {
        ::defiant::__private::encode_message_set(&self.unknown_fields, &mut sink);
        sink
    }
}
#[automatically_derived]
impl<'arena> ::core::default::Default for Options<'arena> {
    #[inline]
    fn default() -> Self {
        ::defiant::Message::__unset()
    }
}
const _: () = {
    #[doc(hidden)]
    #[allow(
        dead_code,
        missing_copy_implementations,
        missing_debug_implementations,
        unnameable_types,
        unreachable_pub
    )]
    pub struct OptionsFamily;
    impl ::defiant::__private::MessageFamily for OptionsFamily {
        type In<'arena> = Options<'arena>;
        type Family = OptionsFamily;
        const MESSAGE_SET: bool = true;
        #[inline]
        fn __shorten<'short, 'long: 'short>(
            message: &'short Self::In<'long>,
        ) -> &'short Self::In<'short> {
            message
        }
        #[inline]
        fn __unknown<'m, 'arena>(
            message: &'m Self::In<'arena>,
        ) -> &'m ::defiant::UnknownFields<'arena> {
            &message.unknown_fields
        }
        #[inline]
        fn __unknown_mut<'m, 'arena>(
            message: &'m mut Self::In<'arena>,
        ) -> &'m mut ::defiant::UnknownFields<'arena> {
            &mut message.unknown_fields
        }
    }
    impl ::defiant::__private::OfFamily for Options<'_> {
        type Family = OptionsFamily;
    }
};
#[automatically_derived]
impl ::defiant::Name for Options<'_> {
    const PACKAGE: &'static str = "tutorial";
    const NAME: &'static str = "Options";
    #[inline]
    fn full_name() -> &'static str {
        "tutorial.Options"
    }
}
#[automatically_derived]
unsafe impl<'arena> ::defiant::Message<'arena> for Small<'arena> {
    type __Code = ::defiant::__private::ByTable;
    const DEFAULT: Self = Self {
        name: "",
        kind: ::defiant::__private::unset_enum(),
        scores: ::defiant::__private::no_elements(),
        small: ::defiant::__private::no_elements(),
        points: ::defiant::Map::EMPTY,
        level: 0,
        choice: ::core::option::Option::None,
        unknown_fields: ::defiant::UnknownFields::EMPTY,
    };
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn __unset() -> Self {
        Self::DEFAULT
    }
    const TABLE: &'static ::defiant::__private::Table = &::defiant::__private::Table {
        name: "tutorial.Small",
        fields: &[
            (10, "name"),
            (24, "kind"),
            (32, "scores"),
            (43, "small"),
            (58, "points"),
            (72, "level"),
        ],
        oneofs: &[
            <<::core::option::Option<
                small::Choice<'arena>,
            > as ::core::iter::IntoIterator>::Item as ::defiant::__private::Oneof<
                'arena,
            >>::FIELDS,
        ],
        messages: &[],
        oneof_messages: &[
            <<::core::option::Option<
                small::Choice<'arena>,
            > as ::core::iter::IntoIterator>::Item as ::defiant::__private::Oneof<
                'arena,
            >>::MESSAGES,
        ],
    };
    const __FLAT: bool = true
        && <::defiant::__private::RepeatedGroup as ::defiant::__private::Held<
            'arena,
            &'arena [Small<'arena>],
        >>::LEAF
        && <::defiant::__private::MapOf<
            ::defiant::__private::Str,
            ::defiant::__private::MessageValue,
        > as ::defiant::__private::Held<
            'arena,
            ::defiant::Map<'arena, &'arena str, Point<'arena>>,
        >>::LEAF
        && <<::core::option::Option<
            small::Choice<'arena>,
        > as ::core::iter::IntoIterator>::Item as ::defiant::__private::Oneof<
            'arena,
        >>::MESSAGES
            .is_empty();
    const __DESCRIPTOR: ::defiant::__private::Address<Self> = {
        static __FIELDS: [::defiant::__private::FieldOf<Small<'static>>; 8] = {
            let __m = &<Small<'static> as ::defiant::Message<'static>>::DEFAULT;
            [
                {
                    let field = &__m.name;
                    let names = ::defiant::__private::Names::new(
                        ",\"name\":        ",
                        8,
                        0,
                        0,
                    );
                    let described = unsafe {
                        ::defiant::__private::FieldOf::new::<
                            ::defiant::__private::Implicit<::defiant::__private::Str>,
                            _,
                        >(__m, field, 1, names)
                    };
                    described
                },
                {
                    let field = &__m.kind;
                    let names = ::defiant::__private::Names::new(
                        ",\"kind\":        ",
                        8,
                        0,
                        0,
                    );
                    let described = unsafe {
                        ::defiant::__private::FieldOf::new::<
                            ::defiant::__private::Required<::defiant::__private::Enum>,
                            _,
                        >(__m, field, 3, names)
                    };
                    described
                },
                {
                    let field = &__m.scores;
                    let names = ::defiant::__private::Names::new(
                        ",\"scores\":      ",
                        10,
                        0,
                        0,
                    );
                    let described = unsafe {
                        ::defiant::__private::FieldOf::new::<
                            ::defiant::__private::Repeated<::defiant::__private::Int32>,
                            _,
                        >(__m, field, 4, names)
                    };
                    described
                },
                {
                    let field = &__m.small;
                    let names = ::defiant::__private::Names::new(
                        ",\"small\":       ",
                        9,
                        0,
                        0,
                    );
                    let described = unsafe {
                        ::defiant::__private::FieldOf::new::<
                            ::defiant::__private::RepeatedGroup,
                            _,
                        >(__m, field, 5, names)
                    };
                    described
                },
                {
                    let field = &__m.choice;
                    unsafe { ::defiant::__private::FieldOf::member(__m, field, 6, 0) }
                },
                {
                    let field = &__m.points;
                    let names = ::defiant::__private::Names::new(
                        ",\"points\":      ",
                        10,
                        0,
                        0,
                    );
                    let described = unsafe {
                        ::defiant::__private::FieldOf::new::<
                            ::defiant::__private::MapOf<
                                ::defiant::__private::Str,
                                ::defiant::__private::MessageValue,
                            >,
                            _,
                        >(__m, field, 7, names)
                    };
                    described
                },
                {
                    let field = &__m.choice;
                    unsafe { ::defiant::__private::FieldOf::member(__m, field, 8, 0) }
                },
                {
                    let field = &__m.level;
                    let names = ::defiant::__private::Names::new(
                        ",\"level\":       ",
                        9,
                        0,
                        0,
                    );
                    let described = unsafe {
                        ::defiant::__private::FieldOf::new::<
                            ::defiant::__private::Required<::defiant::__private::Sint32>,
                            _,
                        >(__m, field, 9, names)
                    };
                    described
                },
            ]
        };
        static __ONEOFS: [::defiant::__private::OneofOf<Small<'static>>; 1] = {
            let __m = &<Small<'static> as ::defiant::Message<'static>>::DEFAULT;
            [
                {
                    let field = &__m.choice;
                    unsafe {
                        ::defiant::__private::OneofOf::new(__m, field, "choice", 0)
                    }
                },
            ]
        };
        static __ORDER: [u16; 16] = ::defiant::__private::FieldOf::order(&__FIELDS);
        static __MESSAGE: ::defiant::__private::DescriptorOf<Small<'static>> = {
            let __m = &<Small<'static> as ::defiant::Message<'static>>::DEFAULT;
            let __unknown = &__m.unknown_fields;
            let descriptor = unsafe {
                ::defiant::__private::DescriptorOf::new(
                    __m,
                    __unknown,
                    &__FIELDS,
                    &__ONEOFS,
                    &__ORDER,
                )
            };
            descriptor
        };
        ::defiant::__private::Address::of(&__MESSAGE)
    };
    #[inline]
    fn default_ref() -> &'arena Self {
        &<Small<'static> as ::defiant::Message<'static>>::DEFAULT
    }
    fn __merge<__OnDemand>(
        &mut self,
        at: ::defiant::__private::Cursor,
        cx: &mut ::defiant::__private::Context<'arena>,
        scope: ::defiant::__private::Scope,
    ) -> ::defiant::__private::Cursor {
        at.merge_by_table(self, cx, scope)
    }
    fn __encode<__Sink: ::defiant::__private::Sink<'arena>>(
        &self,
        sink: __Sink,
    ) -> __Sink {
        if let ::core::option::Option::Some(oneof) = &self.choice {
            let _: &small::Choice = oneof;
        }
        ::defiant::__private::encode_by_table(self, sink)
    }
}
#[automatically_derived]
impl<'arena> ::core::default::Default for Small<'arena> {
    #[inline]
    fn default() -> Self {
        ::defiant::Message::__unset()
    }
}
#[automatically_derived]
unsafe impl<'arena> ::defiant::__private::Tabled<'arena> for Small<'arena> {
    const FIELDS: &'arena [::defiant::__private::Entry<'arena, Self>] = {
        let __m = &<Self as ::defiant::Message<'arena>>::DEFAULT;
        &[
            {
                let field = &__m.name;
                unsafe {
                    ::defiant::__private::Entry::field::<
                        ::defiant::__private::Implicit<::defiant::__private::Str>,
                        _,
                    >(__m, field, 10)
                }
            },
            {
                let field = &__m.kind;
                unsafe {
                    ::defiant::__private::Entry::partial::<
                        ::defiant::__private::Enum,
                        _,
                    >(__m, field, 24)
                }
            }
                .required(0),
            {
                let field = &__m.scores;
                unsafe {
                    ::defiant::__private::Entry::packable::<
                        ::defiant::__private::Repeated<::defiant::__private::Int32>,
                        _,
                    >(__m, field, 32)
                }
            },
            {
                let field = &__m.small;
                unsafe {
                    ::defiant::__private::Entry::message::<
                        ::defiant::__private::RepeatedGroup,
                        _,
                    >(__m, field, 43)
                }
            },
            {
                let field = &__m.choice;
                unsafe { ::defiant::__private::Entry::first_member(__m, field, 6) }
            },
            {
                let field = &__m.points;
                unsafe {
                    ::defiant::__private::Entry::field::<
                        ::defiant::__private::MapOf<
                            ::defiant::__private::Str,
                            ::defiant::__private::MessageValue,
                        >,
                        _,
                    >(__m, field, 58)
                }
            },
            {
                let field = &__m.choice;
                unsafe { ::defiant::__private::Entry::member(__m, field, 8) }
            },
            {
                let field = &__m.level;
                unsafe {
                    ::defiant::__private::Entry::field::<
                        ::defiant::__private::Required<::defiant::__private::Sint32>,
                        _,
                    >(__m, field, 72)
                }
            }
                .required(1),
        ]
    };
    const INDEX: &'arena [u8] = &::defiant::__private::index::<Self, 10>();
    const CLASS: &'arena ::defiant::__private::Class<'arena, Self> = {
        let __m = &<Self as ::defiant::Message<'arena>>::DEFAULT;
        let __unknown = &__m.unknown_fields;
        &unsafe { ::defiant::__private::Class::new::<1>(__m, __unknown, 2) }
    };
}
#[allow(single_use_lifetimes)]
const _: () = {
    unsafe impl<'arena> ::core::marker::Send for Small<'arena> {}
    unsafe impl<'arena> ::core::marker::Sync for Small<'arena> {}
    #[allow(dead_code)]
    fn parts<'arena>(whole: &Small<'arena>) {
        fn check<__Part: ::core::marker::Send + ::core::marker::Sync>(_: &__Part) {}
        check(&whole.name);
        check(&whole.kind);
        check(&whole.scores);
        check(&whole.small);
        check(&whole.points);
        check(&whole.level);
        check(&whole.choice);
        check(&whole.unknown_fields);
    }
};
const _: () = {
    #[doc(hidden)]
    #[allow(
        dead_code,
        missing_copy_implementations,
        missing_debug_implementations,
        unnameable_types,
        unreachable_pub
    )]
    pub struct SmallFamily;
    impl ::defiant::__private::MessageFamily for SmallFamily {
        type In<'arena> = Small<'arena>;
        type Family = SmallFamily;
        #[inline]
        fn __shorten<'short, 'long: 'short>(
            message: &'short Self::In<'long>,
        ) -> &'short Self::In<'short> {
            message
        }
        #[inline]
        fn __unknown<'m, 'arena>(
            message: &'m Self::In<'arena>,
        ) -> &'m ::defiant::UnknownFields<'arena> {
            &message.unknown_fields
        }
        #[inline]
        fn __unknown_mut<'m, 'arena>(
            message: &'m mut Self::In<'arena>,
        ) -> &'m mut ::defiant::UnknownFields<'arena> {
            &mut message.unknown_fields
        }
    }
    impl ::defiant::__private::OfFamily for Small<'_> {
        type Family = SmallFamily;
    }
};
#[automatically_derived]
impl ::defiant::Name for Small<'_> {
    const PACKAGE: &'static str = "tutorial";
    const NAME: &'static str = "Small";
    #[inline]
    fn full_name() -> &'static str {
        "tutorial.Small"
    }
}
#[automatically_derived]
unsafe impl<'arena> ::defiant::__private::Oneof<'arena> for Choice<'arena> {
    const FIELDS: &'static [(u32, &'static str)] = &[(50, "text"), (66, "place")];
    const MESSAGES: &'static [::defiant::__private::NestedTable] = &[
        (
            66,
            <::defiant::__private::OptionalMessage as ::defiant::__private::Nested<
                'arena,
                ::core::option::Option<&'arena super::Point<'arena>>,
            >>::table,
        ),
    ];
    fn __merge<__OnDemand>(
        slot: &mut ::core::option::Option<Self>,
        unknown: &mut ::defiant::UnknownFields<'arena>,
        key: u64,
        at: ::defiant::__private::Cursor,
        cx: &mut ::defiant::__private::Context<'arena>,
    ) -> ::defiant::__private::Cursor {
        match key {
            50 => {
                let mut value: ::core::option::Option<&'arena str> = match *slot {
                    ::core::option::Option::Some(Self::Text(value)) => {
                        ::core::option::Option::Some(value)
                    }
                    ::core::option::Option::Some(_) | ::core::option::Option::None => {
                        ::core::option::Option::None
                    }
                };
                let step = at
                    .merge_member::<
                        ::defiant::__private::Optional<::defiant::__private::LenientStr>,
                        ::core::option::Option<&'arena str>,
                    >(&mut value, unknown, 50, cx);
                if let ::core::option::Option::Some(value) = value {
                    *slot = ::core::option::Option::Some(Self::Text(value));
                }
                step
            }
            66 => {
                let mut value: ::core::option::Option<&'arena super::Point<'arena>> = match *slot {
                    ::core::option::Option::Some(Self::Place(value)) => {
                        ::core::option::Option::Some(value)
                    }
                    ::core::option::Option::Some(_) | ::core::option::Option::None => {
                        ::core::option::Option::None
                    }
                };
                let step = at
                    .merge_member::<
                        ::defiant::__private::OptionalMessage,
                        ::core::option::Option<&'arena super::Point<'arena>>,
                    >(&mut value, unknown, 66, cx);
                if let ::core::option::Option::Some(value) = value {
                    *slot = ::core::option::Option::Some(Self::Place(value));
                }
                step
            }
            _ => at.skip_unknown(unknown, key, cx),
        }
    }
    fn __encode<__Sink: ::defiant::__private::Sink<'arena>>(&self, sink: &mut __Sink) {
        match self {
            Self::Text(value) => {
                ::defiant::__private::encode_member::<
                    ::defiant::__private::Required<::defiant::__private::LenientStr>,
                    &'arena str,
                    __Sink,
                >(value, sink, 6u32)
            }
            Self::Place(value) => {
                ::defiant::__private::encode_member::<
                    ::defiant::__private::OptionalMessage,
                    ::core::option::Option<&'arena super::Point<'arena>>,
                    __Sink,
                >(&::core::option::Option::Some(*value), sink, 8u32)
            }
        }
    }
    const __MEMBERS: &'static [::defiant::__private::Member] = &[
        ::defiant::__private::Member::new::<
            ::defiant::__private::Optional<::defiant::__private::LenientStr>,
            ::core::option::Option<&'arena str>,
        >(6, ::defiant::__private::Names::new(",\"text\":        ", 8, 0, 0)),
        ::defiant::__private::Member::new::<
            ::defiant::__private::OptionalMessage,
            ::core::option::Option<&'arena super::Point<'arena>>,
        >(8, ::defiant::__private::Names::new(",\"place\":       ", 9, 0, 0)),
    ];
    fn __get(&self) -> (u32, ::defiant::__private::Raw<'arena>) {
        match self {
            Self::Text(value) => {
                (
                    6,
                    ::defiant::__private::Raw::of::<
                        ::defiant::__private::Optional<::defiant::__private::LenientStr>,
                        &'arena str,
                    >(value),
                )
            }
            Self::Place(value) => {
                (
                    8,
                    ::defiant::__private::Raw::of::<
                        ::defiant::__private::OptionalMessage,
                        &'arena super::Point<'arena>,
                    >(value),
                )
            }
        }
    }
    unsafe fn __set(
        number: u32,
        value: ::defiant::__private::Raw<'arena>,
    ) -> ::core::option::Option<Self> {
        match number {
            6 => {
                unsafe {
                    value
                        .into_value::<
                            ::defiant::__private::Optional<
                                ::defiant::__private::LenientStr,
                            >,
                            &'arena str,
                        >()
                }
                    .map(Self::Text)
            }
            8 => {
                unsafe {
                    value
                        .into_value::<
                            ::defiant::__private::OptionalMessage,
                            &'arena super::Point<'arena>,
                        >()
                }
                    .map(Self::Place)
            }
            _ => ::core::option::Option::None,
        }
    }
}
#[allow(single_use_lifetimes)]
const _: () = {
    unsafe impl<'arena> ::core::marker::Send for Choice<'arena> {}
    unsafe impl<'arena> ::core::marker::Sync for Choice<'arena> {}
    #[allow(dead_code)]
    fn parts<'arena>(whole: &Choice<'arena>) {
        fn check<__Part: ::core::marker::Send + ::core::marker::Sync>(_: &__Part) {}
        match whole {
            Choice::Text(part) => check(part),
            Choice::Place(part) => check(part),
        }
    }
};
#[automatically_derived]
unsafe impl<'arena> ::defiant::Message<'arena> for SmallOptions<'arena> {
    type __Code = ::defiant::__private::ByTable;
    const DEFAULT: Self = Self {
        unknown_fields: ::defiant::UnknownFields::EMPTY,
    };
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn __unset() -> Self {
        Self::DEFAULT
    }
    const TABLE: &'static ::defiant::__private::Table = &::defiant::__private::Table {
        name: "tutorial.SmallOptions",
        fields: &[],
        oneofs: &[],
        messages: &[],
        oneof_messages: &[],
    };
    const __LEAF: bool = true;
    const __DESCRIPTOR: ::defiant::__private::Address<Self> = {
        static __FIELDS: [::defiant::__private::FieldOf<SmallOptions<'static>>; 0] = {
            []
        };
        static __ORDER: [u16; 0] = ::defiant::__private::FieldOf::order(&__FIELDS);
        static __MESSAGE: ::defiant::__private::DescriptorOf<SmallOptions<'static>> = {
            let __m = &<SmallOptions<'static> as ::defiant::Message<'static>>::DEFAULT;
            let __unknown = &__m.unknown_fields;
            let descriptor = unsafe {
                ::defiant::__private::DescriptorOf::new(
                    __m,
                    __unknown,
                    &__FIELDS,
                    &[],
                    &__ORDER,
                )
            };
            descriptor.message_set()
        };
        ::defiant::__private::Address::of(&__MESSAGE)
    };
    #[inline]
    fn default_ref() -> &'arena Self {
        &<SmallOptions<'static> as ::defiant::Message<'static>>::DEFAULT
    }
    fn __merge<__OnDemand>(
        &mut self,
        at: ::defiant::__private::Cursor,
        cx: &mut ::defiant::__private::Context<'arena>,
        scope: ::defiant::__private::Scope,
    ) -> ::defiant::__private::Cursor {
        at.merge_by_table(self, cx, scope)
    }
    fn __encode<__Sink: ::defiant::__private::Sink<'arena>>(
        &self,
        sink: __Sink,
    ) -> __Sink {
        ::defiant::__private::encode_by_table(self, sink)
    }
}
#[automatically_derived]
impl<'arena> ::core::default::Default for SmallOptions<'arena> {
    #[inline]
    fn default() -> Self {
        ::defiant::Message::__unset()
    }
}
#[automatically_derived]
unsafe impl<'arena> ::defiant::__private::Tabled<'arena> for SmallOptions<'arena> {
    const FIELDS: &'arena [::defiant::__private::Entry<'arena, Self>] = { &[] };
    const INDEX: &'arena [u8] = &::defiant::__private::index::<Self, 0>();
    const CLASS: &'arena ::defiant::__private::Class<'arena, Self> = {
        let __m = &<Self as ::defiant::Message<'arena>>::DEFAULT;
        let __unknown = &__m.unknown_fields;
        &unsafe { ::defiant::__private::Class::new::<1>(__m, __unknown, 0) }
            .message_set()
    };
}
const _: () = {
    #[doc(hidden)]
    #[allow(
        dead_code,
        missing_copy_implementations,
        missing_debug_implementations,
        unnameable_types,
        unreachable_pub
    )]
    pub struct SmallOptionsFamily;
    impl ::defiant::__private::MessageFamily for SmallOptionsFamily {
        type In<'arena> = SmallOptions<'arena>;
        type Family = SmallOptionsFamily;
        const MESSAGE_SET: bool = true;
        #[inline]
        fn __shorten<'short, 'long: 'short>(
            message: &'short Self::In<'long>,
        ) -> &'short Self::In<'short> {
            message
        }
        #[inline]
        fn __unknown<'m, 'arena>(
            message: &'m Self::In<'arena>,
        ) -> &'m ::defiant::UnknownFields<'arena> {
            &message.unknown_fields
        }
        #[inline]
        fn __unknown_mut<'m, 'arena>(
            message: &'m mut Self::In<'arena>,
        ) -> &'m mut ::defiant::UnknownFields<'arena> {
            &mut message.unknown_fields
        }
    }
    impl ::defiant::__private::OfFamily for SmallOptions<'_> {
        type Family = SmallOptionsFamily;
    }
};
#[automatically_derived]
impl ::defiant::Name for SmallOptions<'_> {
    const PACKAGE: &'static str = "tutorial";
    const NAME: &'static str = "SmallOptions";
    #[inline]
    fn full_name() -> &'static str {
        "tutorial.SmallOptions"
    }
}
