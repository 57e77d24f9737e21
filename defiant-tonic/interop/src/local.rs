//! The library on Defiant's own server: one thread, one arena a call.

use std::time::Duration;

use defiant_grpc::{Arena, Call, Replies, Requests, Status};

use crate::library::library_service::Library;
use crate::library::{Book, FindRequest, Line, Mischief, Shelf, Summary};

/// A library that has any book.
#[derive(Clone, Copy, Debug, Default)]
pub struct Local;

impl Library for Local {
    async fn find<'a>(&self, request: FindRequest<'a>, call: &'a Call) -> Result<Book<'a>, Status> {
        match request.mischief {
            Mischief::Fail => return Err(Status::not_found(format!("no \u{201c}{}\u{201d}, 100%", request.title))),
            Mischief::Sleep => tokio::time::sleep(Duration::from_secs(3600)).await,
            Mischief::Panic => panic!("on purpose"),
            _ => {}
        }
        if let Some(value) = call.metadata().get("x-echo") {
            call.headers_mut().insert("x-echo", value.clone());
            call.trailers_mut().insert("x-echo-trailer", value.clone());
        }
        Ok(Book {
            title: request.title,
            authors: call.alloc_slice_copy(&[request.author, "Anonymous"]),
            cover: call.alloc_slice_copy(&crate::cover(usize::try_from(request.limit).unwrap_or(0))),
            shelf: Some(call.alloc(Shelf { room: "reading", number: request.limit, ..Shelf::default() })),
            ..Book::default()
        })
    }

    async fn list(
        &self,
        request: FindRequest<'_>,
        replies: &Replies<Book<'static>>,
        _arena: &Arena,
    ) -> Result<(), Status> {
        for number in 1..=request.limit {
            let author = request.author;
            replies
                .send_with(|arena| Book {
                    title: arena.alloc_str(&format!("{author} {number}")),
                    cover: arena.alloc_slice_copy(&crate::cover(1000)),
                    ..Book::default()
                })
                .await?;
        }
        match request.mischief {
            Mischief::Fail => Err(Status::data_loss("the last book is torn")),
            _ => Ok(()),
        }
    }

    async fn add<'a>(&self, requests: &mut Requests<Book<'static>>, arena: &'a Arena) -> Result<Summary<'a>, Status> {
        let mut summary = Summary::default();
        while let Some(book) = requests.next().await? {
            summary.books += 1;
            summary.cover_bytes += book.cover.len() as i64;
            summary.last_title = arena.alloc_str(book.title);
        }
        Ok(summary)
    }

    async fn talk(
        &self,
        requests: &mut Requests<Line<'static>>,
        replies: &Replies<Line<'static>>,
        _arena: &Arena,
    ) -> Result<(), Status> {
        while let Some(line) = requests.next().await? {
            replies.send(&Line { number: line.number + 1, ..line }).await?;
        }
        Ok(())
    }

    async fn r#move<'a>(
        &self,
        _request: FindRequest<'a>,
        _arena: &'a Arena,
    ) -> Result<defiant::wkt::Empty<'a>, Status> {
        Ok(defiant::wkt::Empty::default())
    }

    async fn lookup<'a>(&'a self, request: FindRequest<'a>, call: &'a Call) -> Result<Book<'a>, Status> {
        self.find(request, call).await
    }
}
