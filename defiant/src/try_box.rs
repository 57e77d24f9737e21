//! A box that is asked for politely.
#![expect(unsafe_code, reason = "the standard library has no stable way to ask for the memory of one value")]

use core::alloc::Layout;
use core::ptr::NonNull;

use alloc::boxed::Box;

/// A box, if there is memory for one.
pub(crate) fn try_box<T>(value: T) -> Option<Box<T>> {
    const { assert!(size_of::<T>() > 0) };
    // SAFETY: the layout has a size.
    let place = NonNull::new(unsafe { alloc::alloc::alloc(Layout::new::<T>()) })?.cast::<T>();
    // SAFETY: fresh memory of T's layout.
    unsafe { place.write(value) };
    // SAFETY: a value in memory of the global allocator, of T's layout, that nothing else refers to.
    Some(unsafe { Box::from_raw(place.as_ptr()) })
}

/// What an error holds, unless there was no memory for it: then the memory is what is exhausted, at an unknown place.
#[derive(Debug)]
pub(crate) struct TryBox<T>(Option<Box<T>>);

impl<T> TryBox<T> {
    pub(crate) fn new(value: T) -> Self {
        TryBox(try_box(value))
    }

    pub(crate) fn get(&self) -> Option<&T> {
        self.0.as_deref()
    }

    pub(crate) fn get_mut(&mut self) -> Option<&mut T> {
        self.0.as_deref_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_owns_its_value() {
        let text = std::string::String::from("dropped once");
        let mut boxed = TryBox::new((7u8, text));
        boxed.get_mut().expect("memory").0 = 8;
        let (number, text) = *boxed.0.expect("memory");
        assert_eq!((number, &*text), (8, "dropped once"));
        assert_eq!(size_of::<TryBox<u8>>(), size_of::<usize>());
    }
}
