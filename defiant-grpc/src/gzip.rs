//! Messages in gzip, RFC 1952: from a thread to the next with memory that is kept.

use std::fmt;
use std::iter::repeat_n;

use defiant::Arena;
use flate2::{Compress, Compression, Crc, Decompress, FlushCompress, FlushDecompress, Status as Progress};

use crate::status::Status;

/// What comes before compressed bytes: the format, deflate, no options, no time, an unknown system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];

/// What comes behind them: the checksum and the length of what was compressed.
const TRAILER: usize = 8;

/// Bits of the header's fourth byte: what else is in it. The text bit says nothing, and the upper three are reserved.
const HEADER_CHECKSUM: u8 = 2;
const EXTRA: u8 = 4;
const NAME: u8 = 8;
const COMMENT: u8 = 16;
const RESERVED: u8 = 0xe0;

/// Deflate makes this many bytes of one at most.
const EXPANSION: usize = 1032;

/// Bytes that are kept for the next message.
const KEPT: usize = 1 << 20;

/// The memory of compression, some hundred KiB, made when there is something to do.
#[derive(Default)]
pub(crate) struct Gzip {
    inflate: Option<Decompress>,
    deflate: Option<Compress>,
    plain: Vec<u8>,
}

impl fmt::Debug for Gzip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Gzip")
    }
}

impl Gzip {
    /// What was compressed, of `max` bytes at most. More than that takes no memory, whatever the wire says.
    pub(crate) fn inflate(&mut self, wire: &[u8], max: usize) -> Result<&[u8], Status> {
        let malformed = || Status::internal("malformed gzip in a message");
        let (deflated, trailer) = body(wire).and_then(<[u8]>::split_last_chunk::<TRAILER>).ok_or_else(malformed)?;
        let [a, b, c, d, lengths @ ..] = *trailer;
        let (sum, len) = (u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes(lengths) as usize);
        if len > max {
            return Err(Status::resource_exhausted(format!("a message of {len} bytes, of which {max} are allowed")));
        }
        // A length that cannot be true takes no memory either.
        if len / EXPANSION > deflated.len() {
            return Err(malformed());
        }
        self.plain.clear();
        self.plain.shrink_to(KEPT);
        // One more, so that what is longer than it says is noticed.
        self.plain.resize(len + 1, 0);
        let inflate = self.inflate.get_or_insert_with(|| Decompress::new(false));
        inflate.reset(false);
        let progress = inflate.decompress(deflated, &mut self.plain, FlushDecompress::Finish);
        let is_whole = matches!(progress, Ok(Progress::StreamEnd))
            && inflate.total_in() == deflated.len() as u64
            && inflate.total_out() == len as u64;
        let plain = &self.plain[..len];
        if is_whole && checksum(plain) == sum { Ok(plain) } else { Err(malformed()) }
    }

    /// Bytes compressed into an arena, or nothing if that does not make them fewer.
    pub(crate) fn deflate<'arena>(&mut self, plain: &[u8], arena: &'arena Arena) -> Option<&'arena [u8]> {
        let room = plain.len().checked_sub(HEADER.len() + TRAILER)?;
        let len = u32::try_from(plain.len()).ok()?;
        let out = arena.vec_from_iter(repeat_n(0, plain.len())).into_slice_mut();
        let (header, rest) = out.split_at_mut(HEADER.len());
        header.copy_from_slice(&HEADER);
        let deflate = self.deflate.get_or_insert_with(|| Compress::new(Compression::fast(), false));
        deflate.reset();
        let Ok(Progress::StreamEnd) = deflate.compress(plain, &mut rest[..room], FlushCompress::Finish) else {
            return None;
        };
        let end = usize::try_from(deflate.total_out()).ok()?;
        rest[end..end + 4].copy_from_slice(&checksum(plain).to_le_bytes());
        rest[end + 4..end + TRAILER].copy_from_slice(&len.to_le_bytes());
        Some(&out[..HEADER.len() + end + TRAILER])
    }
}

/// CRC-32.
fn checksum(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// What comes behind the header.
fn body(wire: &[u8]) -> Option<&[u8]> {
    let (&[0x1f, 0x8b, 8, flags, ..], mut rest) = wire.split_first_chunk::<{ HEADER.len() }>()? else { return None };
    if flags & RESERVED != 0 {
        return None;
    }
    if flags & EXTRA != 0 {
        let (len, behind) = rest.split_first_chunk::<2>()?;
        rest = behind.get(usize::from(u16::from_le_bytes(*len))..)?;
    }
    for text in [NAME, COMMENT] {
        if flags & text != 0 {
            let end = rest.iter().position(|&byte| byte == 0)?;
            rest = &rest[end + 1..];
        }
    }
    if flags & HEADER_CHECKSUM != 0 {
        rest = rest.get(2..)?;
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    use std::io::{Read as _, Write as _};

    use flate2::{GzBuilder, read::GzDecoder, write::GzEncoder};

    use super::*;
    use crate::Code;

    /// Bytes that can be made fewer.
    fn text(len: usize) -> Vec<u8> {
        (0..len).map(|index| b"arenas and lifetimes"[index * index % 20]).collect()
    }

    fn gzip(plain: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(plain).expect("a vector grows");
        encoder.finish().expect("a vector grows")
    }

    #[test]
    fn what_others_made_is_read() {
        let mut ours = Gzip::default();
        for len in [0, 1, 5, 100, 70_000, 5, 2_000_000] {
            assert_eq!(ours.inflate(&gzip(&text(len)), len).expect("valid"), text(len), "{len}");
        }
        assert!(ours.plain.capacity() > KEPT);
        ours.inflate(&gzip(b""), 0).expect("valid");
        assert!(ours.plain.capacity() <= KEPT, "a large one is not kept");

        let mut encoder = GzBuilder::new()
            .filename("a name")
            .comment("a comment")
            .extra(b"more".to_vec())
            .mtime(7)
            .write(Vec::new(), Compression::best());
        encoder.write_all(b"text").expect("a vector grows");
        let named = encoder.finish().expect("a vector grows");
        assert_eq!(ours.inflate(&named, 4).expect("valid"), b"text");
        for cut in 0..named.len() {
            assert!(ours.inflate(&named[..cut], 1000).is_err(), "cut at {cut}");
        }
    }

    #[test]
    fn others_read_what_we_made() {
        let (mut ours, arena) = (Gzip::default(), Arena::new());
        for len in [100, 70_000, 100] {
            let short = ours.deflate(&text(len), &arena).expect("shorter");
            assert!(short.len() < len);
            let mut plain = Vec::new();
            GzDecoder::new(short).read_to_end(&mut plain).expect("valid");
            assert_eq!(plain, text(len));
            assert_eq!(ours.inflate(short, len).expect("valid"), text(len));
        }
        // Nothing to be won.
        for len in 0..30 {
            assert_eq!(ours.deflate(&text(len), &arena), None, "{len}");
        }
        let mut random = 1u32;
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            random = random.wrapping_mul(0x915f_77f5).wrapping_add(1);
            (random >> 24) as u8
        })
        .take(5000)
        .collect();
        assert_eq!(ours.deflate(&noise, &arena), None);
    }

    #[test]
    fn a_bomb_takes_no_memory() {
        let mut ours = Gzip::default();
        let bomb = gzip(&vec![0; 10_000_000]);
        assert!(bomb.len() < 20_000);
        let status = ours.inflate(&bomb, 1_000_000).expect_err("too long");
        assert_eq!(status.code(), Code::ResourceExhausted);
        // One that lies about its length.
        for said in [0u32, 1_000_000, 9_999_999, 10_000_001] {
            let mut bomb = bomb.clone();
            let end = bomb.len() - 4;
            bomb[end..].copy_from_slice(&said.to_le_bytes());
            assert_eq!(ours.inflate(&bomb, 10_000_001).expect_err("a lie").code(), Code::Internal, "{said}");
        }
        // A few bytes that promise much.
        let mut small = gzip(b"text");
        let end = small.len() - 4;
        small[end..].copy_from_slice(&4_000_000u32.to_le_bytes());
        let mut ours = Gzip::default();
        assert_eq!(ours.inflate(&small, 10_000_000).expect_err("a lie").code(), Code::Internal);
        assert_eq!(ours.plain.capacity(), 0);
    }

    #[test]
    fn any_change_is_noticed_or_harmless() {
        let (mut ours, plain) = (Gzip::default(), text(300));
        let wire = gzip(&plain);
        for index in 0..wire.len() {
            for bit in 0..8 {
                let mut wire = wire.clone();
                wire[index] ^= 1 << bit;
                if let Ok(read) = ours.inflate(&wire, 1000) {
                    assert_eq!(read, plain, "bit {bit} of byte {index}");
                }
            }
        }
        // Another one behind it.
        assert!(ours.inflate(&[&wire[..], &wire].concat(), 1000).is_err());
        assert!(ours.inflate(&[&wire[..], b"\0"].concat(), 1000).is_err());
    }
}
