//! Edition features: what an edition decides, what a file overrides, and what the spellings of proto2 and proto3 mean.
//!
//! Source: <https://protobuf.dev/editions/features/>.

use defiant::wkt::feature_set::visibility_feature::DefaultSymbolVisibility;
use defiant::wkt::feature_set::{
    EnforceNamingStyle, EnumType, FieldPresence, JsonFormat, MessageEncoding, RepeatedFieldEncoding, Utf8Validation,
};
use defiant::wkt::field_descriptor_proto::{Label, Type};
use defiant::wkt::{Edition, FeatureSet, FieldDescriptorProto, FileDescriptorProto};

/// The features of one thing, none of them left open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(dead_code, reason = "resolved in full; not all of them change what is generated")]
pub(crate) struct Features {
    pub(crate) field_presence: FieldPresence,
    pub(crate) enum_type: EnumType,
    pub(crate) repeated_field_encoding: RepeatedFieldEncoding,
    pub(crate) utf8_validation: Utf8Validation,
    pub(crate) message_encoding: MessageEncoding,
    pub(crate) json_format: JsonFormat,
    /// The compiler enforces it; nothing that is generated depends on it.
    pub(crate) enforce_naming_style: EnforceNamingStyle,
    /// The same.
    pub(crate) default_symbol_visibility: DefaultSymbolVisibility,
}

/// proto2.
const PROTO2: Features = Features {
    field_presence: FieldPresence::Explicit,
    enum_type: EnumType::Closed,
    repeated_field_encoding: RepeatedFieldEncoding::Expanded,
    utf8_validation: Utf8Validation::None,
    message_encoding: MessageEncoding::LengthPrefixed,
    json_format: JsonFormat::LegacyBestEffort,
    enforce_naming_style: EnforceNamingStyle::StyleLegacy,
    default_symbol_visibility: DefaultSymbolVisibility::ExportAll,
};

/// proto3.
const PROTO3: Features = Features {
    field_presence: FieldPresence::Implicit,
    enum_type: EnumType::Open,
    repeated_field_encoding: RepeatedFieldEncoding::Packed,
    utf8_validation: Utf8Validation::Verify,
    json_format: JsonFormat::Allow,
    ..PROTO2
};

/// Edition 2023: proto3 with explicit presence.
const EDITION_2023: Features = Features { field_presence: FieldPresence::Explicit, ..PROTO3 };

/// Edition 2024: stricter about names and about what other files may use.
const EDITION_2024: Features = Features {
    enforce_naming_style: EnforceNamingStyle::Style2024,
    default_symbol_visibility: DefaultSymbolVisibility::ExportTopLevel,
    ..EDITION_2023
};

/// The newest edition there is code for.
pub(crate) const NEWEST: Edition = Edition::Edition2024;

/// The edition of a file; `proto2` and `proto3` count as editions of their own.
///
/// # Errors
/// What to tell the user of an edition that there is no code for.
pub(crate) fn edition(file: &FileDescriptorProto<'_>) -> Result<Edition, String> {
    match (file.syntax(), file.edition) {
        ("proto2", _) | ("", None) => Ok(Edition::Proto2),
        ("proto3", _) => Ok(Edition::Proto3),
        ("editions" | "", Some(edition @ (Edition::Edition2023 | Edition::Edition2024))) => Ok(edition),
        ("editions" | "", Some(Edition::Edition2026)) => Err(not_yet("edition 2026")),
        ("editions" | "", Some(edition)) => Err(not_yet(&format!("the edition numbered {}", edition as i32))),
        // A number that is not in the list of editions.
        ("editions", None) => Err(not_yet("this edition")),
        (syntax, _) => Err(not_yet(&format!("syntax {syntax:?}"))),
    }
}

fn not_yet(what: &str) -> String {
    format!("{what} is not supported yet: proto2, proto3 and the editions 2023 and 2024 are")
}

impl Features {
    /// What one of the editions that [`edition`] returns starts from, before any override.
    pub(crate) const fn of(edition: Edition) -> Self {
        match edition {
            Edition::Proto3 => PROTO3,
            Edition::Edition2023 => EDITION_2023,
            NEWEST => EDITION_2024,
            _ => PROTO2,
        }
    }

    /// The features of something inside, whose options may override them.
    pub(crate) fn inside(self, overrides: Option<&FeatureSet<'_>>) -> Self {
        let Some(set) = overrides else { return self };
        Features {
            field_presence: set.field_presence.unwrap_or(self.field_presence),
            enum_type: set.enum_type.unwrap_or(self.enum_type),
            repeated_field_encoding: set.repeated_field_encoding.unwrap_or(self.repeated_field_encoding),
            utf8_validation: set.utf8_validation.unwrap_or(self.utf8_validation),
            message_encoding: set.message_encoding.unwrap_or(self.message_encoding),
            json_format: set.json_format.unwrap_or(self.json_format),
            enforce_naming_style: set.enforce_naming_style.unwrap_or(self.enforce_naming_style),
            default_symbol_visibility: set.default_symbol_visibility.unwrap_or(self.default_symbol_visibility),
        }
    }

    /// The features of a field or an extension. `self` are those of what it is declared in: its oneof, or else the
    /// message or file around it (of an extension, not the message that is extended).
    pub(crate) fn of_field(self, edition: Edition, field: &FieldDescriptorProto<'_>) -> Self {
        let options = field.options;
        let mut features = self.inside(options.and_then(|options| options.features));
        if field.r#type == Some(Type::Group) {
            features.message_encoding = MessageEncoding::Delimited;
        }
        if !matches!(edition, Edition::Proto2 | Edition::Proto3) {
            return features;
        }
        // The spellings from before editions.
        if field.label == Some(Label::Required) {
            features.field_presence = FieldPresence::LegacyRequired;
        }
        if field.proto3_optional() {
            features.field_presence = FieldPresence::Explicit;
        }
        match options.and_then(|options| options.packed) {
            Some(true) => features.repeated_field_encoding = RepeatedFieldEncoding::Packed,
            Some(false) => features.repeated_field_encoding = RepeatedFieldEncoding::Expanded,
            None => {}
        }
        features
    }
}

#[cfg(test)]
mod tests {
    use defiant::wkt::feature_set::proto_limits_feature::EnforceProtoLimits;
    use defiant::wkt::feature_set_defaults::FeatureSetEditionDefault;
    use defiant::wkt::{FeatureSetDefaults, FieldOptions};
    use defiant::{Arena, Message as _};

    use super::*;

    /// The table of the vendored compiler, for the editions there is code for and the one after them.
    #[cfg(feature = "vendored-protoc")]
    fn official(arena: &Arena) -> FeatureSetDefaults<'_> {
        let room = tempfile::tempdir().expect("a directory");
        let path = room.path().join("defaults.pb");
        let include = protoc_bin_vendored::include_path().expect("vendored");
        let status = std::process::Command::new(protoc_bin_vendored::protoc_bin_path().expect("vendored"))
            .arg(format!("--proto_path={}", include.display()))
            .arg(format!("--edition_defaults_out={}", path.display()))
            .args(["--edition_defaults_minimum=PROTO2", "--edition_defaults_maximum=2024"])
            .arg("google/protobuf/descriptor.proto")
            .status()
            .expect("protoc runs");
        assert!(status.success());
        FeatureSetDefaults::decode(&std::fs::read(path).expect("written"), arena).expect("it decodes")
    }

    #[test]
    #[cfg(feature = "vendored-protoc")]
    fn defaults_are_those_of_the_official_compiler() {
        /// No edition: every feature is unknown until a default sets it.
        const NOTHING: Features = Features {
            field_presence: FieldPresence::Unknown,
            enum_type: EnumType::Unknown,
            repeated_field_encoding: RepeatedFieldEncoding::Unknown,
            utf8_validation: Utf8Validation::Unknown,
            message_encoding: MessageEncoding::Unknown,
            json_format: JsonFormat::Unknown,
            enforce_naming_style: EnforceNamingStyle::Unknown,
            default_symbol_visibility: DefaultSymbolVisibility::Unknown,
        };
        let arena = Arena::new();
        let official = official(&arena);
        assert_eq!(official.maximum_edition, Some(NEWEST));
        let full = |default: &FeatureSetEditionDefault<'_>| {
            NOTHING.inside(default.fixed_features).inside(default.overridable_features)
        };
        let mut compared = 0;
        for edition in [Edition::Legacy, Edition::Proto2, Edition::Proto3, Edition::Edition2023, Edition::Edition2024] {
            // The last one that is not newer applies.
            let default = official.defaults.iter().rfind(|default| default.edition() <= edition).expect("a default");
            assert_eq!(Features::of(edition), full(default), "{edition:?}");
            compared += usize::from(default.edition() == edition);
            // What is left out of `Features` has one value in all of these editions.
            for set in [default.fixed_features(), default.overridable_features()] {
                assert!(set.unknown_fields.is_empty(), "{edition:?} has a feature that is new");
                assert!(
                    matches!(set.enforce_proto_limits, None | Some(EnforceProtoLimits::LegacyNoExplicitLimits)),
                    "{edition:?}"
                );
            }
        }
        assert_eq!(compared, official.defaults.len(), "there is an edition in the list that we do not have");
    }

    #[test]
    fn overrides_reach_what_is_inside() {
        let delimited = FeatureSet {
            message_encoding: Some(MessageEncoding::Delimited),
            field_presence: Some(FieldPresence::Implicit),
            ..FeatureSet::default()
        };
        let file = Features::of(Edition::Edition2023).inside(Some(&delimited));
        let message = file
            .inside(None)
            .inside(Some(&FeatureSet { field_presence: Some(FieldPresence::LegacyRequired), ..FeatureSet::default() }));
        assert_eq!(message.message_encoding, MessageEncoding::Delimited);
        assert_eq!(message.field_presence, FieldPresence::LegacyRequired);
        assert_eq!(message.enum_type, EnumType::Open);
        // An extension in a message is a field of that message's scope.
        let extension = FieldDescriptorProto { extendee: Some(".Other"), ..FieldDescriptorProto::default() };
        assert_eq!(message.of_field(Edition::Edition2023, &extension), message);
    }

    #[test]
    fn spellings_from_before_editions() {
        let resolve = |edition, field: FieldDescriptorProto<'_>| Features::of(edition).of_field(edition, &field);
        let plain = FieldDescriptorProto::default();
        let packed = |packed| FieldOptions { packed: Some(packed), ..FieldOptions::default() };
        let required = FieldDescriptorProto { label: Some(Label::Required), ..plain };
        let optional = FieldDescriptorProto { proto3_optional: Some(true), ..plain };
        let group = FieldDescriptorProto { r#type: Some(Type::Group), ..plain };
        assert_eq!(resolve(Edition::Proto2, required).field_presence, FieldPresence::LegacyRequired);
        assert_eq!(resolve(Edition::Proto3, plain).field_presence, FieldPresence::Implicit);
        assert_eq!(resolve(Edition::Proto3, optional).field_presence, FieldPresence::Explicit);
        assert_eq!(resolve(Edition::Proto2, group).message_encoding, MessageEncoding::Delimited);
        assert_eq!(resolve(Edition::Proto2, plain).message_encoding, MessageEncoding::LengthPrefixed);
        let encoding = |edition, options: &FieldOptions<'_>| {
            let field = FieldDescriptorProto { options: Some(options), ..FieldDescriptorProto::default() };
            Features::of(edition).of_field(edition, &field).repeated_field_encoding
        };
        assert_eq!(encoding(Edition::Proto2, &packed(true)), RepeatedFieldEncoding::Packed);
        assert_eq!(encoding(Edition::Proto2, &FieldOptions::default()), RepeatedFieldEncoding::Expanded);
        assert_eq!(encoding(Edition::Proto3, &packed(false)), RepeatedFieldEncoding::Expanded);
        assert_eq!(encoding(Edition::Edition2023, &packed(false)), RepeatedFieldEncoding::Packed);
    }

    #[test]
    fn editions_of_files() {
        let of = |syntax, number| {
            edition(&FileDescriptorProto { syntax, edition: number, ..FileDescriptorProto::default() })
        };
        assert_eq!(of(None, None), Ok(Edition::Proto2));
        assert_eq!(of(Some("proto3"), None), Ok(Edition::Proto3));
        assert_eq!(of(Some("editions"), Some(Edition::Edition2024)), Ok(Edition::Edition2024));
        for (syntax, number, named) in [
            (Some("editions"), Some(Edition::Edition2026), "edition 2026"),
            (Some("editions"), Some(Edition::Unstable), "9999"),
            (Some("editions"), None, "this edition"),
            (Some("proto4"), None, "\"proto4\""),
        ] {
            let message = of(syntax, number).expect_err("unknown");
            assert!(message.contains(named) && message.contains("not supported yet"), "{message}");
        }
    }
}
