//! One connection without its socket: bytes in, bytes out, and what to do next.

use std::{io, sync::Arc};

use defiant::frame::{FrameBuffer, FrameOptions};

use crate::{
    allocations,
    library::{Library, MAX_FRAME, refuse},
    server::Control,
};

/// Bytes that a connection reads at once.
pub(crate) const PIECE: usize = 16 * 1024;

/// Bytes of replies that are gathered before they are written. One reply more may come on top.
const GATHERED: usize = 16 * 1024;

/// Bytes that a connection still takes in after it refused a frame.
///
/// To close a socket that has something to read resets the connection, and the reason for the refusal may be lost on the
/// way. So what the client had sent already is read, and thrown away, up to here.
pub(crate) const LINGER: usize = 1024 * 1024;

/// What the owner of the socket has to do, after it has written the replies that wait.
#[derive(Debug)]
pub(crate) enum Next {
    /// Read more.
    Read,
    /// Come back with the rest of the piece.
    Again,
    /// Shut the connection down, and drop it when the client has done so, too: for this reason, if there is one.
    Close(Option<io::Error>),
}

/// The frames of a connection, and the memory to answer them with.
///
/// Nothing is read while replies wait to be written, so a client that does not read its replies is not read from either;
/// what it makes the server hold is a piece, a frame and the replies gathered, whatever it sends.
pub(crate) struct Conversation<L: Library> {
    frames: FrameBuffer,
    desk: L::Desk,
    control: Arc<Control>,
}

impl<L: Library> Conversation<L> {
    pub(crate) fn new(control: Arc<Control>) -> Self {
        Conversation { frames: frames(), desk: L::Desk::default(), control }
    }

    /// Takes frames out of a piece and answers them, until it is used up or enough replies wait. An empty piece is the
    /// end of the stream.
    pub(crate) fn take(&mut self, piece: &mut &[u8], replies: &mut Vec<u8>) -> Next {
        allocations::within(|| {
            if piece.is_empty() {
                return match self.frames.finish() {
                    Ok(()) => Next::Close(None),
                    Err(error) => self.refuse(error.into(), replies),
                };
            }
            let mut answered = 0;
            let next = loop {
                // An empty piece is never left for the next time: it would be taken for the end.
                if enough(replies) && !piece.is_empty() {
                    break Next::Again;
                }
                let outcome = match self.frames.next(piece) {
                    Ok(Some(frame)) => L::answer(&mut self.desk, frame, replies).map_err(invalid),
                    Ok(None) => break Next::Read,
                    Err(error) => Err(error.into()),
                };
                match outcome {
                    Ok(()) => answered += 1,
                    Err(error) => break self.refuse(error, replies),
                }
            };
            self.control.answered(answered);
            next
        })
    }

    fn refuse(&self, error: io::Error, replies: &mut Vec<u8>) -> Next {
        refuse(&error, replies);
        self.control.refused();
        Next::Close(Some(error))
    }
}

/// The frames of a connection.
pub(crate) fn frames() -> FrameBuffer {
    FrameBuffer::new(FrameOptions::new().max_len(MAX_FRAME))
}

/// A request that cannot be decoded, as an error of the connection.
pub(crate) fn invalid(error: crate::library::Unreadable) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}

/// Room for the replies that are gathered.
pub(crate) fn room() -> Vec<u8> {
    Vec::with_capacity(2 * GATHERED)
}

/// Whether replies are to be written before another is made.
pub(crate) fn enough(replies: &[u8]) -> bool {
    replies.len() >= GATHERED
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Burst, Defiant, Prost, Workload};

    /// Feeds a stream in pieces; gives the replies, the most that waited at once, and how it ended.
    fn converse<L: Library>(stream: &[u8], size: usize) -> (Vec<u8>, usize, Option<String>) {
        let mut conversation = Conversation::<L>::new(Arc::default());
        let (mut replies, mut written, mut most) = (room(), Vec::new(), 0);
        for mut piece in stream.chunks(size).chain([&[][..]]) {
            loop {
                let next = conversation.take(&mut piece, &mut replies);
                most = most.max(replies.len());
                written.append(&mut replies);
                match next {
                    Next::Read => break,
                    Next::Again => {}
                    Next::Close(error) => return (written, most, error.map(|error| error.to_string())),
                }
            }
            assert!(piece.is_empty());
        }
        unreachable!("the end closes")
    }

    fn all_pieces<L: Library>() {
        let burst = Burst::new(&Workload::ALL, 300);
        for size in [1, 7, 1000, PIECE, usize::MAX] {
            let (replies, most, error) = converse::<L>(&burst.requests, size);
            assert!(replies == burst.replies, "pieces of {size}");
            assert!(most < 2 * GATHERED, "{most} bytes waited");
            assert_eq!(error, None);
        }
    }

    #[test]
    fn however_requests_arrive_the_replies_are_the_same() {
        all_pieces::<Defiant>();
        all_pieces::<Prost>();
    }

    #[test]
    fn a_piece_may_end_where_enough_replies_wait() {
        for count in 58..68 {
            let burst = Burst::new(&[Workload::Echo], count);
            let (replies, _, error) = converse::<Defiant>(&burst.requests.repeat(2), burst.requests.len());
            assert!(replies == burst.replies.repeat(2), "{count} requests in a piece");
            assert_eq!(error, None);
        }
    }

    #[test]
    fn what_came_before_a_bad_frame_is_answered() {
        use crate::work::Reply;
        use defiant::{Arena, Message};

        let burst = Burst::new(&[Workload::Echo], 2);
        for (bad, reason) in [
            (&[2, 0x12, 5][..], "Request.echo"),
            (&[0xff; 10][..], "frame 2"),
            (&[9, 1][..], "the stream ends inside the frame"),
        ] {
            let (replies, _, error) = converse::<Defiant>(&[&burst.requests, bad].concat(), 4096);
            let last = replies.strip_prefix(&*burst.replies).expect("both answered");
            let arena = Arena::new();
            let (reply, used) = Reply::decode_length_delimited(last, &arena).expect("a reply");
            assert_eq!(used, last.len(), "nothing behind it");
            assert!(reply.error.contains(reason), "{}", reply.error);
            assert_eq!(error.as_deref(), Some(reply.error));
        }
    }
}
