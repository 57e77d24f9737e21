//! The library on tonic's server, with Defiant's messages.

use std::pin::Pin;
use std::time::Duration;

use defiant_tonic::{Encoded, Incoming, Outgoing};
use tokio_stream::{Stream, StreamExt};
use tonic::{Request, Response, Status, Streaming};

use crate::library::library_server::Library;
use crate::library::{Book, FindRequest, Line, Mischief, Shelf, Summary};

/// A library that has any book.
#[derive(Clone, Copy, Debug, Default)]
pub struct Threads;

/// A stream of answers.
pub type Answers<M> = Pin<Box<dyn Stream<Item = Result<Outgoing<M>, Status>> + Send>>;

#[tonic::async_trait]
impl Library for Threads {
    async fn find(
        &self,
        request: Request<Incoming<FindRequest<'static>>>,
    ) -> Result<Response<Outgoing<Book<'static>>>, Status> {
        match request.get_ref().get().mischief {
            Mischief::Fail => {
                let title = request.get_ref().get().title;
                return Err(Status::not_found(format!("no \u{201c}{title}\u{201d}, 100%")));
            }
            Mischief::Sleep => tokio::time::sleep(Duration::from_secs(3600)).await,
            Mischief::Panic => panic!("on purpose"),
            _ => {}
        }
        let echo = request.metadata().get("x-echo").cloned();
        let book = request.into_inner().map::<Book<'static>>(|request, arena| Book {
            title: request.title,
            authors: arena.alloc_slice_copy(&[request.author, "Anonymous"]),
            cover: arena.alloc_slice_copy(&crate::cover(usize::try_from(request.limit).unwrap_or(0))),
            shelf: Some(arena.alloc(Shelf { room: "reading", number: request.limit, ..Shelf::default() })),
            ..Book::default()
        });
        let mut response = Response::new(book.into());
        if let Some(echo) = echo {
            response.metadata_mut().insert("x-echo", echo);
        }
        Ok(response)
    }

    type ListStream = Answers<Book<'static>>;

    async fn list(
        &self,
        request: Request<Incoming<FindRequest<'static>>>,
    ) -> Result<Response<Self::ListStream>, Status> {
        let request = request.into_inner();
        let failure = match request.get().mischief {
            Mischief::Fail => Some(Err(Status::data_loss("the last book is torn"))),
            _ => None,
        };
        let limit = request.get().limit;
        let books = (1..=limit).map(move |number| {
            let author = request.get().author;
            let title = format!("{author} {number}");
            Ok(Encoded::of(&Book { title: &title, cover: &crate::cover(1000), ..Book::default() }))
        });
        Ok(Response::new(Box::pin(tokio_stream::iter(books.chain(failure)))))
    }

    async fn add(
        &self,
        request: Request<Streaming<Incoming<Book<'static>>>>,
    ) -> Result<Response<Outgoing<Summary<'static>>>, Status> {
        let mut books = request.into_inner();
        let mut summary = Summary::default();
        let mut last = None;
        while let Some(book) = books.message().await? {
            summary.books += 1;
            summary.cover_bytes += book.get().cover.len() as i64;
            last = Some(book);
        }
        let last_title = last.as_ref().map_or("", |book| book.get().title);
        Ok(Response::new(Encoded::of(&Summary { last_title, ..summary })))
    }

    type TalkStream = Answers<Line<'static>>;

    async fn talk(
        &self,
        request: Request<Streaming<Incoming<Line<'static>>>>,
    ) -> Result<Response<Self::TalkStream>, Status> {
        let lines = request.into_inner().map(|line| {
            let next = line?.map::<Line<'static>>(|line, _| Line { number: line.number + 1, ..line });
            Ok(next.into())
        });
        Ok(Response::new(Box::pin(lines)))
    }

    async fn r#move(
        &self,
        _request: Request<Incoming<FindRequest<'static>>>,
    ) -> Result<Response<Outgoing<defiant::wkt::Empty<'static>>>, Status> {
        Ok(Response::new(Encoded::from_bytes("")))
    }

    async fn lookup(
        &self,
        request: Request<Incoming<FindRequest<'static>>>,
    ) -> Result<Response<Outgoing<Book<'static>>>, Status> {
        self.find(request).await
    }
}
