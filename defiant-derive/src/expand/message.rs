//! `#[derive(Message)]`.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};

use super::accessor::accessors;
use super::call::{read, unset, write};
use super::count::counted;
use super::descriptor;
use super::family::family;
use super::name::name;
use super::shape::{codec, via};
use super::whole::whole;
use super::{allows, located, plain, plain_key, private, respan, runtime, table, threads};
use crate::schema::{Field, MapValue, Message, OneofField, Shape, wire_type};

/// The impls of `Message` and `Default`, and the accessors.
pub(crate) fn message(message: &Message) -> TokenStream {
    let item = &message.item;
    let ident = &item.ident;
    let arena = item.arena();
    let runtime = runtime(item, Span::call_site());
    let private = private(item, Span::call_site());
    let allows = allows(item);

    let default = default(message);
    let names = names(message);
    let (merge, encode, fields) = if message.code_size {
        (merge_by(message, &table::merge()), table::encode(message), table::table(message))
    } else {
        (merge(message), encode(message), TokenStream::new())
    };
    let code = Ident::new(if message.code_size { "ByTable" } else { "Compiled" }, Span::call_site());
    let unset = if message.code_size { quote!(Self::DEFAULT) } else { default.clone() };
    let mutable = (!message.code_size).then(|| quote!(mut));
    let small = !message.code_size && is_small(message);
    let inline = small.then(inline_always);
    let whole = if message.code_size { None } else { whole(message) };
    let small = small.then(|| {
        quote!(
            const SMALL: bool = true;
        )
    });
    let flat = flat(message);
    let family = family(message);
    let accessors = accessors(message);
    let name = name(message);
    let threads = threads::of_message(message);
    let descriptor = descriptor::of_message(message);

    quote! {
        // SAFETY: every field is one that a codec reads and writes, and `__field` or `__merge` calls methods of the runtime's
        // reader, which `crate = ".."` cannot redirect.
        #[automatically_derived]
        #allows
        unsafe impl<#arena> #runtime::Message<#arena> for #ident<#arena> {
            type __Code = #private::#code;

            const DEFAULT: Self = #default;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn __unset() -> Self {
                #unset
            }

            const TABLE: &'static #private::Table = #names;

            #small

            #flat

            #whole

            #descriptor

            #[inline]
            fn default_ref() -> &#arena Self {
                &<#ident<'static> as #runtime::Message<'static>>::DEFAULT
            }

            #merge

            #inline
            fn __encode<__Sink: #private::Sink<#arena>>(&self, #mutable sink: __Sink) -> __Sink {
                #encode
            }
        }

        #[automatically_derived]
        #allows
        impl<#arena> ::core::default::Default for #ident<#arena> {
            #[inline]
            fn default() -> Self {
                #runtime::Message::__unset()
            }
        }

        #fields

        #threads

        #family

        #name

        #accessors
    }
}

pub(super) fn inline_always() -> TokenStream {
    quote!(#[cfg_attr(not(debug_assertions), inline(always))])
}

/// The struct literal of the default. Its values are literals where the codec says which: the compiler has nothing to
/// look up. That they fit the types, the functions that read and write see to.
fn default(message: &Message) -> TokenStream {
    let item = &message.item;
    let fields = message.fields.iter().map(|field| {
        let ident = &field.ident;
        match (&field.default, field.shape) {
            (Some(default), Shape::Required(_)) => quote!(#ident: #default),
            _ => {
                let unset = unset(item, field.shape, field.span);
                quote_spanned!(located(field.span)=> #ident: #unset)
            }
        }
    });
    let oneofs = message.oneofs.iter().map(|oneof| &oneof.ident);
    let unknown = &message.unknown;
    let runtime = runtime(item, unknown.span());
    let unknown = quote_spanned!(located(unknown.span())=> #unknown: #runtime::UnknownFields::EMPTY);
    quote! {
        Self {
            #(#fields,)*
            #(#oneofs: ::core::option::Option::None,)*
            #unknown,
        }
    }
}

/// How far messages in the message may nest, where the types of its fields tell. That is how its encoder knows which levels
/// need no count.
fn flat(message: &Message) -> TokenStream {
    let (item, arena) = (&message.item, message.item.arena());
    let private = private(item, Span::call_site());
    let nested = message
        .fields
        .iter()
        .filter(|field| matches!(field.shape, Shape::Message { .. } | Shape::Map(_, MapValue::Message)));
    let nested: Vec<_> = nested.map(|field| via(item, field, "Held")).collect();
    let oneofs = message.oneofs.iter().map(|oneof| {
        let ty = &oneof.ty;
        quote!(<<#ty as ::core::iter::IntoIterator>::Item as #private::Oneof<#arena>>::MESSAGES.is_empty())
    });
    let name = Ident::new(if nested.is_empty() { "__LEAF" } else { "__FLAT" }, Span::call_site());
    quote! {
        const #name: bool = true #(&& #nested::LEAF)* #(&& #oneofs)*;
    }
}

/// The static table of names.
fn names(message: &Message) -> TokenStream {
    let item = &message.item;
    let private = private(item, Span::call_site());
    let arena = item.arena();
    let name = &item.name;
    let fields = message.fields.iter().map(|field| {
        let (tag, name) = (plain(field.number.value << 3 | field.shape.kept_as()), &field.name);
        quote!((#tag, #name))
    });
    // The enum is what `Option` holds: the item of its iterator says so without a look at the type's spelling.
    let oneofs = message.oneofs.iter().map(|oneof| {
        let ty = &oneof.ty;
        quote! {
            <<#ty as ::core::iter::IntoIterator>::Item as #private::Oneof<#arena>>
        }
    });
    let oneofs: Vec<_> = oneofs.collect();
    let messages = message.fields.iter().filter(|field| field.shape.is_singular_message()).map(|field| {
        let (tag, via) = (plain(field.number.value << 3 | field.shape.wire_type()), via(item, field, "Nested"));
        quote!((#tag, #via::table))
    });
    quote! {
        &#private::Table {
            name: #name,
            fields: &[#(#fields),*],
            oneofs: &[#(#oneofs::FIELDS),*],
            messages: &[#(#messages),*],
            oneof_messages: &[#(#oneofs::MESSAGES),*],
        }
    }
}

/// One bit a required field, 64 a word.
struct Seen {
    /// The numbers of the required fields, ascending.
    required: Vec<u32>,
}

impl Seen {
    const BITS: usize = 64;

    fn of(message: &Message) -> Self {
        let required = message.fields.iter().filter(|field| field.shape.is_required());
        Self { required: required.map(|field| field.number.value).collect() }
    }

    /// All bits of each word.
    fn all(&self) -> impl Iterator<Item = Literal> {
        let words = self.required.chunks(Self::BITS);
        words.map(|numbers| Literal::u64_unsuffixed(u64::MAX >> (Self::BITS - numbers.len())))
    }

    fn declare(&self) -> TokenStream {
        let all = self.all();
        match self.required.len().div_ceil(Self::BITS) {
            0 => TokenStream::new(),
            1 => quote!(let [mut seen] = r.seen_before(&*self, scope, [#(#all),*]);),
            _ => quote!(let mut seen = r.seen_before(&*self, scope, [#(#all),*]);),
        }
    }

    fn word(&self, index: usize) -> TokenStream {
        if self.required.len() <= Self::BITS {
            quote!(seen)
        } else {
            let index = Literal::usize_unsuffixed(index);
            quote!(seen[#index])
        }
    }

    /// Marks the field `number`, if it is required.
    fn mark(&self, number: u32) -> TokenStream {
        let Ok(index) = self.required.binary_search(&number) else {
            return TokenStream::new();
        };
        let word = self.word(index / Self::BITS);
        let bit = Literal::u64_unsuffixed(1 << (index % Self::BITS));
        quote!(#word |= #bit;)
    }

    /// Leaves early when a required field did not occur.
    fn check(&self) -> TokenStream {
        let seen = if self.required.len() <= Self::BITS { quote!(&[seen]) } else { quote!(&seen) };
        let words = self.required.chunks(Self::BITS).zip(self.all()).enumerate().map(|(index, (numbers, all))| {
            let word = self.word(index);
            let (last, others) = match numbers.split_last() {
                Some((last, others)) => (plain(*last), others),
                None => return TokenStream::new(),
            };
            let first_missing = if others.is_empty() {
                quote!(#last)
            } else {
                let bits = (0u32..).map(plain);
                let others = others.iter().map(|number| plain(*number));
                quote!(match (!#word).trailing_zeros() { #(#bits => #others,)* _ => #last, })
            };
            quote! {
                if #word != #all {
                    return reader.incomplete(&*self, #seen, Self::TABLE, #first_missing);
                }
            }
        });
        quote!(#(#words)*)
    }
}

/// Whether the decode function is to be a part of what calls it, of which there are few kinds: a call would cost as much
/// as such a message itself, a point or a price.
fn is_small(message: &Message) -> bool {
    let is_number = |field: &Field| match field.shape {
        Shape::Implicit(codec) | Shape::Optional(codec) | Shape::Required(codec) => codec.is_packable(),
        _ => false,
    };
    message.oneofs.is_empty() && message.fields.len() <= 4 && message.fields.iter().all(is_number)
}

/// `__merge` with a body.
fn merge_by(message: &Message, body: &TokenStream) -> TokenStream {
    let private = private(&message.item, Span::call_site());
    let arena = message.item.arena();
    quote! {
        fn __merge<__OnDemand>(
            &mut self,
            at: #private::Cursor,
            cx: &mut #private::Context<#arena>,
            scope: #private::Scope,
        ) -> #private::Cursor {
            #body
        }
    }
}

/// `__field`; or `__merge`, where the loop over the fields has to note which ones occurred.
fn merge(message: &Message) -> TokenStream {
    let private = private(&message.item, Span::call_site());
    let arena = message.item.arena();
    let unknown = &message.unknown;
    let seen = Seen::of(message);
    let mut arms: Vec<(u32, TokenStream)> = Vec::new();
    for field in &message.fields {
        field_arms(message, field, &seen, &mut arms);
    }
    for oneof in &message.oneofs {
        oneof_arms(oneof, unknown, &mut arms);
    }
    arms.sort_by_key(|(tag, _)| *tag);
    let one_byte = arms.iter().take_while(|(tag, _)| *tag < 0x80).map(|(_, arm)| arm);
    let more_bytes = arms.iter().skip_while(|(tag, _)| *tag < 0x80).map(|(_, arm)| arm);

    // An item of a message set has a tag of one byte.
    let other_short = Ident::new(if message.message_set { "message_set" } else { "other_short" }, Span::call_site());
    let short = quote!(r.#other_short(&mut self.#unknown, *key));
    // Whether a key is long is asked first where fields have long ones, and last where none has.
    let step = if arms.last().is_some_and(|(tag, _)| *tag >= 0x80) {
        quote! {
            if *key < 0x80 {
                match *key {
                    #(#one_byte)*
                    _ => #short,
                }
            } else {
                *key = r.second();
                loop {
                    break match *key {
                        #(#more_bytes)*
                        _ => match r.other(&mut self.#unknown, key) {
                            ::core::result::Result::Ok(true) => continue,
                            ::core::result::Result::Ok(false) => ::core::result::Result::Ok(()),
                            ::core::result::Result::Err(fault) => ::core::result::Result::Err(fault),
                        },
                    };
                }
            }
        }
    } else {
        quote! {
            match *key {
                #(#one_byte)*
                0x80.. => r.other_long(&mut self.#unknown, key),
                _ => #short,
            }
        }
    };
    if seen.required.is_empty() {
        let inline = inline_always();
        return quote! {
            #inline
            fn __field<__OnDemand>(
                &mut self,
                key: &mut u64,
                r: &mut #private::Reader<'_, #arena>,
            ) -> ::core::result::Result<(), #private::Fault> {
                #step
            }
        };
    }
    let (declare, check) = (seen.declare(), seen.check());
    let body = quote! {
        let mut reader = at.enter(cx, scope);
        let r = &mut reader;
        #declare
        let (fault, key) = loop {
            let mut whole = match r.first() {
                ::core::result::Result::Ok(::core::option::Option::Some(first)) => first,
                ::core::result::Result::Ok(::core::option::Option::None) => break (reader.end(), 0),
                ::core::result::Result::Err(fault) => return reader.fail_behind(fault, at, Self::TABLE),
            };
            let key = &mut whole;
            if let ::core::result::Result::Err(fault) = #step {
                break (fault, whole);
            }
        };
        if fault.is_end() {
            #check
            reader.leave()
        } else {
            reader.fail(fault, key, Self::TABLE)
        }
    };
    let merge = merge_by(message, &body);
    if is_small(message) {
        let inline = inline_always();
        return quote!(#inline #merge);
    }
    merge
}

/// The arm of the field's own tag, and of the packed form where it has one.
fn field_arms(message: &Message, field: &Field, seen: &Seen, arms: &mut Vec<(u32, TokenStream)>) {
    let (ident, unknown) = (&field.ident, &message.unknown);
    let number = field.number.value;
    let span = located(field.span);
    let unknown = quote_spanned!(located(unknown.span())=> &mut self.#unknown);
    let mut arm = |wire_type: u32, call: &dyn Fn(Literal) -> TokenStream| {
        let tag = number << 3 | wire_type;
        let (key, literal) = (plain_key(tag), plain(tag));
        let call = call(literal);
        let mark = seen.mark(number);
        let arm = match field.shape {
            _ if mark.is_empty() => quote!(#key => #call,),
            // A value that the type does not have is no occurrence.
            Shape::Required(codec) if codec.is_partial() => quote! {
                #key => match #call {
                    ::core::result::Result::Ok(read) => {
                        if read {
                            #mark
                        }
                        ::core::result::Result::Ok(())
                    }
                    ::core::result::Result::Err(fault) => ::core::result::Result::Err(fault),
                }
            },
            _ => quote!(#key => { #mark #call }),
        };
        arms.push((tag, arm));
    };
    let item = &message.item;
    let place = quote_spanned!(span=> &mut self.#ident);
    arm(field.shape.wire_type(), &|tag| match field.shape {
        Shape::Required(codec) if codec.is_partial() => {
            let codec = self::codec(item, codec, field.span);
            quote_spanned!(span=> r.read_required_partial(#codec, #place, #unknown, #tag))
        }
        shape => read(item, shape, &place, &unknown, &tag, field.span),
    });
    if let Shape::Repeated { codec, .. } = field.shape {
        if codec.is_packable() {
            let codec = self::codec(item, codec, field.span);
            arm(wire_type::LENGTH_DELIMITED, &|tag| quote_spanned!(span=> r.read_run(#codec, #place, #unknown, #tag)));
        }
    }
}

/// The arms of a oneof, one for the tags of one byte and one for the others: all tags of its members but `EndGroup`,
/// which may end the group this message stands in.
fn oneof_arms(oneof: &OneofField, unknown: &syn::Ident, arms: &mut Vec<(u32, TokenStream)>) {
    let ident = &oneof.ident;
    let (one_byte, more_bytes): (Vec<u32>, Vec<u32>) =
        oneof.numbers.iter().map(|number| number.value << 3).partition(|first| *first < 0x80);
    for firsts in [one_byte, more_bytes] {
        let Some(&tag) = firsts.first() else { continue };
        let patterns = firsts.iter().map(|first| {
            let (first, last, fixed32) =
                (plain_key(*first), plain_key(first | wire_type::START_GROUP), plain_key(first | wire_type::FIXED32));
            quote!(#first..=#last | #fixed32)
        });
        arms.push((tag, quote!(#(#patterns)|* => r.oneof(&mut self.#ident, &mut self.#unknown, *key),)));
    }
}

/// The body of `__encode`: backward, so unknown fields first, then fields by descending number.
fn encode(message: &Message) -> TokenStream {
    let item = &message.item;
    let (private, arena) = (private(item, Span::call_site()), item.arena());
    let unknown = &message.unknown;
    let mut steps: Vec<(u32, TokenStream)> = Vec::new();
    let counted = counted(message);
    for field in &message.fields {
        let (ident, number) = (&field.ident, field.number.value);
        let place = quote_spanned!(located(field.span)=> &self.#ident);
        let write = write(item, field.shape, &place, &quote!(&mut sink), number, field.span);
        let step = if counted.iter().any(|counted| counted.has(field)) {
            quote!(if !<__Sink as #private::Sink<#arena>>::COUNTS { #write })
        } else {
            quote!(#write;)
        };
        steps.push((number, step));
    }
    // A constant, so that there is no code for it but in a count, not even before optimizations.
    let counts = (!counted.is_empty()).then(|| {
        let calls = counted.iter().map(|counted| counted.calls(message));
        quote!(if <__Sink as #private::Sink<#arena>>::COUNTS { #(#calls)* })
    });
    for oneof in &message.oneofs {
        let ident = &oneof.ident;
        // Names the enum of the attribute, so that a wrong path is an error at the path.
        let named = oneof.path.as_ref().map(|path| {
            let span = syn::spanned::Spanned::span(path);
            let path = respan(quote!(#path), span);
            quote_spanned!(located(span)=> let oneof: &#path = oneof;)
        });
        let step = quote! {
            if let ::core::option::Option::Some(oneof) = &self.#ident {
                #named
                #private::Oneof::__encode(oneof, &mut sink);
            }
        };
        steps.push((oneof.numbers.first().map_or(0, |number| number.value), step));
    }
    steps.sort_by_key(|(number, _)| std::cmp::Reverse(*number));
    let steps = steps.into_iter().map(|(_, step)| step);
    let encode_unknown = if message.message_set { "encode_message_set" } else { "encode_unknown" };
    let encode_unknown = Ident::new(encode_unknown, Span::call_site());
    quote! {
        #private::#encode_unknown(&self.#unknown, &mut sink);
        #counts
        #(#steps)*
        sink
    }
}
