//! STM32: a general-purpose timer counts 16 bits up at 1 MHz, and compares.
//!
//! Software adds the upper 16 bits: a widened counter is kept from the last interrupt, and an
//! interrupt comes at least every 16 ms, a quarter of the counter's round.
//!
//! ```text
//!   counter     0 ──────────────── 0xffff 0 ──────────────── 0xffff 0
//!   SEEN          │    ├──── LEG ────┤ late ┤
//!                 └ the last interrupt      └ less than half a round behind it
//! ```
//!
//! Some chips have 32 bits in TIM2 and TIM5. The source uses 16 of them.

use ::core::hint::cold_path;
use ::core::sync::atomic::{AtomicU32, Ordering};

use super::{Hardware, Register};
use crate::arch::pend;
use crate::time::source::{Source, widen};

/// The register that turns the timers' clocks on, RCC_APB1ENR, of the families STM32F1 and F3.
pub const STM32F1_RCC: usize = 0x4002_101c;
/// The register RCC_APB1ENR of the families STM32F2, F4 and F7.
pub const STM32F4_RCC: usize = 0x4002_3840;
/// The register RCC_APB1ENR1 of the families STM32L4 and G4.
pub const STM32L4_RCC: usize = 0x4002_1058;

/// Control 1; bit 0 enables the counter.
const CR1: usize = 0x00;
/// Slave mode.
const SMCR: usize = 0x08;
/// Interrupts.
const DIER: usize = 0x0c;
/// Status. Writing 0 to a bit clears the bit; writing 1 does nothing.
const SR: usize = 0x10;
/// Event generation; bit 0 loads the prescaler and clears the counter.
const EGR: usize = 0x14;
/// Mode of channel 1.
const CCMR1: usize = 0x18;
/// The counter.
const CNT: usize = 0x24;
/// The prescaler.
const PSC: usize = 0x28;
/// The value at which the counter begins anew.
const ARR: usize = 0x2c;
/// The value that channel 1 compares with.
const CCR1: usize = 0x34;
/// DIER and SR: the counter has reached CCR1.
const COMPARE_1: u32 = 1 << 1;

/// The widened counter at the last entry of the handler: less than half a round ago.
static SEEN: AtomicU32 = AtomicU32::new(0);

/// TIM2, TIM3, TIM4 or TIM5 (`NUMBER`) of an STM32, at 1 MHz, from a timer's clock of `CLOCK_HZ`: a
/// whole number of MHz. The source takes the whole timer.
///
/// ```no_run
/// use quintet::time::{STM32F4_RCC, Stm32Timer};
///
/// quintet::timer_source!(Clock, Stm32Timer<3, 84_000_000, STM32F4_RCC>, interrupt = TIM3);
/// # fn main() {}
/// ```
///
/// The timers' clock is twice the clock of their bus, APB1, unless the bus runs undivided. The
/// source uses the interrupt numbers 28, 29, 30 and 50, which the families F1 to F4, F7, L4 and G4
/// have in common. `RCC` is one of [`STM32F1_RCC`], [`STM32F4_RCC`] and [`STM32L4_RCC`]. The tests
/// of this source run for an STM32F100.
///
/// An interrupt comes at least every 16 ms. Never hold the interrupt off for as long as that.
#[derive(Debug)]
pub struct Stm32Timer<const NUMBER: u8, const CLOCK_HZ: u32, const RCC: usize = STM32F1_RCC>;

impl<const NUMBER: u8, const CLOCK_HZ: u32, const RCC: usize> Stm32Timer<NUMBER, CLOCK_HZ, RCC> {
    /// The timer's bit in the register of clocks; the first timer has bit 0.
    const INDEX: u8 = {
        assert!(2 <= NUMBER && NUMBER <= 5, "an Stm32Timer is TIM2, TIM3, TIM4 or TIM5");
        NUMBER - 2
    };

    const PRESCALER: u32 = {
        let megahertz = CLOCK_HZ / Self::HZ;
        assert!(
            CLOCK_HZ.is_multiple_of(Self::HZ) && 1 <= megahertz && megahertz <= 1 << 16,
            "the clock of an Stm32Timer is a whole number of MHz"
        );
        megahertz - 1
    };

    /// `true` if the driver never asks for a time that is more than a leg ago.
    const COUNTS_TICKS: bool = Self::HZ as u64 == embassy_time::TICK_HZ;

    /// One of the timer's registers.
    #[inline(always)]
    const fn register(offset: usize) -> Register {
        Register(0x4000_0000 + 0x400 * Self::INDEX as usize + offset)
    }
}

impl<const NUMBER: u8, const CLOCK_HZ: u32, const RCC: usize> Source
    for Stm32Timer<NUMBER, CLOCK_HZ, RCC>
{
    const HZ: u32 = 1_000_000;
    /// A leg leaves as much time again for a late handler, less than half a round. The value is an
    /// immediate of instructions.
    const LEG: u32 = 0x3fc0;

    #[inline(always)]
    fn counter() -> u32 {
        loop {
            if let Some(counter) = Self::look() {
                return counter;
            }
        }
    }

    #[inline(always)]
    fn look() -> Option<u32> {
        let seen = SEEN.load(Ordering::Relaxed);
        // SAFETY: the driver asks only when the source has begun.
        let counter = widen::<16>(seen, unsafe { Self::register(CNT).read() });
        // If the handler ran in between, what was seen may be too long ago.
        (SEEN.load(Ordering::Relaxed) == seen).then_some(counter)
    }

    #[inline(always)]
    fn set(at: u32) {
        // SAFETY: the driver asks only when the source has begun, and under the kernel's lock.
        let counter = unsafe {
            Self::register(CCR1).write(at & 0xffff);
            Self::register(CNT).read()
        };
        // The interrupt comes when the counter becomes equal: now it may be too late for it, by a
        // round of the counter. 16 bits tell that of a time less than half a round ago; whoever was
        // interrupted on the way here may come with one that is longer ago.
        let left = if Self::COUNTS_TICKS {
            i32::from((at as u16).wrapping_sub(counter as u16) as i16)
        } else {
            at.wrapping_sub(Self::counter()) as i32
        };
        if left <= 0 {
            cold_path();
            pend(Self::INTERRUPT);
        }
    }

    #[inline(always)]
    fn acknowledge() -> u32 {
        let seen = SEEN.load(Ordering::Relaxed);
        // SAFETY: the handler runs only when the source has begun. No other flag is cleared.
        let counter = unsafe {
            Self::register(SR).write(!COMPARE_1);
            Self::register(CNT).read()
        };
        let counter = widen::<16>(seen, counter);
        SEEN.store(counter, Ordering::Relaxed);
        counter
    }

    /// The interrupt comes once more after this: it may set a time that is longer ago than 16 bits
    /// can tell.
    fn keep_up() -> u32 {
        pend(Self::INTERRUPT);
        Self::acknowledge()
    }
}

impl<const NUMBER: u8, const CLOCK_HZ: u32, const RCC: usize> Hardware
    for Stm32Timer<NUMBER, CLOCK_HZ, RCC>
{
    const INTERRUPT: u16 = [28, 29, 30, 50][Self::INDEX as usize];

    unsafe fn begin() {
        // SAFETY: the caller has the timer to itself.
        unsafe {
            Register(RCC).write(Register(RCC).read() | 1 << Self::INDEX);
            // The clock takes two cycles to come; reading the register back takes as long.
            let _ = Register(RCC).read();
            for mode in [CR1, SMCR, CCMR1] {
                Self::register(mode).write(0);
            }
            Self::register(PSC).write(Self::PRESCALER);
            Self::register(ARR).write(0xffff);
            Self::register(EGR).write(1);
            Self::register(SR).write(0);
            Self::register(DIER).write(COMPARE_1);
            Self::register(CR1).write(1);
        }
    }
}
