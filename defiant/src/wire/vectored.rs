//! Writing backward without copying what is large.

use alloc::vec::Vec;

use super::packed::Element;
use super::writer::{Excess, MAX_LEN, Sink, Visitor, Writer};

/// Bytes that are referred to instead of copied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut<'m> {
    /// Where they belong: before the last so many of the bytes that were copied.
    pub(crate) at: usize,
    pub(crate) bytes: &'m [u8],
}

/// The bytes referred to, from the last to the first.
#[derive(Debug)]
pub(crate) struct Cuts<'m> {
    pub(crate) list: Vec<Cut<'m>>,
    /// Bytes in the list: at most [`MAX_LEN`], so that they and those that were copied do not wrap around.
    pub(crate) referenced: usize,
    /// From this length on, bytes are referred to.
    pub(crate) threshold: usize,
}

/// A [`Writer`] that only refers to bytes of a certain length or more.
#[derive(Debug)]
pub struct Vectored<'w, 'a, 'm> {
    writer: Writer<'w, 'a>,
    cuts: &'w mut Cuts<'m>,
}

impl<'w, 'a, 'm> Vectored<'w, 'a, 'm> {
    pub(crate) fn new(writer: Writer<'w, 'a>, cuts: &'w mut Cuts<'m>) -> Self {
        Vectored { writer, cuts }
    }

    /// Where the copied bytes begin.
    pub(crate) fn position(self) -> *mut u8 {
        self.writer.position()
    }

    /// Refers to the bytes, if they are many enough.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn refer(&mut self, bytes: &'m [u8]) -> bool {
        let large = bytes.len() >= self.cuts.threshold;
        if large {
            if bytes.len() > MAX_LEN - self.cuts.referenced {
                self.writer.refuse(Excess::Length);
                return true;
            }
            self.cuts.list.push(Cut { at: self.writer.written(), bytes });
            self.cuts.referenced += bytes.len();
        }
        large
    }
}

impl<'a, 'm> Sink<'m> for Vectored<'_, 'a, 'm> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn written(&self) -> usize {
        self.writer.written() + self.cuts.referenced
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn varint(&mut self, tag: u32, value: u64) {
        self.writer.varint(tag, value);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fixed32(&mut self, tag: u32, value: u32) {
        self.writer.fixed32(tag, value);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn fixed64(&mut self, tag: u32, value: u64) {
        self.writer.fixed64(tag, value);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn bytes(&mut self, tag: u32, bytes: &'m [u8]) {
        if self.refer(bytes) {
            self.writer.varint(tag, bytes.len() as u64);
        } else {
            self.writer.bytes(tag, bytes);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn raw(&mut self, bytes: &'m [u8]) {
        if !self.refer(bytes) {
            self.writer.copy(bytes);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn copy(&mut self, bytes: &[u8]) {
        self.writer.copy(bytes);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn raw_varint(&mut self, value: u64) {
        self.writer.raw_varint(value);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn raw_varints<E: Element>(&mut self, values: &[E::Value]) {
        self.writer.raw_varints::<E>(values);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn tag(&mut self, tag: u32) {
        self.writer.tag(tag);
    }

    type Short<'s>
        = Vectored<'s, 'a, 'm>
    where
        Self: 's;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn call<'s>(&'s mut self, f: impl FnOnce(Self::Short<'s>) -> Self::Short<'s>)
    where
        Self: 's,
    {
        let Vectored { writer, cuts } = self;
        writer.call(|writer| f(Vectored { writer, cuts }).writer);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn descend(&mut self) -> bool {
        self.writer.descend()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn ascend(&mut self) {
        self.writer.ascend();
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn visit<V: Visitor<'m>>(self, visitor: V) -> Self {
        visitor.vectored(self)
    }
}
