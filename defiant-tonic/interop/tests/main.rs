//! Conversations between programs of Rust.

mod features;
mod local;
mod matrix;
mod wire;

/// Runs a test on a runtime of several threads, where what is awaited has to be `Send`.
fn spawned<T: Send + 'static>(test: impl Future<Output = T> + Send + 'static) -> T {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().expect("a runtime");
    runtime.block_on(async { tokio::spawn(test).await.expect("no panic") })
}
