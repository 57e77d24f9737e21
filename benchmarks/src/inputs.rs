//! What the transactions of a block spend: the shape of the inputs that ts-proto is measured with, whose schema is not
//! published.

use crate::generated::prost::inputs::*;
use crate::random::Random;

/// How many inputs [`inputs`] has.
const INPUTS: usize = 500;

/// 500 inputs, about 127 KB: identifiers as text, hashes, scripts and witnesses as bytes.
pub fn inputs() -> Inputs {
    let random = &mut Random(127_000);
    Inputs { inputs: (0..INPUTS).map(|_| input(random)).collect() }
}

fn input(random: &mut Random) -> Input {
    let id = (0..4).map(|_| format!("{:016x}", random.next())).collect();
    // Most spend to the hash of a key, some to the hash of a script.
    let script = if random.below(5) == 0 { random.bytes(34) } else { random.bytes(22) };
    // A signature is 71 or 72 bytes long, a public key 33.
    let signature = 71 + random.below(2) as usize;
    Input {
        id,
        hash: random.bytes(32),
        amount: 546 + random.skewed(42),
        script,
        sequence: u32::MAX - random.below(3) as u32,
        witness: Some(Witness { items: vec![random.bytes(signature), random.bytes(33)] }),
    }
}
