//! The names that files declare.

use core::alloc::Layout;
use core::ptr::NonNull;

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::features::Features;
use super::{EnumSymbol, MessageSymbol, PoolError, Symbol};
use crate::descriptor::{EnumDescriptor, MessageDescriptor, ascending, well_known_null};
use crate::reflect::make::Memory;
use crate::table::runtime::{Numbers, RuntimeClass};
use crate::wkt::{
    DescriptorProto, EnumDescriptorProto, FieldDescriptorProto, FileDescriptorProto, ServiceDescriptorProto,
};

/// Bytes that a full name may have. Together with [`MOST_PARTS`] it bounds the time that it takes to resolve a name.
const MOST_NAME: usize = 1024;
/// Parts that a full name may have.
const MOST_PARTS: usize = 200;

/// A message that is to be made.
pub(super) struct NewMessage {
    pub(super) symbol: &'static MessageSymbol,
    pub(super) features: Features,
}

/// The entry of a map.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) proto: &'static DescriptorProto<'static>,
    /// The full name of the message that it is in.
    pub(super) parent: &'static str,
}

/// An extension that is to be made.
pub(super) struct NewExtension {
    pub(super) name: &'static str,
    pub(super) proto: &'static FieldDescriptorProto<'static>,
    /// The name of the file or message around it.
    pub(super) scope: &'static str,
    pub(super) file: &'static str,
    pub(super) features: Features,
}

/// A service that is to be made.
pub(super) struct NewService {
    pub(super) name: &'static str,
    pub(super) proto: &'static ServiceDescriptorProto<'static>,
    pub(super) file: &'static str,
}

/// What the files that are added declare.
pub(super) struct Collected<'p> {
    /// What the pool had before.
    earlier: &'p BTreeMap<&'static str, Symbol>,
    pub(super) symbols: BTreeMap<&'static str, Symbol>,
    pub(super) entries: BTreeMap<&'static str, Entry>,
    pub(super) messages: Vec<NewMessage>,
    pub(super) extensions: Vec<NewExtension>,
    pub(super) services: Vec<NewService>,
    /// Which addition to the pool it is.
    step: usize,
}

/// What is around a declaration.
#[derive(Clone, Copy)]
struct Around {
    /// Full name of the package or message.
    scope: &'static str,
    file: &'static FileDescriptorProto<'static>,
    file_name: &'static str,
    features: Features,
}

impl<'p> Collected<'p> {
    pub(super) fn new(earlier: &'p BTreeMap<&'static str, Symbol>, step: usize) -> Self {
        Collected {
            earlier,
            symbols: BTreeMap::new(),
            entries: BTreeMap::new(),
            messages: Vec::new(),
            extensions: Vec::new(),
            services: Vec::new(),
            step,
        }
    }

    /// What a full name, without a dot before it, stands for.
    pub(super) fn find(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).or_else(|| self.earlier.get(name)).copied()
    }

    /// What a name stands for that is used in a scope.
    ///
    /// Source: <https://protobuf.dev/programming-guides/proto3/#name-resolution>: the innermost scope that has the first part
    /// of the name decides.
    pub(super) fn resolve(&self, scope: &str, name: &str) -> Option<Symbol> {
        if let Some(full) = name.strip_prefix('.') {
            return self.find(full);
        }
        if name.len() > MOST_NAME {
            return None;
        }
        let first = name.split('.').next().unwrap_or(name);
        let mut scope = scope;
        loop {
            let inside = |name: &str| if scope.is_empty() { String::from(name) } else { format!("{scope}.{name}") };
            let found = self.find(&inside(first));
            match found {
                // A package, a message or a service that has no such thing in it hides those further out.
                Some(Symbol::Extension) => {}
                Some(_) if first.len() < name.len() => return self.find(&inside(name)),
                Some(Symbol::Message(_) | Symbol::Enum(_) | Symbol::Entry) => return found,
                _ => {}
            }
            if scope.is_empty() {
                return None;
            }
            scope = scope.rsplit_once('.').map_or("", |(outer, _)| outer);
        }
    }

    /// Collects a file.
    pub(super) fn file(
        &mut self,
        file: &'static FileDescriptorProto<'static>,
        memory: &mut Memory,
    ) -> Result<(), PoolError> {
        let file_name = file.name.unwrap_or("");
        let Some(features) = Features::of_file(file) else {
            let what = match file.edition {
                Some(edition) => format!("edition {edition:?}"),
                None => format!("syntax {:?}", file.syntax()),
            };
            return Err(PoolError::new(file_name, "", format_args!("{what} is not supported")));
        };
        let package = file.package.unwrap_or("");
        self.package(file_name, package)?;
        let around = Around { scope: package, file, file_name, features };
        for message in file.message_type {
            self.message(message, around, memory)?;
        }
        for item in file.enum_type {
            self.enumeration(item, around, memory)?;
        }
        for extension in file.extension {
            self.extension(extension, around, memory)?;
        }
        for service in file.service {
            let name = self.declare(around, "service", service.name, memory)?;
            self.symbols.insert(name, Symbol::Service(NonNull::dangling()));
            self.services.push(NewService { name, proto: service, file: file_name });
        }
        Ok(())
    }

    fn package(&mut self, file: &str, package: &'static str) -> Result<(), PoolError> {
        if package.is_empty() {
            return Ok(());
        }
        if package.len() > MOST_NAME || package.split('.').count() > MOST_PARTS / 2 {
            return Err(PoolError::new(file, "", "the name of its package is too long"));
        }
        if !package.split('.').all(is_identifier) {
            return Err(PoolError::new(file, "", format_args!("{package:?} is no name of a package")));
        }
        let ends = package.match_indices('.').map(|(end, _)| end).chain([package.len()]);
        for end in ends {
            let name = &package[..end];
            match self.find(name) {
                None => {
                    self.symbols.insert(name, Symbol::Package);
                }
                Some(Symbol::Package) => {}
                Some(_) => {
                    let reason = alloc::format!("the package {name} has the name of something else");
                    return Err(PoolError::new(file, "", reason));
                }
            }
        }
        Ok(())
    }

    /// The full name of something that is declared, which nothing else has.
    fn declare(
        &self,
        around: Around,
        what: &str,
        name: Option<&str>,
        memory: &mut Memory,
    ) -> Result<&'static str, PoolError> {
        let Around { scope, file_name, .. } = around;
        let name = name.unwrap_or("");
        if !is_identifier(name) {
            let element = if scope.is_empty() { String::new() } else { format!("in {scope}") };
            return Err(PoolError::new(file_name, element, format_args!("{name:?} is no name of a {what}")));
        }
        let full = if scope.is_empty() { String::from(name) } else { format!("{scope}.{name}") };
        if full.len() > MOST_NAME || full.split('.').count() > MOST_PARTS {
            return Err(PoolError::new(file_name, format_args!("in {scope}"), "a full name is too long"));
        }
        if self.find(&full).is_some() {
            let element = alloc::format!("{what} {full}");
            return Err(PoolError::new(file_name, element, "something else in the pool has this name"));
        }
        Ok(memory.str(&full)?)
    }

    fn message(
        &mut self,
        proto: &'static DescriptorProto<'static>,
        around: Around,
        memory: &mut Memory,
    ) -> Result<(), PoolError> {
        let name = self.declare(around, "message", proto.name, memory)?;
        if proto.options.is_some_and(|options| options.map_entry()) {
            self.symbols.insert(name, Symbol::Entry);
            self.entries.insert(name, Entry { proto, parent: around.scope });
            return Ok(());
        }
        let features = around.features.inside(proto.options.and_then(|options| options.features));
        let (descriptor, class) = (memory_for::<MessageDescriptor>(memory)?, memory_for::<RuntimeClass>(memory)?);
        let ranges = memory.slice(extension_ranges(proto))?;
        let symbol = memory.shared(MessageSymbol {
            name,
            ranges,
            descriptor,
            class,
            proto,
            file: around.file,
            step: self.step,
            index: self.messages.len(),
        })?;
        self.symbols.insert(name, Symbol::Message(symbol));
        self.messages.push(NewMessage { symbol, features });
        let inside = Around { scope: name, features, ..around };
        for message in proto.nested_type {
            self.message(message, inside, memory)?;
        }
        for item in proto.enum_type {
            self.enumeration(item, inside, memory)?;
        }
        for extension in proto.extension {
            self.extension(extension, inside, memory)?;
        }
        Ok(())
    }

    fn extension(
        &mut self,
        proto: &'static FieldDescriptorProto<'static>,
        around: Around,
        memory: &mut Memory,
    ) -> Result<(), PoolError> {
        let name = self.declare(around, "extension", proto.name, memory)?;
        let Around { scope, file_name, features, .. } = around;
        self.symbols.insert(name, Symbol::Extension);
        self.extensions.push(NewExtension { name, proto, scope, file: file_name, features });
        Ok(())
    }

    fn enumeration(
        &mut self,
        proto: &'static EnumDescriptorProto<'static>,
        around: Around,
        memory: &mut Memory,
    ) -> Result<(), PoolError> {
        let name = self.declare(around, "enum", proto.name, memory)?;
        let error = |reason: &str| PoolError::new(around.file_name, format_args!("enum {name}"), reason);
        let features = around.features.inside(proto.options.and_then(|options| options.features));
        let values: Vec<(&'static str, i32)> =
            proto.value.iter().map(|value| (value.name.unwrap_or(""), value.number())).collect();
        match values.first() {
            None => return Err(error("it has no values")),
            Some(first) if features.open_enums && first.1 != 0 => {
                return Err(error("the first value of an open enum has the number 0"));
            }
            Some(_) => {}
        }
        if let Some((value, _)) = values.iter().find(|value| !is_identifier(value.0)) {
            return Err(error(&format!("{value:?} is no name of a value")));
        }
        let Ok(count) = u32::try_from(values.len()) else { return Err(error("it has too many values")) };
        let of = |index: &u32| values[*index as usize];
        let mut by_number: Vec<u32> = (0..count).collect();
        by_number.sort_by_key(|index| (of(index).1, *index));
        let mut by_name: Vec<u32> = (0..count).collect();
        by_name.sort_by_key(|index| of(index).0);
        if let Some(pair) = by_name.windows(2).find(|pair| of(&pair[0]).0 == of(&pair[1]).0) {
            return Err(error(&format!("two values have the name {}", of(&pair[0]).0)));
        }
        let alias = proto.options.is_some_and(|options| options.allow_alias());
        let mut numbers: Vec<i32> = by_number.iter().map(|index| of(index).1).collect();
        if let (false, Some(pair)) = (alias, numbers.windows(2).find(|pair| pair[0] == pair[1])) {
            return Err(error(&format!("two values have the number {}", pair[0])));
        }
        numbers.dedup();
        let descriptor = EnumDescriptor {
            access: crate::descriptor::access::NUMBER,
            name,
            open: features.open_enums,
            ascending: ascending(&values),
            // One of this name may be anybody's.
            null: well_known_null(name) && numbers.contains(&0),
            by_number: memory.slice(by_number)?,
            by_name: memory.slice(by_name)?,
            values: memory.slice(values)?,
        };
        let numbers = Numbers::new(memory.slice(numbers)?);
        let symbol = memory.shared(EnumSymbol { descriptor, numbers, proto, file: around.file })?;
        self.symbols.insert(name, Symbol::Enum(symbol));
        Ok(())
    }
}

/// The numbers that the extensions of a message may have, ascending; ranges that touch are joined.
fn extension_ranges(proto: &DescriptorProto<'_>) -> Vec<(i32, i32)> {
    let mut ranges: Vec<_> = proto.extension_range.iter().map(|range| (range.start(), range.end())).collect();
    ranges.sort_unstable();
    let mut joined: Vec<(i32, i32)> = Vec::with_capacity(ranges.len());
    for (start, end) in ranges {
        match joined.last_mut() {
            Some(last) if start <= last.1 => last.1 = end.max(last.1),
            _ => joined.push((start, end)),
        }
    }
    joined
}

/// Memory for a value that is made later.
fn memory_for<T>(memory: &mut Memory) -> Result<NonNull<T>, PoolError> {
    Ok(memory.zeroed(Layout::new::<T>())?.cast())
}

/// Whether a name is one without dots.
pub(super) fn is_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    let first = bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    first && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
