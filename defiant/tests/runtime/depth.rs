//! Messages that are nested too deep to be encoded. Safe code can nest them as deep as memory allows.

use std::panic::{AssertUnwindSafe, catch_unwind};

use defiant::{Arena, DecodeOptions, EncodeError, Encoder, Map, Message, Oneof, UnknownFields};

/// The levels that can be encoded.
const MOST: usize = 1_000;

messages! {
    #[derive(Clone, Copy, Debug, PartialEq, Message)]
    pub(crate) struct Node<'arena> {
        #[defiant(message, tag = 1)]
        next: Option<&'arena Node<'arena>>,
        #[defiant(message, repeated, tag = 2)]
        list: &'arena [Node<'arena>],
        #[defiant(map = "int32, message", tag = 3)]
        map: Map<'arena, i32, Node<'arena>>,
        #[defiant(group, tag = 4)]
        group: Option<&'arena Node<'arena>>,
        #[defiant(group, repeated, tag = 5)]
        groups: &'arena [Node<'arena>],
        #[defiant(oneof, tags = "6, 7")]
        choice: Option<Choice<'arena>>,
        #[defiant(unknown)]
        unknown_fields: UnknownFields<'arena>,
    }

    #[derive(Clone, Copy, Debug, PartialEq, Oneof)]
    pub(crate) enum Choice<'arena> {
        #[defiant(message, tag = 6)]
        Node(&'arena Node<'arena>),
        #[defiant(string, tag = 7)]
        Text(&'arena str),
    }
}

type Wrap = for<'a> fn(Node<'a>, &'a Arena) -> Node<'a>;

/// A node in another one, in each shape that a field can have.
const SHAPES: [Wrap; 6] = [
    |node, arena| Node { next: Some(arena.alloc(node)), ..Node::default() },
    |node, arena| Node { list: arena.alloc_slice_copy(&[node]), ..Node::default() },
    |node, arena| Node { map: Map::new(arena, [(1, node)]), ..Node::default() },
    |node, arena| Node { group: Some(arena.alloc(node)), ..Node::default() },
    |node, arena| Node { groups: arena.alloc_slice_copy(&[node]), ..Node::default() },
    |node, arena| Node { choice: Some(Choice::Node(arena.alloc(node))), ..Node::default() },
];

fn nested(levels: usize, wrap: Wrap, arena: &Arena) -> Node<'_> {
    (0..levels).fold(Node::default(), |node, _| wrap(node, arena))
}

/// Runs a function in a thread with a stack of 2 MiB, as the standard library's have, or with that for Miri or for decodes.
fn with_stack(mebibytes: usize, run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(crate::stack(mebibytes));
    thread.spawn(run).expect("a thread").join().expect("no panic");
}

/// Errors of all functions that return one.
fn errors(message: &Node<'_>) -> Vec<EncodeError> {
    let mut vec = Vec::new();
    let mut array = [0; 16];
    let mut large = vec![0; 1 << 20];
    let errors = vec![
        message.encode(&mut vec).unwrap_err(),
        message.encode_length_delimited(&mut vec).unwrap_err(),
        message.encode(&mut &mut array[..]).unwrap_err(),
        message.encode_length_delimited(&mut &mut large[..]).unwrap_err(),
        message.try_encode_in(&Arena::new()).unwrap_err(),
    ];
    assert!(vec.is_empty(), "nothing is written");
    errors
}

/// What the functions say that panic.
fn panics(message: &Node<'_>) -> Vec<String> {
    let mut encoder = Encoder::new();
    let arena = Arena::new();
    let mut panics = Vec::new();
    let mut catch = |run: &mut dyn FnMut()| {
        let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("a panic");
        panics.push(*panic.downcast::<String>().expect("a text"));
    };
    catch(&mut || drop(message.encode_to_vec()));
    catch(&mut || _ = message.encoded_len());
    catch(&mut || _ = message.encode_in(&arena));
    catch(&mut || _ = encoder.encode(message));
    catch(&mut || _ = encoder.encode_length_delimited(message));
    catch(&mut || _ = encoder.encode_vectored(message));
    catch(&mut || _ = encoder.encode_vectored_length_delimited(message));
    assert!(encoder.encode(&Node::default()).is_empty(), "the encoder goes on");
    panics
}

#[test]
fn a_thousand_levels_are_encoded() {
    with_stack(if cfg!(miri) { 64 } else { 2 }, || {
        let levels = if cfg!(miri) { &SHAPES[2..4] } else { &SHAPES[..] };
        for wrap in levels {
            let arena = Arena::new();
            let message = nested(MOST, *wrap, &arena);
            let wire = message.encode_to_vec();
            assert_eq!(message.encoded_len(), wire.len());
            assert_eq!(message.encode_in(&arena), wire);
            assert_eq!(Encoder::new().encode(&message), wire);
            assert_eq!(Encoder::new().encode_vectored(&message).iter().collect::<Vec<_>>().concat(), wire);
            let mut vec = Vec::new();
            message.encode(&mut vec).expect("not too deep");
            assert_eq!(vec, wire);
        }
    });
}

/// As what was encoded is decoded again, given a limit and the stack.
#[test]
fn a_thousand_levels_are_decoded() {
    with_stack(64, || {
        for wrap in if cfg!(miri) { &SHAPES[..0] } else { &SHAPES[..] } {
            let arena = Arena::new();
            let message = nested(MOST, *wrap, &arena);
            let wire = message.encode_to_vec();
            let options = DecodeOptions::new().recursion_limit(2 * MOST as u32);
            assert_eq!(options.decode::<Node<'_>>(&wire, &arena).expect("valid"), message);
        }
    });
}

#[test]
fn deeper_messages_are_errors_or_panics() {
    const TEXT: &str = "messages are nested deeper than the 1000 levels that can be encoded";
    with_stack(if cfg!(miri) { 64 } else { 2 }, || {
        let (levels, shapes) =
            if cfg!(miri) { (&[MOST + 1][..], &SHAPES[2..4]) } else { (&[MOST + 1, 100_000][..], &SHAPES[..]) };
        for wrap in shapes {
            for levels in levels {
                let arena = Arena::new();
                let message = nested(*levels, *wrap, &arena);
                for error in errors(&message) {
                    assert!(error.is_recursion_limit() && !error.is_size_limit());
                    assert_eq!(error.to_string(), TEXT);
                }
                assert!(panics(&message).iter().all(|text| text == TEXT));
            }
        }
    });
}

/// Each level refers to the next one twice: 2^1000 messages, of which only the first thousand are looked at.
#[test]
fn a_refused_message_ends_soon() {
    with_stack(if cfg!(miri) { 64 } else { 2 }, || {
        let arena = Arena::new();
        let twice: Wrap = |node, arena| {
            let node = Some(&*arena.alloc(node));
            Node { next: node, group: node, ..Node::default() }
        };
        let message = nested(MOST + 1, twice, &arena);
        assert!(errors(&message).iter().all(EncodeError::is_recursion_limit));
        assert_eq!(panics(&message).len(), 7);
    });
}

#[cfg(feature = "std")]
#[test]
fn frames_of_deep_messages_are_errors() {
    use defiant::frame::FrameWriter;
    let arena = Arena::new();
    let deep = nested(MOST + 1, SHAPES[0], &arena);
    let mut writer = FrameWriter::new(Vec::new());
    writer.write(&Node::default()).expect("a vector takes all");
    let error = writer.write(&deep).unwrap_err();
    assert!(error.as_encode_error().is_some_and(EncodeError::is_recursion_limit));
    assert_eq!((error.index(), error.offset()), (1, 1));
    // The stream goes on.
    writer.write(&Node::default()).expect("a vector takes all");
    assert_eq!(writer.into_inner().expect("a vector takes all"), [0, 0]);
}

#[cfg(feature = "tokio-util")]
#[test]
fn frames_of_deep_messages_are_errors_of_the_codec() {
    use defiant::frame::{FrameCodec, FrameOptions};
    use tokio_util::codec::Encoder as _;
    let arena = Arena::new();
    let deep = nested(MOST + 1, SHAPES[0], &arena);
    let mut codec: FrameCodec<Node<'static>> =
        FrameCodec::new(FrameOptions::new(), defiant::pool::ArenaPool::default());
    let mut bytes = bytes::BytesMut::new();
    codec.encode(Node::default(), &mut bytes).expect("encodes");
    assert!(codec.encode(deep, &mut bytes).unwrap_err().as_encode_error().is_some());
    assert_eq!(&*bytes, [0]);
}

#[cfg(feature = "dynamic")]
#[test]
fn conversions_of_deep_messages_are_errors() {
    use defiant::reflect::{DynamicMessage, Registry, Resolver as _};
    let arena = Arena::new();
    let deep = nested(MOST + 1, SHAPES[0], &arena);
    let mut registry = Registry::new();
    registry.add::<Node<'static>>();
    let ty = registry.message(Node::DESCRIPTOR.full_name()).expect("it was added");
    assert!(DynamicMessage::from_message(ty, &deep, &arena).is_err_and(|error| error.is_recursion_limit()));
}
