//! Unknown fields grouped by field number, in one pass over the spans and one sort.
//!
//! A [`Run`] is a contiguous piece of one span: records of one number without another between them. Equal numbers that
//! are apart, or in different spans, make several runs. Sorting runs instead of searching all spans for each number keeps
//! the cost at O(n log n) for n records, however many numbers there are.

use alloc::vec::Vec;

use super::{Records, UnknownFields};

/// Contiguous records of one number.
#[derive(Clone, Copy)]
pub(crate) struct Run<'m> {
    pub(crate) number: u32,
    /// Position among all runs, in the order of the wire.
    order: u32,
    /// The records as they stand on the wire.
    pub(crate) bytes: &'m [u8],
}

/// The runs of the numbers that `is_wanted` accepts: ascending by number, those of one number in the order of the wire.
///
/// `None` when memory is exhausted. A run takes 24 bytes of the heap until the list is dropped.
pub(crate) fn by_number<'m>(
    fields: &UnknownFields<'m>,
    mut is_wanted: impl FnMut(u32) -> bool,
) -> Option<Vec<Run<'m>>> {
    let mut list = Vec::new();
    // Spans are linked from the last to the first. Reversing the runs of each span makes the list the reverse of the wire.
    for span in fields.backward() {
        let first = list.len();
        for (number, bytes) in runs(span).filter(|run| is_wanted(run.0)) {
            list.try_reserve(1).ok()?;
            list.push(Run { number, order: 0, bytes });
        }
        list.get_mut(first..)?.reverse();
    }
    u32::try_from(list.len()).ok()?;
    for (order, run) in (0..).zip(list.iter_mut().rev()) {
        run.order = order;
    }
    // A stable sort allocates, and aborts when it cannot.
    list.sort_unstable_by_key(|run| (run.number, run.order));
    Some(list)
}

/// The runs of one span.
fn runs(span: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let mut records = Records::new(span).peekable();
    let mut rest = span;
    core::iter::from_fn(move || {
        let first = records.next()?;
        let number = first.field.number;
        let mut len = first.bytes.len();
        while let Some(more) = records.next_if(|record| record.field.number == number) {
            len += more.bytes.len();
        }
        let (run, behind) = rest.split_at_checked(len)?;
        rest = behind;
        Some((number, run))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Arena, UnknownValue};

    #[test]
    fn runs_are_sorted_by_number_and_keep_the_order_of_the_wire() {
        let arena = Arena::new();
        let mut fields = UnknownFields::EMPTY;
        // Two spans of several records, and spans of one.
        fields.push_in(&[0x10, 1, 0x10, 2, 0x08, 3, 0x10, 4], &arena);
        fields.push_in(&[0x08, 5, 0x18, 6], &arena);
        fields.add(2, UnknownValue::Varint(7), &arena);
        let wanted = |number| number != 3;
        let list: Vec<_> =
            by_number(&fields, wanted).expect("memory").iter().map(|run| (run.number, run.bytes)).collect();
        let expected: [(u32, &[u8]); 5] =
            [(1, &[8, 3]), (1, &[8, 5]), (2, &[16, 1, 16, 2]), (2, &[16, 4]), (2, &[16, 7])];
        assert_eq!(list, expected);
        assert_eq!(size_of::<Run<'_>>(), 24);
    }
}
