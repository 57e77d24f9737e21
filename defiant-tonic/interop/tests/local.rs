//! What Defiant's own server does beside answering.

use std::time::{Duration, Instant};

use defiant_grpc::ServerOptions;
use defiant_tonic::{Encoded, Outgoing};
use grpc_interop::library::library_client::LibraryClient;
use grpc_interop::library::{Book, FindRequest, Line, Mischief};
use grpc_interop::servers;
use tokio_stream::StreamExt as _;
use tonic::codec::CompressionEncoding;
use tonic::{Code, Request};

use crate::spawned;

fn request(limit: i32, mischief: Mischief) -> Outgoing<FindRequest<'static>> {
    Encoded::of(&FindRequest { title: "Emma", limit, mischief, ..FindRequest::default() })
}

#[test]
fn a_deadline_ends_the_call() {
    let server = servers::local(ServerOptions::new()).expect("a server");
    let url = server.url();
    spawned(async move {
        let mut client = LibraryClient::connect(url).await.expect("a server");
        let begin = Instant::now();
        let mut request = Request::new(request(0, Mischief::Sleep));
        // As a header only: the client itself waits for the server.
        request.metadata_mut().insert("grpc-timeout", "100m".parse().expect("ASCII"));
        let status = client.find(request).await.expect_err("too late");
        assert!(begin.elapsed() < Duration::from_secs(30));
        assert!(matches!(status.code(), Code::DeadlineExceeded | Code::Cancelled), "{status:?}");
    });
}

#[test]
fn a_panic_ends_the_call_and_nothing_else() {
    let server = servers::local(ServerOptions::new()).expect("a server");
    let url = server.url();
    spawned(async move {
        let mut client = LibraryClient::connect(url).await.expect("a server");
        let (lines, sent) = tokio::sync::mpsc::channel::<Outgoing<Line<'static>>>(1);
        let sent = tokio_stream::wrappers::ReceiverStream::new(sent);
        lines.send(Encoded::of(&Line::default())).await.expect("room");
        let mut answers = client.talk(sent).await.expect("answers").into_inner();
        answers.message().await.expect("no error").expect("an answer");
        for _ in 0..3 {
            let status = client.find(request(0, Mischief::Panic)).await.expect_err("it panics");
            assert_eq!((status.code(), status.message()), (Code::Internal, "the method panicked"));
        }
        // A call that was open goes on, and so does the connection.
        lines.send(Encoded::of(&Line { number: 7, ..Line::default() })).await.expect("room");
        assert_eq!(answers.message().await.expect("no error").expect("an answer").get().number, 8);
        client.find(request(1, Mischief::Unspecified)).await.expect("a book");
    });
    server.stop().expect("an orderly end");
}

#[test]
fn compression() {
    let server = servers::local(ServerOptions::new().compress_from(1000)).expect("a server");
    let url = server.url();
    spawned(async move {
        let plain = LibraryClient::connect(url).await.expect("a server");
        let accepting = plain.clone().accept_compressed(CompressionEncoding::Gzip);
        let both = accepting.clone().send_compressed(CompressionEncoding::Gzip);
        for (mut client, encoding) in [(plain, None), (accepting, Some("gzip")), (both, Some("gzip"))] {
            // A short one, one that gets shorter, and a long one.
            for len in [0, 5_000, 1_000_000] {
                let response = client.find(request(len, Mischief::Unspecified)).await.expect("a book");
                let said = response.metadata().get("grpc-encoding").map(|value| value.to_str().expect("ASCII"));
                assert_eq!(said, encoding);
                assert_eq!(response.get_ref().get().cover, grpc_interop::cover(len as usize));
            }
            let books = tokio_stream::iter(0..50)
                .map(|_| Encoded::of(&Book { title: "Emma", cover: &grpc_interop::cover(2000), ..Book::default() }));
            assert_eq!(client.add(books).await.expect("a summary").get_ref().get().cover_bytes, 100_000);
            let mut books = client.list(request(20, Mischief::Unspecified)).await.expect("books").into_inner();
            for _ in 0..20 {
                let book = books.message().await.expect("no error").expect("a book");
                assert_eq!(book.get().cover, grpc_interop::cover(1000));
            }
            let status = client.find(request(0, Mischief::Fail)).await.expect_err("it fails on purpose");
            assert_eq!(status.code(), Code::NotFound);
        }
    });
    server.stop().expect("an orderly end");
}

#[test]
fn messages_have_limits() {
    let options = ServerOptions::new()
        .max_message_bytes(20_000)
        .decode_options(defiant::DecodeOptions::new().memory_limit(30_000));
    let server = servers::local(options).expect("a server");
    let url = server.url();
    spawned(async move {
        let mut client = LibraryClient::connect(url).await.expect("a server");
        for (len, code) in [(19_000, None), (20_001, Some(Code::ResourceExhausted))] {
            let title = "a".repeat(len);
            let find = Encoded::of(&FindRequest { title: &title, ..FindRequest::default() });
            assert_eq!(client.find(find).await.err().map(|status| status.code()), code, "{len}");
        }
        // Empty strings, which take more memory than bytes.
        let books = tokio_stream::once(Encoded::from_bytes([18, 0].repeat(5_000)));
        let status = client.add(books).await.expect_err("too much");
        assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
        let status = client.find(Encoded::from_bytes(vec![10, 1, 0xff])).await.expect_err("malformed");
        assert_eq!(status.code(), Code::Internal);
        assert_eq!(status.message(), "malformed message: FindRequest.title: invalid UTF-8 at byte 2");
        // In the middle of a stream.
        let books = tokio_stream::iter([Encoded::of(&Book::default()), Encoded::from_bytes(vec![0x0a])]);
        assert_eq!(client.add(books).await.expect_err("malformed").code(), Code::Internal);
        // The connection is none the worse for it.
        client.find(request(1, Mischief::Unspecified)).await.expect("a book");
    });
}

#[test]
fn a_slow_reader_holds_the_sender_back() {
    let server = servers::local(ServerOptions::new()).expect("a server");
    let url = server.url();
    spawned(async move {
        let channel = tonic::transport::Endpoint::from_shared(url)
            .expect("an address")
            .initial_stream_window_size(10_000)
            .initial_connection_window_size(20_000);
        let mut client = LibraryClient::new(channel.connect().await.expect("a server"));
        let mut first = client.list(request(2_000, Mischief::Unspecified)).await.expect("books").into_inner();
        let mut second = client.list(request(10, Mischief::Unspecified)).await.expect("books").into_inner();
        tokio::time::sleep(Duration::from_millis(100)).await;
        for _ in 0..2_000 {
            assert_eq!(first.message().await.expect("no error").expect("a book").get().cover.len(), 1000);
        }
        assert!(first.message().await.expect("no error").is_none());
        let mut count = 0;
        while second.message().await.expect("no error").is_some() {
            count += 1;
        }
        assert_eq!(count, 10);
    });
}

#[test]
fn a_client_may_leave() {
    let server = servers::local(ServerOptions::new()).expect("a server");
    let url = server.url();
    spawned(async move {
        let mut client = LibraryClient::connect(url).await.expect("a server");
        let mut books = client.list(request(i32::MAX, Mischief::Unspecified)).await.expect("books").into_inner();
        books.message().await.expect("no error").expect("a book");
        drop(books);
        let mut other = client.clone();
        let sleeping = other.find(request(0, Mischief::Sleep));
        assert!(tokio::time::timeout(Duration::from_millis(50), sleeping).await.is_err());
        client.find(request(1, Mischief::Unspecified)).await.expect("a book");
    });
    // It ends only when no call is open any more.
    server.stop().expect("an orderly end");
}

#[test]
fn it_answers_what_is_open_before_it_stops() {
    let server = servers::local(ServerOptions::new()).expect("a server");
    let url = server.url();
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    runtime.block_on(async move {
        let mut client = LibraryClient::connect(url).await.expect("a server");
        let (lines, sent) = tokio::sync::mpsc::channel::<Outgoing<Line<'static>>>(1);
        let sent = tokio_stream::wrappers::ReceiverStream::new(sent);
        lines.send(Encoded::of(&Line::default())).await.expect("room");
        let mut answers = client.talk(sent).await.expect("answers").into_inner();
        answers.message().await.expect("no error").expect("an answer");
        let stopping = tokio::task::spawn_blocking(move || server.stop());
        tokio::time::sleep(Duration::from_millis(50)).await;
        assert!(!stopping.is_finished());
        lines.send(Encoded::of(&Line { number: 7, ..Line::default() })).await.expect("room");
        assert_eq!(answers.message().await.expect("no error").expect("an answer").get().number, 8);
        drop(lines);
        assert!(answers.message().await.expect("no error").is_none());
        stopping.await.expect("no panic").expect("an orderly end");
    });
}

#[test]
fn many_calls_at_a_time() {
    let server = servers::local(ServerOptions::new().max_concurrent_calls(10)).expect("a server");
    let url = server.url();
    spawned(async move {
        let mut client = LibraryClient::connect(url).await.expect("a server");
        // With its answer the client knows how many calls it may make at a time; what it made before might be refused.
        client.find(request(0, Mischief::Unspecified)).await.expect("a book");
        let mut calls = tokio::task::JoinSet::new();
        for len in 0..300 {
            let mut client = client.clone();
            calls.spawn(async move {
                let book = client.find(request(len, Mischief::Unspecified)).await.expect("a book");
                assert_eq!(book.get_ref().get().cover, grpc_interop::cover(len as usize));
            });
        }
        let mut calls = tokio_stream::iter(calls.join_all().await);
        while calls.next().await.is_some() {}
    });
}
