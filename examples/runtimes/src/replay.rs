//! A connection without a socket or a runtime: what the service itself has to do for a request.

use std::{io, sync::Arc};

use crate::{
    Burst,
    conversation::{Conversation, Next, PIECE, room},
    library::Library,
};

/// Has the loop of a connection answer a burst so many times, from memory to memory.
///
/// The requests arrive in pieces as large as those that the servers read, and the replies are gathered as there.
///
/// ```
/// use runtimes::{Burst, Defiant, Workload, replay};
///
/// let burst = Burst::new(&Workload::ALL, 8);
/// assert_eq!(replay::<Defiant>(&burst, 10)?, 80);
/// # Ok::<(), std::io::Error>(())
/// ```
///
/// # Errors
///
/// Replies that are not the right ones.
pub fn replay<L: Library>(burst: &Burst, times: u64) -> io::Result<u64> {
    let mut conversation = Conversation::<L>::new(Arc::default());
    let (mut replies, mut answered) = (room(), 0);
    for _ in 0..times {
        let mut expected = &burst.replies[..];
        for mut piece in burst.requests.chunks(PIECE) {
            loop {
                let next = conversation.take(&mut piece, &mut replies);
                expected = expected.strip_prefix(&*replies).ok_or_else(wrong)?;
                replies.clear();
                match next {
                    Next::Read => break,
                    Next::Again => {}
                    Next::Close(error) => return Err(error.unwrap_or_else(wrong)),
                }
            }
        }
        if !expected.is_empty() {
            return Err(wrong());
        }
        answered += burst.count;
    }
    Ok(answered)
}

fn wrong() -> io::Error {
    io::Error::other("the wrong replies")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Defiant, Prost, Workload};

    #[test]
    fn wrong_replies_are_noticed() {
        let mut burst = Burst::new(&Workload::ALL, 40);
        assert_eq!(replay::<Prost>(&burst, 3).expect("the right replies"), 120);
        for index in [0, burst.replies.len() / 2, burst.replies.len() - 1] {
            burst.replies[index] ^= 1;
            assert!(replay::<Defiant>(&burst, 1).is_err());
            burst.replies[index] ^= 1;
        }
        burst.replies.push(0);
        assert!(replay::<Defiant>(&burst, 1).is_err(), "one is missing");
    }
}
