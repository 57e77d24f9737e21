//! What a message's full name is made of.

use proc_macro2::Span;

use super::attribute::Word;
use super::errors::Errors;

/// The words `package` and `domain` of a message.
#[derive(Default)]
pub(crate) struct Name {
    package: Option<(String, Span)>,
    /// The domain of the type URL, where it is not the default one.
    pub(crate) domain: Option<String>,
}

impl Name {
    /// Reads the word if it is one of these.
    pub(super) fn read(&mut self, word: &Word, errors: &mut Errors) -> bool {
        match word.name().as_str() {
            "package" if self.package.is_some() => errors.at(word.span(), "`package` is given twice"),
            "package" => {
                self.package = errors.keep(word.text("package = \"package\"")).map(|text| (text.value(), text.span()));
            }
            "domain" if self.domain.is_some() => errors.at(word.span(), "`domain` is given twice"),
            "domain" => {
                if let Some(text) = errors.keep(word.text("domain = \"types.example.com\"")) {
                    let domain = text.value();
                    if domain.is_empty() || domain.ends_with('/') {
                        errors.at(text.span(), "the domain of a type URL is not empty and has no slash at its end");
                    }
                    self.domain = Some(domain);
                }
            }
            _ => return false,
        }
        true
    }

    /// The package must be the beginning of the full name.
    pub(super) fn check(&self, full_name: &str, errors: &mut Errors) {
        if let Some((package, span)) = &self.package {
            let within =
                package.is_empty() || full_name.strip_prefix(package).is_some_and(|rest| rest.starts_with('.'));
            if !within {
                errors.at(*span, format!("the name {full_name:?} is not in the package {package:?}"));
            }
        }
    }

    /// Package and name. Without the word `package`, the package ends before the first part of the full name that
    /// begins with a capital letter, or before the last part.
    pub(crate) fn split<'a>(&self, full_name: &'a str) -> (&'a str, &'a str) {
        let length = match &self.package {
            Some((package, _)) => package.len(),
            None => {
                let mut length = 0;
                for (dot, _) in full_name.match_indices('.') {
                    let start = if length == 0 { 0 } else { length + 1 };
                    if full_name[start..].starts_with(char::is_uppercase) {
                        break;
                    }
                    length = dot;
                }
                length
            }
        };
        let (package, name) = full_name.split_at(length.min(full_name.len()));
        (package, name.strip_prefix('.').unwrap_or(name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_package_ends_before_a_capital() {
        let split = |full_name| Name::default().split(full_name);
        assert_eq!(split("a.b.Outer.Inner"), ("a.b", "Outer.Inner"));
        assert_eq!(split("a.b.Outer.inner"), ("a.b", "Outer.inner"));
        assert_eq!(split("a.b.lower"), ("a.b", "lower"));
        assert_eq!(split("Outer.Inner"), ("", "Outer.Inner"));
        assert_eq!(split("lower"), ("", "lower"));
        assert_eq!(split("a.M"), ("a", "M"));
        let given = Name { package: Some(("a.B".to_owned(), Span::call_site())), domain: None };
        assert_eq!(given.split("a.B.M"), ("a.B", "M"));
        let none = Name { package: Some((String::new(), Span::call_site())), domain: None };
        assert_eq!(none.split("outer.inner"), ("", "outer.inner"));
    }
}
