//! Connections whose other side is no longer there.

use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use h2::{Ping, PingPong};
use tokio::time::{Sleep, sleep};

/// Asks the other side from time to time whether it is there.
pub(crate) struct Keepalive {
    pings: PingPong,
    interval: Duration,
    timeout: Duration,
    over: Pin<Box<Sleep>>,
    /// A ping was sent, and not answered so far.
    waits: bool,
}

impl Keepalive {
    /// None where pings are not to be had.
    pub(crate) fn new(pings: Option<PingPong>, (interval, timeout): (Duration, Duration)) -> Option<Self> {
        // So that the time is never over at once, and nobody woken.
        let interval = interval.max(Duration::from_millis(1));
        Some(Keepalive { pings: pings?, interval, timeout, over: Box::pin(sleep(interval)), waits: false })
    }

    /// Ready when a ping was not answered in time. To be polled before the connection, which sends the pings.
    pub(crate) fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            if self.waits {
                match self.pings.poll_pong(cx) {
                    // What has failed, the connection will say.
                    Poll::Ready(_) => {
                        self.waits = false;
                        self.over.set(sleep(self.interval));
                    }
                    Poll::Pending => return self.over.as_mut().poll(cx),
                }
            }
            ready!(self.over.as_mut().poll(cx));
            self.waits = self.pings.send_ping(Ping::opaque()).is_ok();
            self.over.set(sleep(if self.waits { self.timeout } else { self.interval }));
        }
    }
}
