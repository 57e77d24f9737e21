//! The generator: whatever it is given, it makes Rust of it or says what is wrong.

/// The bytes are a `google.protobuf.compiler.CodeGeneratorRequest`.
pub(super) fn plugin(bytes: &[u8]) -> Result<(), String> {
    let Ok(answer) = defiant_build::plugin::respond(bytes) else { return Ok(()) };
    let arena = defiant::Arena::new();
    let answer = <defiant::wkt::compiler::CodeGeneratorResponse<'_> as defiant::Message<'_>>::decode(&answer, &arena);
    let answer = answer.map_err(|error| format!("the answer: {error}"))?;
    for file in answer.file {
        if !balanced(file.content()) {
            return Err(format!("brackets that do not match in {}:\n{}", file.name(), file.content()));
        }
    }
    Ok(())
}

/// Whether brackets outside of strings, characters and comments match: no parser, but enough to see code that a name or
/// a comment breaks out of.
fn balanced(source: &str) -> bool {
    let mut open = Vec::new();
    let mut rest = source.chars().peekable();
    let mut hashes = None;
    let mut previous = ' ';
    while let Some(character) = rest.next() {
        match character {
            '/' if rest.peek() == Some(&'/') => {
                rest.by_ref().find(|next| *next == '\n');
            }
            // A raw string, `r#".."#`, or a raw name, `r#type`.
            '#' if previous == 'r' || hashes.is_some() => hashes = Some(hashes.unwrap_or(0) + 1),
            '"' => {
                let raw = hashes.take();
                while let Some(next) = rest.next() {
                    match (next, raw) {
                        ('\\', None) => {
                            rest.next();
                        }
                        ('"', None) => break,
                        ('"', Some(count)) if rest.clone().take(count).eq(core::iter::repeat_n('#', count)) => {
                            rest.by_ref().take(count).for_each(drop);
                            break;
                        }
                        _ => {}
                    }
                }
            }
            '(' | '[' | '{' => open.push(character),
            ')' | ']' | '}' => {
                let expected = match character {
                    ')' => '(',
                    ']' => '[',
                    _ => '{',
                };
                if open.pop() != Some(expected) {
                    return false;
                }
            }
            _ => {}
        }
        if character != '#' {
            hashes = None;
        }
        previous = character;
    }
    open.is_empty()
}

/// The bytes are a `.proto` file, compiled without Google's compiler.
#[cfg(feature = "peers")]
pub(super) fn source(bytes: &[u8]) -> Result<(), String> {
    use std::{env, fs, process};
    let Ok(source) = core::str::from_utf8(bytes) else { return Ok(()) };
    // Names the crate's own files, and nothing else on this machine.
    let folder = env::temp_dir().join(format!("defiant-source-{}", process::id()));
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let file = folder.join("fuzzed.proto");
    fs::write(&file, source).map_err(|error| error.to_string())?;
    let mut config = defiant_build::Config::new();
    config.protox().out_dir(&folder);
    // An error is an answer.
    let _ = config.compile_protos(&[&file], &[&folder]);
    fs::remove_dir_all(&folder).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::balanced;

    #[test]
    fn brackets() {
        for good in ["", "a[b(c){d}]", "\"(\"", "r#\"(\"#", "// (\n", "\"\\\"(\"", "r#type()"] {
            assert!(balanced(good), "{good}");
        }
        for bad in ["(", ")", "(]", "\"\")", "// \n}", "r#\"\"#("] {
            assert!(!balanced(bad), "{bad}");
        }
    }
}
