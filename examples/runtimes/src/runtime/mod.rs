//! The service on each runtime: a loop that accepts, and a loop for a connection.

#[cfg(all(target_os = "linux", feature = "compio"))]
mod compio;
#[cfg(all(target_os = "linux", feature = "glommio"))]
mod glommio;
#[cfg(all(target_os = "linux", feature = "monoio"))]
mod monoio;
mod tokio_local;
mod tokio_threads;

use std::{io, net::TcpListener, str::FromStr, sync::Arc};

use crate::{
    library::Library,
    server::{Control, Ready},
};

/// What the service can run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runtime {
    /// tokio with one thread and a `LocalSet`: an arena for each connection.
    TokioLocal,
    /// tokio with threads that steal tasks from each other: requests go from task to task, each with an arena of a pool.
    TokioThreads,
    /// monoio: io_uring, or epoll where there is none.
    Monoio,
    /// compio: io_uring, or polling where there is none.
    Compio,
    /// glommio: io_uring.
    Glommio,
}

/// What a runtime stands on that waits until sockets are ready.
const POLLED: &str = if cfg!(target_os = "linux") { "epoll" } else { "polling" };

/// What a runtime stands on that has the kernel do its reads and writes.
const RING: &str = "io_uring";

/// A server's thread, from its listener to its end.
pub(crate) type Serve = fn(TcpListener, Arc<Control>, Ready) -> io::Result<()>;

impl Runtime {
    /// All of them, whether they can run here or not.
    pub const ALL: [Runtime; 5] =
        [Runtime::TokioLocal, Runtime::TokioThreads, Runtime::Monoio, Runtime::Compio, Runtime::Glommio];

    /// Those that were asked for; all, where none was.
    pub fn these_or_all(asked: &[Runtime]) -> Vec<Runtime> {
        if asked.is_empty() { Self::ALL.into() } else { asked.into() }
    }

    /// As in commands and records.
    pub const fn name(self) -> &'static str {
        match self {
            Runtime::TokioLocal => "tokio-local",
            Runtime::TokioThreads => "tokio-threads",
            Runtime::Monoio => "monoio",
            Runtime::Compio => "compio",
            Runtime::Glommio => "glommio",
        }
    }

    /// The function for a server's thread.
    pub(crate) fn serve<L: Library>(self) -> io::Result<Serve> {
        match self {
            Runtime::TokioLocal => Ok(tokio_local::serve::<L>),
            Runtime::TokioThreads => Ok(tokio_threads::serve::<L>),
            #[cfg(all(target_os = "linux", feature = "monoio"))]
            Runtime::Monoio => Ok(monoio::serve::<L>),
            #[cfg(all(target_os = "linux", feature = "compio"))]
            Runtime::Compio => Ok(compio::serve::<L>),
            #[cfg(all(target_os = "linux", feature = "glommio"))]
            Runtime::Glommio => Ok(glommio::serve::<L>),
            #[cfg(not(all(target_os = "linux", feature = "monoio", feature = "compio", feature = "glommio")))]
            missing => Err(unsupported(missing, &"it needs Linux and the feature of its name")),
        }
    }
}

impl FromStr for Runtime {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let names = || Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|runtime| runtime.name() == name)
            .ok_or_else(|| format!("`{name}` is none of {}", names()))
    }
}

/// The error of a runtime that cannot run here.
#[cfg_attr(
    not(any(not(target_os = "linux"), not(feature = "monoio"), feature = "compio", feature = "glommio")),
    expect(dead_code, reason = "tokio and monoio run everywhere that they are built for")
)]
fn unsupported(runtime: Runtime, reason: &dyn std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, format!("{} cannot run here: {reason}", runtime.name()))
}
