//! `extend` blocks, at file level and inside messages.

use std::collections::HashMap;

use defiant::wkt::FieldDescriptorProto;

use super::lower::{Lowering, Site, join};
use super::names::{self, Scope};
use super::{Field, Shape};
use crate::error::Error;

/// Constants of the generated code that are no extensions.
const RESERVED: &[&str] = &["FILE_DESCRIPTOR_SET"];

/// A field that another message is given.
#[derive(Debug)]
pub(crate) struct Extension {
    /// Its identifier is that of a constant.
    pub(crate) field: Field,
    /// Package, the messages it is declared in, name.
    pub(crate) full_name: String,
    /// The full name of the message that is extended.
    pub(crate) host: String,
}

/// The constants' names by the extensions' full names.
#[derive(Debug, Default)]
pub(super) struct Constants(HashMap<String, String>);

impl Constants {
    /// Names the extensions declared side by side. A tuple struct is a value, too, so they give way to types.
    pub(super) fn name(&mut self, list: &[FieldDescriptorProto<'_>], parent: &str, types: &mut Scope) {
        for field in list {
            let mut constant = names::constant(field.name());
            while RESERVED.contains(&constant.as_str()) {
                constant.push('_');
            }
            self.0.insert(join(parent, field.name()), types.claim(constant));
        }
    }
}

impl Lowering<'_> {
    /// The extensions of one file or message; `number` is the step of the location's path that leads to them.
    pub(super) fn extensions(
        &self,
        list: &[FieldDescriptorProto<'_>],
        parent: &str,
        site: Site<'_>,
        path: &[i32],
        number: i32,
    ) -> Result<Vec<Extension>, Error> {
        let lower = |(index, field): (i32, &FieldDescriptorProto<'_>)| {
            let full_name = join(parent, field.name());
            let ident = self.constants.0.get(&full_name).cloned().unwrap_or_default();
            let mut lowered = self.field(field, parent, ident, site, &[path, &[number, index]].concat())?;
            // An extension is never without presence, whatever is declared for the fields around it.
            if lowered.shape == Shape::Implicit {
                lowered.shape = Shape::Optional;
            }
            let host = field.extendee().trim_start_matches('.').to_owned();
            self.named(&host)?;
            Ok(Extension { field: lowered, full_name, host })
        };
        (0..).zip(list).map(lower).collect()
    }
}
