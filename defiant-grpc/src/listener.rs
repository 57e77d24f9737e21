//! What is to be done when a listener accepts no connection.

use std::io::{self, ErrorKind};
use std::time::Duration;

/// How long to wait for connections to end when there is no room for another.
pub(crate) const PAUSE: Duration = Duration::from_millis(100);

/// Whose failure it is that there is no connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// That of the connection, which has failed before it was accepted. The next one may be there.
    Connection,
    /// The machine's: of file descriptors or memory there are none left, or whatever else may pass.
    Shortage,
    /// The listener's. It will not accept any connection again.
    Listener,
}

/// `EBADF`, and what Windows has for it.
const NO_DESCRIPTOR: i32 = if cfg!(windows) { 10009 } else { 9 };

/// `ENOTSOCK`.
const NO_SOCKET: i32 = match () {
    () if cfg!(windows) => 10038,
    () if cfg!(any(target_os = "linux", target_os = "android")) => 88,
    () => 38,
};

/// Failures of connections that [`ErrorKind`] has no stable name for. Linux reports what happened to a connection that nobody
/// has accepted yet, and asks in accept(2) to try again: `ENONET`, `EPROTO`, `ENOPROTOOPT`, `EOPNOTSUPP` and `EHOSTDOWN`.
const OF_CONNECTIONS: &[i32] =
    if cfg!(any(target_os = "linux", target_os = "android")) { &[64, 71, 92, 95, 112] } else { &[] };

/// Tells the failures of accept(2) apart. What it does not know may pass, and is waited for: to go on at once might be to do
/// nothing else, and to end because of one connection is what a peer would like to see.
pub(crate) fn failure(error: &io::Error) -> Failure {
    match (error.kind(), error.raw_os_error()) {
        (
            ErrorKind::ConnectionAborted
            | ErrorKind::ConnectionReset
            | ErrorKind::Interrupted
            | ErrorKind::TimedOut
            | ErrorKind::NetworkDown
            | ErrorKind::NetworkUnreachable
            | ErrorKind::HostUnreachable
            // A firewall's word.
            | ErrorKind::PermissionDenied,
            _,
        ) => Failure::Connection,
        (_, Some(code)) if OF_CONNECTIONS.contains(&code) => Failure::Connection,
        (ErrorKind::InvalidInput, _) | (_, Some(NO_DESCRIPTOR | NO_SOCKET)) => Failure::Listener,
        // Not the system's, but the runtime's, which has no place for the listener any more.
        (_, None) => Failure::Listener,
        _ => Failure::Shortage,
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn whose_it_is() {
        for (expected, codes) in [
            // ECONNABORTED, ECONNRESET, EINTR, EPERM, ETIMEDOUT; ENETDOWN, EPROTO, ENOPROTOOPT, EHOSTDOWN, ENONET,
            // EHOSTUNREACH, EOPNOTSUPP, ENETUNREACH.
            (Failure::Connection, &[103, 104, 4, 1, 110, 100, 71, 92, 112, 64, 113, 95, 101][..]),
            // EMFILE, ENFILE, ENOBUFS, ENOMEM, and ENOSPC of epoll.
            (Failure::Shortage, &[24, 23, 105, 12, 28]),
            // EBADF, EINVAL, ENOTSOCK.
            (Failure::Listener, &[9, 22, 88]),
        ] {
            for &code in codes {
                assert_eq!(failure(&io::Error::from_raw_os_error(code)), expected, "{code}");
            }
        }
        assert_eq!(failure(&io::Error::other("the runtime is gone")), Failure::Listener);
    }
}
