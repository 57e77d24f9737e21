//! Finds messages that would hold themselves.

use std::collections::{HashMap, HashSet};

/// A cycle through `start` along `edges`, as the names on the way: `[start, .., start]`.
pub(crate) fn find<'a>(start: &'a str, edges: &HashMap<&'a str, Vec<&'a str>>) -> Option<Vec<&'a str>> {
    let mut seen: HashSet<&str> = HashSet::new();
    let mut trail: Vec<(&str, usize)> = vec![(start, 0)];
    while let Some((at, next)) = trail.last_mut() {
        match edges.get(at).and_then(|targets| targets.get(*next)) {
            Some(&target) => {
                *next += 1;
                if target == start {
                    return Some(trail.iter().map(|(name, _)| *name).chain([start]).collect());
                }
                if seen.insert(target) {
                    trail.push((target, 0));
                }
            }
            None => {
                trail.pop();
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cycles() {
        let edges = HashMap::from([("a", vec!["b", "c"]), ("b", vec!["c"]), ("c", vec!["b", "d"]), ("d", vec!["d"])]);
        assert_eq!(find("a", &edges), None);
        assert_eq!(find("b", &edges), Some(vec!["b", "c", "b"]));
        assert_eq!(find("d", &edges), Some(vec!["d", "d"]));
    }
}
