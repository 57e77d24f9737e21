//! Options that apply to what a protobuf path matches.

use std::cell::RefCell;

/// An option's paths, in the order they were given, and which of them have matched something.
pub(crate) struct Rules<'a, T> {
    option: &'static str,
    rules: &'a [(String, T)],
    used: RefCell<Vec<bool>>,
}

impl<'a, T> Rules<'a, T> {
    pub(crate) fn new(option: &'static str, rules: &'a [(String, T)]) -> Self {
        Self { option, rules, used: RefCell::new(vec![false; rules.len()]) }
    }

    /// The values of all paths that match `path`, a full path with a leading dot.
    pub(crate) fn matching(&self, path: &str) -> Vec<&'a T> {
        let mut used = self.used.borrow_mut();
        let mut found = Vec::new();
        for ((pattern, value), used) in self.rules.iter().zip(used.iter_mut()) {
            if matches(pattern, path) {
                *used = true;
                found.push(value);
            }
        }
        found
    }

    /// The longest path that is `path` itself or contains it, what is left of `path` behind it, and the value.
    pub(crate) fn enclosing<'p>(&self, path: &'p str) -> Option<(&'p str, &'a T)> {
        let mut best: Option<(usize, &'p str)> = None;
        for (index, (pattern, _)) in self.rules.iter().enumerate() {
            let pattern = if pattern == "." { "" } else { pattern.as_str() };
            let Some(rest) = path.strip_prefix(pattern) else { continue };
            if (rest.is_empty() || rest.starts_with('.'))
                && best.is_none_or(|(_, shortest)| rest.len() < shortest.len())
            {
                best = Some((index, rest));
            }
        }
        let (index, rest) = best?;
        self.used.borrow_mut()[index] = true;
        Some((rest.trim_start_matches('.'), &self.rules[index].1))
    }

    /// One complaint for each path that matched nothing. `.` means "everything there is", be it nothing.
    pub(crate) fn unused(&self) -> Vec<String> {
        let used = self.used.borrow();
        self.rules
            .iter()
            .zip(used.iter())
            .filter(|((pattern, _), used)| !**used && pattern != ".")
            .map(|((pattern, _), _)| format!("{}({pattern:?}) matches nothing in these files", self.option))
            .collect()
    }
}

/// A path matches itself, its outer paths and its suffixes: `.a.b.c` is matched by `.a.b.c`, `.a.b`, `.a`, `.`,
/// `a.b.c`, `b.c` and `c`.
pub(crate) fn matches(pattern: &str, path: &str) -> bool {
    if pattern == "." {
        return true;
    }
    if pattern.starts_with('.') {
        return path.strip_prefix(pattern).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
    }
    path.strip_suffix(pattern).is_some_and(|rest| rest.ends_with('.') && !pattern.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_of_prost() {
        for pattern in [".a.b.c", ".a.b", ".a", ".", "a.b.c", "b.c", "c"] {
            assert!(matches(pattern, ".a.b.c"), "{pattern}");
        }
        for pattern in [".a.b.c.d", ".b", "a.b", "a", "", "bc", ".a.b.", ".a.bb"] {
            assert!(!matches(pattern, ".a.b.c"), "{pattern}");
        }
    }

    #[test]
    fn the_longest_enclosing_path_wins() {
        let rules = [(".a".to_owned(), 1), (".a.b".to_owned(), 2), (".x".to_owned(), 3)];
        let rules = Rules::new("extern_path", &rules);
        assert_eq!(rules.enclosing(".a.b.C"), Some(("C", &2)));
        assert_eq!(rules.enclosing(".a.bb.C"), Some(("bb.C", &1)));
        assert_eq!(rules.enclosing(".y"), None);
        assert_eq!(rules.unused(), ["extern_path(\".x\") matches nothing in these files"]);
    }
}
