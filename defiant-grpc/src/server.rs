//! The server: connections, streams, calls.

use std::fmt;
use std::future::{Future, pending, poll_fn};
use std::io;
use std::panic::{self, AssertUnwindSafe};
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::task::{Poll, ready};
use std::time::Duration;

use defiant::pool::LocalArenaPool;
use h2::server::{Connection, SendResponse};
use h2::{Reason, RecvStream};
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::{JoinSet, spawn_local};
use tokio::time::{Instant, Sleep, sleep, sleep_until};

use crate::encoding;
use crate::exchange::{Exchange, Shared, SharedGzip, Unread};
use crate::frame::Frame;
use crate::idle::Idle;
use crate::keepalive::Keepalive;
use crate::listener::{Failure, PAUSE, failure};
use crate::options::ServerOptions;
use crate::requests::Body;
use crate::service::Service;
use crate::status::Status;
use crate::timeout::timeout;

/// How long a connection that is to end waits for a client that does not answer.
const GRACE: Duration = Duration::from_secs(5);

/// A server of one thread: its services and its arenas. Clones are the same server.
///
/// It runs within a [`tokio::task::LocalSet`], on a runtime of one thread with I/O and time; for more cores, run one on each
/// thread. Its calls are tasks of that thread, each with an arena of the server's pool, so that nothing is shared and nothing
/// has to be [`Send`].
///
/// See [the crate](crate) for an example.
pub struct Server<S> {
    inner: Rc<Inner<S>>,
}

struct Inner<S> {
    services: S,
    options: ServerOptions,
    pool: LocalArenaPool,
    gzip: SharedGzip,
}

impl<S> Clone for Server<S> {
    fn clone(&self) -> Self {
        Server { inner: Rc::clone(&self.inner) }
    }
}

impl<S> fmt::Debug for Server<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("options", &self.inner.options)
            .field("pool", &self.inner.pool)
            .finish_non_exhaustive()
    }
}

impl<S: Service + 'static> Server<S> {
    /// A server of a service, or of a tuple of services.
    #[must_use]
    pub fn new(services: S) -> Self {
        Self::with_options(services, ServerOptions::new())
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_options(services: S, options: ServerOptions) -> Self {
        let pool = LocalArenaPool::new(options.pool);
        Server { inner: Rc::new(Inner { services, options, pool, gzip: SharedGzip::default() }) }
    }

    /// The arenas of its calls.
    #[must_use]
    pub fn pool(&self) -> &LocalArenaPool {
        &self.inner.pool
    }

    /// Accepts connections and answers their calls, for ever.
    ///
    /// A connection that fails, before or after it is accepted, ends for itself. When there are no file descriptors or no
    /// memory for another one, those that are there go on, and it tries again every 100 ms; clients wait meanwhile.
    ///
    /// # Errors
    /// When the listener is broken: it is none, or was closed.
    ///
    /// # Panics
    /// Outside of a [`tokio::task::LocalSet`], or on a runtime without time.
    pub async fn serve(&self, listener: TcpListener) -> io::Result<()> {
        self.serve_until(listener, pending()).await
    }

    /// The same until a future is ready; then no connections are accepted any more, each one ends as that of
    /// [`serve_connection_until`](Self::serve_connection_until), and it returns.
    ///
    /// Open calls are answered however long that takes. Who does not want to wait for them drops the future, which ends
    /// whatever is left.
    ///
    /// # Errors
    /// As [`serve`](Self::serve).
    ///
    /// # Panics
    /// As [`serve`](Self::serve).
    pub async fn serve_until(&self, listener: TcpListener, stop: impl Future<Output = ()>) -> io::Result<()> {
        let (stopping, stopped) = watch::channel(false);
        let mut connections = JoinSet::new();
        let mut stop = pin!(stop);
        let mut pause: Option<Pin<Box<Sleep>>> = None;
        loop {
            let accepted = poll_fn(|cx| {
                // Connections that have ended are let go of.
                while let Poll::Ready(Some(_)) = connections.poll_join_next(cx) {}
                if stop.as_mut().poll(cx).is_ready() {
                    return Poll::Ready(None);
                }
                // One that ends has it polled again.
                if connections.len() >= self.inner.options.connections {
                    return Poll::Pending;
                }
                if let Some(pause_end) = &mut pause {
                    ready!(pause_end.as_mut().poll(cx));
                    pause = None;
                }
                listener.poll_accept(cx).map(Some)
            });
            let Some(accepted) = accepted.await else { break };
            let (stream, _) = match accepted {
                Ok(accepted) => accepted,
                Err(error) => match failure(&error) {
                    Failure::Connection => continue,
                    Failure::Shortage => {
                        pause = Some(Box::pin(sleep(PAUSE)));
                        continue;
                    }
                    Failure::Listener => return Err(error),
                },
            };
            // Without it, the end of a short answer waits for an acknowledgement.
            let _ = stream.set_nodelay(true);
            let (server, mut stopped) = (self.clone(), stopped.clone());
            connections.spawn_local(async move {
                let stop = async move {
                    // It fails when the server is dropped, which is an end as well.
                    let _ = stopped.wait_for(|stop| *stop).await;
                };
                // A connection that fails is the client's affair.
                let _ = server.serve_connection_until(stream, stop).await;
            });
        }
        drop(listener);
        stopping.send_replace(true);
        while connections.join_next().await.is_some() {}
        Ok(())
    }

    /// Answers the calls of one connection, of whatever kind: TCP, TLS, a Unix socket, a pipe in memory.
    ///
    /// # Errors
    /// When the connection fails, or the other side does not speak HTTP/2, does not say so in time
    /// ([`ServerOptions::handshake_timeout`]), or says nothing any more ([`ServerOptions::keepalive`]).
    ///
    /// # Panics
    /// As [`serve`](Self::serve).
    pub async fn serve_connection(&self, io: impl AsyncRead + AsyncWrite + Unpin) -> io::Result<()> {
        self.serve_connection_until(io, pending()).await
    }

    /// The same until a future is ready; then the client is told, calls that it made before it knew are answered like those
    /// that are open, and it returns when none is left. So it does when the connection was without calls for too long
    /// ([`ServerOptions::idle_timeout`]).
    ///
    /// If the client does not even say that it knows, no call is accepted after 5 seconds, and nothing but open calls is waited
    /// for. A connection that has not begun to speak HTTP/2 ends at once.
    ///
    /// # Errors
    /// As [`serve_connection`](Self::serve_connection).
    ///
    /// # Panics
    /// As [`serve`](Self::serve).
    pub async fn serve_connection_until(
        &self,
        io: impl AsyncRead + AsyncWrite + Unpin,
        stop: impl Future<Output = ()>,
    ) -> io::Result<()> {
        let mut stop = pin!(stop);
        let Some(mut connection) = self.handshake(io, stop.as_mut()).await? else { return Ok(()) };
        let mut idle = Idle::new(self.inner.options.idle_timeout);
        let mut keepalive = Keepalive::new(connection.ping_pong(), self.inner.options.keepalive);
        let mut grace = None;
        let mut grace_is_over = false;
        loop {
            let accepted = poll_fn(|cx| {
                if grace.is_none()
                    && (stop.as_mut().poll(cx).is_ready() || idle.poll(connection.has_streams(), cx).is_ready())
                {
                    connection.graceful_shutdown();
                    grace = Some(Box::pin(sleep(GRACE)));
                }
                if keepalive.as_mut().is_some_and(|it| it.poll(cx).is_ready()) {
                    let silence = io::Error::new(io::ErrorKind::TimedOut, "no answer to a ping in time");
                    return Poll::Ready(Some(Err(silence)));
                }
                let accepted = connection.poll_accept(cx).map_err(io::Error::other);
                if let Some(grace) = grace.as_mut().filter(|_| !grace_is_over) {
                    grace_is_over = grace.as_mut().poll(cx).is_ready();
                }
                if accepted.is_pending() && grace_is_over && !connection.has_streams() {
                    // The client hears of it if there is room for a word more, but is not waited for.
                    connection.abrupt_shutdown(Reason::NO_ERROR);
                    let _ = connection.poll_closed(cx);
                    return Poll::Ready(None);
                }
                accepted
            });
            let Some(accepted) = accepted.await else { return Ok(()) };
            let (request, mut respond) = accepted?;
            if grace_is_over {
                // As a call that nothing was done for, which may be made elsewhere.
                respond.send_reset(Reason::REFUSED_STREAM);
                continue;
            }
            let server = self.clone();
            spawn_local(async move { server.answer(request, respond).await });
        }
    }

    /// Waits for the other side to speak HTTP/2; `None` if it is to stop before that.
    async fn handshake<I: AsyncRead + AsyncWrite + Unpin>(
        &self,
        io: I,
        mut stop: Pin<&mut impl Future<Output = ()>>,
    ) -> io::Result<Option<Connection<I, Frame>>> {
        let options = &self.inner.options;
        let mut builder = h2::server::Builder::new();
        builder
            .max_concurrent_streams(options.concurrent_calls)
            .max_header_list_size(options.header_bytes)
            .initial_window_size(options.windows.0)
            .initial_connection_window_size(options.windows.1);
        let mut handshake = pin!(builder.handshake(io));
        let mut late = pin!(sleep(options.handshake_timeout));
        poll_fn(|cx| {
            if let Poll::Ready(result) = handshake.as_mut().poll(cx) {
                return Poll::Ready(result.map(Some).map_err(io::Error::other));
            }
            if stop.as_mut().poll(cx).is_ready() {
                return Poll::Ready(Ok(None));
            }
            late.as_mut().poll(cx).map(|()| Err(io::Error::new(io::ErrorKind::TimedOut, "no HTTP/2 in time")))
        })
        .await
    }

    /// Answers one call.
    async fn answer(&self, request: Request<RecvStream>, mut respond: SendResponse<Frame>) {
        let (head, body) = request.into_parts();
        if let Some(status) = not_grpc(&head.method, &head.headers) {
            let mut response = Response::new(());
            *response.status_mut() = status;
            if status == StatusCode::METHOD_NOT_ALLOWED {
                // It must say which one is, RFC 9110, 15.5.6.
                response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
            }
            let _ = respond.send_response(response, true);
            return;
        }
        let timeout = timeout(&head.headers);
        let is_gzip = encoding::is_gzip(&head.headers);
        let Inner { services, options, pool, gzip } = &*self.inner;
        let longest = match timeout {
            Ok(Some(timeout)) => options.call_timeout.min(timeout),
            _ => options.call_timeout,
        };
        let deadline = match longest {
            Duration::MAX => None,
            longest => Instant::now().into_std().checked_add(longest),
        };
        let compressed_from = options.compressed_from.filter(|_| encoding::takes_gzip(&head.headers));
        let (pool, headers) = (pool.clone(), head.headers);
        let shared = Rc::new(Shared::new(pool, Rc::clone(gzip), headers, deadline, compressed_from, respond));
        let (service, method) = split(head.uri.path());
        let refused = match (timeout, &is_gzip) {
            (Err(status), _) => Some(status),
            (_, Err(status)) => {
                shared.headers.borrow_mut().insert(encoding::ACCEPT_ENCODING, encoding::accepted());
                Some(status.clone())
            }
            _ if !services.has(service) => Some(Status::unimplemented(format!("no service {service}"))),
            _ => None,
        };
        if let Some(status) = refused {
            shared.finish(Err(status));
            return;
        }
        let gzip = matches!(is_gzip, Ok(true)).then(|| Rc::clone(gzip));
        let exchange = Exchange::new(Body::new(body, options.limits, gzip), Rc::clone(&shared));
        let result = watched(services.call(service, method, exchange), &shared).await;
        match result {
            Some(result) => {
                if let Some(unread) = shared.finish(result) {
                    read_in_time(unread, shared).await;
                }
            }
            None => shared.abandon(),
        }
    }
}

/// Runs a call until it ends, its time is over, or the client goes away: `None`.
async fn watched(call: impl Future<Output = Result<(), Status>>, shared: &Shared) -> Option<Result<(), Status>> {
    let mut call = pin!(call);
    let mut sleep = shared.deadline.map(|deadline| Box::pin(sleep_until(deadline.into())));
    poll_fn(|cx| {
        if shared.poll_reset(cx).is_ready() {
            return Poll::Ready(None);
        }
        // A panic is the end of the call, and of nothing else: what it had in hand goes with its future, which is not polled
        // again.
        match panic::catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(cx))) {
            Ok(Poll::Ready(result)) => return Poll::Ready(Some(result)),
            Ok(Poll::Pending) => {}
            // What it said has been said to the panic hook; it is not the client's to know.
            Err(_) => return Poll::Ready(Some(Err(Status::internal("the method panicked")))),
        }
        let late = sleep.as_mut().is_some_and(|sleep| Pin::new(sleep).poll(cx).is_ready());
        if late {
            Poll::Ready(Some(Err(Status::deadline_exceeded("the time of the call is over"))))
        } else {
            Poll::Pending
        }
    })
    .await
}

/// Waits until a client has read an answer, or the time of the call is over: then the answer is freed.
async fn read_in_time(mut unread: Unread, shared: Rc<Shared>) {
    let Some(deadline) = shared.deadline else { return };
    // What else the call had is no longer needed.
    drop(shared);
    let mut late = pin!(sleep_until(deadline.into()));
    poll_fn(|cx| match late.as_mut().poll(cx) {
        Poll::Ready(()) => {
            unread.reset();
            Poll::Ready(())
        }
        Poll::Pending => unread.poll_gone(cx),
    })
    .await;
}

/// The HTTP status for a request that is none of gRPC.
fn not_grpc(method: &Method, headers: &HeaderMap) -> Option<StatusCode> {
    if *method != Method::POST {
        return Some(StatusCode::METHOD_NOT_ALLOWED);
    }
    let kind = headers.get(header::CONTENT_TYPE).map_or(&b""[..], HeaderValue::as_bytes);
    // `application/grpc`, `application/grpc+proto`, with parameters or without; not `application/grpc-web`.
    let known = match kind.strip_prefix(b"application/grpc") {
        Some(rest) => matches!(rest, b"" | b"+proto") || rest.starts_with(b";") || rest.starts_with(b"+proto;"),
        None => false,
    };
    if known { None } else { Some(StatusCode::UNSUPPORTED_MEDIA_TYPE) }
}

/// `/tutorial.Search/Find` as service and method.
fn split(path: &str) -> (&str, &str) {
    path.strip_prefix('/').unwrap_or(path).rsplit_once('/').unwrap_or((path, ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths() {
        assert_eq!(split("/a.B/C"), ("a.B", "C"));
        assert_eq!(split("/a.B"), ("/a.B", ""));
        assert_eq!(split(""), ("", ""));
    }

    #[test]
    fn content_types() {
        let of = |kind: &'static str| {
            let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, HeaderValue::from_static(kind))]);
            not_grpc(&Method::POST, &headers)
        };
        for good in ["application/grpc", "application/grpc+proto", "application/grpc; charset=utf-8"] {
            assert_eq!(of(good), None, "{good}");
        }
        for bad in ["application/grpc-web", "application/grpc+json", "application/json", ""] {
            assert_eq!(of(bad), Some(StatusCode::UNSUPPORTED_MEDIA_TYPE), "{bad}");
        }
        assert_eq!(not_grpc(&Method::GET, &HeaderMap::new()), Some(StatusCode::METHOD_NOT_ALLOWED));
    }
}
