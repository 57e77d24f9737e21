//! The server against clients that come and go as they like, and send what they like when they like.
//!
//! Time is paused where there are no sockets: a sleep is over when nothing else is to be done, and takes none.

use std::cell::{Cell, RefCell};
use std::future::pending;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;
use std::time::Duration;

use bytes::Bytes;
use defiant::wkt::{ListValue, StringValue, Value, value};
use defiant::{Arena, DecodeOptions, Enumeration, Message, UnknownFields};
use defiant_grpc::{Code, Exchange, Server, ServerOptions, Service, Status};
use h2::client::{self, SendRequest};
use h2::{RecvStream, SendStream};
use http::{Request, Response, StatusCode};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, LocalSet, spawn_local};
use tokio::time::{self, Instant};

/// Notes what comes in, and goes on after errors, a few times.
#[derive(Clone, Default)]
struct Notes(Rc<RefCell<Vec<String>>>);

impl Service for Notes {
    fn has(&self, service: &str) -> bool {
        service == "Notes"
    }

    async fn call(&self, _: &str, method: &str, exchange: Exchange) -> Result<(), Status> {
        let (_call, mut requests, replies) = exchange.open::<StringValue<'static>, StringValue<'static>>();
        match method {
            // Waits for something else as well, again and again.
            "Impatient" => {
                let mut ticks = time::interval(Duration::from_millis(1));
                loop {
                    tokio::select! {
                        biased;
                        message = requests.next() => match message? {
                            Some(message) => self.0.borrow_mut().push(message.value.to_owned()),
                            None => break,
                        },
                        _ = ticks.tick() => {}
                    }
                }
            }
            "Slow" => time::sleep(Duration::from_secs(60)).await,
            _ => {
                for _ in 0..4 {
                    let note = match requests.next().await {
                        Ok(Some(message)) => message.value.to_owned(),
                        Ok(None) => break,
                        Err(status) => format!("{:?}", status.code()),
                    };
                    self.0.borrow_mut().push(note);
                }
            }
        }
        replies.send(&StringValue { value: "done", ..StringValue::default() }).await
    }
}

fn run<F: Future>(future: F) -> F::Output {
    in_real_time(async {
        time::pause();
        future.await
    })
}

fn in_real_time<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    LocalSet::new().block_on(&runtime, future)
}

/// Waits until nobody has anything to do.
async fn settle() {
    time::sleep(Duration::from_millis(5)).await;
}

/// A client of a server with these options.
async fn connect(notes: &Notes, options: ServerOptions) -> SendRequest<Bytes> {
    let (near, far) = tokio::io::duplex(1 << 16);
    let server = Server::with_options(notes.clone(), options);
    spawn_local(async move { server.serve_connection(far).await });
    let (client, connection) = client::handshake(near).await.expect("HTTP/2");
    spawn_local(connection);
    client
}

fn open(client: &mut SendRequest<Bytes>, method: &str) -> (client::ResponseFuture, SendStream<Bytes>) {
    let request = Request::post(format!("http://localhost/Notes/{method}")).header("content-type", "application/grpc");
    client.send_request(request.body(()).expect("a request"), false).expect("a stream")
}

/// `grpc-status`, wherever it is.
async fn code(response: Response<RecvStream>) -> String {
    let (head, mut body) = response.into_parts();
    while let Some(piece) = body.data().await {
        piece.expect("no error");
    }
    let trailers = body.trailers().await.expect("no error").unwrap_or_default();
    let status = trailers.get("grpc-status").or(head.headers.get("grpc-status")).expect("a status");
    status.to_str().expect("ASCII").to_owned()
}

/// Whether a call is answered.
async fn answers(client: &mut SendRequest<Bytes>) {
    let (response, mut body) = open(client, "All");
    body.send_data(Bytes::new(), true).expect("a stream");
    assert_eq!(code(response.await.expect("an answer")).await, "0");
}

/// What is noted of a body in these pieces, and how the call ends.
async fn noted(method: &str, options: ServerOptions, pieces: &[&[u8]]) -> (Vec<String>, String) {
    let notes = Notes::default();
    let mut client = connect(&notes, options).await;
    let (response, mut body) = open(&mut client, method);
    for (index, piece) in pieces.iter().enumerate() {
        // The server may have ended the call.
        let _ = body.send_data(Bytes::copy_from_slice(piece), index + 1 == pieces.len());
        settle().await;
    }
    let code = code(response.await.expect("an answer")).await;
    (notes.0.take(), code)
}

fn text(value: &str) -> Vec<u8> {
    StringValue { value, ..StringValue::default() }.encode_to_vec()
}

fn framed(message: &[u8]) -> Vec<u8> {
    let len = u32::try_from(message.len()).expect("short");
    [&[0], &len.to_be_bytes()[..], message].concat()
}

/// A message of a text that is a message with its prefix.
fn within() -> (String, Vec<u8>) {
    let inner = String::from_utf8(framed(&text("within"))).expect("ASCII");
    let outer = framed(&text(&inner));
    (inner, outer)
}

/// Answers with lists that hold each other, deeper than can be encoded.
struct Deep;

impl Service for Deep {
    fn has(&self, _: &str) -> bool {
        true
    }

    async fn call(&self, _: &str, _: &str, exchange: Exchange) -> Result<(), Status> {
        let (_call, _requests, replies) = exchange.open::<StringValue<'static>, ListValue<'static>>();
        fn build(arena: &Arena, levels: usize) -> ListValue<'_> {
            (0..levels).fold(ListValue::default(), |list, _| {
                let kind = Some(value::Kind::ListValue(arena.alloc(list)));
                let values = arena.alloc_slice_copy(&[Value { kind, ..Value::default() }]);
                ListValue { values, ..ListValue::default() }
            })
        }
        let arena = Arena::new();
        assert!(replies.send(&build(&arena, 100_000)).await.is_err());
        replies.send(&build(&arena, 100)).await?;
        replies.send_with(|arena| build(arena, 100_000)).await
    }
}

#[test]
fn reply_that_is_too_deep_is_an_error() {
    run(async {
        let (near, far) = tokio::io::duplex(1 << 16);
        spawn_local(async move { Server::new(Deep).serve_connection(far).await });
        let (mut client, connection) = client::handshake(near).await.expect("HTTP/2");
        spawn_local(connection);
        let (response, mut body) = open(&mut client, "All");
        body.send_data(Bytes::new(), true).expect("a stream");
        let internal = (Code::Internal as u32).to_string();
        assert_eq!(code(response.await.expect("an answer")).await, internal);
    });
}

#[test]
fn next_is_safe_to_cancel() {
    run(async {
        let (inner, outer) = within();
        let both = [&outer[..], &framed(&text("behind"))].concat();
        let expected = (vec![inner, "behind".to_owned()], "0".to_owned());
        for cut in 1..both.len() {
            let pieces = [&both[..cut], &both[cut..]];
            assert_eq!(noted("Impatient", ServerOptions::new(), &pieces).await, expected, "cut at {cut}");
        }
        let bytes: Vec<&[u8]> = both.chunks(1).collect();
        assert_eq!(noted("Impatient", ServerOptions::new(), &bytes).await, expected);
    });
}

#[test]
fn nothing_is_read_of_what_is_refused() {
    run(async {
        let (_, outer) = within();
        let behind = framed(&text("behind"));
        let both = [&outer[..], &behind].concat();
        let short = ServerOptions::new().max_message_bytes(10);
        let flag = [&[2], &outer[1..]].concat();
        for (what, options, body, expected) in [
            ("too long", short, &both[..], "ResourceExhausted"),
            ("a flag that is none", ServerOptions::new(), &flag, "Internal"),
            ("half of it", ServerOptions::new(), &outer[..outer.len() - 1], "Internal"),
            ("half a prefix", ServerOptions::new(), &outer[..3], "Internal"),
        ] {
            for size in [body.len(), 7, 1] {
                let pieces: Vec<&[u8]> = body.chunks(size).collect();
                let (notes, _) = noted("All", options, &pieces).await;
                assert_eq!(notes, [expected; 4], "{what}, in pieces of {size}");
            }
        }
    });
}

#[test]
fn a_message_that_does_not_decode_is_passed_over() {
    run(async {
        let (_, long) = within();
        let behind = framed(&text("behind"));
        let malformed = framed(b"\x0a\x06\0\0\0\0\x08");
        let compressed = [&[1], &framed(&text("short"))[1..]].concat();
        let limited = ServerOptions::new().decode_options(DecodeOptions::new().size_limit(10));
        for (what, options, first, expected) in [
            ("too long to decode", limited, &long, "ResourceExhausted"),
            ("malformed", limited, &malformed, "Internal"),
            ("compressed without a word", limited, &compressed, "Internal"),
        ] {
            let body = [&first[..], &behind].concat();
            for size in [body.len(), 7, 1] {
                let pieces: Vec<&[u8]> = body.chunks(size).collect();
                let (notes, code) = noted("All", options, &pieces).await;
                assert_eq!((notes, &*code), (vec![expected.to_owned(), "behind".to_owned()], "0"), "{what}, {size}");
            }
        }
    });
}

#[test]
fn long_messages_in_any_pieces() {
    run(async {
        let long: String = (0..40_000).map(|index| char::from(b'a' + (index * index % 26) as u8)).collect();
        let body = [framed(&text(&long)), framed(&text("behind"))].concat();
        // Those that are kept, those that are gathered, and some of each.
        for sizes in [&[16_384][..], &[5_000], &[1, 9_000, 300, 2, 8_192, 8_191]] {
            let (mut pieces, mut rest) = (Vec::new(), &body[..]);
            for size in sizes.iter().cycle() {
                let (piece, behind) = rest.split_at(rest.len().min(*size));
                pieces.push(piece);
                rest = behind;
                if rest.is_empty() {
                    break;
                }
            }
            let (notes, code) = noted("All", ServerOptions::new(), &pieces).await;
            assert!(notes == [&*long, "behind"] && code == "0", "{sizes:?}");
        }
    });
}

#[test]
fn many_headers_are_refused() {
    run(async {
        let notes = Notes::default();
        for (limit, options) in
            [(16 << 10, ServerOptions::new()), (2_000, ServerOptions::new().max_header_bytes(2_000))]
        {
            let mut client = connect(&notes, options).await;
            // With what the others take, and the 32 bytes of each.
            for (len, expected) in [(limit - 500, StatusCode::OK), (limit, StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE)]
            {
                for _ in 0..3 {
                    let request = Request::post("http://localhost/Notes/All")
                        .header("content-type", "application/grpc")
                        .header("x-long", "a".repeat(len));
                    let request = request.body(()).expect("a request");
                    let (response, _body) = client.send_request(request, true).expect("a stream");
                    assert_eq!(response.await.expect("an answer").status(), expected, "{len}");
                }
            }
            // The connection is none the worse for it.
            answers(&mut client).await;
        }
    });
}

#[test]
fn another_method_of_http_hears_which_it_is_to_be() {
    run(async {
        let mut client = connect(&Notes::default(), ServerOptions::new()).await;
        let get = Request::get("http://localhost/Notes/All").body(()).expect("a request");
        let (response, _) = client.send_request(get, true).expect("a stream");
        let response = response.await.expect("an answer");
        assert_eq!(
            (response.status(), &response.headers()["allow"]),
            (StatusCode::METHOD_NOT_ALLOWED, &"POST".parse().expect("ASCII"))
        );
    });
}

/// A connection that is served until something is sent, and its other end.
fn served(options: ServerOptions) -> (DuplexStream, oneshot::Sender<()>, JoinHandle<io::Result<()>>) {
    let (near, far) = tokio::io::duplex(1 << 16);
    let (stop, stopped) = oneshot::channel();
    let served = spawn_local(async move {
        let stopped = async {
            // Whoever does not stop it has it served for ever.
            if stopped.await.is_err() {
                pending().await
            }
        };
        Server::with_options(Notes::default(), options).serve_connection_until(far, stopped).await
    });
    (near, stop, served)
}

/// What a client begins with: that it speaks HTTP/2, and no settings.
const HELLO: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";

/// A call of a method as a frame; the index of a field, or its name and value, one after the other.
fn called(method: &str, stream: u8) -> Vec<u8> {
    let mut fields = vec![0x83, 0x86];
    let path = format!("/Notes/{method}");
    for (name, value) in [(":path", &*path), ("content-type", "application/grpc")] {
        fields.extend([&[0, name.len() as u8], name.as_bytes(), &[value.len() as u8], value.as_bytes()].concat());
    }
    [&[0, 0, fields.len() as u8, HEADERS, 5, 0, 0, 0, stream], &fields[..]].concat()
}

fn slow(stream: u8) -> Vec<u8> {
    called("Slow", stream)
}

/// Frames up to the next one of a kind, which is returned without its head; `None` at the end.
async fn frame(io: &mut DuplexStream, kind: u8) -> Option<Vec<u8>> {
    loop {
        let mut head = [0; 9];
        io.read_exact(&mut head).await.ok()?;
        let [_, a, b, found, ..] = head;
        let mut payload = vec![0; usize::from(u16::from_be_bytes([a, b]))];
        io.read_exact(&mut payload).await.expect("a whole frame");
        if found == kind {
            return Some(payload);
        }
    }
}

const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PING: u8 = 6;
const GO_AWAY: u8 = 7;
const WINDOW: u8 = 8;

#[test]
fn a_handshake_has_its_time() {
    run(async {
        for (options, seconds) in
            [(ServerOptions::new(), 10), (ServerOptions::new().handshake_timeout(Duration::from_secs(2)), 2)]
        {
            let begin = Instant::now();
            let (mut client, _stop, served) = served(options);
            client.write_all(&HELLO[..20]).await.expect("room");
            let error = served.await.expect("no panic").expect_err("too late");
            assert_eq!((error.kind(), begin.elapsed().as_secs()), (io::ErrorKind::TimedOut, seconds));
            // Who was in time has all the time in the world, if that is what the options say.
            let (mut client, _stop, served) =
                self::served(options.idle_timeout(Duration::MAX).keepalive(Duration::MAX, Duration::ZERO));
            client.write_all(HELLO).await.expect("room");
            time::sleep(Duration::from_secs(3600)).await;
            assert!(!served.is_finished());
        }
    });
}

#[test]
fn it_stops_without_a_handshake() {
    in_real_time(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("an address");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel::<()>();
        let served = spawn_local(async move {
            let stopped = async { stopped.await.expect("it is stopped") };
            Server::new(Notes::default()).serve_until(listener, stopped).await
        });
        let mut silent = TcpStream::connect(address).await.expect("a server");
        // The server's settings: it has begun.
        silent.read_u8().await.expect("a byte");
        let begin = Instant::now();
        stop.send(()).expect("it is there");
        served.await.expect("no panic").expect("an orderly end");
        assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    });
}

#[test]
fn it_stops_without_an_answer_of_an_idle_client() {
    run(async {
        // One that reads, and one that does not, with no room for another word.
        for reads in [true, false] {
            let (mut client, stop, served) = served(ServerOptions::new());
            client.write_all(HELLO).await.expect("room");
            if !reads {
                let ping = [&[0, 0, 8, PING, 0, 0, 0, 0, 0][..], &[0; 8]].concat();
                // Until the server waits to answer them, and reads no more.
                while time::timeout(Duration::from_secs(1), client.write_all(&ping)).await.is_ok() {}
            }
            settle().await;
            let begin = Instant::now();
            stop.send(()).expect("it is there");
            served.await.expect("no panic").expect("an orderly end");
            assert!(begin.elapsed() < Duration::from_secs(6), "{:?}", begin.elapsed());
            if reads {
                // That it is going to end, and that it ends.
                for last in [i32::MAX, 0] {
                    let away = frame(&mut client, GO_AWAY).await.expect("a word");
                    assert_eq!(away, [last.to_be_bytes(), [0; 4]].concat());
                }
                assert_eq!(frame(&mut client, GO_AWAY).await, None);
            }
        }
    });
}

#[test]
fn it_answers_open_calls_of_a_client_that_answers_nothing() {
    run(async {
        let (mut client, stop, served) = served(ServerOptions::new());
        client.write_all(&[HELLO, &slow(1)].concat()).await.expect("room");
        settle().await;
        stop.send(()).expect("it is there");
        frame(&mut client, GO_AWAY).await.expect("a word");
        // Before the client may know, and when it should.
        client.write_all(&slow(3)).await.expect("room");
        time::sleep(Duration::from_secs(10)).await;
        client.write_all(&slow(5)).await.expect("room");
        assert_eq!(frame(&mut client, RESET).await.expect("a refusal"), 7_u32.to_be_bytes());
        for _ in 0..2 {
            for _ in ["headers", "trailers"] {
                frame(&mut client, HEADERS).await.expect("an answer");
            }
        }
        served.await.expect("no panic").expect("an orderly end");
        assert_eq!(frame(&mut client, HEADERS).await, None);
    });
}

#[test]
fn a_connection_without_calls_ends() {
    run(async {
        let options = ServerOptions::new().idle_timeout(Duration::from_secs(20));
        // One that hears of it, and one that says nothing more.
        for answers in [true, false] {
            let (mut client, _stop, served) = served(options);
            client.write_all(HELLO).await.expect("room");
            let begin = Instant::now();
            if answers {
                frame(&mut client, GO_AWAY).await.expect("a word");
                assert_eq!(begin.elapsed().as_secs(), 20);
                // It is still there for a call that was made before that was known.
                client.write_all(&slow(1)).await.expect("room");
                for _ in ["headers", "trailers"] {
                    frame(&mut client, HEADERS).await.expect("an answer");
                }
                assert_eq!(begin.elapsed().as_secs(), 80);
            }
            served.await.expect("no panic").expect("an orderly end");
            assert_eq!(begin.elapsed().as_secs(), if answers { 80 } else { 25 });
        }
        // Calls of 60 seconds, a pause of 19, and no more.
        let (mut client, _stop, served) = served(options);
        client.write_all(HELLO).await.expect("room");
        let begin = Instant::now();
        for stream in [1, 3, 5] {
            client.write_all(&slow(stream)).await.expect("room");
            for _ in ["headers", "trailers"] {
                frame(&mut client, HEADERS).await.expect("an answer");
            }
            time::sleep(Duration::from_secs(19)).await;
        }
        assert!(!served.is_finished());
        frame(&mut client, GO_AWAY).await.expect("a word");
        let idle = begin.elapsed().as_secs() - (3 * 60 + 2 * 19);
        assert!((20..=40).contains(&idle), "{idle} s");
        assert!(served.await.expect("no panic").is_ok());
    });
}

#[test]
fn no_more_connections_than_are_allowed() {
    in_real_time(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("an address");
        let address = listener.local_addr().expect("an address");
        let options = ServerOptions::new().max_connections(2);
        let (stop, stopped) = oneshot::channel::<()>();
        let served = spawn_local(async move {
            let stopped = async { stopped.await.expect("it is stopped") };
            Server::with_options(Notes::default(), options).serve_until(listener, stopped).await
        });
        let mut clients = Vec::new();
        for _ in 0..4 {
            clients.push(TcpStream::connect(address).await.expect("a place in the queue"));
        }
        // The server speaks to those that it has accepted.
        let mut waiting = clients.split_off(2);
        for client in &mut clients {
            client.read_u8().await.expect("its settings");
        }
        let third = waiting[0].read_u8();
        assert!(time::timeout(Duration::from_millis(100), third).await.is_err(), "it waits");
        drop(clients);
        for client in &mut waiting {
            client.read_u8().await.expect("its settings");
        }
        // It stops with as many as it may have.
        stop.send(()).expect("it is there");
        served.await.expect("no panic").expect("an orderly end");
    });
}

/// With fewer descriptors than there are connections: it runs itself again with that limit.
#[cfg(unix)]
#[test]
fn more_connections_than_descriptors() {
    const AGAIN: &str = "DEFIANT_GRPC_FEW_DESCRIPTORS";
    if std::env::var_os(AGAIN).is_none() {
        let output = std::process::Command::new("sh")
            .args(["-c", "ulimit -n 40 && exec \"$0\" --exact more_connections_than_descriptors"])
            .arg(std::env::current_exe().expect("this one"))
            .env(AGAIN, "1")
            .output()
            .expect("a shell");
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    in_real_time(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("an address");
        let address = listener.local_addr().expect("an address");
        let served = spawn_local(async move { Server::new(Notes::default()).serve(listener).await });
        let mut good = client_at(address).await;
        // Until there are no descriptors left, here and there, as it is one process.
        let mut others = Vec::new();
        while let Ok(other) = TcpStream::connect(address).await {
            others.push(other);
        }
        // More than one round of waiting.
        time::sleep(Duration::from_millis(150)).await;
        assert!(!served.is_finished(), "{:?}", served.await);
        // A connection that is there goes on, and there is room for others when some have gone.
        answers(&mut good).await;
        drop(others);
        answers(&mut client_at(address).await).await;
    });
}

#[cfg(unix)]
async fn client_at(address: std::net::SocketAddr) -> SendRequest<Bytes> {
    let (client, connection) =
        client::handshake(TcpStream::connect(address).await.expect("a server")).await.expect("HTTP/2");
    spawn_local(connection);
    client
}

/// A call whose client lets so many bytes be sent to it at first.
fn called_by_one_that_reads(bytes: u32, method: &str, stream: u8) -> Vec<u8> {
    let settings = [&[0, 0, 6, SETTINGS, 0, 0, 0, 0, 0, 0, 4][..], &bytes.to_be_bytes()].concat();
    [settings, called(method, stream)].concat()
}

#[test]
fn a_call_takes_no_longer_than_it_may() {
    run(async {
        let options = ServerOptions::new().call_timeout(Duration::from_secs(5));
        for (asked, seconds) in [(None, 5), (Some("2S"), 2), (Some("9S"), 5)] {
            let mut client = connect(&Notes::default(), options).await;
            let begin = Instant::now();
            let request = Request::post("http://localhost/Notes/Slow").header("content-type", "application/grpc");
            let request = asked.into_iter().fold(request, |request, asked| request.header("grpc-timeout", asked));
            let (response, _body) = client.send_request(request.body(()).expect("a request"), false).expect("a stream");
            assert_eq!(code(response.await.expect("an answer")).await, "4", "DEADLINE_EXCEEDED");
            assert_eq!(begin.elapsed().as_secs(), seconds, "{asked:?}");
        }
    });
}

/// Answers once, or again and again for as long as the client takes it, and notes the end of each call.
#[derive(Clone, Default)]
struct Talker(Rc<RefCell<Vec<&'static str>>>);

impl Service for Talker {
    fn has(&self, service: &str) -> bool {
        service == "Notes"
    }

    async fn call(&self, _: &str, method: &str, exchange: Exchange) -> Result<(), Status> {
        struct Leave<'a>(&'a Talker);
        impl Drop for Leave<'_> {
            fn drop(&mut self) {
                self.0.0.borrow_mut().push("left");
            }
        }
        let _leave = Leave(self);
        let (_call, _, replies) = exchange.open::<StringValue<'static>, StringValue<'static>>();
        loop {
            replies.send(&StringValue { value: "some words", ..StringValue::default() }).await?;
            if method == "Once" {
                return Ok(());
            }
        }
    }
}

#[test]
fn what_is_not_read_is_kept_for_the_time_of_the_call() {
    run(async {
        let options = ServerOptions::new().call_timeout(Duration::from_secs(30));
        for method in ["Once", "Always"] {
            let (mut client, far) = tokio::io::duplex(1 << 16);
            let talker = Talker::default();
            let server = Server::with_options(talker.clone(), options);
            let pool = server.pool().clone();
            spawn_local(async move { server.serve_connection(far).await });
            let begin = Instant::now();
            client.write_all(&[HELLO, &called_by_one_that_reads(5, method, 1)].concat()).await.expect("room");
            time::sleep(Duration::from_secs(29)).await;
            assert!(pool.stats().in_use > 0, "the answer is kept");
            assert_eq!(talker.0.borrow().len(), usize::from(method == "Once"), "{method} ends when it has answered");
            assert_eq!(frame(&mut client, RESET).await.expect("a reset"), 8_u32.to_be_bytes(), "CANCEL");
            assert_eq!(begin.elapsed().as_secs(), 30);
            settle().await;
            assert_eq!((pool.stats().in_use, talker.0.borrow().len()), (0, 1));
            // Who reads in time has it all.
            client.write_all(&called_by_one_that_reads(5, "Once", 3)).await.expect("room");
            time::sleep(Duration::from_secs(29)).await;
            client.write_all(&[0, 0, 4, WINDOW, 0, 0, 0, 0, 3, 0, 0, 0, 100]).await.expect("room");
            for _ in ["headers", "trailers"] {
                frame(&mut client, HEADERS).await.expect("an answer");
            }
            settle().await;
            assert_eq!(pool.stats().in_use, 0);
            time::sleep(Duration::from_secs(29)).await;
            let reset = time::timeout(Duration::from_secs(1), frame(&mut client, RESET)).await;
            assert!(reset.is_err(), "{reset:?}");
        }
    });
}

#[test]
fn a_client_that_is_gone_is_noticed() {
    run(async {
        let options = ServerOptions::new().keepalive(Duration::from_secs(40), Duration::from_secs(7));
        let talker = Talker::default();
        let (mut client, far) = tokio::io::duplex(1 << 16);
        let server = Server::with_options(talker.clone(), options);
        let ended = spawn_local(async move { server.serve_connection(far).await });
        let begin = Instant::now();
        client.write_all(&[HELLO, &called_by_one_that_reads(5, "Always", 1)].concat()).await.expect("room");
        for round in 1..=3 {
            let asked = frame(&mut client, PING).await.expect("a ping");
            assert_eq!(begin.elapsed().as_secs(), 40 * round);
            let pong = [&[0, 0, 8, PING, 1, 0, 0, 0, 0], &asked[..]].concat();
            client.write_all(&pong).await.expect("room");
        }
        frame(&mut client, PING).await.expect("a ping");
        let error = ended.await.expect("no panic").expect_err("nobody is there");
        assert_eq!((error.kind(), begin.elapsed().as_secs()), (io::ErrorKind::TimedOut, 40 * 4 + 7));
        settle().await;
        assert_eq!(*talker.0.borrow(), ["left"], "its calls are dropped");
        // One that is not even read from.
        let (mut client, _stop, served) = served(options);
        client.write_all(HELLO).await.expect("room");
        let ping = [&[0, 0, 8, PING, 0, 0, 0, 0, 0][..], &[0; 8]].concat();
        while time::timeout(Duration::from_secs(1), client.write_all(&ping)).await.is_ok() {}
        let error = served.await.expect("no panic").expect_err("nobody is there");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    });
}

#[test]
fn windows_are_as_they_are_told() {
    run(async {
        for (call, connection, expected) in [
            (1 << 20, 1 << 20, (1 << 20, (1 << 20) - 65_535)),
            (100_000, 200_000, (100_000, 200_000 - 65_535)),
            (u32::MAX, u32::MAX, ((1 << 31) - 1, (1 << 31) - 65_536)),
        ] {
            let (mut client, _stop, _served) = served(ServerOptions::new().window_bytes(call, connection));
            client.write_all(HELLO).await.expect("room");
            let settings = frame(&mut client, SETTINGS).await.expect("settings");
            let window = settings.chunks(6).find(|setting| setting[..2] == [0, 4]).expect("a window");
            assert_eq!(window[2..], u32::to_be_bytes(expected.0));
            assert_eq!(frame(&mut client, WINDOW).await.expect("more"), u32::to_be_bytes(expected.1));
        }
    });
}

/// Answers from tasks of their own, and counts those that are at it.
#[derive(Clone, Default)]
struct Apart(Rc<Cell<usize>>);

impl Service for Apart {
    fn has(&self, _: &str) -> bool {
        true
    }

    async fn call(&self, _: &str, _: &str, exchange: Exchange) -> Result<(), Status> {
        let (call, _requests, replies) = exchange.open::<StringValue<'static>, StringValue<'static>>();
        let at_it = Rc::clone(&self.0);
        at_it.set(at_it.get() + 1);
        spawn_local(async move {
            let text = "x".repeat(100_000);
            while replies.send(&StringValue { value: &text, ..StringValue::default() }).await.is_ok() {}
            at_it.set(at_it.get() - 1);
            drop(call);
        });
        pending().await
    }
}

/// A client that reads nothing and goes, or a deadline, ends those who wait for room in tasks of their own.
#[test]
fn who_waits_for_room_hears_of_the_end() {
    run(async {
        for reset in [true, false] {
            let service = Apart::default();
            let (near, far) = tokio::io::duplex(1 << 16);
            let options = ServerOptions::new().call_timeout(Duration::from_secs(10));
            let server = Server::with_options(service.clone(), options);
            let pool = server.pool().clone();
            spawn_local(async move { server.serve_connection(far).await });
            let (mut client, connection) = client::handshake(near).await.expect("a connection");
            let connection = spawn_local(connection);
            for _ in 0..5 {
                let request = Request::post("http://localhost/A/b").header("content-type", "application/grpc");
                let (response, mut send) =
                    client.send_request(request.body(()).expect("a request"), true).expect("a call");
                let unread = response.await.expect("an answer");
                time::sleep(Duration::from_millis(5)).await;
                assert_eq!(service.0.get(), 1);
                if reset {
                    send.send_reset(h2::Reason::CANCEL);
                } else {
                    time::sleep(Duration::from_secs(20)).await;
                }
                drop(unread);
                time::sleep(Duration::from_millis(5)).await;
                assert_eq!((service.0.get(), pool.stats().in_use), (0, 0), "{reset}");
            }
            connection.abort();
        }
    });
}

/// An enum with a mistake in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Faulty(i32);

impl Enumeration for Faulty {
    const DEFAULT: Self = Faulty(0);
    const NAME: &'static str = "t.Faulty";
    const VALUES: &'static [(&'static str, i32)] = &[("ZERO", 0)];
    const OPEN: bool = true;

    fn from_number(number: i32) -> Option<Self> {
        assert!(number != 9, "a mistake");
        Some(Faulty(number))
    }

    fn number(self) -> i32 {
        self.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Message)]
struct Doubtful<'arena> {
    #[defiant(enumeration, tag = 1)]
    faulty: Faulty,
    #[defiant(string, tag = 2)]
    text: &'arena str,
    #[defiant(unknown)]
    unknown_fields: UnknownFields<'arena>,
}

/// Catches what panics, and goes on.
#[derive(Clone, Default)]
struct Stubborn(Rc<RefCell<Vec<String>>>);

impl Service for Stubborn {
    fn has(&self, _: &str) -> bool {
        true
    }

    async fn call(&self, _: &str, method: &str, exchange: Exchange) -> Result<(), Status> {
        let (call, mut requests, _replies) = exchange.open::<Doubtful<'static>, Doubtful<'static>>();
        if method == "Forgetful" {
            std::mem::forget(call.headers_mut());
            std::mem::forget(call.trailers_mut());
            return Err(Status::new(Code::Aborted, "forgotten"));
        }
        for _ in 0..3 {
            let mut next = pin!(requests.next());
            let read = std::future::poll_fn(|cx| {
                let text = |read: Result<Option<Doubtful<'_>>, Status>| {
                    format!("{:?}", read.map(|one| one.map(|one| one.text)))
                };
                let polled = catch_unwind(AssertUnwindSafe(|| next.as_mut().poll(cx).map(text)));
                polled.unwrap_or_else(|_| Poll::Ready("panic".to_owned()))
            });
            let read = read.await;
            self.0.borrow_mut().push(read);
        }
        Ok(())
    }
}

#[test]
fn after_a_panic_of_a_decode_comes_the_next_message() {
    run(async {
        let service = Stubborn::default();
        let (near, far) = tokio::io::duplex(1 << 16);
        let server = Server::new(service.clone());
        spawn_local(async move { server.serve_connection(far).await });
        let (mut client, connection) = client::handshake(near).await.expect("a connection");
        spawn_local(connection);
        let request = || Request::post("http://localhost/A/b").header("content-type", "application/grpc");
        let (response, mut send) = client.send_request(request().body(()).expect("a request"), false).expect("a call");
        send.send_data(Bytes::from_static(b"\0\0\0\0\x05\x08\x09\x12\x01A\0\0\0\0\x03\x12\x01B"), true).expect("room");
        response.await.expect("an answer");
        assert_eq!(*service.0.borrow(), ["panic", "Ok(Some(\"B\"))", "Ok(None)"]);
        // What a method holds on to is not there, and nothing else is lost.
        let forgetful = request().uri("http://localhost/A/Forgetful").body(()).expect("a request");
        let (response, _send) = client.send_request(forgetful, true).expect("a call");
        assert_eq!(response.await.expect("an answer").headers()["grpc-status"], "10");
    });
}
