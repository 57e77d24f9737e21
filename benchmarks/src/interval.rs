//! A middle value and how well it is known.

/// The median of some samples, and between which samples it lies with 95% confidence.
///
/// Nothing is assumed of how the samples are distributed, only that one says nothing of the next: how many of them lie
/// below the true median is then a matter of tossing coins (<https://en.wikipedia.org/wiki/Sign_test>).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The median; the upper one of the two where the samples are even in number.
    pub middle: f64,
    /// The upper end.
    pub high: f64,
}

impl Interval {
    /// The interval of some samples; `None` when they are fewer than six, which is too few to be confident.
    pub fn of(mut samples: Vec<f64>) -> Option<Interval> {
        let rank = rank(samples.len())?;
        samples.sort_by(f64::total_cmp);
        Some(Interval {
            low: samples[rank - 1],
            middle: samples[samples.len() / 2],
            high: samples[samples.len() - rank],
        })
    }
}

/// The greatest rank, counted from 1 at either end, at which the true median lies beyond with 2.5% at most.
fn rank(samples: usize) -> Option<usize> {
    // The logarithm of the chance that just `below` of the samples lie below the median.
    let mut chance = -(samples as f64) * std::f64::consts::LN_2;
    let mut beyond = 0.0;
    for below in 0..samples {
        beyond += chance.exp();
        if beyond > 0.025 {
            return (below > 0).then_some(below);
        }
        chance += ((samples - below) as f64 / (below + 1) as f64).ln();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::{Interval, rank};

    /// The critical values of the two-sided sign test at 5%, as tables of it have them; the rank is the next one.
    #[test]
    fn ranks_are_those_of_the_sign_test() {
        for (samples, critical) in [(6, 0), (8, 0), (9, 1), (12, 2), (15, 3), (20, 5), (25, 7), (50, 17), (100, 39)] {
            assert_eq!(rank(samples), Some(critical + 1), "{samples} samples");
        }
        for few in 0..6 {
            assert_eq!(rank(few), None, "{few} samples");
        }
        // Where 0.5 to the power of the samples is too small for a number.
        assert!(rank(5000).is_some_and(|rank| (2425..2435).contains(&rank)));
    }

    #[test]
    fn ends_are_samples() {
        let samples = vec![9.0, 1.0, 8.0, 2.0, 7.0, 3.0, 6.0, 4.0, 5.0];
        assert_eq!(Interval::of(samples), Some(Interval { low: 2.0, middle: 5.0, high: 8.0 }));
        assert_eq!(Interval::of(vec![1.0; 5]), None);
    }
}
