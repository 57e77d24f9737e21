//! Every client with every server, in all four ways of calling.

use defiant_grpc::ServerOptions;
use grpc_interop::servers;
use grpc_interop::talks::{ours, stock};

use crate::spawned;

#[test]
fn ours_with_stock() {
    let server = servers::stock().expect("a server");
    spawned(ours(server.url()));
}

#[test]
fn ours_with_threads() {
    let server = servers::threads().expect("a server");
    spawned(ours(server.url()));
}

#[test]
fn ours_with_local() {
    let server = servers::local(ServerOptions::new()).expect("a server");
    spawned(ours(server.url()));
    server.stop().expect("an orderly end");
}

#[test]
fn stock_with_threads() {
    let server = servers::threads().expect("a server");
    spawned(stock(server.url()));
}

#[test]
fn stock_with_local() {
    let server = servers::local(ServerOptions::new()).expect("a server");
    spawned(stock(server.url()));
    server.stop().expect("an orderly end");
}
