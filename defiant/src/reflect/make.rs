//! Message types that are made at run time: where their fields lie, their descriptors, and their classes.
#![expect(
    unsafe_code,
    reason = "lays messages out, and makes descriptors that live as long as what holds their memory"
)]

use core::alloc::Layout;
use core::fmt;
use core::ptr::NonNull;

use alloc::vec::Vec;

use super::Exhausted;
use crate::arena::Arena;
use crate::codec::{Field, PackedField, Table};
use crate::descriptor::{
    Access, Cardinality, FieldDescriptor, FieldShape, MessageDescriptor, Names, OneofDescriptor, Plain, Reflected,
    Type, WellKnown,
};
use crate::table::HoldsMessages;
use crate::table::runtime::{
    Picked, Plan, RuntimeClass, RuntimeEntry, RuntimeHandlers, Shape, Values, handlers, of_field, of_messages,
    of_packable, slot_layout,
};
use crate::unknown::UnknownFields;
use crate::wire::tag::wire_type;

/// Memory for types.
///
/// What it gives is `'static` in name only: it lives as long as the memory. Descriptors and classes have that lifetime in
/// their fields, because those of the derive live for ever. So whoever holds the memory, a pool or a registry, gives out
/// descriptors as borrowed from itself, and nothing that a descriptor gives out lives longer than the borrow.
#[derive(Debug)]
pub(crate) struct Memory {
    arena: Arena,
}

// SAFETY: the arena is used through `&mut` only.
unsafe impl Sync for Memory {}

impl Memory {
    /// Memory for so many bytes at most.
    pub(crate) fn new(limit: usize) -> Self {
        let arena = Arena::new();
        arena.set_limit(Some(limit));
        Memory { arena }
    }

    /// Bytes held.
    pub(crate) fn held_bytes(&self) -> usize {
        self.arena.held_bytes()
    }

    /// The arena itself, for what is decoded into it.
    pub(crate) fn arena(&mut self) -> &Arena {
        &self.arena
    }

    /// Memory of a layout, with zeros.
    pub(crate) fn zeroed(&mut self, layout: Layout) -> Result<NonNull<u8>, Exhausted> {
        let place = self.arena.try_alloc(layout).ok_or(Exhausted::Memory)?;
        self.arena.keep_all();
        // SAFETY: fresh memory of the layout.
        unsafe { place.write_bytes(0, layout.size()) };
        Ok(place)
    }

    /// Memory for so many values.
    pub(crate) fn room<T>(&mut self, len: usize) -> Result<NonNull<T>, Exhausted> {
        Ok(self.zeroed(Layout::array::<T>(len).map_err(|_| Exhausted::Memory)?)?.cast())
    }

    /// A value, which is never dropped.
    pub(crate) fn value<T>(&mut self, value: T) -> Result<NonNull<T>, Exhausted> {
        let place = self.room::<T>(1)?;
        // SAFETY: fresh memory for it.
        unsafe { place.write(value) };
        Ok(place)
    }

    /// The same by reference.
    pub(crate) fn shared<T>(&mut self, value: T) -> Result<&'static T, Exhausted> {
        let place = self.value(value)?;
        // SAFETY: not written to any more; for the lifetime see above.
        Ok(unsafe { place.as_ref() })
    }

    /// Values, which are never dropped.
    pub(crate) fn slice<T>(&mut self, values: Vec<T>) -> Result<&'static [T], Exhausted> {
        let len = values.len();
        let place = self.room::<T>(len)?;
        for (index, value) in values.into_iter().enumerate() {
            // SAFETY: below the length.
            unsafe { place.add(index).write(value) };
        }
        // SAFETY: `len` values written just now; for the lifetime see above.
        Ok(unsafe { core::slice::from_raw_parts(place.as_ptr(), len) })
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<&'static [u8], Exhausted> {
        let place = self.room::<u8>(bytes.len())?;
        // SAFETY: fresh memory for as many bytes.
        unsafe { place.as_ptr().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        // SAFETY: as in `slice`.
        Ok(unsafe { core::slice::from_raw_parts(place.as_ptr(), bytes.len()) })
    }

    pub(crate) fn str(&mut self, text: &str) -> Result<&'static str, Exhausted> {
        let bytes = self.bytes(text.as_bytes())?;
        // SAFETY: the bytes of a string.
        Ok(unsafe { core::str::from_utf8_unchecked(bytes) })
    }
}

/// A field of a message to be made.
pub(crate) struct FieldPlan {
    pub(crate) number: u32,
    pub(crate) name: &'static str,
    pub(crate) json_name: &'static str,
    /// What errors call it.
    pub(crate) path_name: &'static str,
    pub(crate) shape: FieldShape,
    pub(crate) redacted: bool,
    /// The index of its oneof.
    pub(crate) oneof: Option<u16>,
    pub(crate) handlers: &'static RuntimeHandlers,
    pub(crate) default: *const u8,
    pub(crate) unset: Unset,
}

/// What a field is when nothing is set.
#[derive(Clone, Copy)]
pub(crate) enum Unset {
    /// What its access says; of a closed enum that is required, this number.
    Access(i32),
    /// What a function writes.
    ///
    /// The function is unsafe: its pointer is to memory for the field.
    Function(unsafe fn(*mut u8)),
}

/// The field of a message that has nothing but an extension.
///
/// Invariant: all of it is made for the same type.
pub struct Held {
    shape: FieldShape,
    handlers: &'static RuntimeHandlers,
    layout: Layout,
    unset: unsafe fn(*mut u8),
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Held").field("shape", &self.shape).finish_non_exhaustive()
    }
}

impl Held {
    fn new<F: Field<'static, T> + Reflected<'static, T>, T>(handlers: &'static RuntimeHandlers) -> Self {
        /// # Safety
        /// Memory for a `T`.
        unsafe fn unset<F: Field<'static, T>, T>(at: *mut u8) {
            // SAFETY: as required of the caller.
            unsafe { at.cast::<T>().write(F::DEFAULT) };
        }
        Held { shape: F::SHAPE, handlers, layout: Layout::new::<T>(), unset: unset::<F, T> }
    }

    /// A field of type `T` that is read and written as `F`.
    pub(crate) fn field<F: Field<'static, T> + Reflected<'static, T>, T>() -> Self {
        Self::new::<F, T>(of_field::<F, T>())
    }

    /// The same, of one that may be packed.
    pub(crate) fn packable<F: PackedField<'static, T> + Reflected<'static, T>, T>() -> Self {
        Self::new::<F, T>(of_packable::<F, T>())
    }

    /// The same, of one that holds messages.
    pub(crate) fn message<F: HoldsMessages<'static, T> + Reflected<'static, T>, T>() -> Self {
        Self::new::<F, T>(of_messages::<F, T>())
    }

    /// A message with this field only.
    ///
    /// # Safety
    /// `default` is null, or points to a value that the field may have, which lives as long as the memory.
    pub(crate) unsafe fn holder(
        self,
        memory: &mut Memory,
        host: &'static str,
        name: &'static str,
        number: u32,
        redacted: bool,
        default: *const u8,
    ) -> Result<NonNull<MessageDescriptor>, Exhausted> {
        let Held { shape, handlers, layout, unset } = self;
        let FieldShape { ty, cardinality, presence, packed, link, access } = shape;
        let path_name = memory.str(&alloc::format!("[{name}]"))?;
        let field = FieldPlan {
            number,
            name: name.rsplit('.').next().unwrap_or(name),
            json_name: path_name,
            path_name,
            shape: FieldShape { ty, cardinality, presence, packed, link, access },
            redacted,
            oneof: None,
            handlers,
            default,
            unset: Unset::Function(unset),
        };
        let places = lay_out(&[(layout, None)], 0).ok_or(Exhausted::Memory)?;
        let plan = MessagePlan {
            name,
            path_name: host,
            message_set: false,
            fields: Vec::from([field]),
            oneofs: Vec::new(),
            reserved: &[],
            places,
        };
        let (descriptor, class) = (memory.room(1)?, memory.room(1)?);
        // SAFETY: memory of its own; everything about the field is made for the same type.
        unsafe { make(memory, plan, descriptor, class)? };
        Ok(descriptor)
    }
}

/// Where the fields of a message lie.
pub(crate) struct Places {
    /// Of the message.
    pub(crate) layout: Layout,
    /// Of each field: bytes from the start of the message, and its size.
    fields: Vec<(u32, u32)>,
}

/// Lays out a message: of each field its layout, of a member of a oneof that of its value and the oneof's index.
pub(crate) fn lay_out(fields: &[(Layout, Option<u16>)], oneofs: usize) -> Option<Places> {
    let mut largest = alloc::vec![0; oneofs];
    for (layout, oneof) in fields {
        if let Some(size) = oneof.and_then(|oneof| largest.get_mut(usize::from(oneof))) {
            *size = layout.size().max(*size);
        }
    }
    let mut layout = Layout::new::<UnknownFields<'_>>();
    let mut slots = Vec::with_capacity(oneofs);
    for size in largest {
        let slot = slot_layout(size);
        let (longer, offset) = layout.extend(slot).ok()?;
        slots.push((u32::try_from(offset).ok()?, slot.size() as u32));
        layout = longer;
    }
    let mut places = alloc::vec![(0, 0); fields.len()];
    let mut order: Vec<usize> = (0..fields.len()).collect();
    // The largest alignments first, so that nothing is lost between.
    order.sort_by_key(|index| core::cmp::Reverse(fields[*index].0.align()));
    for index in order {
        let (field, oneof) = fields[index];
        places[index] = match oneof {
            Some(oneof) => *slots.get(usize::from(oneof))?,
            None => {
                let (longer, offset) = layout.extend(field).ok()?;
                layout = longer;
                (u32::try_from(offset).ok()?, u32::try_from(field.size()).ok()?)
            }
        };
    }
    let layout = layout.pad_to_align();
    i32::try_from(layout.size()).ok()?;
    Some(Places { layout, fields: places })
}

/// Handlers for a field.
pub(crate) fn pick(memory: &mut Memory, shape: Shape, values: Values) -> Result<&'static RuntimeHandlers, Exhausted> {
    match handlers(shape, values) {
        Picked::Shared(handlers) => Ok(handlers),
        Picked::Own(handlers) => memory.shared(handlers),
    }
}

/// The wire type of a single value.
pub(crate) fn wire_type_of(ty: Type) -> u32 {
    match ty {
        Type::Double | Type::Fixed64 | Type::Sfixed64 => wire_type::FIXED64,
        Type::Float | Type::Fixed32 | Type::Sfixed32 => wire_type::FIXED32,
        Type::String | Type::Bytes | Type::Message => wire_type::LENGTH_DELIMITED,
        Type::Group => wire_type::START_GROUP,
        Type::Int64
        | Type::Uint64
        | Type::Int32
        | Type::Bool
        | Type::Uint32
        | Type::Enum
        | Type::Sint32
        | Type::Sint64 => wire_type::VARINT,
    }
}

/// What is said of a message to be made.
pub(crate) struct MessagePlan {
    pub(crate) name: &'static str,
    /// What errors call it.
    pub(crate) path_name: &'static str,
    pub(crate) message_set: bool,
    /// Ascending by number.
    pub(crate) fields: Vec<FieldPlan>,
    pub(crate) oneofs: Vec<&'static str>,
    pub(crate) reserved: &'static [&'static str],
    pub(crate) places: Places,
}

/// Makes the descriptor and the class of a message.
///
/// # Safety
/// Memory for both, which is not read before. The plan says the truth: the places are those of these fields, each with
/// handlers that are made for its access, and with a link to a type that is made before any message of it is.
pub(crate) unsafe fn make(
    memory: &mut Memory,
    plan: MessagePlan,
    descriptor: NonNull<MessageDescriptor>,
    class: NonNull<RuntimeClass>,
) -> Result<(), Exhausted> {
    let MessagePlan { name, path_name, message_set, fields, oneofs, reserved, places } = plan;
    let default = memory.zeroed(places.layout)?;
    let mut required = 0;
    let mut entries = Vec::with_capacity(fields.len());
    let mut descriptors = Vec::with_capacity(fields.len());
    let mut names = Vec::with_capacity(fields.len());
    for (field, (offset, size)) in fields.into_iter().zip(places.fields) {
        // SAFETY: an offset in the message.
        let place = unsafe { default.add(offset as usize) }.as_ptr();
        match field.unset {
            // SAFETY: zeros in memory for the field, or for its oneof.
            Unset::Access(first) => unsafe { field.shape.access.write_unset(place, first) },
            // SAFETY: memory for the field.
            Unset::Function(write) => unsafe { write(place) },
        }
        let index = if field.shape.cardinality == Cardinality::Required {
            required += 1;
            required
        } else {
            0
        };
        let is_map = matches!(field.shape.access, Access::Map(_));
        let ty = if is_map { Type::Message } else { field.shape.ty };
        let tag = field.number << 3 | wire_type_of(ty);
        entries.push(RuntimeEntry::new(tag, offset, index, field.handlers));
        names.push((tag, field.path_name));
        let (text, lens) = Names::text_of(field.name, field.json_name);
        // Longer names are refused where they are read; here they take more memory than there may be.
        if !Names::fit(lens) {
            return Err(Exhausted::Memory);
        }
        let [key, name, json] = lens.map(|len| len as u32);
        let names = Names::new(memory.str(&text)?, key, name, json);
        let mut made = FieldDescriptor::of_shape(field.shape, offset, size, field.number, names);
        if let Some(oneof) = field.oneof {
            made = made.member_of(oneof);
        }
        if field.redacted {
            made = made.redacted();
        }
        made.default = field.default;
        descriptors.push(made);
    }
    let mut order: Vec<u16> = (0..descriptors.len() as u16).collect();
    order.sort_by_key(|index| descriptors[usize::from(*index)].json_name().as_bytes());
    let mut by_name = order.clone();
    by_name.sort_by_key(|index| descriptors[usize::from(*index)].name().as_bytes());
    order.extend(by_name);
    // As `table::index` makes it, of the smallest numbers only.
    let row = entries.iter().map(|entry| entry.number() as usize + 1).take_while(|end| *end <= 256).last().unwrap_or(0);
    let mut index = alloc::vec![0; row];
    for (position, entry) in entries.iter().enumerate().take(usize::from(u8::MAX)) {
        if let Some(slot) = index.get_mut(entry.number() as usize) {
            *slot = position as u8 + 1;
        }
    }
    let oneofs = oneofs.into_iter().enumerate().map(|(index, name)| OneofDescriptor {
        name,
        index: index as u16,
        offset: 0,
        access: None,
    });
    let table =
        Table { name: path_name, fields: memory.slice(names)?, oneofs: &[], messages: &[], oneof_messages: &[] };
    let plan = Plan {
        layout: places.layout,
        default,
        fields: memory.slice(entries)?,
        index: memory.slice(index)?,
        required,
        unknown: 0,
        message_set,
        names: memory.shared(table)?,
    };
    // SAFETY: as required of the caller.
    unsafe { class.write(RuntimeClass::new(plan)) };
    let fields = memory.slice(descriptors)?;
    let made = MessageDescriptor {
        name,
        fields,
        order: memory.slice(order)?,
        oneofs: memory.slice(oneofs.collect())?,
        layout: places.layout,
        default: default.as_ptr(),
        unknown: 0,
        message_set,
        required: crate::descriptor::declare::required(fields),
        identity: None,
        well_known: WellKnown::of_made(name, fields),
        reserved,
        class: Some(class),
    };
    // SAFETY: as required of the caller.
    unsafe { descriptor.write(made) };
    Ok(())
}

/// How values of a type lie in messages that are made here; messages have the layout that the caller says.
pub(crate) fn plain_of(ty: Type, message: Layout) -> Plain {
    match Plain::of(ty) {
        Plain::Message(_) => Plain::Message(message),
        plain => plain,
    }
}
