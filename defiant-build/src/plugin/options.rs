//! The options of a [`Config`] as text: `name=value,name=value`.

use crate::config::{Config, OptimizeFor};
use crate::error::Error;

/// An option that takes a path and something for what the path matches.
type OfPath = fn(&mut Config, &str, &str);
/// An option that takes one text.
type Plain = fn(&mut Config, &str);

const OF_PATH: &[(&str, OfPath)] = &[
    ("type_attribute", |config, path, value| {
        config.type_attribute(path, value);
    }),
    ("message_attribute", |config, path, value| {
        config.message_attribute(path, value);
    }),
    ("enum_attribute", |config, path, value| {
        config.enum_attribute(path, value);
    }),
    ("oneof_attribute", |config, path, value| {
        config.oneof_attribute(path, value);
    }),
    ("field_attribute", |config, path, value| {
        config.field_attribute(path, value);
    }),
    ("extern_path", |config, path, value| {
        config.extern_path(path, value);
    }),
    ("type_name_domain", |config, path, value| {
        config.type_name_domain([path], value);
    }),
    ("optimize_for", |config, path, value| {
        if let Some(what) = OptimizeFor::of(value) {
            config.optimize_for(path, what);
        }
    }),
];

const PLAIN: &[(&str, Plain)] = &[
    ("inline", |config, path| {
        config.inline(path);
    }),
    ("lazy", |config, path| {
        config.lazy(path);
    }),
    ("disable_comments", |config, path| {
        config.disable_comments([path]);
    }),
    ("skip_debug", |config, path| {
        config.skip_debug([path]);
    }),
    ("include_file", |config, name| {
        config.include_file(name);
    }),
    ("default_package_filename", |config, name| {
        config.default_package_filename(name);
    }),
    ("crate_path", |config, path| {
        config.crate_path(path);
    }),
];

/// An option that takes nothing.
type Flag = fn(&mut Config);

const FLAGS: &[(&str, Flag)] = &[
    ("ignore_lazy", |config| {
        config.ignore_lazy();
    }),
    ("compile_well_known_types", |config| {
        config.compile_well_known_types();
    }),
    ("retain_enum_prefix", |config| {
        config.retain_enum_prefix();
    }),
    ("skip_source_info", |config| {
        config.skip_source_info();
    }),
    ("registry", |config| {
        config.registry();
    }),
];

/// Sets what the text says.
///
/// # Errors
/// One line for each option that is unknown or lacks its value.
pub(super) fn apply(text: &str, config: &mut Config) -> Result<(), Error> {
    let mut complaints = Vec::new();
    for option in split(text) {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name.trim(), value),
            // The one that makes sense alone.
            None if option.trim() == "disable_comments" => ("disable_comments", "."),
            None => (option.trim(), ""),
        };
        if let Some((_, set)) = FLAGS.iter().find(|(known, _)| *known == name) {
            if value.is_empty() {
                set(config);
            } else {
                complaints.push(format!("the option {option:?} should be just {name}"));
            }
        } else if let Some((_, set)) = OF_PATH.iter().find(|(known, _)| *known == name) {
            match value.split_once('=') {
                Some((_, value)) if name == "optimize_for" && OptimizeFor::of(value).is_none() => {
                    complaints.push(format!("the option {option:?} should be optimize_for=PATH=SPEED or =CODE_SIZE"));
                }
                Some((path, value)) if !path.is_empty() && !value.is_empty() => set(config, path, value),
                _ => complaints.push(format!("the option {option:?} should be {name}=PATH=VALUE")),
            }
        } else if let Some((_, set)) = PLAIN.iter().find(|(known, _)| *known == name) {
            if value.is_empty() {
                complaints.push(format!("the option {option:?} should be {name}=VALUE"));
            } else {
                set(config, value);
            }
        } else {
            let with_value = OF_PATH.iter().map(|(name, _)| *name).chain(PLAIN.iter().map(|(name, _)| *name));
            let known: Vec<&str> = with_value.chain(FLAGS.iter().map(|(name, _)| *name)).collect();
            complaints.push(format!("there is no option {name:?}; there are: {}", known.join(", ")));
        }
    }
    if complaints.is_empty() { Ok(()) } else { Err(Error::config(complaints)) }
}

/// The parts between commas, except commas inside brackets and quotes; empty parts are left out.
fn split(text: &str) -> impl Iterator<Item = &str> {
    let (mut depth, mut quoted, mut escaped) = (0usize, false, false);
    text.split(move |letter: char| {
        let was_escaped = escaped;
        escaped = quoted && letter == '\\' && !was_escaped;
        match letter {
            '"' if !was_escaped => quoted = !quoted,
            _ if quoted => {}
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' => return depth == 0,
            _ => {}
        }
        false
    })
    .filter(|part| !part.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_brackets_and_quotes_do_not_separate() {
        let parts: Vec<&str> = split(r#"a=1,,b=.=#[derive(A, B)],c=#[doc = "x, \", ]"],d"#).collect();
        assert_eq!(parts, ["a=1", "b=.=#[derive(A, B)]", r#"c=#[doc = "x, \", ]"]"#, "d"]);
        assert_eq!(split("").count(), 0);
    }

    #[test]
    fn each_option_does_what_its_method_does() {
        let text = "type_attribute=.a=#[t(x = 1, y)],message_attribute=b=#[m],enum_attribute=c=#[e],oneof_attribute=d=#[o],\
            field_attribute=f=#[f],extern_path=.g=::h,inline=i,optimize_for=.o=CODE_SIZE,optimize_for=.o.p=SPEED,disable_comments,disable_comments=j,include_file=k.rs,\
            default_package_filename=l,crate_path=::m";
        let mut config = Config::new();
        apply(text, &mut config).expect("all of them are known");
        let mut expected = Config::new();
        expected
            .type_attribute(".a", "#[t(x = 1, y)]")
            .message_attribute("b", "#[m]")
            .enum_attribute("c", "#[e]")
            .oneof_attribute("d", "#[o]")
            .field_attribute("f", "#[f]")
            .extern_path(".g", "::h")
            .inline("i")
            .optimize_for(".o", OptimizeFor::CodeSize)
            .optimize_for(".o.p", OptimizeFor::Speed)
            .disable_comments([".", "j"])
            .include_file("k.rs")
            .default_package_filename("l")
            .crate_path("::m");
        assert_eq!(format!("{config:?}"), format!("{expected:?}"));
    }

    #[test]
    fn every_complaint_at_once() {
        let error = apply("inline,typo=1,extern_path=.a,crate_path=,optimize_for=.a=code", &mut Config::new())
            .expect_err("all are wrong");
        assert!(error.is_config());
        let lines: Vec<String> = error.to_string().lines().map(str::to_owned).collect();
        assert_eq!(lines.len(), 5, "{error}");
        assert_eq!(lines[0], "the option \"inline\" should be inline=VALUE");
        assert!(lines[1].starts_with("there is no option \"typo\"; there are: type_attribute, "), "{error}");
        assert_eq!(lines[2], "the option \"extern_path=.a\" should be extern_path=PATH=VALUE");
        assert_eq!(lines[4], "the option \"optimize_for=.a=code\" should be optimize_for=PATH=SPEED or =CODE_SIZE");
    }
}
