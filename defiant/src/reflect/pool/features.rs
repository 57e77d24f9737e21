//! Edition features: what an edition decides, and what files, messages and fields override.
//!
//! Source: <https://protobuf.dev/editions/features/>.

use crate::wkt::feature_set::{
    EnumType, FieldPresence, JsonFormat, MessageEncoding, RepeatedFieldEncoding, Utf8Validation,
};
use crate::wkt::field_descriptor_proto::{Label, Type};
use crate::wkt::{Edition, FeatureSet, FieldDescriptorProto, FileDescriptorProto};

/// The features that change what messages are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Features {
    pub(super) presence: FieldPresence,
    pub(super) open_enums: bool,
    pub(super) packed: bool,
    pub(super) verifies_utf8: bool,
    pub(super) delimited: bool,
    /// Whether every message has JSON, for which its names have to differ.
    pub(super) json: bool,
    /// Whether the spellings of proto2 and proto3 count.
    legacy: bool,
}

impl Features {
    /// What a file starts from; `None` for an edition that there is no code for.
    pub(super) fn of_file(file: &FileDescriptorProto<'_>) -> Option<Self> {
        let proto2 = Features {
            presence: FieldPresence::Explicit,
            open_enums: false,
            packed: false,
            verifies_utf8: false,
            delimited: false,
            json: false,
            legacy: true,
        };
        let proto3 = Features {
            presence: FieldPresence::Implicit,
            open_enums: true,
            packed: true,
            verifies_utf8: true,
            json: true,
            ..proto2
        };
        let start = match (file.syntax(), file.edition) {
            ("proto2" | "", None) | ("proto2", _) | ("editions" | "", Some(Edition::Proto2)) => proto2,
            ("proto3", _) | ("editions" | "", Some(Edition::Proto3)) => proto3,
            ("editions" | "", Some(Edition::Edition2023 | Edition::Edition2024)) => {
                Features { presence: FieldPresence::Explicit, legacy: false, ..proto3 }
            }
            _ => return None,
        };
        Some(start.inside(file.options.and_then(|options| options.features)))
    }

    /// The features of something inside, whose options may override them.
    pub(super) fn inside(self, overrides: Option<&FeatureSet<'_>>) -> Self {
        let Some(set) = overrides else { return self };
        Features {
            presence: set.field_presence.filter(|value| *value != FieldPresence::Unknown).unwrap_or(self.presence),
            open_enums: match set.enum_type {
                Some(EnumType::Open) => true,
                Some(EnumType::Closed) => false,
                _ => self.open_enums,
            },
            packed: match set.repeated_field_encoding {
                Some(RepeatedFieldEncoding::Packed) => true,
                Some(RepeatedFieldEncoding::Expanded) => false,
                _ => self.packed,
            },
            verifies_utf8: match set.utf8_validation {
                Some(Utf8Validation::Verify) => true,
                Some(Utf8Validation::None) => false,
                _ => self.verifies_utf8,
            },
            delimited: match set.message_encoding {
                Some(MessageEncoding::Delimited) => true,
                Some(MessageEncoding::LengthPrefixed) => false,
                _ => self.delimited,
            },
            json: match set.json_format {
                Some(JsonFormat::Allow) => true,
                Some(JsonFormat::LegacyBestEffort) => false,
                _ => self.json,
            },
            legacy: self.legacy,
        }
    }

    /// The features of a field, where `self` are those of what it is declared in.
    pub(super) fn of_field(self, field: &FieldDescriptorProto<'_>) -> Self {
        let mut features = self.inside(field.options.and_then(|options| options.features));
        if field.r#type == Some(Type::Group) {
            features.delimited = true;
        }
        // In sets of proto2 and proto3 these words say it; in those of editions they are left over from conversions.
        if field.label == Some(Label::Required) {
            features.presence = FieldPresence::LegacyRequired;
        }
        if self.legacy {
            if field.proto3_optional() {
                features.presence = FieldPresence::Explicit;
            }
            if let Some(packed) = field.options.and_then(|options| options.packed) {
                features.packed = packed;
            }
        }
        features
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wkt::FileOptions;

    #[test]
    fn a_file_overrides_its_edition_and_a_field_its_file() {
        let set = FeatureSet { message_encoding: Some(MessageEncoding::Delimited), ..FeatureSet::default() };
        let options = FileOptions { features: Some(&set), ..FileOptions::default() };
        let file = FileDescriptorProto {
            syntax: Some("editions"),
            edition: Some(Edition::Edition2023),
            options: Some(&options),
            ..FileDescriptorProto::default()
        };
        let features = Features::of_file(&file).expect("known");
        assert!(features.delimited && features.packed && features.open_enums && features.verifies_utf8);
        assert_eq!(features.presence, FieldPresence::Explicit);
        let own = FeatureSet { message_encoding: Some(MessageEncoding::LengthPrefixed), ..FeatureSet::default() };
        let options = crate::wkt::FieldOptions { features: Some(&own), packed: Some(false), ..Default::default() };
        let field = FieldDescriptorProto { options: Some(&options), ..FieldDescriptorProto::default() };
        let features = features.of_field(&field);
        assert!(!features.delimited && features.packed, "the option `packed` is none of editions");
        let file = FileDescriptorProto { syntax: Some("proto2"), ..FileDescriptorProto::default() };
        assert!(!Features::of_file(&file).expect("known").of_field(&field).packed);
        let file = FileDescriptorProto { syntax: Some("proto4"), ..FileDescriptorProto::default() };
        assert_eq!(Features::of_file(&file), None);
    }
}
