//! The service and its clients on a loopback address, with few requests.

use request_loop::{Client, Load, MAX_FRAME, Server, run};

#[test]
fn a_request_allocates_nothing_after_warm_up() {
    let load = Load { cores: 2, connections: 4, requests: 2_001, warm_up: 100 };
    let report = run(load).expect("the run succeeds");
    println!("{report}");
    assert_eq!(report.counters.requests, load.requests, "every request is counted once");
    assert_eq!(report.counters.allocations, 0, "{report}");
    assert!(report.counters.bytes_in > 0 && report.counters.bytes_out > 0);
    assert!(report.requests_per_second() > 0.0);
}

#[test]
fn a_bad_request_gets_a_reason_and_harms_nobody_else() {
    let server = Server::start(1).expect("it starts");
    let provoke = |bytes: &[u8]| {
        Client::connect(server.address()).and_then(|client| client.provoke(bytes)).expect("the server answers")
    };
    let mut good = Client::connect(server.address()).expect("it connects");
    good.search_many(10).expect("it is served");

    // A gigabyte is announced and nothing sent.
    assert_eq!(
        provoke(&[0x80, 0x80, 0x80, 0x80, 0x04]),
        format!("frame 0 at byte 0: {} bytes are more than the {MAX_FRAME} that are allowed", 1u64 << 30)
    );
    assert_eq!(provoke(&[0xff; 10]), "frame 0 at byte 0: the length is longer than ten bytes or 64 bits");
    // `query` is cut short inside its frame.
    let reason = provoke(&[2, 0x12, 0x05]);
    assert!(reason.contains("Search.query"), "{reason}");

    good.search_many(10).expect("it is still served");
    drop(good);
    server.stop().expect("it stops");
}
