//! Defiant's own server against a client that keeps to no protocol, written with HTTP/2 frames by hand.

use std::io::Write as _;

use bytes::Bytes;
use defiant::{Arena, Message as _};
use defiant_grpc::ServerOptions;
use flate2::{Compression, write::GzEncoder};
use grpc_interop::library::{Book, FindRequest, Mischief};
use grpc_interop::servers;
use h2::client::SendRequest;
use http::{HeaderMap, Request, StatusCode};

use crate::spawned;

/// What came back.
#[derive(Debug)]
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Vec<u8>,
    trailers: HeaderMap,
}

impl Answer {
    /// `grpc-status`, wherever it is.
    fn code(&self) -> &str {
        let status = self.trailers.get("grpc-status").or(self.headers.get("grpc-status"));
        status.map_or("none", |status| status.to_str().expect("ASCII"))
    }
}

/// Sends a body in the given pieces.
async fn ask(client: &SendRequest<Bytes>, request: Request<()>, pieces: &[&[u8]]) -> Answer {
    let mut client = client.clone().ready().await.expect("a connection");
    let (response, mut body) = client.send_request(request, pieces.is_empty()).expect("a stream");
    for (index, piece) in pieces.iter().enumerate() {
        // The server may have answered, and closed the stream, before all is sent.
        let _ = body.send_data(Bytes::copy_from_slice(piece), index + 1 == pieces.len());
        tokio::task::yield_now().await;
    }
    let (head, mut body) = response.await.expect("an answer").into_parts();
    let mut read = Vec::new();
    while let Some(piece) = body.data().await {
        read.extend_from_slice(&piece.expect("no error"));
        let _ = body.flow_control().release_capacity(0);
    }
    let trailers = body.trailers().await.expect("no error").unwrap_or_default();
    Answer { status: head.status, headers: head.headers, body: read, trailers }
}

fn post(path: &str) -> Request<()> {
    with(path, &[])
}

fn with(path: &str, headers: &[(&'static str, &str)]) -> Request<()> {
    let mut request = Request::post(format!("http://localhost{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.body(()).expect("a request")
}

const FIND: &str = "/interop.v1.Library/Find";
const ADD: &str = "/interop.v1.Library/Add";

fn talk(test: impl AsyncFn(&SendRequest<Bytes>) + Send + Sync + 'static) {
    let server = servers::local(ServerOptions::new().max_message_bytes(1000)).expect("a server");
    let address = server.address();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async move {
        let io = tokio::net::TcpStream::connect(address).await.expect("a server");
        let (client, connection) = h2::client::handshake(io).await.expect("HTTP/2");
        let connection = tokio::spawn(connection);
        test(&client).await;
        drop(client);
        let _ = connection.await;
    });
    server.stop().expect("an orderly end");
}

fn framed(message: &[u8]) -> Vec<u8> {
    let len = u32::try_from(message.len()).expect("short");
    [&[0], &len.to_be_bytes()[..], message].concat()
}

#[test]
fn a_request_in_any_pieces() {
    talk(async |client| {
        let arena = Arena::new();
        let message = FindRequest { title: "Emma", limit: 3, ..FindRequest::default() }.encode_to_vec();
        let body = framed(&message);
        let expected = {
            let answer = ask(client, post(FIND), &[&body]).await;
            assert_eq!((answer.status, answer.code()), (StatusCode::OK, "0"), "{answer:?}");
            assert_eq!(answer.headers["content-type"], "application/grpc");
            let book = Book::decode(&answer.body[5..], &arena).expect("a book");
            assert_eq!((answer.body.len(), book.title), (5 + book.encoded_len(), "Emma"));
            answer.body
        };
        for cut in 0..=body.len() {
            let answer = ask(client, post(FIND), &[&body[..cut], &body[cut..]]).await;
            assert_eq!((answer.code(), &answer.body), ("0", &expected), "cut at {cut}");
        }
        let bytes: Vec<&[u8]> = body.chunks(1).collect();
        assert_eq!(ask(client, post(FIND), &bytes).await.body, expected);
    });
}

#[test]
fn malformed_bodies() {
    talk(async |client| {
        let (empty, long) = (framed(b""), framed(&[0; 1001]));
        let twice = [&empty[..], &empty].concat();
        let half = &framed(b"abc")[..6];
        for (what, path, pieces, code) in [
            ("no body", FIND, vec![], "12"),
            ("an empty body", FIND, vec![&b""[..]], "12"),
            ("two messages", FIND, vec![&twice[..]], "12"),
            ("half a prefix", FIND, vec![&b"\0\0\0"[..]], "13"),
            ("half a message", FIND, vec![half], "13"),
            ("bytes behind the message", FIND, vec![&empty[..], b"\0"], "12"),
            ("a compressed message", FIND, vec![&b"\x01\0\0\0\0"[..]], "13"),
            ("a flag that is none", FIND, vec![&b"\x02\0\0\0\0"[..]], "13"),
            ("a long message", FIND, vec![&long[..]], "8"),
            ("the promise of a long message", FIND, vec![&b"\0\xff\xff\xff\xff"[..]], "8"),
            ("not a message", FIND, vec![&framed(b"\xff")[..]], "13"),
            ("no body for a stream", ADD, vec![], "0"),
            ("two messages for a stream", ADD, vec![&twice[..]], "0"),
            ("half a message for a stream", ADD, vec![&empty[..], half], "13"),
            ("half a prefix for a stream", ADD, vec![&empty[..], b"\0"], "13"),
            ("a good one after all of these", FIND, vec![&empty[..]], "0"),
        ] {
            let answer = ask(client, post(path), &pieces).await;
            assert_eq!((answer.status, answer.code()), (StatusCode::OK, code), "{what}: {answer:?}");
        }
    });
}

#[test]
fn malformed_heads() {
    talk(async |client| {
        let empty = framed(b"");
        for (what, request, code) in [
            ("another service", post("/interop.v1.Nothing/Find"), "12"),
            ("another method", post("/interop.v1.Library/find"), "12"),
            ("no method", post("/interop.v1.Library"), "12"),
            ("the root", post("/"), "12"),
            ("more slashes", post("/interop.v1.Library/Find/"), "12"),
            ("a timeout without a unit", with(FIND, &[("grpc-timeout", "100")]), "13"),
            ("a timeout that is long", with(FIND, &[("grpc-timeout", "99999999H")]), "0"),
            ("no compression", with(FIND, &[("grpc-encoding", "identity")]), "0"),
            ("metadata", with(FIND, &[("x-echo", "back")]), "0"),
        ] {
            let answer = ask(client, request, &[&empty]).await;
            assert_eq!(answer.code(), code, "{what}: {answer:?}");
        }
        let sleep = framed(&FindRequest { mischief: Mischief::Sleep, ..FindRequest::default() }.encode_to_vec());
        for timeout in ["0n", "50m"] {
            let answer = ask(client, with(FIND, &[("grpc-timeout", timeout)]), &[&sleep]).await;
            assert_eq!(answer.code(), "4", "{timeout}: {answer:?}");
        }
        let answer = ask(client, with(FIND, &[("x-echo", "back")]), &[&empty]).await;
        assert_eq!(
            (&answer.headers["x-echo"], &answer.trailers["x-echo-trailer"]),
            (&"back".parse().expect("ASCII"), &"back".parse().expect("ASCII"))
        );
        let answer = ask(client, with(FIND, &[("grpc-encoding", "deflate")]), &[&empty]).await;
        assert_eq!(
            (answer.code(), &answer.headers["grpc-accept-encoding"]),
            ("12", &"identity,gzip".parse().expect("ASCII"))
        );
        let get = Request::get(format!("http://localhost{FIND}")).body(()).expect("a request");
        assert_eq!(ask(client, get, &[]).await.status, StatusCode::METHOD_NOT_ALLOWED);
        let json = Request::post(format!("http://localhost{FIND}")).header("content-type", "application/json");
        let answer = ask(client, json.body(()).expect("a request"), &[b"{}"]).await;
        assert_eq!(answer.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    });
}

/// The same bytes, said to be compressed.
fn compressed(message: &[u8]) -> Vec<u8> {
    let mut frame = framed(message);
    frame[0] = 1;
    frame
}

fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).and_then(|()| encoder.finish()).expect("a vector grows")
}

#[test]
fn compressed_bodies() {
    talk(async |client| {
        let request = || with(FIND, &[("grpc-encoding", "gzip")]);
        let title = "arenas ".repeat(100);
        let message = FindRequest { title: &title, limit: 3, ..FindRequest::default() }.encode_to_vec();
        let expected = ask(client, post(FIND), &[&framed(&message)]).await;
        assert_eq!((expected.code(), expected.body[0]), ("0", 0));
        let short = compressed(&gzip(&message));
        assert!(short.len() < 100);
        for cut in 0..=short.len() {
            let answer = ask(client, request(), &[&short[..cut], &short[cut..]]).await;
            assert_eq!((answer.code(), &answer.body), ("0", &expected.body), "cut at {cut}");
        }
        let mut wrong = gzip(&message);
        wrong[20] ^= 1;
        let mut part = gzip(&message);
        part.drain(15..20);
        // All are within the limit of a message on the wire, and two are not when they are no longer compressed.
        for (what, frame, code) in [
            ("not compressed all the same", framed(&message), "0"),
            ("compressed once more", compressed(&gzip(&gzip(&message))), "13"),
            ("a bomb", compressed(&gzip(&vec![0; 900_000])), "8"),
            ("a little too long", compressed(&gzip(&vec![0; 1001])), "8"),
            ("changed on the way", compressed(&wrong), "13"),
            ("nothing", compressed(b""), "13"),
            ("a part of it", compressed(&part), "13"),
            ("a good one after all of these", short, "0"),
        ] {
            let answer = ask(client, request(), &[&frame]).await;
            assert_eq!(answer.code(), code, "{what}: {answer:?}");
        }
    });
}

#[test]
fn another_protocol() {
    let server = servers::local(ServerOptions::new()).expect("a server");
    let address = server.address();
    spawned(async move {
        let io = tokio::net::TcpStream::connect(address).await.expect("a server");
        io.writable().await.expect("open");
        let _ = io.try_write(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n");
        // It hangs up, perhaps with a word of HTTP/2.
        let mut buffer = [0; 1000];
        while io.readable().await.is_ok() {
            match io.try_read(&mut buffer) {
                Ok(0) => break,
                Err(error) if error.kind() != std::io::ErrorKind::WouldBlock => break,
                _ => {}
            }
        }
    });
    server.stop().expect("an orderly end");
}
