//! Heap allocations of the server: those of HTTP/2 with it, less those of HTTP/2 with a server that sends back bytes.
//!
//! A binary of its own with one test, because dhat counts what all threads allocate.

use std::future::poll_fn;

use bytes::Bytes;
use defiant::Message as _;
use defiant::wkt::BytesValue;
use defiant_grpc::{Exchange, Server, Service, Status};
use dhat::HeapStats;
use h2::{RecvStream, SendStream, client, server};
use http::{HeaderMap, HeaderValue, Request, Response};
use tokio::io::DuplexStream;
use tokio::task::{LocalSet, spawn_local};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// Messages, or calls, before it is counted, so that buffers are as large as they get and the pool has its arenas.
const WARM: u64 = 300;

/// Messages, or calls, that are counted.
const COUNTED: u64 = 500;

/// Sends back what comes in, one or many, in memory of its own.
struct Echo;

impl Service for Echo {
    fn has(&self, service: &str) -> bool {
        service == "Echo"
    }

    async fn call(&self, _: &str, method: &str, exchange: Exchange) -> Result<(), Status> {
        let (call, mut requests, replies) = exchange.open::<BytesValue<'static>, BytesValue<'static>>();
        if method == "One" {
            let request = requests.only(&call).await?;
            return replies.send(&BytesValue { value: call.alloc_slice_copy(request.value), ..request }).await;
        }
        while let Some(request) = requests.next().await? {
            replies
                .send_with(|arena| BytesValue { value: arena.alloc_slice_copy(request.value), ..BytesValue::default() })
                .await?;
        }
        Ok(())
    }
}

/// Sends back what comes in, whatever it is.
async fn bytes(io: DuplexStream) {
    let mut connection = server::handshake(io).await.expect("HTTP/2");
    while let Some(accepted) = connection.accept().await {
        let (request, mut respond) = accepted.expect("a request");
        spawn_local(async move {
            let mut body = request.into_body();
            let mut response = Response::new(());
            response.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
            let mut stream = respond.send_response(response, false).expect("a stream");
            while let Some(piece) = body.data().await {
                let piece = piece.expect("no error");
                let _ = body.flow_control().release_capacity(piece.len());
                stream.send_data(piece, false).expect("a stream");
            }
            let trailers =
                HeaderMap::from_iter([("grpc-status".parse().expect("a name"), HeaderValue::from_static("0"))]);
            stream.send_trailers(trailers).expect("a stream");
        });
    }
}

async fn defiant(io: DuplexStream) {
    Server::new(Echo).serve_connection(io).await.expect("it ends in order");
}

/// A message as it travels.
fn message() -> Bytes {
    let message = BytesValue { value: &[7; 500], ..BytesValue::default() }.encode_to_vec();
    let len = u32::try_from(message.len()).expect("short");
    [&[0], &len.to_be_bytes()[..], &message].concat().into()
}

fn open(client: &mut client::SendRequest<Bytes>, method: &str) -> (client::ResponseFuture, SendStream<Bytes>) {
    let request = Request::post(format!("http://localhost/Echo/{method}")).header("content-type", "application/grpc");
    client.send_request(request.body(()).expect("a request"), false).expect("a stream")
}

/// Waits until so many bytes have come.
async fn expect(body: &mut RecvStream, bytes: usize) {
    let mut missing = bytes;
    while missing > 0 {
        let piece = body.data().await.expect("an answer").expect("no error");
        body.flow_control().release_capacity(piece.len()).expect("room");
        missing = missing.checked_sub(piece.len()).expect("no more than that");
    }
}

/// Allocations of one stream's messages, one after the other, and of calls.
fn count<F: Future<Output = ()> + 'static>(serve: fn(DuplexStream) -> F) -> (u64, u64) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    LocalSet::new().block_on(&runtime, async {
        let (near, far) = tokio::io::duplex(1 << 16);
        let served = spawn_local(serve(far));
        let (mut client, connection) = client::handshake(near).await.expect("HTTP/2");
        let driven = spawn_local(connection);
        let message = message();

        let (response, mut sent) = open(&mut client, "Many");
        sent.send_data(message.clone(), false).expect("room");
        let mut received = response.await.expect("an answer").into_body();
        expect(&mut received, message.len()).await;
        let mut before = 0;
        for index in 0..WARM + COUNTED {
            if index == WARM {
                before = HeapStats::get().total_blocks;
            }
            sent.send_data(message.clone(), false).expect("room");
            expect(&mut received, message.len()).await;
        }
        let messages = HeapStats::get().total_blocks - before;
        sent.send_data(Bytes::new(), true).expect("room");
        assert!(received.data().await.is_none());
        assert_eq!(received.trailers().await.expect("no error").expect("trailers")["grpc-status"], "0");

        for index in 0..WARM + COUNTED {
            if index == WARM {
                before = HeapStats::get().total_blocks;
            }
            poll_fn(|cx| client.poll_ready(cx)).await.expect("a connection");
            let (response, mut sent) = open(&mut client, "One");
            sent.send_data(message.clone(), true).expect("room");
            let mut received = response.await.expect("an answer").into_body();
            expect(&mut received, message.len()).await;
            assert!(received.data().await.is_none());
            received.trailers().await.expect("no error").expect("trailers");
        }
        let calls = HeapStats::get().total_blocks - before;
        drop((client, sent, received));
        driven.await.expect("no panic").expect("no error");
        served.await.expect("no panic");
        (messages, calls)
    })
}

#[test]
fn a_message_takes_none_once_the_pool_is_warm() {
    let _profiler = dhat::Profiler::builder().testing().build();
    let least = count(bytes);
    let ours = count(defiant);
    println!("{COUNTED} messages and {COUNTED} calls: {ours:?} allocations, {least:?} of HTTP/2 alone");
    // Not one in a hundred messages; the thread that runs the tests may allocate a little at any time.
    assert!(ours.0 <= least.0 + COUNTED / 100, "{} for {COUNTED} messages, {} without us", ours.0, least.0);
    // For a call, what its parts share, and the name of its content.
    assert!(ours.1 <= least.1 + 2 * COUNTED + 10, "{} for {COUNTED} calls, {} without us", ours.1, least.1);
    // It counts: HTTP/2 allocates for each call.
    assert!(least.1 >= COUNTED, "{} allocations for {COUNTED} calls", least.1);
}
