//! Which instructions the processor has.

/// A set of instructions for which there are kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(super) enum Level {
    /// Those that every processor has.
    #[cfg(any(
        test,
        not(any(
            target_arch = "x86_64",
            all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")
        ))
    ))]
    Portable,
    /// x86-64.
    #[cfg(target_arch = "x86_64")]
    Sse2,
    /// x86-64 with AVX2, BMI1, LZCNT and POPCNT, whose PEXT is missing or slow.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// The same with a quick PEXT.
    #[cfg(target_arch = "x86_64")]
    Bmi2,
    /// The same with AVX-512 that moves single bytes across a register: VBMI and VBMI2.
    #[cfg(all(target_arch = "x86_64", avx512))]
    Avx512,
    /// aarch64.
    #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
    Neon,
}

impl Level {
    /// All that this processor has, the best last.
    #[cfg(test)]
    pub(super) fn available() -> std::vec::Vec<Level> {
        let mut levels = std::vec![Level::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            let all = [
                Level::Sse2,
                Level::Avx2,
                Level::Bmi2,
                #[cfg(avx512)]
                Level::Avx512,
            ];
            levels.extend(all.into_iter().filter(|level| *level <= Level::best()));
        }
        #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
        levels.push(Level::Neon);
        levels
    }

    /// The best that this processor has.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(super) fn best() -> Level {
        x86::best()
    }

    /// The best that the target has.
    #[cfg(not(target_arch = "x86_64"))]
    #[inline(always)]
    pub(super) const fn best() -> Level {
        #[cfg(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon"))]
        return Level::Neon;
        #[cfg(not(all(target_arch = "aarch64", target_endian = "little", target_feature = "neon")))]
        return Level::Portable;
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    #![expect(unsafe_code, reason = "asks the processor")]
    #![allow(unused_unsafe, reason = "`__cpuid` became a safe function after the oldest supported compiler")]

    use core::arch::x86_64::{__cpuid, __cpuid_count, __get_cpuid_max, _xgetbv};
    use core::sync::atomic::{AtomicU8, Ordering};

    use super::Level;

    /// 0 until the processor was asked. The standard library's macro would not tell a slow PEXT from a quick one, and
    /// is missing without `std`.
    static BEST: AtomicU8 = AtomicU8::new(0);

    #[inline(always)]
    pub(super) fn best() -> Level {
        match BEST.load(Ordering::Relaxed) {
            #[cfg(avx512)]
            4 => Level::Avx512,
            3 => Level::Bmi2,
            2 => Level::Avx2,
            1 => Level::Sse2,
            _ => ask(),
        }
    }

    #[cold]
    #[inline(never)]
    fn ask() -> Level {
        let level = if cfg!(any(miri, target_env = "sgx")) { Level::Sse2 } else { detect() };
        let number = match level {
            #[cfg(avx512)]
            Level::Avx512 => 4,
            Level::Bmi2 => 3,
            Level::Avx2 => 2,
            _ => 1,
        };
        // Who asks at the same time gets the same answer.
        BEST.store(number, Ordering::Relaxed);
        level
    }

    fn detect() -> Level {
        let has = |register: u32, bits: &[u32]| bits.iter().all(|bit| register >> bit & 1 == 1);
        // SAFETY: every x86-64 processor has CPUID.
        let (highest, _) = unsafe { __get_cpuid_max(0) };
        // SAFETY: as above.
        let (extended, _) = unsafe { __get_cpuid_max(0x8000_0000) };
        if highest < 7 || extended < 0x8000_0001 {
            return Level::Sse2;
        }
        // SAFETY: as above; leaves that it has.
        let (vendor, basic, more) = unsafe { (__cpuid(0), __cpuid(1), __cpuid(0x8000_0001)) };
        // SAFETY: as above.
        let newer = unsafe { __cpuid_count(7, 0) };
        // POPCNT, XGETBV and AVX; AVX2 and BMI1; LZCNT.
        if !has(basic.ecx, &[23, 27, 28]) || !has(newer.ebx, &[3, 5]) || !has(more.ecx, &[5]) {
            return Level::Sse2;
        }
        // SAFETY: bit 27 says that XGETBV may be used.
        let kept = unsafe { kept_registers() };
        // The system keeps XMM and YMM registers.
        if kept & 6 != 6 {
            return Level::Sse2;
        }
        let family = (basic.eax >> 8 & 0xf) + (basic.eax >> 20 & 0xff);
        // AMD's processors before Zen 3, and Hygon's, run PEXT as dozens of micro-operations.
        let slow = vendor.ebx != u32::from_le_bytes(*b"Genu") && family < 0x19;
        if !has(newer.ebx, &[8]) || slow {
            return Level::Avx2;
        }
        // F, DQ, CD, BW and VL; VBMI and VBMI2; and the system keeps the registers of masks and all of ZMM.
        #[cfg(avx512)]
        if has(newer.ebx, &[16, 17, 28, 30, 31]) && has(newer.ecx, &[1, 6]) && kept & 0xe6 == 0xe6 {
            return Level::Avx512;
        }
        Level::Bmi2
    }

    /// # Safety
    /// The processor has XGETBV and the system allows it.
    #[target_feature(enable = "xsave")]
    unsafe fn kept_registers() -> u64 {
        // SAFETY: as required of the caller.
        unsafe { _xgetbv(0) }
    }
}
