//! What tonic does around messages: interceptors, compression, limits, deadlines, health, reflection, comments.

use std::time::Duration;

use defiant_tonic::{Encoded, Incoming, Outgoing};
use grpc_interop::careful::library_server::{Library as CarefulLibrary, LibraryServer as CarefulServer};
use grpc_interop::library::library_client::LibraryClient;
use grpc_interop::library::library_server::LibraryServer;
use grpc_interop::library::{self, Book, FindRequest, Mischief};
use grpc_interop::threads::Threads;
use grpc_interop::{careful, servers};
use tonic::codec::CompressionEncoding;
use tonic::metadata::MetadataValue;
use tonic::transport::{Channel, Server};
use tonic::{Code, Request, Response, Status};
use tonic_health::pb::health_client::HealthClient;
use tonic_health::pb::{HealthCheckRequest, health_check_response::ServingStatus};
use tonic_reflection::pb::v1 as reflection;

use crate::spawned;

fn request(limit: i32, mischief: Mischief) -> Outgoing<FindRequest<'static>> {
    Encoded::of(&FindRequest { title: "Emma", limit, mischief, ..FindRequest::default() })
}

async fn channel(url: String) -> Channel {
    Channel::from_shared(url).expect("an address").connect().await.expect("a server")
}

#[test]
fn interceptors() {
    let server = servers::tonic(|| {
        let guarded = LibraryServer::with_interceptor(Threads, |request: Request<()>| {
            match request.metadata().get("authorization") {
                Some(token) if token == "Bearer jane" => Ok(request),
                _ => Err(Status::unauthenticated("who are you?")),
            }
        });
        Server::builder().add_service(guarded)
    });
    let server = server.expect("a server");
    let url = server.url();
    spawned(async move {
        let channel = channel(url).await;
        let status = LibraryClient::new(channel.clone()).find(request(1, Mischief::Unspecified)).await;
        assert_eq!(status.expect_err("no token").code(), Code::Unauthenticated);
        let mut client = LibraryClient::with_interceptor(channel, |mut request: Request<()>| {
            request.metadata_mut().insert("authorization", MetadataValue::from_static("Bearer jane"));
            Ok(request)
        });
        let book = client.find(request(1, Mischief::Unspecified)).await.expect("a book");
        assert_eq!(book.get_ref().get().title, "Emma");
    });
}

#[test]
fn compression() {
    let server = servers::tonic(|| {
        Server::builder().add_service(
            LibraryServer::new(Threads)
                .accept_compressed(CompressionEncoding::Gzip)
                .send_compressed(CompressionEncoding::Gzip),
        )
    });
    let server = server.expect("a server");
    let url = server.url();
    spawned(async move {
        let mut client = LibraryClient::new(channel(url).await)
            .send_compressed(CompressionEncoding::Gzip)
            .accept_compressed(CompressionEncoding::Gzip);
        let response = client.find(request(100_000, Mischief::Unspecified)).await.expect("a book");
        assert_eq!(response.metadata().get("grpc-encoding").expect("compressed"), "gzip");
        assert_eq!(response.get_ref().get().cover, grpc_interop::cover(100_000));
    });
}

#[test]
fn deadlines() {
    let server = servers::threads().expect("a server");
    let url = server.url();
    spawned(async move {
        let mut client = LibraryClient::new(channel(url).await);
        let mut request = Request::new(request(0, Mischief::Sleep));
        request.set_timeout(Duration::from_millis(50));
        let status = client.find(request).await.expect_err("too late");
        // tonic's own client says Cancelled where its timer is first.
        assert!(matches!(status.code(), Code::DeadlineExceeded | Code::Cancelled), "{status:?}");
    });
}

/// A library with limits that answers what it got.
#[derive(Debug)]
struct Echo;

#[tonic::async_trait]
impl CarefulLibrary for Echo {
    async fn find(
        &self,
        request: Request<Incoming<careful::FindRequest<'static>>>,
    ) -> Result<Response<Outgoing<careful::Book<'static>>>, Status> {
        let book = request.into_inner().map::<careful::Book<'static>>(|request, _| careful::Book {
            title: request.title,
            ..careful::Book::default()
        });
        Ok(Response::new(book.into()))
    }
}

#[test]
fn limits_of_a_decode() {
    let server = servers::tonic(|| Server::builder().add_service(CarefulServer::new(Echo))).expect("a server");
    let url = server.url();
    spawned(async move {
        let mut client = LibraryClient::new(channel(url).await);
        // Copied into the arena, borrowed from tonic's buffer (`Careful::borrow_from`): the same.
        for len in [10, 99, 100, 101, 5_000] {
            let title = "a".repeat(len);
            let find = Encoded::of(&FindRequest { title: &title, ..FindRequest::default() });
            let book = client.find(find).await.expect("within the limits");
            assert_eq!(book.get_ref().get().title, title);
        }
        // Unknown fields, each of which takes memory, because a known one, empty, is between them.
        let status =
            client.find(Encoded::from_bytes([10, 0, 0xa0, 0x06, 1].repeat(1_000))).await.expect_err("too much");
        assert_eq!(status.code(), Code::ResourceExhausted, "{status:?}");
        assert!(status.message().starts_with("limit reached: "), "{status:?}");
        // `title`, not UTF-8.
        let status = client.find(Encoded::from_bytes(vec![10, 1, 0xff])).await.expect_err("malformed");
        assert_eq!(status.code(), Code::Internal);
        assert_eq!(status.message(), "malformed message: FindRequest.title: invalid UTF-8 at byte 2");
        // A method that is not written.
        let status = client.r#move(request(0, Mischief::Unspecified)).await.expect_err("a stub");
        assert_eq!(status.code(), Code::Unimplemented);
    });
}

#[test]
fn limits_of_tonic() {
    let server =
        servers::tonic(|| Server::builder().add_service(LibraryServer::new(Threads).max_decoding_message_size(1000)));
    let server = server.expect("a server");
    let url = server.url();
    spawned(async move {
        let mut client = LibraryClient::new(channel(url).await).max_decoding_message_size(2000);
        let title = "a".repeat(1001);
        let find = Encoded::of(&FindRequest { title: &title, ..FindRequest::default() });
        assert_eq!(client.find(find).await.expect_err("too long").code(), Code::OutOfRange);
        let status = client.find(request(2001, Mischief::Unspecified)).await.expect_err("too long");
        assert_eq!(status.code(), Code::OutOfRange);
    });
}

#[test]
fn owned_messages_are_requests() {
    let server = servers::threads().expect("a server");
    let url = server.url();
    spawned(async move {
        let mut client = LibraryClient::new(channel(url).await);
        let find = defiant::Owned::<FindRequest<'static>>::build(defiant::Arena::new(), |arena| FindRequest {
            title: arena.alloc_str("Persuasion"),
            ..FindRequest::default()
        });
        // Held across an await on any thread.
        tokio::task::yield_now().await;
        let book: Incoming<Book<'static>> = client.find(find).await.expect("a book").into_inner();
        let first =
            book.map::<FindRequest<'static>>(|book, _| FindRequest { title: book.title, ..FindRequest::default() });
        let book = client.find(first).await.expect("a book").into_inner();
        assert_eq!(book.get().title, "Persuasion");
    });
}

#[test]
fn health() {
    let server = servers::tonic(|| {
        let (reporter, service) = tonic_health::server::health_reporter();
        // What the reporter does is to write into memory, at once.
        tokio::spawn(async move { reporter.set_serving::<LibraryServer<Threads>>().await });
        Server::builder().add_service(service).add_service(LibraryServer::new(Threads))
    });
    let server = server.expect("a server");
    let url = server.url();
    spawned(async move {
        let mut client = HealthClient::new(channel(url).await);
        let check = HealthCheckRequest { service: "interop.v1.Library".to_owned() };
        let response = client.check(check).await.expect("known").into_inner();
        assert_eq!(response.status(), ServingStatus::Serving);
        let unknown = HealthCheckRequest { service: "interop.v1.Nothing".to_owned() };
        assert_eq!(client.check(unknown).await.expect_err("unknown").code(), Code::NotFound);
    });
}

#[test]
fn reflection_from_the_embedded_descriptors() {
    let server = servers::tonic(|| {
        let reflection = tonic_reflection::server::Builder::configure()
            .register_encoded_file_descriptor_set(library::DESCRIPTORS)
            .build_v1()
            .expect("descriptors");
        Server::builder().add_service(reflection).add_service(LibraryServer::new(Threads))
    });
    let server = server.expect("a server");
    let url = server.url();
    spawned(async move {
        use reflection::server_reflection_request::MessageRequest;
        use reflection::server_reflection_response::MessageResponse;
        let mut client = reflection::server_reflection_client::ServerReflectionClient::new(channel(url).await);
        let mut ask = async |message| {
            let request = reflection::ServerReflectionRequest { host: String::new(), message_request: Some(message) };
            let mut answers = client.server_reflection_info(tokio_stream::once(request)).await.expect("reflection");
            let answer = answers.get_mut().message().await.expect("no error").expect("an answer");
            answer.message_response.expect("something")
        };
        let MessageResponse::ListServicesResponse(list) = ask(MessageRequest::ListServices(String::new())).await else {
            panic!("no list")
        };
        let names: Vec<_> = list.service.iter().map(|service| service.name.as_str()).collect();
        assert!(names.contains(&"interop.v1.Library"), "{names:?}");
        let symbol = MessageRequest::FileContainingSymbol("interop.v1.Library.Find".to_owned());
        let MessageResponse::FileDescriptorResponse(file) = ask(symbol).await else { panic!("no file") };
        // And it is the schema that these tests are made of, as Defiant reads it.
        let arena = defiant::Arena::new();
        let file: defiant::wkt::FileDescriptorProto<'_> =
            defiant::Message::decode(&file.file_descriptor_proto[0], &arena).expect("a descriptor");
        assert_eq!((file.package(), file.service.len()), ("interop.v1", 2));
    });
}

/// What the compiler says of deprecated things, it says to their users only.
#[test]
fn comments_and_deprecation() {
    let code = include_str!(concat!(env!("OUT_DIR"), "/interop.v1.rs"));
    // For the client and for the server of tonic, and for the trait of Defiant's own server.
    assert_eq!(code.matches("/// Finds one book by its \\[title\\].").count(), 3);
    assert_eq!(code.matches("/// Lends \\<books>.").count(), 3);
    assert!(code.contains("/// No longer to be called.\n        #[deprecated]\n        pub async fn lookup("));
    assert!(code.contains("#[deprecated]\n    #[derive(Debug, Clone)]\n    pub struct OldClient<T>"), "the service");
    assert!(code.contains("#[deprecated]\n        async fn lookup<'a>("));
}
