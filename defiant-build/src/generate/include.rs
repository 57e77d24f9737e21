//! The file that includes all others.

use std::collections::BTreeMap;

use super::HEADER;
use super::writer::Writer;
use crate::schema::package_modules;

#[derive(Default)]
struct Module<'a> {
    package: Option<&'a str>,
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
        module.package = Some(package);
    }
    let mut out = Writer::default();
    write(&root, &|package| include(&file_name(package), in_out_dir), &mut out);
    format!("{HEADER}{}", out.finish())
}

fn include(file: &str, in_out_dir: bool) -> String {
    if in_out_dir {
        format!("::core::include!(::core::concat!(::core::env!(\"OUT_DIR\"), {:?}));", format!("/{file}"))
    } else {
        format!("::core::include!({file:?});")
    }
}

fn write(module: &Module<'_>, include: &dyn Fn(&str) -> String, out: &mut Writer) {
    if let Some(package) = module.package {
        out.line(&include(package));
    }
    for (ident, (package, inner)) in &module.inner {
        out.docs([format!("The package `{package}`.").as_str()]);
        out.block(&format!("pub mod {ident} {{"), "}", |out| write(inner, include, out));
    }
}
