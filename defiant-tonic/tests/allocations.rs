//! Heap allocations of the codec: those of tonic with it, less those of tonic with a codec that does nothing.
//!
//! A binary of its own with one test, because dhat counts what all threads allocate.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use bytes::{Buf, BufMut};
use defiant::extension::MessageFamily;
use defiant::{Message, UnknownFields};
use defiant_tonic::{DefaultCodec, Encoded, Incoming, Outgoing};
use dhat::HeapStats;
use tonic::Status;
use tonic::codec::{Codec as _, DecodeBuf, Decoder, EncodeBody, EncodeBuf, Encoder, Streaming};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// Messages before it is counted, so that buffers are as large as they get and the pool has its arenas.
const WARM: u64 = 300;

/// Messages that are counted.
const COUNTED: u64 = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Message)]
struct Book<'arena> {
    #[defiant(string, tag = 1)]
    title: &'arena str,
    #[defiant(string, repeated, tag = 2)]
    authors: &'arena [&'arena str],
    #[defiant(message, repeated, tag = 3)]
    chapters: &'arena [Book<'arena>],
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

/// What generated code names.
type Family = <Book<'static> as MessageFamily>::Family;

const CHAPTER: Book<'static> =
    Book { title: "A chapter with a long name", authors: &[], chapters: &[], unknown_fields: UnknownFields::EMPTY };
const BOOK: Book<'static> =
    Book { title: "Emma", authors: &["Jane Austen", "Anonymous"], chapters: &[CHAPTER; 20], ..CHAPTER };

/// The codec that does nothing: bytes that are there already go out, and what comes in is passed over.
struct Nothing(Vec<u8>);

impl Encoder for Nothing {
    type Item = ();
    type Error = Status;

    fn encode(&mut self, (): (), buf: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buf.put_slice(&self.0);
        Ok(())
    }
}

impl Decoder for Nothing {
    type Item = ();
    type Error = Status;

    fn decode(&mut self, buf: &mut DecodeBuf<'_>) -> Result<Option<()>, Status> {
        buf.advance(buf.remaining());
        Ok(Some(()))
    }
}

/// A codec that makes a string of what comes in, so that there is something to count.
struct Strings;

impl Decoder for Strings {
    type Item = Vec<u8>;
    type Error = Status;

    fn decode(&mut self, buf: &mut DecodeBuf<'_>) -> Result<Option<Vec<u8>>, Status> {
        let mut bytes = Vec::with_capacity(buf.remaining());
        bytes.put(buf);
        Ok(Some(bytes))
    }
}

/// What a future gives that waits for nothing but itself.
fn now<T>(future: impl Future<Output = T>) -> T {
    let (mut future, mut context) = (pin!(future), Context::from_waker(Waker::noop()));
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
    }
}

/// Allocations while messages go through tonic's encoder and tonic's decoder.
fn count<E, D>(encoder: E, decoder: D, make: fn() -> E::Item, take: fn(D::Item)) -> u64
where
    E: Encoder<Error = Status, Item: 'static> + Send + 'static,
    D: Decoder<Error = Status> + Send + 'static,
{
    let messages = tokio_stream::iter((0..WARM + COUNTED).map(move |_| Ok(make())));
    let body = EncodeBody::new_client(encoder, messages, None, None);
    let mut received = Streaming::new_request(decoder, body, None, None);
    let mut before = 0;
    for index in 0..WARM + COUNTED {
        if index == WARM {
            before = HeapStats::get().total_blocks;
        }
        take(now(received.message()).expect("no error").expect("another"));
    }
    HeapStats::get().total_blocks - before
}

#[test]
fn a_message_takes_none_once_the_pool_is_warm() {
    let _profiler = dhat::Profiler::builder().testing().build();
    let mut codec = DefaultCodec::<Family, Family>::default();
    let nothing = || Nothing(BOOK.encode_to_vec());
    let least = count(nothing(), nothing(), || (), |()| {});

    // What borrows from elsewhere, encoded into an arena of the pool, and what comes in.
    let borrowed = || Encoded::of(&BOOK);
    let look = |book: Incoming<Book<'static>>| assert_eq!(book.get().chapters.len(), 20);
    let ours = count(codec.encoder(), codec.decoder(), borrowed, look);
    // A message that is made in an arena, and an answer that is made where the question lies.
    let made = || Encoded::build(|arena| Book { authors: arena.alloc_slice_copy(BOOK.authors), ..BOOK });
    let answer = |book: Incoming<Book<'static>>| {
        let answer: Outgoing<Book<'static>> = book
            .map::<Book<'static>>(|book, arena| Book { chapters: arena.alloc_slice_copy(book.chapters), ..book })
            .into();
        assert_eq!(answer.as_bytes().len(), BOOK.encoded_len());
    };
    let answered = count(codec.encoder(), codec.decoder(), made, answer);
    println!("in {COUNTED} messages {least} allocations of tonic; with Defiant's codec {ours} and {answered}");
    // Not one in a hundred messages; the thread that runs the tests may allocate a little at any time.
    assert!(ours.max(answered) <= least + COUNTED / 100, "{ours} and {answered}, {least} without us");

    // It counts.
    let strings = count(nothing(), Strings, || (), drop);
    assert!(strings >= least + COUNTED, "{strings} after {least}");
}
