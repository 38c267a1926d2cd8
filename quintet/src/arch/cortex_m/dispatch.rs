//! The interrupt routine of a level, and what its wakers do, in as few instructions as can be.
//!
//! Both are macros, because they name the application's statics. Where the core has CLZ and LDREX
//! they are assembly: the compiler gives every function on this target a frame, even a leaf, and a
//! dispatcher in Rust pushes all registers on every interrupt. `docs/decisions` has the numbers.

/// A function that makes the slot with this bit (or number) ready.
pub type Wake = unsafe extern "C" fn(*const ());

/// The function as a waker's function table wants it.
pub const fn wake_function(wake: Wake) -> unsafe fn(*const ()) {
    // SAFETY: on these targets, a function of one word that returns nothing takes it in the same
    // register by either convention. (A naked function can't have Rust's, and a Rust function around
    // it costs 9 cycles for a frame that it doesn't need.)
    unsafe { ::core::mem::transmute::<Wake, unsafe fn(*const ())>(wake) }
}

/// Defines the interrupt routine of a level: one round over its ready jobs.
///
/// `$ready` is a static `Ready`, `$table` a static array of jobs, one for each slot. The round is
/// live: the lowest ready slot ahead of the present one is next, until none is left. Jobs behind it
/// were pended together with their wake, so the interrupt comes again by itself.
#[cfg(basepri)]
#[doc(hidden)]
#[macro_export]
macro_rules! __dispatcher {
    ($(#[$attribute:meta])* $name:ident, $ready:path, $table:path) => {
        $(#[$attribute])*
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            ::core::arch::naked_asm!(
                "push {{r4, r5, r6, lr}}",
                "movw r4, #:lower16:{ready}",     // r4 = the ready word
                "movt r4, #:upper16:{ready}",
                "movw r5, #:lower16:{table}",     // r5 = the jobs
                "movt r5, #:upper16:{table}",
                "mov r6, #0xffffffff",            // r6 = slots ahead: all
                "1:",
                "ldrex r0, [r4]",
                "ands r1, r0, r6",                // nothing ready ahead: the round ends
                "beq 3f",
                "clz r1, r1",                     // r1 = slot
                "mov r2, #0x80000000",
                "lsr r2, r2, r1",                 // r2 = its bit
                "bic r0, r0, r2",                 // take it before it runs: a wake from here on counts
                "strex r3, r0, [r4]",
                "cbnz r3, 2f",                    // a wake came in between
                "subs r6, r2, #1",                // ahead: the slots behind this one
                "ldr r3, [r5, r1, lsl #2]",
                "blx r3",
                "2:",
                "b 1b",
                "3:",
                "pop {{r4, r5, r6, pc}}",
                ready = sym $ready,
                table = sym $table,
            )
        }
    };
}

/// Defines the interrupt routine of a level: one round over its ready jobs.
#[cfg(not(basepri))]
#[doc(hidden)]
#[macro_export]
macro_rules! __dispatcher {
    ($(#[$attribute:meta])* $name:ident, $ready:path, $table:path) => {
        $(#[$attribute])*
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            // SAFETY: the hardware calls it, at the level's priority, and doesn't nest it.
            unsafe { $ready.run_round(&$table) }
        }
    };
}

/// Defines the function that makes a slot of an interrupt's level ready: its bit is the argument.
///
/// The bit is set before the interrupt is pended, so that the level finds it.
#[cfg(basepri)]
#[doc(hidden)]
#[macro_export]
macro_rules! __wake_interrupt {
    ($name:ident, $ready:path, $number:expr) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_bit: *const ()) {
            ::core::arch::naked_asm!(
                "movw r1, #:lower16:{ready}",
                "movt r1, #:upper16:{ready}",
                "1:",
                "ldrex r2, [r1]",
                "orr r2, r2, r0",                 // ready |= bit
                "strex r3, r2, [r1]",
                "cbnz r3, 2f",
                "mov r1, #0xe000e000",            // pend the level
                "mov r2, #{bit}",
                "str r2, [r1, #{register}]",
                "bx lr",
                "2:",
                "b 1b",
                ready = sym $ready,
                bit = const 1_u32 << ($number % 32),
                register = const 0x200 + 4 * ($number / 32),
            )
        }
    };
}

/// Defines the function that makes a slot of an interrupt's level ready: its bit is the argument.
#[cfg(not(basepri))]
#[doc(hidden)]
#[macro_export]
macro_rules! __wake_interrupt {
    ($name:ident, $ready:path, $number:expr) => {
        unsafe extern "C" fn $name(bit: *const ()) {
            $ready.set(bit as usize as u32);
            $crate::export::pend($number as u16);
        }
    };
}

/// Defines the function that makes a slot of thread mode's level ready: its bit is the argument.
#[cfg(basepri)]
#[doc(hidden)]
#[macro_export]
macro_rules! __wake_thread_mode {
    ($name:ident, $ready:path) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_bit: *const ()) {
            ::core::arch::naked_asm!(
                "movw r1, #:lower16:{ready}",
                "movt r1, #:upper16:{ready}",
                "1:",
                "ldrex r2, [r1]",
                "orr r2, r2, r0",                 // ready |= bit
                "strex r3, r2, [r1]",
                "cbnz r3, 2f",
                "sev",                            // thread mode may be about to wait
                "bx lr",
                "2:",
                "b 1b",
                ready = sym $ready,
            )
        }
    };
}

/// Defines the function that makes a slot of thread mode's level ready: its bit is the argument.
#[cfg(not(basepri))]
#[doc(hidden)]
#[macro_export]
macro_rules! __wake_thread_mode {
    ($name:ident, $ready:path) => {
        unsafe extern "C" fn $name(bit: *const ()) {
            $ready.set(bit as usize as u32);
            $crate::export::signal_event();
        }
    };
}
