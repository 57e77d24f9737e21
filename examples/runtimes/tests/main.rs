//! The service on each runtime, over loopback sockets.

use std::{
    io::{self, BufRead as _, BufReader},
    net::{SocketAddr, TcpStream},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use runtimes::{
    Burst, Client, Counting, Defiant, Library, MAX_FRAME, Prost, Runtime, Server, Workload, allocations, batter, stall,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// How long a server may take to stop where it is expected to.
const GRACE: Duration = Duration::from_secs(60);

/// Starts a server; says so and gives nothing where the runtime cannot run.
fn start<L: Library>(runtime: Runtime) -> Option<Server> {
    match Server::start::<L>(runtime) {
        Ok(server) => Some(server),
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            // To the handle itself, because what a test that passes prints is kept back.
            use io::Write as _;
            let _ = writeln!(io::stderr().lock(), "skipped: {error}");
            None
        }
        Err(error) => panic!("{}: {error}", runtime.name()),
    }
}

/// Waits until something is so, however long the machine takes for it.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    for _ in 0..6000 {
        if is_so() {
            return;
        }
        thread::sleep(Duration::from_millis(10));
    }
    panic!("never: {what}");
}

fn client(server: &Server) -> Client {
    Client::connect(server.address()).expect("it connects")
}

/// A client that does not read, when it is stuck, and the bytes that it sent.
fn stalled(server: &Server, burst: &Burst) -> (Client, usize) {
    stall(server.address(), burst).unwrap_or_else(|error| panic!("{}: {error}", server.runtime().name()))
}

/// Every request is answered rightly, on several connections at once.
fn answers<L: Library>(runtime: Runtime) {
    let Some(server) = start::<L>(runtime) else { return };
    let burst = Burst::new(&Workload::ALL, 8);
    let mut clients: Vec<_> = (0..5).map(|_| client(&server)).collect();
    for _ in 0..5 {
        for client in &mut clients {
            client.exchange(&burst).expect("the right replies");
        }
    }
    assert_eq!(server.answered(), 5 * 5 * burst.count);
    // A client that says it is done is done with, and the others are not.
    let last = clients.pop().expect("a client");
    drop(clients);
    until("closed connections are gone", || server.open() == 1);
    drop(last);
    server.stop(GRACE).expect("it stops");
}

/// Once connections are warm, no code of ours allocates.
///
/// Of the whole process nothing else may run meanwhile that counts as ours: `tests` runs this alone.
fn allocates_nothing(runtime: Runtime) {
    let Some(server) = start::<Defiant>(runtime) else { return };
    let burst = Burst::new(&Workload::ALL, 8);
    let mut clients: Vec<_> = (0..3).map(|_| client(&server)).collect();
    let mut exchange = |times| {
        for _ in 0..times {
            clients.iter_mut().for_each(|client| client.exchange(&burst).expect("the right replies"));
        }
    };
    exchange(30);
    let before = allocations();
    exchange(200);
    let after = allocations();
    let requests = 3 * 200 * burst.count;
    println!(
        "{} on {}: {} allocations of ours and {} of the runtime and the test in {requests} requests",
        runtime.name(),
        server.driver(),
        after.ours - before.ours,
        (after.all - before.all) - (after.ours - before.ours),
    );
    assert_eq!(after.ours, before.ours, "{}", runtime.name());
    drop(clients);
    server.stop(GRACE).expect("it stops");
}

/// The same with prost does allocate, so the counter counts.
fn the_peer_allocates(runtime: Runtime) {
    let Some(server) = start::<Prost>(runtime) else { return };
    let burst = Burst::new(&[Workload::Batch], 1);
    let mut client = client(&server);
    client.exchange(&burst).expect("the right replies");
    let before = allocations();
    client.exchange(&burst).expect("the right replies");
    assert!(allocations().ours > before.ours + 50, "{}", runtime.name());
    drop(client);
    server.stop(GRACE).expect("it stops");
}

/// A bad frame gets a reason, a closed connection, and harms nobody else.
fn refuses(runtime: Runtime) {
    let Some(server) = start::<Defiant>(runtime) else { return };
    let burst = Burst::new(&Workload::ALL, 2);
    let mut good = client(&server);
    good.exchange(&burst).expect("it is served");

    let provoke = |bytes: &[u8], end| client(&server).provoke(bytes, end).expect("the server answers");
    // A gigabyte is announced and nothing sent.
    assert_eq!(
        provoke(&[0x80, 0x80, 0x80, 0x80, 0x04], false),
        format!("frame 0 at byte 0: {} bytes are more than the {MAX_FRAME} that are allowed", 1u64 << 30)
    );
    assert_eq!(provoke(&[0xff; 10], false), "frame 0 at byte 0: the length is longer than ten bytes or 64 bits");
    // `echo` is cut short inside its frame; more behind it is not looked at.
    let reason = provoke(&[&[2, 0x12, 0x05][..], &burst.requests].concat(), false);
    assert!(reason.contains("Request.echo"), "{reason}");
    // The client is done in the middle of a frame.
    assert_eq!(provoke(&[5, 1], true), "frame 0 at byte 0: the stream ends inside the frame");
    assert_eq!(server.refused(), 4);

    good.exchange(&burst).expect("it is still served");
    drop(good);
    server.stop(GRACE).expect("it stops");
}

/// A client that does not read is not read from: what it sends stays with it, and the server holds a bounded part.
fn pushes_back(runtime: Runtime) {
    let Some(server) = start::<Defiant>(runtime) else { return };
    let burst = Burst::new(&[Workload::Echo], 64);
    let mut other = client(&server);
    other.exchange(&burst).expect("it is served");

    let before = allocations().held_bytes;
    let (mut stalled, sent) = stalled(&server, &burst);
    let held = allocations().held_bytes - before;
    assert!(held < 1 << 20, "{}: {held} bytes held after {sent} bytes were sent", runtime.name());

    // Others are served all the same, and it, too, once it reads: what it had sent is answered to the last byte.
    other.exchange(&burst).expect("it is still served");
    let whole = sent / burst.requests.len();
    for _ in 0..whole {
        stalled.expect(&burst.replies).expect("the right replies");
    }
    drop((stalled, other));
    server.stop(GRACE).expect("it stops");
}

/// A server that is told to stop answers what it has read and closes; whoever does not read is dropped after a while.
fn stops(runtime: Runtime) {
    let Some(server) = start::<Defiant>(runtime) else { return };
    let burst = Burst::new(&Workload::ALL, 4);
    let address = server.address();
    let mut idle = client(&server);
    idle.exchange(&burst).expect("it is served");
    let _stalled = stalled(&server, &burst);
    assert_eq!(server.open(), 2);

    let stopper = thread::spawn(move || server.stop(Duration::from_millis(300)));
    assert_eq!(idle.drain().expect("it is closed, not reset"), b"");
    stopper.join().expect("no panic").expect("it stops in spite of a client that does not read");
    // The kernel may be a little behind with what a runtime told it to close.
    until("nobody listens", || Client::connect(address).is_err());

    // With nobody in the way there is nothing to wait for.
    let Some(server) = start::<Defiant>(runtime) else { return };
    server.stop(GRACE).expect("it stops");
}

/// Broken frames, broken connections, and tasks that are dropped in the middle of something leave nothing behind.
fn leaks_nothing(runtime: Runtime) {
    let round = || {
        let server = start::<Defiant>(runtime)?;
        let burst = Burst::new(&Workload::ALL, 8);
        batter(server.address(), &burst, 60).expect("it takes connections");
        until("broken connections are gone", || server.open() == 0);
        assert!(server.refused() > 0, "{}", runtime.name());
        let _stalled = stalled(&server, &burst);
        server.stop(Duration::ZERO).expect("it stops at once");
        Some(())
    };
    // The first rounds allocate what stays for good: thread-local values, what runtimes keep.
    for _ in 0..2 {
        if round().is_none() {
            return;
        }
    }
    let before = allocations().held_bytes;
    for _ in 0..3 {
        round();
    }
    let grown = allocations().held_bytes - before;
    println!("{}: {grown} bytes more after three rounds", runtime.name());
    assert!(grown < 32 << 10, "{}: {grown} bytes more than before", runtime.name());
}

/// More connections than a server has descriptors for do not end it, and when they are gone it takes others.
#[cfg(unix)]
fn outlives_a_crowd(runtime: Runtime) {
    let burst = Burst::new(&Workload::ALL, 2);
    let mut server = Command::new("sh")
        .args(["-c", "ulimit -n 40 && exec \"$0\" \"$@\""])
        .args([env!("CARGO_BIN_EXE_serve"), runtime.name(), "127.0.0.1:0"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("a shell");
    let mut said = String::new();
    BufReader::new(server.stdout.as_mut().expect("it is piped")).read_line(&mut said).expect("it says where it is");
    let Some(address) = said.split(" at ").nth(1).and_then(|rest| rest.split(';').next()) else {
        let output = server.wait_with_output().expect("it ended");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains("cannot run here"), "{}: {error}", runtime.name());
        return;
    };
    let address: SocketAddr = address.parse().expect("an address");

    let mut good = Client::connect(address).expect("it connects");
    good.exchange(&burst).expect("it is served");
    let crowd: Vec<_> = (0..60).map(|_| TcpStream::connect(address).expect("room in its backlog")).collect();
    // More than one round of waiting.
    thread::sleep(Duration::from_millis(200));
    good.exchange(&burst).unwrap_or_else(|error| panic!("{}: {error}", runtime.name()));
    drop(crowd);
    let mut other = Client::connect(address).expect("it connects");
    other.exchange(&burst).unwrap_or_else(|error| panic!("{}: {error}", runtime.name()));
    drop((good, other));
    let output = server.wait_with_output().expect("it ends with its input");
    assert!(output.status.success(), "{}: {}", runtime.name(), String::from_utf8_lossy(&output.stderr));
}

/// All of it, one after the other: the allocations of the process are counted as one.
#[test]
fn on_all_runtimes() {
    for runtime in Runtime::ALL {
        answers::<Defiant>(runtime);
        answers::<Prost>(runtime);
        the_peer_allocates(runtime);
        allocates_nothing(runtime);
        refuses(runtime);
        pushes_back(runtime);
        stops(runtime);
        leaks_nothing(runtime);
        #[cfg(unix)]
        outlives_a_crowd(runtime);
    }
}
