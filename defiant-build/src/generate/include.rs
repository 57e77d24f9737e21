//! The file that includes all others.

use std::collections::BTreeMap;

use super::writer::Writer;
use crate::schema::package_modules;

#[derive(Default)]
struct Module<'a> {
    /// More than one where package names differ in case alone.
    packages: Vec<&'a str>,
    inner: BTreeMap<String, (String, Module<'a>)>,
}

/// A module per package, nested as the packages are.
pub(super) fn tree(packages: &[&str], file_name: impl Fn(&str) -> String, in_out_dir: bool) -> String {
    let mut root = Module::default();
    for package in packages {
        let mut module = &mut root;
        let mut name = String::new();
        for (segment, ident) in package.split('.').zip(package_modules(package)) {
            if !name.is_empty() {
                name.push('.');
            }
            name.push_str(segment);
            module = &mut module.inner.entry(ident).or_insert_with(|| (name.clone(), Module::default())).1;
        }
        module.packages.push(package);
    }
    let mut out = Writer::default();
    write(None, &root, &|package| include(&file_name(package), in_out_dir), &mut out);
    out.finish()
}

fn include(file: &str, in_out_dir: bool) -> String {
    if in_out_dir {
        format!("::core::include!(::core::concat!(::core::env!(\"OUT_DIR\"), {:?}));", format!("/{file}"))
    } else {
        format!("::core::include!({file:?});")
    }
}

fn write(name: Option<&str>, module: &Module<'_>, include: &dyn Fn(&str) -> String, out: &mut Writer) {
    for package in &module.packages {
        out.line(&include(package));
    }
    for (ident, (package, inner)) in &module.inner {
        out.docs([format!("The package `{package}`.").as_str()]);
        if name == Some(ident.as_str()) {
            let reason = "reason = \"a package is named like what it is in\"";
            out.attribute("allow", &["clippy::module_inception".to_owned(), reason.to_owned()]);
        }
        out.block(&format!("pub mod {ident} {{"), "}", |out| write(Some(ident), inner, include, out));
    }
}
