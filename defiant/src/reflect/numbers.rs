//! A set of field numbers.

use super::{Exhausted, Store};

/// Field numbers in a digital search tree: node `n` at depth `d` branches on bit `d` of a number.
///
/// The depth of the tree is at most the 32 bits of a number, whatever order the numbers come in, so n insertions take
/// O(n) steps. The nodes lie in one slice of the arena, which doubles when it is full.
#[derive(Default)]
pub(crate) struct Numbers<'arena> {
    nodes: &'arena mut [Node],
    len: usize,
}

#[derive(Clone, Copy, Default)]
struct Node {
    number: u32,
    /// Indices of the children; 0, the root, where there is none.
    children: [u32; 2],
}

impl<'arena> Numbers<'arena> {
    /// Adds a number. Returns `false` if the set has it already.
    pub(crate) fn insert(&mut self, number: u32, store: &Store<'arena>) -> Result<bool, Exhausted> {
        let new = u32::try_from(self.len).map_err(|_| Exhausted::Memory)?;
        let (mut at, mut bits) = (0, number);
        if self.len > 0 {
            while let Some(node) = self.nodes.get(at) {
                if node.number == number {
                    return Ok(false);
                }
                let child = node.children[(bits & 1) as usize];
                if child == 0 {
                    break;
                }
                (at, bits) = (child as usize, bits >> 1);
            }
        }
        if self.len == self.nodes.len() {
            let more = store.filled((2 * self.len).max(4), Node::default())?;
            more.get_mut(..self.len).ok_or(Exhausted::Memory)?.copy_from_slice(self.nodes);
            self.nodes = more;
        }
        if new > 0 {
            if let Some(parent) = self.nodes.get_mut(at) {
                parent.children[(bits & 1) as usize] = new;
            }
        }
        if let Some(node) = self.nodes.get_mut(self.len) {
            *node = Node { number, children: [0; 2] };
        }
        self.len += 1;
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::Arena;

    proptest! {
        #[test]
        fn numbers_are_those_of_a_set(numbers in proptest::collection::vec(prop_oneof![0..20u32, any::<u32>()], 0..100)) {
            let arena = Arena::new();
            let store = Store::new(&arena, usize::MAX);
            let (mut set, mut expected) = (Numbers::default(), BTreeSet::new());
            for number in numbers {
                prop_assert_eq!(set.insert(number, &store), Ok(expected.insert(number)));
            }
        }
    }

    #[test]
    fn depth_is_at_most_that_of_the_bits() {
        let arena = Arena::new();
        let store = Store::new(&arena, usize::MAX);
        let mut set = Numbers::default();
        for number in 0..1000u32 {
            set.insert(number << 16, &store).expect("memory");
        }
        let depth = |mut at: usize| {
            let mut depth = 0;
            let is_parent = |node: &Node, child| node.children.contains(&u32::try_from(child).expect("few"));
            while let Some(parent) = set.nodes[..set.len].iter().position(|node| at > 0 && is_parent(node, at)) {
                (at, depth) = (parent, depth + 1);
            }
            depth
        };
        assert!((1..set.len).map(depth).max() <= Some(32));
    }
}
