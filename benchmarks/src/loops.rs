//! Operations that are timed side by side: what the tables beside those of the datasets have in common.

use std::time::{Duration, Instant};

/// One operation.
pub(crate) struct Loop {
    pub(crate) task: &'static str,
    pub(crate) library: &'static str,
    pub(crate) variant: &'static str,
    /// Bytes read or written.
    pub(crate) bytes: usize,
    pub(crate) work: Box<dyn FnMut()>,
}

/// What a number of rounds took.
pub(crate) struct Samples {
    /// Nanoseconds of one operation, round by round.
    pub(crate) nanoseconds: Vec<f64>,
    /// Operations in one sample.
    pub(crate) times: u32,
}

/// The least and the middle of some samples.
pub(crate) fn middle(samples: &[f64]) -> (f64, f64) {
    let mut samples = samples.to_vec();
    samples.sort_by(f64::total_cmp);
    (samples.first().copied().unwrap_or(f64::NAN), samples.get(samples.len() / 2).copied().unwrap_or(f64::NAN))
}

/// Runs each once a round, for two milliseconds or so, in rotating order.
pub(crate) fn measure(loops: &mut [&mut Loop], rounds: usize) -> Vec<Samples> {
    let with_room = |times| Samples { nanoseconds: Vec::with_capacity(rounds), times };
    let mut samples: Vec<Samples> = loops.iter_mut().map(|one| with_room(calibrate(one))).collect();
    for round in 0..rounds {
        for turn in 0..loops.len() {
            let index = (round + turn) % loops.len();
            let times = samples[index].times;
            // The first one after another library's finds cold caches; it is not what is asked.
            run(loops[index], times / 50 + 1);
            let elapsed = run(loops[index], times);
            samples[index].nanoseconds.push(elapsed.as_nanos() as f64 / f64::from(times));
        }
    }
    samples
}

/// Runs one so many times.
pub(crate) fn run(one: &mut Loop, times: u32) -> Duration {
    let start = Instant::now();
    for _ in 0..times {
        (one.work)();
    }
    start.elapsed()
}

/// How often it runs in two milliseconds, at least once.
fn calibrate(one: &mut Loop) -> u32 {
    let mut times = 1;
    loop {
        let elapsed = run(one, times);
        if elapsed >= Duration::from_millis(1) {
            return ((f64::from(times) * 2e-3 / elapsed.as_secs_f64()) as u32).max(1);
        }
        times *= 2;
    }
}
