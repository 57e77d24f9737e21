//! Frames of a stream are the same however the stream comes.

use defiant::Arena;
use defiant::frame::{FrameBuffer, FrameOptions, FrameReader};

use crate::shapes::Singular;

/// The first byte says in what pieces the stream comes.
pub(super) fn frames(bytes: &[u8]) -> Result<(), String> {
    let Some((first, stream)) = bytes.split_first() else { return Ok(()) };
    let options = FrameOptions::new().max_len(1 << 16);
    // By the buffer, whole and in pieces.
    let [whole, pieces] = [stream.len().max(1), usize::from(*first).max(1)].map(|size| {
        let mut buffer = FrameBuffer::new(options);
        let mut frames = Vec::new();
        for mut piece in stream.chunks(size) {
            loop {
                match buffer.next(&mut piece) {
                    Ok(Some(frame)) => frames.push(frame.to_vec()),
                    Ok(None) => break,
                    Err(error) => return (frames, Err(error.to_string())),
                }
            }
        }
        let end = buffer.finish().map_err(|error| error.to_string());
        (frames, end)
    });
    if whole != pieces {
        return Err(format!("frames at once {whole:x?}, in pieces {pieces:x?}"));
    }
    // By the reader: as many frames, and those messages that the frames are.
    let arena = Arena::new();
    let mut reader = FrameReader::with_capacity(16, stream, options);
    for frame in &whole.0 {
        let expected = <Singular<'_> as defiant::Message<'_>>::decode(frame, &arena).map_err(|error| error.to_string());
        match (reader.read::<Singular<'_>>(&arena), expected) {
            (Ok(Some(message)), Ok(expected)) => {
                use defiant::Message as _;
                if message.encode_to_vec() != expected.encode_to_vec() {
                    return Err(format!("a frame {frame:x?} is read as another message"));
                }
            }
            (Err(error), Err(expected)) if error.as_decode_error().is_some_and(|one| one.to_string() == expected) => {}
            (read, expected) => return Err(format!("frame {frame:x?}: read {read:?}, expected {expected:?}")),
        }
    }
    match (reader.read::<Singular<'_>>(&arena), &whole.1) {
        (Ok(None), Ok(())) | (Err(_), Err(_)) => Ok(()),
        (read, expected) => Err(format!("at the end: read {read:?}, expected {expected:?}")),
    }
}
