//! Where arenas come from, and what a decode may take.

use std::sync::OnceLock;

use defiant::DecodeOptions;
use defiant::pool::{ArenaPool, PoolOptions};
use tonic::codec::BufferSettings;

/// What a [`Codec`](crate::Codec) takes from its user, as functions of a type, because tonic makes codecs out of nothing.
///
/// ```
/// use defiant::DecodeOptions;
///
/// struct Careful;
///
/// impl defiant_tonic::Settings for Careful {
///     fn decode_options() -> DecodeOptions {
///         DecodeOptions::new().memory_limit(1 << 20).recursion_limit(20).unknown_fields(false)
///     }
/// }
///
/// // For the generator: `Generator::new().codec_path("crate::CarefulCodec")`.
/// pub type CarefulCodec<E, D> = defiant_tonic::Codec<E, D, Careful>;
/// ```
pub trait Settings: Send + 'static {
    /// The pool that messages which come in take their arenas from: [`pool`] unless said otherwise.
    ///
    /// It is asked for at every message, so make it once.
    fn pool() -> &'static ArenaPool {
        pool()
    }

    /// The limits of decoding a message: [`DecodeOptions::new`] unless said otherwise.
    fn decode_options() -> DecodeOptions {
        DecodeOptions::new()
    }

    /// From how many bytes on a message is not copied into its arena but keeps tonic's buffer, which it borrows from: 64 KiB
    /// unless said otherwise.
    ///
    /// A copy lets tonic use its buffer again for the next message, which is worth more than a small copy costs.
    fn borrow_from() -> usize {
        64 << 10
    }

    /// How tonic grows its buffers.
    fn buffer_settings() -> BufferSettings {
        BufferSettings::default()
    }
}

/// The [`Settings`] of those who set nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Defaults;

impl Settings for Defaults {}

/// The pool of the process, of [`PoolOptions::new`]: at most 64 idle arenas of at most 1 MiB.
#[must_use]
pub fn pool() -> &'static ArenaPool {
    static POOL: OnceLock<ArenaPool> = OnceLock::new();
    POOL.get_or_init(|| ArenaPool::new(PoolOptions::new()))
}
