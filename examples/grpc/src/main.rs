//! A gRPC service and its client in one program: `cargo run -p grpc`.
//!
//! The server has a thread for each core, each with a runtime of its own and an arena for each call, and nothing shared
//! between them but the socket. The client is tonic's, with Defiant's messages.

use std::error::Error;
use std::io;
use std::net::{SocketAddr, TcpListener};
use std::thread;

use defiant_grpc::{Arena, Replies, Server, Status};
use defiant_tonic::Encoded;
use tokio::sync::watch;
use tokio::task::LocalSet;

use search::search_client::SearchClient;
use search::search_service::{Search, SearchServer};
use search::{Hit, Hits, Query};

/// What is generated from `proto/search.proto`.
#[allow(missing_docs, unreachable_pub, reason = "the schema says what there is to say, and all of it is pub")]
mod search {
    defiant::include_proto!("search.v1");
}

/// Titles and addresses.
type Document = (&'static str, &'static str);

const DOCUMENTS: &[Document] = &[
    ("Arenas", "https://example.com/arenas"),
    ("Allocation without arenas", "https://example.com/malloc"),
    ("Borrowing", "https://example.com/borrowing"),
    ("Arenas and lifetimes", "https://example.com/lifetimes"),
];

/// A service over a few documents. An answer borrows from it.
struct Library {
    documents: Vec<Document>,
}

impl Library {
    fn find<'a>(&'a self, query: Query<'a>) -> impl Iterator<Item = Hit<'a>> {
        let found = move |&(title, _): &Document| title.to_lowercase().contains(query.text);
        let hit = |(title, url): Document| Hit { url, title, score: 1.0 / title.len() as f64, ..Hit::default() };
        self.documents.iter().copied().filter(move |document| found(document)).map(hit)
    }
}

impl Search for Library {
    async fn find<'a>(&'a self, query: Query<'a>, arena: &'a Arena) -> Result<Hits<'a>, Status> {
        let limit = usize::try_from(query.limit)
            .map_err(|_| Status::invalid_argument(format!("a limit of {} hits", query.limit)))?;
        // The list is in the arena of the call, the texts are where they are.
        let hits = arena.vec_from_iter(Library::find(self, query)).into_slice_mut();
        hits.sort_by(|a, b| b.score.total_cmp(&a.score));
        Ok(Hits { hits: &hits[..limit.min(hits.len())], ..Hits::default() })
    }

    async fn watch(&self, query: Query<'_>, replies: &Replies<Hit<'static>>, _arena: &Arena) -> Result<(), Status> {
        for hit in Library::find(self, query) {
            replies.send(&hit).await?;
        }
        Ok(())
    }
}

/// What each thread of the server does.
fn serve(listener: TcpListener, mut stop: watch::Receiver<bool>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, async {
        let server = Server::new(SearchServer::new(Library { documents: DOCUMENTS.to_vec() }));
        let listener = tokio::net::TcpListener::from_std(listener)?;
        let stopped = async move {
            // It fails when the program ends, which is a reason to stop as well.
            let _ = stop.wait_for(|stop| *stop).await;
        };
        server.serve_until(listener, stopped).await?;
        let stats = server.pool().stats();
        println!("a thread answered with {} arenas, of which it made {}", stats.taken, stats.created);
        Ok(())
    })
}

async fn ask(address: SocketAddr) -> Result<(), Box<dyn Error>> {
    let mut client = SearchClient::connect(format!("http://{address}")).await?;
    for text in ["arenas", "b"] {
        let query = Query { text, limit: 2, ..Query::default() };
        let hits = client.find(Encoded::of(&query)).await?.into_inner();
        for hit in hits.get().hits {
            println!("{text}: {} ({})", hit.title, hit.url);
        }
    }
    let mut hits = client.watch(Encoded::of(&Query { text: "a", ..Query::default() })).await?.into_inner();
    while let Some(hit) = hits.message().await? {
        println!("watched: {}", hit.get().title);
    }
    match client.find(Encoded::of(&Query { limit: -1, ..Query::default() })).await {
        Ok(_) => Err("less than nothing was found".into()),
        Err(status) => {
            println!("{:?}: {}", status.code(), status.message());
            Ok(())
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (stop, stopped) = watch::channel(false);
    let threads = (0..cores)
        .map(|_| {
            let (listener, stopped) = (listener.try_clone()?, stopped.clone());
            Ok(thread::spawn(move || serve(listener, stopped)))
        })
        .collect::<io::Result<Vec<_>>>()?;

    let asked = tokio::runtime::Runtime::new()?.block_on(ask(address));

    stop.send_replace(true);
    for thread in threads {
        thread.join().map_err(|_| "a thread of the server panicked")??;
    }
    asked
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A method is a function of messages: nothing but an arena is needed to call it.
    #[test]
    fn without_a_server() {
        let (library, arena) = (Library { documents: DOCUMENTS.to_vec() }, Arena::new());
        let query = Query { text: "arenas", limit: 2, ..Query::default() };
        let mut answer = std::pin::pin!(Search::find(&library, query, &arena));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let std::task::Poll::Ready(Ok(hits)) = answer.as_mut().poll(&mut context) else {
            panic!("it waits for nothing")
        };
        let titles: Vec<_> = hits.hits.iter().map(|hit| hit.title).collect();
        assert_eq!(titles, ["Arenas", "Arenas and lifetimes"]);
    }
}
