//! What a client can make the server keep: no more than some of what it has announced, and the limits of headers.
//!
//! A binary of its own with one test, because dhat counts what all threads allocate.

use std::time::Duration;

use defiant::wkt::BytesValue;
use defiant_grpc::{Exchange, Server, Service, Status};
use dhat::HeapStats;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, WriteHalf};
use tokio::task::{LocalSet, spawn_local};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// Waits for a message that never ends.
struct Patient;

impl Service for Patient {
    fn has(&self, service: &str) -> bool {
        service == "Patient"
    }

    async fn call(&self, _: &str, _: &str, exchange: Exchange) -> Result<(), Status> {
        let (call, mut requests, replies) = exchange.open::<BytesValue<'static>, BytesValue<'static>>();
        let request = requests.only(&call).await?;
        replies.send(&request).await
    }
}

/// A frame of HTTP/2.
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let [_, a, b, c] = u32::try_from(payload.len()).expect("short").to_be_bytes();
    [&[a, b, c, kind, flags], &stream.to_be_bytes()[..], payload].concat()
}

/// The head of a call: its fields as they are, one more that is remembered, and that one again and again, a byte for each.
fn head(stream: u32, again: usize) -> Vec<u8> {
    let mut block = vec![0x83, 0x86];
    for (name, value) in [(":path", "/Patient/Wait"), ("content-type", "application/grpc")] {
        block.extend([&[0, name.len() as u8], name.as_bytes(), &[value.len() as u8], value.as_bytes()].concat());
    }
    block.extend(b"\x40\x01a\0");
    block.resize(block.len() + again, 0x80 | 62);
    let mut pieces = block.chunks(16_384).peekable();
    let mut frames = Vec::new();
    let mut kind = 1;
    while let Some(piece) = pieces.next() {
        let is_last = pieces.peek().is_none();
        frames.extend(frame(kind, if is_last { 4 } else { 0 }, stream, piece));
        kind = 9;
    }
    frames
}

/// A connection whose client says no more than hello, and takes whatever comes back.
async fn connect() -> WriteHalf<DuplexStream> {
    let (near, far) = tokio::io::duplex(1 << 16);
    spawn_local(async move { Server::new(Patient).serve_connection(far).await });
    let (mut read, mut write) = tokio::io::split(near);
    spawn_local(async move {
        let mut buffer = [0; 4096];
        while read.read(&mut buffer).await.is_ok_and(|bytes| bytes > 0) {}
    });
    write.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0").await.expect("room");
    settle().await;
    write
}

/// Waits until nobody has anything to do. Time is paused, so this takes none.
async fn settle() {
    tokio::time::sleep(Duration::from_millis(1)).await;
}

/// Bytes that are kept of a message of `len` bytes but for the last one, in frames of `size`, each before one of another kind
/// that is ignored, of `ignored` bytes.
async fn of_a_message(len: usize, size: usize, ignored: usize) -> usize {
    let mut client = connect().await;
    client.write_all(&head(1, 0)).await.expect("room");
    settle().await;
    let before = HeapStats::get().curr_bytes;
    let prefix = u32::try_from(len).expect("short").to_be_bytes();
    let message = [&[0], &prefix[..], &vec![0; len - 1]].concat();
    for piece in message.chunks(size) {
        client.write_all(&frame(0, 0, 1, piece)).await.expect("room");
        client.write_all(&frame(0xbb, 0, 0, &vec![0; ignored])).await.expect("room");
        settle().await;
    }
    drop(message);
    HeapStats::get().curr_bytes.saturating_sub(before)
}

/// Bytes that are kept of calls with so many headers.
async fn of_headers(calls: u32, headers: usize) -> usize {
    let mut client = connect().await;
    let before = HeapStats::get().curr_bytes;
    for call in 0..calls {
        // It may have hung up.
        if client.write_all(&head(2 * call + 1, headers)).await.is_err() {
            break;
        }
        settle().await;
    }
    HeapStats::get().curr_bytes.saturating_sub(before)
}

#[test]
fn what_is_kept_is_limited() {
    let _profiler = dhat::Profiler::builder().testing().build();
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().start_paused(true).build().expect("a runtime");
    LocalSet::new().block_on(&runtime, async {
        for (len, size, ignored) in [
            (2_000, 1, 16_000),
            (2_000, 100, 16_000),
            (50_000, 100, 0),
            (50_000, 300, 16_000),
            (500_000, 8_000, 16_000),
            (500_000, 8_192, 16_000),
            (500_000, 16_384, 0),
        ] {
            let kept = of_a_message(len, size, ignored).await;
            println!("{len} bytes in pieces of {size} beside {ignored}: {kept} bytes");
            assert!(kept < 4 * len + (64 << 10), "{kept} bytes for {len} in pieces of {size} beside {ignored}");
        }
        // Those that are refused, and those that have as many as are allowed.
        for (calls, headers, open) in [(4, 500_000, 0), (100, 1_500, 0), (100, 460, 100)] {
            let kept = of_headers(calls, headers).await;
            println!("{calls} calls with {headers} headers: {kept} bytes");
            // A header takes a few times what HTTP/2 counts for it.
            assert!(kept < (256 << 10) + open * (64 << 10), "{kept} bytes for {calls} calls with {headers} headers");
        }
    });
}
