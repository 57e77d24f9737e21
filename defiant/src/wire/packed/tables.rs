//! Tables of shuffles.

/// A byte index that a shuffle turns into zero.
const NONE: u8 = 0x80;

/// For the high bits of eight bytes: where the first and the second byte of each varint are that ends in them.
pub(super) static SPLIT: [[u8; 16]; 256] = split();
/// For eight values, by which of them take two bytes: where their bytes are, moved to the end of sixteen.
#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")))]
pub(super) static JOIN: [[u8; 16]; 256] = join();

/// The low seven bits of the first one to eight bytes of a word.
#[cfg(target_arch = "x86_64")]
pub(super) static LOW_BITS: [u64; 8] = {
    let mut masks = [0; 8];
    let mut last = 0;
    while last < 8 {
        masks[last] = 0x7f7f_7f7f_7f7f_7f7f >> (56 - 8 * last);
        last += 1;
    }
    masks
};

/// The same without the lowest bit.
#[cfg(target_arch = "x86_64")]
pub(super) static HIGH_HALVES: [u64; 8] = {
    let mut masks = LOW_BITS;
    let mut last = 0;
    while last < 8 {
        masks[last] -= 1;
        last += 1;
    }
    masks
};

const fn split() -> [[u8; 16]; 256] {
    let mut table = [[NONE; 16]; 256];
    let mut more = 0;
    while more < 256 {
        let (mut byte, mut lane) = (0, 0);
        while byte < 8 {
            if more >> byte & 1 == 0 {
                table[more][2 * lane] = byte as u8;
                byte += 1;
            } else {
                // What follows a second byte with a high bit is a longer varint, and is not asked for.
                if byte < 7 {
                    table[more][2 * lane] = byte as u8;
                    table[more][2 * lane + 1] = byte as u8 + 1;
                }
                byte += 2;
            }
            lane += 1;
        }
        more += 1;
    }
    table
}

#[cfg(any(target_arch = "x86_64", all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")))]
const fn join() -> [[u8; 16]; 256] {
    let mut table = [[NONE; 16]; 256];
    let mut two = 0;
    while two < 256 {
        let (mut place, mut lane) = (16, 8);
        while lane > 0 {
            lane -= 1;
            if two >> lane & 1 == 1 {
                place -= 1;
                table[two][place] = 2 * lane as u8 + 1;
            }
            place -= 1;
            table[two][place] = 2 * lane as u8;
        }
        two += 1;
    }
    table
}
