//! The interrupt routine of a level, and the functions of its wakers, in as few instructions as
//! possible.
//!
//! Both are macros, because they name the application's statics. If the core has CLZ and LDREX,
//! they are assembly: on this target the compiler gives every function a frame, even a leaf, and a
//! dispatcher in Rust pushes all registers on every interrupt. `docs/decisions` has the numbers.

/// A function that makes the slot with this bit (or number) ready.
pub type Wake = unsafe extern "C" fn(*const ());

/// Returns the function in the form for a waker's function table.
pub const fn wake_function(wake: Wake) -> unsafe fn(*const ()) {
    // SAFETY: on these targets, a function of one word that returns nothing takes the word in the
    // same register by either convention. (A naked function can't have Rust's convention, and a
    // Rust function around it costs 9 cycles for an unneeded frame.)
    unsafe { ::core::mem::transmute::<Wake, unsafe fn(*const ())>(wake) }
}

/// Defines the interrupt routine of a level: one round over its ready jobs.
///
/// `$ready` is a static `Ready`; the jobs follow, one for each slot, up to 32. The round sees
/// changes while it runs: the lowest ready slot ahead of the present one is next, until none is
/// left. Jobs behind the present slot were pended together with their wake, so the interrupt comes
/// again by itself.
#[cfg(basepri)]
#[doc(hidden)]
#[macro_export]
macro_rules! __dispatcher {
    ($(#[$attribute:meta])* $name:ident, $ready:path, [$($job:ident),+ $(,)?]) => {
        $(#[$attribute])*
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        #[unsafe(naked)]
        pub unsafe extern "C" fn $name() {
            ::core::arch::naked_asm!(
                "push {{r4, lr}}",                // r4 is free, and the stack aligned
                "movw r0, #:lower16:{ready}",     // r0 = the address of the ready slots
                "movt r0, #:upper16:{ready}",     // the upper half of it
                "adr r12, 5f",                    // r12 = the jobs
                "ldrex r1, [r0]",                 // r1 = ready
                "cbz r1, 4f",                     // pended by hand, or served in the last round
                "clz r3, r1",                     // r3 = first slot
                "1:",
                "mov r4, #0x80000000",            // the bit of the slot 0
                "lsrs r4, r3",                    // r4 = its bit
                "bics r1, r4",                    // take it first: a wake from here on counts
                "ldr r3, [r12, r3, lsl #2]",      // r3 = its job
                "strex r2, r1, [r0]",             // r2 = 0, if nothing came in between
                "cbnz r2, 2f",                    // a wake came in between
                "blx r3",                         // the job runs, and may be interrupted
                "3:",
                "movw r0, #:lower16:{ready}",     // r0, which the job has changed
                "movt r0, #:upper16:{ready}",     // the upper half of it
                "ldr r1, [r0]",                   // r1 = the slots that are ready now
                "subs r4, #1",                    // r4 = slots ahead: those behind this one
                "ands r1, r4",                    // nothing ready ahead: the round ends;
                "bne 6f",                         // a wake from here on has pended the level
                "4:",
                "pop {{r4, pc}}",                 // to the interrupted code
                "6:",
                "adr r12, 5f",                    // r12 = the jobs
                "ldrex r1, [r0]",                 // r1 = ready, to be changed
                "ands r3, r1, r4",                // only the level itself takes bits
                "clz r3, r3",                     // r3 = first slot ahead
                "b 1b",                           // it is next
                "2:",                             // look again among the same slots
                "lsls r4, #1",                    // r4 = twice the bit: label 3 takes 1,
                "b 3b",                           // which leaves this slot among them
                ".p2align 2",
                "5:",
                $(::core::concat!(".word {", ::core::stringify!($job), "}"),)+
                ready = sym $ready,
                $($job = sym $job,)+
            )
        }
    };
}

/// Defines the interrupt routine of a level: one round over its ready jobs.
#[cfg(not(basepri))]
#[doc(hidden)]
#[macro_export]
macro_rules! __dispatcher {
    ($(#[$attribute:meta])* $name:ident, $ready:path, [$($job:ident),+ $(,)?]) => {
        $(#[$attribute])*
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name() {
            // SAFETY: the hardware calls the routine, at the level's priority, and doesn't nest it.
            unsafe { $ready.run_round(&[$($job),+]) }
        }
    };
}

/// Defines the function that makes a slot of an interrupt's level ready. The slot's bit is the
/// argument.
///
/// The bit is set before the interrupt is pended, so that the level finds the bit.
#[cfg(basepri)]
#[doc(hidden)]
#[macro_export]
macro_rules! __wake_interrupt {
    ($name:ident, $ready:path, $number:expr) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_bit: *const ()) {
            ::core::arch::naked_asm!(
                "movw r1, #:lower16:{ready}",     // r1 = the address of the ready slots
                "movt r1, #:upper16:{ready}",     // the upper half of it
                "1:",
                "ldrex r2, [r1]",                 // r2 = ready, to be changed
                "orr r2, r2, r0",                 // ready |= bit
                "strex r3, r2, [r1]",             // r3 = 0, if nothing came in between
                "cbnz r3, 2f",                    // another context has changed it
                "mov r1, #0xe000e000",            // pend the level
                "mov r2, #{bit}",                 // the interrupt's bit in its register
                "str r2, [r1, #{register}]",      // the level runs once no mask holds it off
                "bx lr",                          // to the waker
                "2:",
                "b 1b",                           // once more, with the present word
                ready = sym $ready,
                bit = const 1_u32 << ($number % 32),
                register = const 0x200 + 4 * ($number / 32),
            )
        }
    };
}

/// Defines the function that makes a slot of an interrupt's level ready. The slot's bit is the
/// argument.
#[cfg(not(basepri))]
#[doc(hidden)]
#[macro_export]
macro_rules! __wake_interrupt {
    ($name:ident, $ready:path, $number:expr) => {
        unsafe extern "C" fn $name(bit: *const ()) {
            $ready.set(bit as ::core::primitive::usize as ::core::primitive::u32);
            $crate::export::pend($number as ::core::primitive::u16);
        }
    };
}

/// Defines the function that makes a slot of thread mode's level ready. The slot's bit is the
/// argument.
#[cfg(basepri)]
#[doc(hidden)]
#[macro_export]
macro_rules! __wake_thread_mode {
    ($name:ident, $ready:path) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_bit: *const ()) {
            ::core::arch::naked_asm!(
                "movw r1, #:lower16:{ready}",     // r1 = the address of the ready slots
                "movt r1, #:upper16:{ready}",     // the upper half of it
                "1:",
                "ldrex r2, [r1]",                 // r2 = ready, to be changed
                "orr r2, r2, r0",                 // ready |= bit
                "strex r3, r2, [r1]",             // r3 = 0, if nothing came in between
                "cbnz r3, 2f",                    // another context has changed it
                "sev",                            // thread mode may be about to wait
                "bx lr",                          // to the waker
                "2:",
                "b 1b",                           // once more, with the present word
                ready = sym $ready,
            )
        }
    };
}

/// Defines the function that makes a slot of thread mode's level ready. The slot's bit is the
/// argument.
#[cfg(not(basepri))]
#[doc(hidden)]
#[macro_export]
macro_rules! __wake_thread_mode {
    ($name:ident, $ready:path) => {
        unsafe extern "C" fn $name(bit: *const ()) {
            $ready.set(bit as ::core::primitive::usize as ::core::primitive::u32);
            $crate::export::signal_event();
        }
    };
}

/// Defines the function that makes a slot of an interrupt's level of a few ready. The slot's flag
/// is the argument.
#[cfg(basepri)]
#[doc(hidden)]
#[macro_export]
macro_rules! __wake_few {
    ($name:ident, $number:expr) => {
        #[unsafe(naked)]
        unsafe extern "C" fn $name(_flag: *const ()) {
            ::core::arch::naked_asm!(
                "movs r1, #1",                    // the slot is ready
                "strb r1, [r0]",                  // in a byte of its own: no loop
                "mov r1, #0xe000e000",            // pend the level
                "mov r2, #{bit}",                 // the interrupt's bit in its register
                "str r2, [r1, #{register}]",      // the level runs once no mask holds it off
                "bx lr",                          // to the waker
                bit = const 1_u32 << ($number % 32),
                register = const 0x200 + 4 * ($number / 32),
            )
        }
    };
}

/// Defines the function that makes a slot of an interrupt's level of a few ready. The slot's flag
/// is the argument.
#[cfg(not(basepri))]
#[doc(hidden)]
#[macro_export]
macro_rules! __wake_few {
    ($name:ident, $number:expr) => {
        unsafe extern "C" fn $name(flag: *const ()) {
            // SAFETY: a waker's word is its slot's flag.
            unsafe { $crate::export::set_flag(flag) };
            $crate::export::pend($number as ::core::primitive::u16);
        }
    };
}

/// Defines the function that makes a slot of thread mode's level of a few ready. The slot's flag is
/// the argument.
#[doc(hidden)]
#[macro_export]
macro_rules! __wake_few_thread_mode {
    ($name:ident) => {
        unsafe extern "C" fn $name(flag: *const ()) {
            // SAFETY: a waker's word is its slot's flag.
            unsafe { $crate::export::set_flag(flag) };
            $crate::export::signal_event();
        }
    };
}

/// Defines the function that makes the only slot of thread mode's level ready.
#[doc(hidden)]
#[macro_export]
macro_rules! __wake_one_thread_mode {
    ($name:ident, $ready:path) => {
        unsafe extern "C" fn $name(_word: *const ()) {
            $ready.set();
            $crate::export::signal_event();
        }
    };
}

/// Defines the function that makes a slot ready, for every size of level, if the interrupt's number
/// is no constant: in Rust, with a frame.
#[doc(hidden)]
#[macro_export]
macro_rules! __wake_numbered {
    ($name:ident, $ready:path, set(), $number:expr) => {
        unsafe extern "C" fn $name(_word: *const ()) {
            $ready.set();
            $crate::export::pend($number);
        }
    };
    ($name:ident, $ready:path, set(word), $number:expr) => {
        unsafe extern "C" fn $name(word: *const ()) {
            $ready.set(word.addr() as ::core::primitive::u32);
            $crate::export::pend($number);
        }
    };
    ($name:ident, $ready:path, set_flag(word), $number:expr) => {
        unsafe extern "C" fn $name(word: *const ()) {
            // SAFETY: a waker's word is its slot's flag.
            unsafe { $crate::export::set_flag(word) };
            $crate::export::pend($number);
        }
    };
}

/// Defines the function that makes a slot of a level of more than 32 ready. The slot's number is
/// the argument. `$signal` is the function of `export` that then lets the level run.
#[doc(hidden)]
#[macro_export]
macro_rules! __wake_wide {
    ($name:ident, $ready:path, $signal:ident($($number:expr)?)) => {
        unsafe extern "C" fn $name(slot: *const ()) {
            $ready.set(slot.addr() as ::core::primitive::u32);
            $crate::export::$signal($($number)?);
        }
    };
}
