//! The files whose types the runtime has.

/// The files of `defiant::wkt`, as they are imported: <https://protobuf.dev/reference/protobuf/google.protobuf/>.
const FILES: &[&str] = &[
    "google/protobuf/any.proto",
    "google/protobuf/api.proto",
    "google/protobuf/compiler/plugin.proto",
    "google/protobuf/descriptor.proto",
    "google/protobuf/duration.proto",
    "google/protobuf/empty.proto",
    "google/protobuf/field_mask.proto",
    "google/protobuf/source_context.proto",
    "google/protobuf/struct.proto",
    "google/protobuf/timestamp.proto",
    "google/protobuf/type.proto",
    "google/protobuf/wrappers.proto",
];

/// Whether the types of a file are in `defiant::wkt`.
pub(crate) fn is_well_known(file: &str) -> bool {
    FILES.contains(&file)
}

/// Where in `defiant::wkt` a type is, as its name inside `google.protobuf`; `None` for a type of any other file.
///
/// The file decides, not the package: a user may have types of his own in `google.protobuf`.
pub(super) fn inside<'n>(file: &str, full_name: &'n str) -> Option<&'n str> {
    full_name.strip_prefix("google.protobuf.").filter(|_| is_well_known(file))
}
