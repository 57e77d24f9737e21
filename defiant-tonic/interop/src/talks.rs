//! What a client asks a library, in all four ways of calling, and what it expects.
//!
//! Everything that is not as expected is a panic: these are tests, also where a program runs them.

use crate::library::library_client::LibraryClient;
use crate::library::{Book, FindRequest, Line, Mischief};
use crate::{cover, prost_library as prost};
use defiant_tonic::{Encoded, Incoming, Outgoing};
use tokio_stream::StreamExt as _;
use tonic::{Code, Request};

fn request(limit: i32, mischief: Mischief) -> Outgoing<FindRequest<'static>> {
    Encoded::of(&FindRequest { title: "Emma", author: "Jane Austen", limit, mischief, ..FindRequest::default() })
}

/// A client with Defiant's messages.
///
/// # Panics
/// When something is not as expected.
pub async fn ours(url: String) {
    let mut client = LibraryClient::connect(url).await.expect("a server");

    for len in [0, 1, 300, 20_000, 1_000_000] {
        let mut request = Request::new(request(len, Mischief::Unspecified));
        request.metadata_mut().insert("x-echo", "yes".parse().expect("ASCII"));
        let response = client.find(request).await.expect("a book");
        assert_eq!(response.metadata().get("x-echo").expect("sent back"), "yes");
        let book: Incoming<Book<'static>> = response.into_inner();
        let book = book.get();
        assert_eq!((book.title, book.authors), ("Emma", &["Jane Austen", "Anonymous"][..]));
        assert_eq!(book.cover, cover(len as usize));
        assert_eq!(book.shelf().room, "reading");
    }

    let status = client.find(request(0, Mischief::Fail)).await.expect_err("it fails on purpose");
    assert_eq!((status.code(), status.message()), (Code::NotFound, "no \u{201c}Emma\u{201d}, 100%"));

    for (limit, mischief) in [(0, Mischief::Unspecified), (500, Mischief::Unspecified), (3, Mischief::Fail)] {
        let mut books = client.list(request(limit, mischief)).await.expect("books").into_inner();
        for number in 1..=limit {
            let book = books.message().await.expect("no error").expect("a book");
            assert_eq!(book.get().title, format!("Jane Austen {number}"));
            assert_eq!(book.get().cover, cover(1000));
        }
        match (mischief, books.message().await) {
            (Mischief::Fail, Err(status)) => assert_eq!(status.code(), Code::DataLoss),
            (Mischief::Unspecified, Ok(None)) => {}
            (_, other) => panic!("{other:?}"),
        }
    }

    for count in [0, 1, 300] {
        let books = tokio_stream::iter(1..=count).map(|number| {
            let title = number.to_string();
            Encoded::of(&Book { title: &title, cover: &cover(2000), ..Book::default() })
        });
        let summary = client.add(books).await.expect("a summary").into_inner();
        let summary = summary.get();
        assert_eq!((summary.books, summary.cover_bytes), (count, i64::from(count) * 2000));
        assert_eq!(summary.last_title, if count == 0 { String::new() } else { count.to_string() });
    }

    // One line after the other: the next one is made of the answer to the last.
    let (lines, sent) = tokio::sync::mpsc::channel::<Outgoing<Line<'static>>>(1);
    let sent = tokio_stream::wrappers::ReceiverStream::new(sent);
    lines.send(Encoded::of(&Line { number: 0, text: "hello", ..Line::default() })).await.expect("room");
    let mut answers = client.talk(sent).await.expect("answers").into_inner();
    for number in 1..20 {
        let answer = answers.message().await.expect("no error").expect("an answer");
        assert_eq!((answer.get().number, answer.get().text), (number, "hello"));
        lines.send(answer.into()).await.expect("room");
    }
    drop(lines);
    assert_eq!(answers.message().await.expect("no error").expect("the last").get().number, 20);
    assert!(answers.message().await.expect("no error").is_none());

    client.r#move(request(0, Mischief::Unspecified)).await.expect("a method named by a keyword");
    #[expect(deprecated, reason = "that it is deprecated is part of the test")]
    let old = client.lookup(request(0, Mischief::Unspecified)).await;
    assert_eq!(old.expect("it still works").get_ref().get().title, "Emma");
}

/// A client with prost's messages.
///
/// # Panics
/// When something is not as expected.
pub async fn stock(url: String) {
    let mut client = prost::library_client::LibraryClient::connect(url).await.expect("a server");
    let request = |limit: i32, mischief: prost::Mischief| prost::FindRequest {
        title: "Emma".to_owned(),
        author: "Jane Austen".to_owned(),
        limit,
        mischief: mischief.into(),
    };
    let fine = prost::Mischief::Unspecified;

    for len in [0, 1, 300, 20_000, 1_000_000] {
        let mut request = Request::new(request(len, fine));
        request.metadata_mut().insert("x-echo", "yes".parse().expect("ASCII"));
        let response = client.find(request).await.expect("a book");
        assert_eq!(response.metadata().get("x-echo").expect("sent back"), "yes");
        let book = response.into_inner();
        assert_eq!((book.title.as_str(), book.authors.len()), ("Emma", 2));
        assert_eq!(book.cover, cover(len as usize));
        assert_eq!(book.shelf.expect("a shelf").number, len);
    }

    let status = client.find(request(0, prost::Mischief::Fail)).await.expect_err("it fails on purpose");
    assert_eq!((status.code(), status.message()), (Code::NotFound, "no \u{201c}Emma\u{201d}, 100%"));

    for (limit, mischief) in [(0, fine), (500, fine), (3, prost::Mischief::Fail)] {
        let mut books = client.list(request(limit, mischief)).await.expect("books").into_inner();
        for number in 1..=limit {
            let book = books.message().await.expect("no error").expect("a book");
            assert_eq!((book.title, book.cover.len()), (format!("Jane Austen {number}"), 1000));
        }
        match (mischief, books.message().await) {
            (prost::Mischief::Fail, Err(status)) => assert_eq!(status.code(), Code::DataLoss),
            (prost::Mischief::Unspecified, Ok(None)) => {}
            (_, other) => panic!("{other:?}"),
        }
    }

    for count in [0, 1, 300] {
        let books = tokio_stream::iter(1..=count).map(|number: i32| prost::Book {
            title: number.to_string(),
            cover: cover(2000),
            ..prost::Book::default()
        });
        let summary = client.add(books).await.expect("a summary").into_inner();
        assert_eq!((summary.books, summary.cover_bytes), (count, i64::from(count) * 2000));
    }

    let (lines, sent) = tokio::sync::mpsc::channel(1);
    let sent = tokio_stream::wrappers::ReceiverStream::new(sent);
    lines.send(prost::Line { number: 0, text: "hello".to_owned() }).await.expect("room");
    let mut answers = client.talk(sent).await.expect("answers").into_inner();
    for number in 1..20 {
        let answer = answers.message().await.expect("no error").expect("an answer");
        assert_eq!((answer.number, answer.text.as_str()), (number, "hello"));
        lines.send(answer).await.expect("room");
    }
    drop(lines);
    assert_eq!(answers.message().await.expect("no error").expect("the last").number, 20);
    assert!(answers.message().await.expect("no error").is_none());
    client.r#move(request(0, fine)).await.expect("a method named by a keyword");
}
