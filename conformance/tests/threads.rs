//! Messages and threads: what the derive's golden input is made of can be shared, sent, and held across an await.

use std::future::{Future, ready};

use defiant::pool::{ArenaPool, PooledArena};
use defiant::{Arena, Message, Owned};

/// The types that the derive's golden file is the expansion of.
#[allow(dead_code, unreachable_pub, reason = "it is what it is for the derive")]
#[path = "../../defiant-derive/tests/golden/input.rs"]
mod input;

fn is_shared<T: Send + Sync>() {}

/// A future that runtimes may move from thread to thread.
fn is_sent(_: impl Future<Output = ()> + Send + 'static) {}

macro_rules! all {
    ($($name:ident)::+) => {{
        is_shared::<input::$($name)::+<'static>>();
        is_shared::<Owned<input::$($name)::+<'static>>>();
        is_shared::<Owned<input::$($name)::+<'static>, PooledArena>>();
        // Arena and message are both alive where the future waits.
        is_sent(async {
            let mut arena = Arena::new();
            let message = input::$($name)::+::decode(&[], &arena);
            ready(()).await;
            let _: Result<input::$($name)::+<'_>, _> = message;
            arena.reset();
        });
        is_sent(async {
            let pool = ArenaPool::default();
            let message = Owned::<input::$($name)::+<'static>, _>::decode_copied(&[], pool.take());
            ready(()).await;
            drop(message);
        });
    }};
    ($($($name:ident)::+),+ $(,)?) => {{
        $(all!($($name)::+);)+
        [$(stringify!($($name)::+)),+]
    }};
}

#[test]
fn messages_may_change_threads() {
    let checked = all!(Person, Point, person::Part, Options, Small, SmallOptions);
    // Every message of the file is among them.
    let source = include_str!("../../defiant-derive/tests/golden/input.rs");
    let structs = source.matches("pub struct").count() - source.matches("pub struct Color").count();
    assert_eq!(checked.len(), structs);
}
