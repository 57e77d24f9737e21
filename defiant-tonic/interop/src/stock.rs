//! The library on tonic's server, with prost's messages: nothing of Defiant.

use std::pin::Pin;
use std::time::Duration;

use tokio_stream::{Stream, StreamExt};
use tonic::{Request, Response, Status, Streaming};

use crate::prost_library::library_server::Library;
use crate::prost_library::{Book, FindRequest, Line, Mischief, Shelf, Summary};

/// A library that has any book.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stock;

/// A stream of answers.
pub type Answers<M> = Pin<Box<dyn Stream<Item = Result<M, Status>> + Send>>;

#[tonic::async_trait]
impl Library for Stock {
    async fn find(&self, request: Request<FindRequest>) -> Result<Response<Book>, Status> {
        let echo = request.metadata().get("x-echo").cloned();
        let request = request.into_inner();
        match request.mischief() {
            Mischief::Fail => return Err(Status::not_found(format!("no \u{201c}{}\u{201d}, 100%", request.title))),
            Mischief::Sleep => tokio::time::sleep(Duration::from_secs(3600)).await,
            Mischief::Panic => panic!("on purpose"),
            Mischief::Unspecified => {}
        }
        let mut response = Response::new(Book {
            title: request.title,
            authors: vec![request.author, "Anonymous".to_owned()],
            cover: crate::cover(usize::try_from(request.limit).unwrap_or(0)),
            shelf: Some(Shelf { room: "reading".to_owned(), number: request.limit }),
        });
        if let Some(echo) = echo {
            response.metadata_mut().insert("x-echo", echo);
        }
        Ok(response)
    }

    type ListStream = Answers<Book>;

    async fn list(&self, request: Request<FindRequest>) -> Result<Response<Self::ListStream>, Status> {
        let request = request.into_inner();
        let failure = match request.mischief() {
            Mischief::Fail => Some(Err(Status::data_loss("the last book is torn"))),
            _ => None,
        };
        let books = (1..=request.limit).map(move |number| {
            Ok(Book { title: format!("{} {number}", request.author), cover: crate::cover(1000), ..Book::default() })
        });
        Ok(Response::new(Box::pin(tokio_stream::iter(books.chain(failure)))))
    }

    async fn add(&self, request: Request<Streaming<Book>>) -> Result<Response<Summary>, Status> {
        let mut books = request.into_inner();
        let mut summary = Summary::default();
        while let Some(book) = books.message().await? {
            summary.books += 1;
            summary.cover_bytes += book.cover.len() as i64;
            summary.last_title = book.title;
        }
        Ok(Response::new(summary))
    }

    type TalkStream = Answers<Line>;

    async fn talk(&self, request: Request<Streaming<Line>>) -> Result<Response<Self::TalkStream>, Status> {
        let lines = request.into_inner().map(|line| line.map(|line| Line { number: line.number + 1, ..line }));
        Ok(Response::new(Box::pin(lines)))
    }

    async fn r#move(&self, _request: Request<FindRequest>) -> Result<Response<()>, Status> {
        Ok(Response::new(()))
    }

    async fn lookup(&self, request: Request<FindRequest>) -> Result<Response<Book>, Status> {
        self.find(request).await
    }
}
