//! Connections that nothing is asked on.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Sleep, sleep};

/// Says when a connection has been without calls for long enough.
///
/// A call does not set the clock, which would be work for each; it is looked at when the time is over, and then begins anew.
pub(crate) struct Idle {
    timeout: Duration,
    over: Pin<Box<Sleep>>,
    /// Whether there was a call since the time began.
    had_calls: bool,
}

impl Idle {
    pub(crate) fn new(timeout: Duration) -> Self {
        // So that the time is never over at once, and nobody woken.
        let timeout = timeout.max(Duration::from_millis(1));
        Idle { timeout, over: Box::pin(sleep(timeout)), had_calls: false }
    }

    /// Ready when there was no call for the timeout, or up to twice as long. To be polled whenever there may be a new one.
    pub(crate) fn poll(&mut self, has_calls: bool, cx: &mut Context<'_>) -> Poll<()> {
        self.had_calls |= has_calls;
        if self.over.as_mut().poll(cx).is_ready() {
            if !self.had_calls {
                return Poll::Ready(());
            }
            self.had_calls = has_calls;
            self.over.set(sleep(self.timeout));
            let _ = self.over.as_mut().poll(cx);
        }
        Poll::Pending
    }
}
