//! Numbers that are the same in every run.

/// SplitMix64, or choices that are given.
#[derive(Debug)]
pub(super) struct Random<'c> {
    choices: &'c [u8],
    /// None where choices are given: then zero follows when none are left, and what happens seldom does not happen.
    state: Option<u64>,
}

impl<'c> Random<'c> {
    pub(super) fn new(seed: u64) -> Self {
        Random { choices: &[], state: Some(seed) }
    }

    /// Numbers that depend on bytes, so that what changes the bytes a little changes little of what is made of the numbers,
    /// and few bytes make little.
    pub(super) fn of(choices: &'c [u8]) -> Self {
        Random { choices, state: None }
    }

    pub(super) fn next(&mut self) -> u64 {
        if let Some((first, rest)) = self.choices.split_first_chunk() {
            self.choices = rest;
            return u64::from_le_bytes(*first);
        }
        self.choices = &[];
        let Some(state) = &mut self.state else { return 0 };
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = *state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Below `end`; 0 if that is 0.
    pub(super) fn below(&mut self, end: usize) -> usize {
        if let (Some((first, rest)), true) = (self.choices.split_first(), end <= 256) {
            self.choices = rest;
            return usize::from(*first) % end.max(1);
        }
        (self.next() % (end.max(1) as u64)) as usize
    }

    /// Whether a thing happens that happens once in `n` times.
    pub(super) fn one_in(&mut self, n: usize) -> bool {
        let left = self.state.is_some() || !self.choices.is_empty();
        left && self.below(n) == 0
    }

    /// One of a slice that is not empty.
    pub(super) fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// A number of any size, the remarkable ones more often than others.
    pub(super) fn number(&mut self) -> u64 {
        match self.below(9) {
            0 => 0,
            1 => self.below(3) as u64,
            2 => (self.below(3) as u64).wrapping_neg(),
            3 => 1 << self.below(64),
            4 => (1u64 << self.below(64)).wrapping_sub(1),
            5 => self.below(300) as u64,
            6 => i64::from(i32::MIN).wrapping_sub(self.below(3) as i64).wrapping_add(1) as u64,
            7 => (self.next() >> self.below(64)).wrapping_neg(),
            _ => self.next() >> self.below(64),
        }
    }

    pub(super) fn double(&mut self) -> f64 {
        match self.below(8) {
            0 => self.pick(&[0.0, -0.0, 1.0, -1.0, 0.1, 1e21, 1e-7, 123_456_789.0]),
            1 => self.pick(&[
                f64::NAN,
                -f64::NAN,
                f64::INFINITY,
                f64::NEG_INFINITY,
                f64::from_bits(0x7ff0_0000_0000_0001),
            ]),
            2 => self.pick(&[f64::MAX, f64::MIN, f64::MIN_POSITIVE, f64::from_bits(1), f64::EPSILON]),
            3 => self.number() as i64 as f64,
            4 => (self.number() as i64 as f64) / 1000.0,
            5 => f64::from(self.float()),
            _ => f64::from_bits(self.next()),
        }
    }

    pub(super) fn float(&mut self) -> f32 {
        match self.below(6) {
            0 => self.pick(&[0.0, -0.0, 1.0, -1.0, 0.1, 16_777_216.0, 1e10]),
            1 => self.pick(&[f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::from_bits(0x7f80_0001)]),
            2 => self.pick(&[f32::MAX, f32::MIN, f32::MIN_POSITIVE, f32::from_bits(1), f32::EPSILON]),
            3 => self.number() as i64 as f32,
            _ => f32::from_bits(self.next() as u32),
        }
    }

    /// Text of characters that formats have rules for.
    pub(super) fn text(&mut self) -> String {
        let len = match self.below(12) {
            0 => self.below(200),
            _ => self.below(20),
        };
        let plain = self.one_in(2);
        (0..len)
            .map(|_| match self.below(if plain { 1 } else { 8 }) {
                1 => self.pick(&['"', '\\', '/', '\'', '\n', '\r', '\t', '\u{8}', '\u{c}', '\0', '\x7f', '?']),
                2 => char::from(self.below(32) as u8),
                3 => self.pick(&['é', '€', '😀', '\u{2028}', '\u{feff}', '\u{ffff}', '\u{10ffff}', '\u{80}']),
                4 => char::from_u32(self.below(0x11_0000) as u32).unwrap_or('\u{fffd}'),
                _ => char::from(b' ' + self.below(95) as u8),
            })
            .collect()
    }

    pub(super) fn bytes(&mut self) -> Vec<u8> {
        (0..self.below(24)).map(|_| self.next() as u8).collect()
    }
}
