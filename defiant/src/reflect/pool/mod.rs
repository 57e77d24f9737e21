//! Message types from descriptors that are read at run time.
#![expect(unsafe_code, reason = "gives out what it holds as borrowed from itself")]

mod collect;
mod defaults;
mod error;
mod features;
mod link;
mod service;

use core::fmt;
use core::ptr::NonNull;

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use collect::Collected;

pub use error::PoolError;
pub use service::{MethodDescriptor, ServiceDescriptor};

use super::make::Memory;
use super::{ExtensionType, MessageType, Resolver};
use crate::descriptor::{EnumDescriptor, MessageDescriptor};
use crate::message::{DecodeOptions, Message as _};
use crate::table::runtime::{Numbers, RuntimeClass};
use crate::wkt::{DescriptorProto, EnumDescriptorProto, FileDescriptorProto, FileDescriptorSet};

/// Message types, enums, extensions and services of files that are known at run time only, as `protoc
/// --descriptor_set_out` and `buf build` write them.
///
/// With a type of a pool a [`DynamicMessage`](super::DynamicMessage) is decoded, read, changed and encoded; as a
/// [`Resolver`] the pool is what JSON and text find the types of `google.protobuf.Any` and of extensions in.
///
/// ```
/// use defiant::reflect::{DescriptorPool, DynamicMessage, Value};
/// use defiant::wkt::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet};
/// use defiant::wkt::field_descriptor_proto::Type;
/// use defiant::{Arena, Message};
///
/// // What `protoc --include_imports --descriptor_set_out=..` wrote; here put together by hand.
/// let name = FieldDescriptorProto {
///     name: Some("name"), number: Some(1), r#type: Some(Type::String), ..FieldDescriptorProto::default()
/// };
/// let person = DescriptorProto { name: Some("Person"), field: &[name], ..DescriptorProto::default() };
/// let file = FileDescriptorProto {
///     name: Some("person.proto"), syntax: Some("proto3"), message_type: &[person], ..FileDescriptorProto::default()
/// };
/// let set = FileDescriptorSet { file: &[file], ..FileDescriptorSet::default() }.encode_to_vec();
///
/// let mut pool = DescriptorPool::new();
/// pool.add_encoded(&set)?;
/// let person = pool.message("Person").expect("declared above");
///
/// let arena = Arena::new();
/// let ada = DynamicMessage::decode(person, b"\x0a\x03Ada", &arena)?;
/// assert_eq!(ada.as_ref().get_by_name("name"), Some(Value::String("Ada")));
/// assert_eq!(ada.encode_to_vec(), b"\x0a\x03Ada");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # What is checked
/// Files come from anywhere. Their names are resolved as the compiler resolves them, and whatever would make a type that
/// cannot be is an error that names the file and the place; then the pool is as it was before. Names are those of all
/// files in the pool, imported or not. Time and memory are bounded: see [`memory_limit`](Self::memory_limit).
pub struct DescriptorPool {
    files: BTreeMap<&'static str, &'static FileDescriptorProto<'static>>,
    symbols: BTreeMap<&'static str, Symbol>,
    /// By the full names of the messages that they extend, and by numbers.
    extensions: BTreeMap<(&'static str, u32), &'static ExtensionSymbol>,
    extensions_by_name: BTreeMap<&'static str, &'static ExtensionSymbol>,
    limit: usize,
    steps: usize,
    /// What all of that refers to, one of each addition. Dropped last, and never written to again.
    memory: Vec<Memory>,
}

// SAFETY: what the pool points to is its own memory, which is not written to.
unsafe impl Send for DescriptorPool {}
// SAFETY: as above.
unsafe impl Sync for DescriptorPool {}

/// What a full name stands for. The lifetimes are those of the pool's memory.
#[derive(Clone, Copy)]
enum Symbol {
    Package,
    Message(&'static MessageSymbol),
    /// The entry of a map, which is no message of its own.
    Entry,
    Enum(&'static EnumSymbol),
    Extension,
    Service(NonNull<ServiceDescriptor>),
}

struct MessageSymbol {
    name: &'static str,
    /// Made before the addition that declares it is over, and read by others only then.
    descriptor: NonNull<MessageDescriptor>,
    class: NonNull<RuntimeClass>,
    proto: &'static DescriptorProto<'static>,
    file: &'static FileDescriptorProto<'static>,
    /// The numbers that its extensions may have: ascending, first number and the one behind the last.
    ranges: &'static [(i32, i32)],
    /// Which addition it is of, and which message in it.
    step: usize,
    index: usize,
}

impl MessageSymbol {
    /// Whether an extension may have a number.
    fn is_extended_by(&self, number: i32) -> bool {
        let behind = self.ranges.partition_point(|range| range.0 <= number);
        behind.checked_sub(1).and_then(|index| self.ranges.get(index)).is_some_and(|range| number < range.1)
    }

    /// The descriptor, once it is made.
    fn descriptor(&self) -> &MessageDescriptor {
        // SAFETY: made when the addition was over, which the callers have waited for; it lives as long as the symbol.
        unsafe { self.descriptor.as_ref() }
    }
}

struct EnumSymbol {
    descriptor: EnumDescriptor,
    numbers: Numbers,
    proto: &'static EnumDescriptorProto<'static>,
    file: &'static FileDescriptorProto<'static>,
}

struct ExtensionSymbol {
    name: &'static str,
    host: &'static str,
    holder: NonNull<MessageDescriptor>,
}

impl ExtensionSymbol {
    fn as_type(&self) -> Option<ExtensionType<'_>> {
        // SAFETY: made, and it lives as long as the symbol.
        let holder = MessageType::of_descriptor(unsafe { self.holder.as_ref() })?;
        Some(ExtensionType { name: self.name, host: self.host, holder })
    }
}

impl Default for DescriptorPool {
    fn default() -> Self {
        Self::new()
    }
}

impl DescriptorPool {
    /// A pool without files.
    #[must_use]
    pub const fn new() -> Self {
        DescriptorPool {
            files: BTreeMap::new(),
            symbols: BTreeMap::new(),
            extensions: BTreeMap::new(),
            extensions_by_name: BTreeMap::new(),
            limit: 1 << 30,
            steps: 0,
            memory: Vec::new(),
        }
    }

    /// Bytes that each addition of files may take, those for its own bookkeeping not counted; 1 GiB unless set.
    ///
    /// A type takes more memory than its declaration takes on the wire: some 40 times as much for a field of few bytes.
    #[must_use]
    pub fn memory_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Adds the files of an encoded `google.protobuf.FileDescriptorSet`, in any order. What they import is among them or in
    /// the pool. A file that is in the pool already is passed over.
    ///
    /// # Errors
    /// [`PoolError`] when the set does not decode, or a file says something that cannot be; then the pool is as before.
    pub fn add_encoded(&mut self, set: &[u8]) -> Result<(), PoolError> {
        let mut memory = Memory::new(self.limit);
        let options = DecodeOptions::new().memory_limit(self.limit);
        let decoded: FileDescriptorSet<'_> = options.decode(set, memory.arena())?;
        // SAFETY: what it refers to is in the memory, which is kept as long as anything of it.
        let files = unsafe { core::mem::transmute::<FileDescriptorSet<'_>, FileDescriptorSet<'static>>(decoded) }.file;
        // What fails gives the memory back, which nothing refers to then.
        self.add_decoded(files, &mut memory)?;
        self.memory.push(memory);
        Ok(())
    }

    /// Adds the files of a set; see [`add_encoded`](Self::add_encoded).
    ///
    /// # Errors
    /// As there.
    pub fn add(&mut self, set: &FileDescriptorSet<'_>) -> Result<(), PoolError> {
        self.add_encoded(&set.encode_to_vec())
    }

    /// Adds one file; see [`add_encoded`](Self::add_encoded).
    ///
    /// # Errors
    /// As there.
    pub fn add_file(&mut self, file: &FileDescriptorProto<'_>) -> Result<(), PoolError> {
        self.add(&FileDescriptorSet { file: core::slice::from_ref(file), ..FileDescriptorSet::default() })
    }

    /// Adds files that lie in the memory.
    fn add_decoded(
        &mut self,
        files: &'static [FileDescriptorProto<'static>],
        memory: &mut Memory,
    ) -> Result<(), PoolError> {
        let mut added = BTreeMap::new();
        for file in files {
            let name = file.name.unwrap_or("");
            if name.is_empty() {
                return Err(PoolError::new("?", "", "a file has no name"));
            }
            match self.files.get(name).or_else(|| added.get(name)) {
                None => {
                    added.insert(name, file);
                }
                Some(earlier) if same_file(earlier, file) => {}
                Some(_) => return Err(PoolError::new(name, "", "another file in the pool has this name")),
            }
        }
        check_imports(&self.files, &added)?;
        let mut collected = Collected::new(&self.symbols, self.steps);
        for file in added.values() {
            collected.file(file, memory)?;
        }
        link::messages(&collected, memory)?;
        let made = link::extensions(&collected, memory)?;
        let mut extensions = BTreeMap::new();
        for extension in &made {
            let key = (extension.host, extension.number);
            let of_earlier = self.extensions.get(&key).map(|earlier| earlier.name);
            let before =
                of_earlier.or_else(|| extensions.insert(key, extension).map(|before: &link::Made| before.name));
            if let Some(before) = before {
                let file =
                    collected.extensions.iter().find(|new| new.name == extension.name).map_or("", |new| new.file);
                let element = alloc::format!("extension {}", extension.name);
                let reason = alloc::format!("the extension {before} of {} has the number {}", key.0, key.1);
                return Err(PoolError::new(file, element, reason));
            }
        }
        let services = service::make(&collected, memory)?;
        let mut symbols = Vec::with_capacity(made.len());
        for extension in &made {
            if let Some(holder) = extension.holder {
                let symbol = ExtensionSymbol { name: extension.name, host: extension.host, holder };
                symbols.push((extension.number, memory.shared(symbol)?));
            }
        }
        // From here on nothing fails.
        let mut declared = core::mem::take(&mut collected.symbols);
        for (name, service) in services {
            declared.insert(name, Symbol::Service(service));
        }
        self.symbols.append(&mut declared);
        self.files.append(&mut added);
        for (number, symbol) in symbols {
            self.extensions.insert((symbol.host, number), symbol);
            self.extensions_by_name.insert(symbol.name, symbol);
        }
        self.steps += 1;
        Ok(())
    }

    /// The message type of a full name, without a dot before it.
    #[must_use]
    pub fn message(&self, full_name: &str) -> Option<MessageType<'_>> {
        MessageType::of_descriptor(self.message_symbol(full_name)?.descriptor())
    }

    /// The message types, in the order of their names.
    pub fn messages(&self) -> impl Iterator<Item = MessageType<'_>> {
        self.symbols.values().filter_map(|symbol| match symbol {
            Symbol::Message(symbol) => MessageType::of_descriptor(symbol.descriptor()),
            _ => None,
        })
    }

    /// The enum of a full name.
    #[must_use]
    pub fn enumeration(&self, full_name: &str) -> Option<&EnumDescriptor> {
        self.enum_symbol(full_name).map(|symbol| &symbol.descriptor)
    }

    /// The enums, in the order of their names.
    pub fn enumerations(&self) -> impl Iterator<Item = &EnumDescriptor> {
        self.symbols.values().filter_map(|symbol| match symbol {
            Symbol::Enum(symbol) => Some(&symbol.descriptor),
            _ => None,
        })
    }

    /// The extension of a full name, without brackets.
    #[must_use]
    pub fn extension(&self, full_name: &str) -> Option<ExtensionType<'_>> {
        self.extensions_by_name.get(full_name).and_then(|symbol| symbol.as_type())
    }

    /// The extensions of a message, ascending by number.
    pub fn extensions(&self, host: &str) -> impl Iterator<Item = ExtensionType<'_>> {
        // The name as the pool has it, which lives as long as the range.
        let name = self.message_symbol(host).map(|symbol| symbol.name);
        let range = name.map(|name| self.extensions.range((name, 0)..=(name, u32::MAX)));
        range.into_iter().flatten().filter_map(|(_, symbol)| symbol.as_type())
    }

    /// The service of a full name.
    #[must_use]
    pub fn service(&self, full_name: &str) -> Option<&ServiceDescriptor> {
        match self.symbols.get(full_name)? {
            // SAFETY: made, and it lives as long as the pool.
            Symbol::Service(service) => Some(unsafe { service.as_ref() }),
            _ => None,
        }
    }

    /// The services, in the order of their names.
    pub fn services(&self) -> impl Iterator<Item = &ServiceDescriptor> {
        self.symbols.values().filter_map(|symbol| match symbol {
            // SAFETY: as above.
            Symbol::Service(service) => Some(unsafe { service.as_ref() }),
            _ => None,
        })
    }

    /// The file of a name, as it was added: with its options, comments and all.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<&FileDescriptorProto<'_>> {
        self.files.get(name).map(|file| *file as _)
    }

    /// The files, in the order of their names.
    pub fn files(&self) -> impl Iterator<Item = &FileDescriptorProto<'_>> {
        self.files.values().map(|file| *file as _)
    }

    /// The declaration of a message, as it was added. Its options, and those of its fields, have custom options among
    /// their unknown fields: an [`Extension`](crate::Extension) reads them there.
    #[must_use]
    pub fn message_proto(&self, full_name: &str) -> Option<&DescriptorProto<'_>> {
        self.message_symbol(full_name).map(|symbol| symbol.proto as _)
    }

    /// The declaration of an enum, as it was added.
    #[must_use]
    pub fn enum_proto(&self, full_name: &str) -> Option<&EnumDescriptorProto<'_>> {
        self.enum_symbol(full_name).map(|symbol| symbol.proto as _)
    }

    /// The file that declares a message, an enum or a service.
    #[must_use]
    pub fn file_of(&self, full_name: &str) -> Option<&FileDescriptorProto<'_>> {
        match self.symbols.get(full_name)? {
            Symbol::Message(symbol) => Some(symbol.file),
            Symbol::Enum(symbol) => Some(symbol.file),
            Symbol::Service(_) => self.file(self.service(full_name)?.file()),
            Symbol::Package | Symbol::Entry | Symbol::Extension => None,
        }
    }

    /// Bytes held.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.memory.iter().map(Memory::held_bytes).sum()
    }

    fn message_symbol(&self, full_name: &str) -> Option<&MessageSymbol> {
        match self.symbols.get(full_name)? {
            Symbol::Message(symbol) => Some(symbol),
            _ => None,
        }
    }

    fn enum_symbol(&self, full_name: &str) -> Option<&EnumSymbol> {
        match self.symbols.get(full_name)? {
            Symbol::Enum(symbol) => Some(symbol),
            _ => None,
        }
    }
}

impl Resolver for DescriptorPool {
    fn message(&self, full_name: &str) -> Option<MessageType<'_>> {
        self.message(full_name)
    }

    fn extension(&self, host: &str, full_name: &str) -> Option<ExtensionType<'_>> {
        self.extension(full_name).filter(|extension| extension.host == host)
    }

    fn extension_by_number(&self, host: &str, number: u32) -> Option<ExtensionType<'_>> {
        let name = self.message_symbol(host)?.name;
        self.extensions.get(&(name, number))?.as_type()
    }
}

impl fmt::Debug for DescriptorPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let files: Vec<&str> = self.files.keys().copied().collect();
        f.debug_struct("DescriptorPool").field("files", &files).finish_non_exhaustive()
    }
}

/// Whether two files say the same, apart from comments.
fn same_file(left: &FileDescriptorProto<'_>, right: &FileDescriptorProto<'_>) -> bool {
    FileDescriptorProto { source_code_info: None, ..*left } == FileDescriptorProto { source_code_info: None, ..*right }
}

type Files = BTreeMap<&'static str, &'static FileDescriptorProto<'static>>;

/// Whether all that files import is there, and none of them imports itself.
fn check_imports(pool: &Files, added: &Files) -> Result<(), PoolError> {
    // Of the files that are added: `false` while those that they import are looked at.
    let mut done = BTreeMap::new();
    for start in added.keys() {
        let mut path = Vec::from([(*start, 0)]);
        while let Some((name, next)) = path.last_mut() {
            let (name, file) = (*name, added.get(name));
            if *next == 0 {
                done.entry(name).or_insert(false);
                if done.get(name) == Some(&true) {
                    path.pop();
                    continue;
                }
            }
            let Some(import) = file.and_then(|file| file.dependency.get(*next)) else {
                done.insert(name, true);
                path.pop();
                continue;
            };
            *next += 1;
            if pool.contains_key(import) {
                continue;
            }
            if !added.contains_key(import) {
                let reason = alloc::format!("it imports {import:?}, which is not in the pool");
                return Err(PoolError::new(name, "", reason));
            }
            match done.get(import) {
                Some(true) => {}
                Some(false) => {
                    return Err(PoolError::new(name, "", format_args!("it imports {import:?}, and that imports it")));
                }
                None => path.push((import, 0)),
            }
        }
    }
    Ok(())
}
