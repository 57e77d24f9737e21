//! `#[derive(Oneof)]`.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

use super::descriptor;
use super::shape::{marker, of_type};
use super::{allows, located, plain, plain_key, private, runtime, threads};
use crate::schema::{Oneof, OneofVariant, Shape};

/// The impl of `__private::Oneof`.
pub(crate) fn oneof(oneof: &Oneof) -> TokenStream {
    let item = &oneof.item;
    let ident = &item.ident;
    let arena = item.arena();
    let generics = item.lifetime.as_ref().map(|lifetime| quote!(<#lifetime>));
    let runtime = runtime(item, Span::call_site());
    let private = private(item, Span::call_site());
    let allows = allows(item);
    let fields = oneof.variants.iter().map(|variant| {
        let (tag, name) = (plain(variant.number.value << 3 | variant.shape.kept_as()), &variant.name);
        quote!((#tag, #name))
    });
    let messages = oneof.variants.iter().filter(|variant| variant.shape.is_singular_message()).map(|variant| {
        let (tag, ty) = (plain(variant.number.value << 3 | variant.shape.wire_type()), &variant.ty);
        let via = of_type(item, variant.shape, "Nested", &quote!(::core::option::Option<#ty>), variant.span);
        quote!((#tag, #via::table))
    });
    let reads = oneof.variants.iter().map(|variant| read(oneof, variant));
    let merge = if oneof.code_size {
        quote! {
            match key {
                #(#reads)*
                _ => at.skip_unknown(unknown, key, cx),
            }
        }
    } else {
        quote! {
            let mut reader = at.resume(cx);
            let r = &mut reader;
            let step = match key {
                #(#reads)*
                _ => r.skip_unknown(unknown, key),
            };
            match step {
                ::core::result::Result::Ok(()) => reader.yield_back(),
                ::core::result::Result::Err(fault) => reader.give_up(fault),
            }
        }
    };
    let threads = threads::of_oneof(oneof);
    let descriptor = descriptor::of_oneof(oneof);
    let writes = oneof.variants.iter().map(|variant| write(oneof, variant));
    quote! {
        // SAFETY: every variant holds a value that a codec reads and writes, and `__merge` calls methods of the runtime's cursor
        // and reader, which `crate = ".."` cannot redirect.
        #[automatically_derived]
        #allows
        unsafe impl<#arena> #private::Oneof<#arena> for #ident #generics {
            const FIELDS: &'static [(u32, &'static str)] = &[#(#fields),*];
            const MESSAGES: &'static [#private::NestedTable] = &[#(#messages),*];

            fn __merge<__OnDemand>(
                slot: &mut ::core::option::Option<Self>,
                unknown: &mut #runtime::UnknownFields<#arena>,
                key: u64,
                at: #private::Cursor,
                cx: &mut #private::Context<#arena>,
            ) -> #private::Cursor {
                #merge
            }

            fn __encode<__Sink: #private::Sink<#arena>>(&self, sink: &mut __Sink) {
                match self {
                    #(#writes)*
                }
            }

            #descriptor
        }

        #threads
    }
}

/// The arm that reads a member: an optional field whose value is the slot's, if the slot holds this member.
fn read(oneof: &Oneof, variant: &OneofVariant) -> TokenStream {
    if let Shape::Message { inline: true, .. } = variant.shape {
        return read_in_place(oneof, variant);
    }
    let (ident, ty) = (&variant.ident, &variant.ty);
    let tag = variant.number.value << 3 | variant.shape.wire_type();
    let (key, tag) = (plain_key(tag), plain(tag));
    let optional = quote!(::core::option::Option<#ty>);
    // With a single variant the last arm would never be reached.
    let other = (oneof.variants.len() > 1).then(|| quote!(::core::option::Option::Some(_) |));
    let merge = if oneof.code_size {
        let marker = marker(&oneof.item, variant.shape, variant.span);
        let span = located(variant.span);
        quote_spanned!(span=> at.merge_member::<#marker, #optional>(&mut value, unknown, #tag, cx))
    } else {
        super::call::read(&oneof.item, variant.shape, &quote!(&mut value), &quote!(unknown), &tag, variant.span)
    };
    let ty = oneof.code_size.then(|| quote!(: #optional));
    // Only a member held inline makes the oneof large.
    let set = if oneof.variants.iter().any(|variant| matches!(variant.shape, Shape::Message { inline: true, .. })) {
        quote!(at.set_member(slot, || Self::#ident(value)))
    } else {
        quote!(*slot = ::core::option::Option::Some(Self::#ident(value)))
    };
    quote! {
        #key => {
            let mut value #ty = match *slot {
                ::core::option::Option::Some(Self::#ident(value)) => ::core::option::Option::Some(value),
                #other ::core::option::Option::None => ::core::option::Option::None,
            };
            let step = #merge;
            if let ::core::option::Option::Some(value) = value {
                #set;
            }
            step
        }
    }
}

/// The arm that reads a message held inline. It stays where it is: by its address its next occurrence is known.
fn read_in_place(oneof: &Oneof, variant: &OneofVariant) -> TokenStream {
    let (item, ident) = (&oneof.item, &variant.ident);
    let tag = variant.number.value << 3 | variant.shape.wire_type();
    let (key, tag) = (plain_key(tag), plain(tag));
    let runtime = runtime(item, variant.span);
    let other = (oneof.variants.len() > 1).then(|| quote!(::core::option::Option::Some(_) |));
    let marker = marker(item, variant.shape, variant.span);
    let span = located(variant.span);
    let (read, nothing) = if oneof.code_size {
        (quote_spanned!(span=> at.merge_in_place(#marker, value, again, #tag, cx)), quote!(at))
    } else {
        (quote_spanned!(span=> r.read_in_place(#marker, value, again, #tag)), quote!(::core::result::Result::Ok(())))
    };
    quote! {
        #key => {
            let again = match *slot {
                ::core::option::Option::Some(Self::#ident(_)) => true,
                #other ::core::option::Option::None => false,
            };
            if !again {
                at.set_member(slot, || Self::#ident(#runtime::Message::__unset()));
            }
            match slot {
                ::core::option::Option::Some(Self::#ident(value)) => #read,
                _ => #nothing,
            }
        }
    }
}

/// The arm that writes a member: a set oneof is written even when its value is zero.
fn write(oneof: &Oneof, variant: &OneofVariant) -> TokenStream {
    let (item, ident, ty, number) = (&oneof.item, &variant.ident, &variant.ty, variant.number.value);
    if let Shape::Message { inline: true, .. } = variant.shape {
        // A copy would take the size of the message from the stack, once per level.
        let (private, marker) = (private(item, variant.span), marker(item, variant.shape, variant.span));
        let encode = quote_spanned!(located(variant.span)=> <#marker as #private::Inline<'_, #ty>>::encode_in_place);
        return quote!(Self::#ident(value) => #encode(value, sink, #number),);
    }
    let (shape, held, value) = match variant.shape {
        Shape::Optional(codec) => (Shape::Required(codec), quote!(#ty), quote!(value)),
        shape => (shape, quote!(::core::option::Option<#ty>), quote!(&::core::option::Option::Some(*value))),
    };
    let encode = if oneof.code_size {
        let (private, marker) = (private(item, variant.span), marker(item, shape, variant.span));
        quote_spanned!(located(variant.span)=> #private::encode_member::<#marker, #held, __Sink>(#value, sink, #number))
    } else {
        super::call::write(item, shape, &value, &quote!(sink), number, variant.span)
    };
    quote!(Self::#ident(value) => #encode,)
}
