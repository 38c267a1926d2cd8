//! A controller in software: interrupts with priorities, which programs pend.
//!
//! ```text
//!  pend     set the bit, then msip           from any context
//!           (only the bit, if the level isn't below its priority)
//!  trap     clear msip; while a pending interrupt is above the level that was found:
//!             clear its bit, raise the level, open interrupts, run its routine, close them
//!           put the level back
//! ```
//!
//! The trap of a less urgent interrupt finds nothing to run, and returns: the trap that it has
//! interrupted looks at the pending bits again when its routine has ended.
//!
//! The trap looks for a routine and raises the level with interrupts held off, so no interrupt
//! comes between. A bit that is set after the decision has set msip, too, and traps as soon as
//! interrupts are open.
//!
//! A section at a ceiling raises the level by a load and a store. An interrupt between the two puts
//! back what it has found, so that the store is right. At its end the section puts the level back
//! and then looks at the pending bits. A bit that is set before the level is back is seen by this
//! look, and one that is set later traps and runs by itself.

use ::core::arch::asm;
use ::core::ptr::with_exposed_provenance_mut;
#[cfg(feature = "time")]
use ::core::sync::atomic::AtomicPtr;
use ::core::sync::atomic::{AtomicU8, AtomicU32, Ordering};

use super::{interrupts, words};

/// The register that pends the software interrupt of hart 0. `build.rs` has the address in
/// hexadecimal digits.
const MSIP: usize = match usize::from_str_radix(::core::env!("QUINTET_MSIP"), 16) {
    Ok(address) => address,
    Err(_) => panic!(),
};
/// The bit MSIE of `mie`.
const MSIE: u32 = 1 << 3;
/// The number of interrupts.
const COUNT: usize = 32;
/// The number that lets a switch of threads come, when no level and no section of one is left.
pub const SWITCH: u16 = 24;
/// The level of the switch. In an application with threads, the lowest priority of an interrupt is
/// above it.
pub const SWITCH_LEVEL: u8 = 1;
/// The number of the machine timer's interrupt.
pub const TIMER: u16 = 25;
/// The number of the machine's external interrupt.
pub const EXTERNAL: u16 = 26;
/// The bit in `mcause` of interrupts.
const INTERRUPT: u32 = 1 << 31;
/// The cause of the software interrupt.
const SOFTWARE_CAUSE: u32 = INTERRUPT | 3;
/// The interrupts of the platform: the number of each, and its bit in `mie`, which is its cause.
const PLATFORM: [(u16, u32); 2] = [(TIMER, 7), (EXTERNAL, 11)];

/// The pending interrupts, a bit for each.
pub static PENDING: AtomicU32 = AtomicU32::new(0);
/// The enabled interrupts.
static ENABLED: AtomicU32 = AtomicU32::new(0);
/// The interrupts' priorities.
static PRIORITIES: [AtomicU8; COUNT] = [const { AtomicU8::new(0) }; COUNT];
/// The priority that runs, or the ceiling of a section; 0 is thread mode.
pub static LEVEL: AtomicU8 = AtomicU8::new(0);

/// The routine of an interrupt: a function that the trap calls.
pub type Routine = unsafe extern "C" fn();

/// The routines of an application, by the numbers of their interrupts.
pub type Routines = [Option<Routine>; COUNT];

unsafe extern "Rust" {
    /// Returns the routines of the application. The application's expansion defines this function.
    safe fn __quintet_vectors() -> &'static Routines;
}

/// Returns the register msip.
fn msip() -> *mut u32 {
    with_exposed_provenance_mut(MSIP)
}

/// Returns the bit of an interrupt; 0 if there is no such interrupt.
#[inline(always)]
fn bit(number: u16) -> u32 {
    1_u32.checked_shl(u32::from(number)).unwrap_or(0)
}

/// Makes the interrupt `number` pending: it runs as soon as its priority allows. From any context.
///
/// Earlier accesses happen before the interrupt, and later ones after it. What the level holds off
/// needs no trap: who puts the level back looks at the pending bits.
#[inline(always)]
pub fn pend(number: u16) {
    words::set(&PENDING, bit(number));
    if priority_of(number) > level() {
        trap();
    }
}

/// Returns the priority of an interrupt.
#[inline(always)]
fn priority_of(number: u16) -> u8 {
    words::get_byte(&PRIORITIES[usize::from(number) % COUNT])
}

/// Takes the interrupts that are pending and not masked, before the next instruction.
///
/// The read waits until the store has reached the device, and the hart looks for interrupts at once
/// after a write of `mie`.
#[inline(always)]
pub fn take_pending() {
    // SAFETY: reading has no effect, and the software interrupt is the kernel's.
    unsafe {
        msip().read_volatile();
        asm!("csrs mie, {}", in(reg) MSIE, options(nostack, preserves_flags));
    }
}

/// Enables the interrupt `number`.
///
/// # Safety
/// The interrupt's handler may run from now on: no section that relies on the disabled interrupt
/// may be open.
#[inline(always)]
pub unsafe fn enable(number: u16) {
    allow(bit(number));
}

/// Enables the interrupts with these bits.
#[inline(always)]
fn allow(bits: u32) {
    words::set(&ENABLED, bits);
    for (number, source) in PLATFORM {
        if bits & bit(number) != 0 {
            open(source);
        }
    }
    // Those that are pending already had their trap.
    trap();
}

/// Interrupts to enable.
#[must_use]
pub struct Interrupts(u32);

impl Interrupts {
    /// Makes a set without interrupts.
    #[expect(clippy::new_without_default, reason = "only expansions use this")]
    #[inline(always)]
    pub const fn new() -> Self {
        Self(0)
    }

    /// Adds the interrupt `number`.
    #[inline(always)]
    pub fn add(&mut self, number: u16) {
        self.0 |= bit(number);
    }

    /// Enables the interrupts, and lets all traps come to the kernel.
    ///
    /// # Safety
    /// At start-up, on main's stack. The interrupts' handlers may run from now on: no section that
    /// relies on the disabled interrupts may be open.
    #[inline(always)]
    pub unsafe fn enable(&self) {
        super::trap::start();
        allow(self.0);
    }
}

/// Sets the priority of the interrupt `number`.
///
/// # Safety
/// Only at start-up: ceilings were computed from the priorities in the application.
#[inline(always)]
pub unsafe fn set_interrupt_priority(number: u16, priority: u8) {
    if let Some(byte) = PRIORITIES.get(usize::from(number)) {
        byte.store(priority, Ordering::Relaxed);
    }
}

/// Does nothing: the application's macro refuses exceptions of other cores.
///
/// # Safety
/// None.
pub const unsafe fn set_exception_priority(_number: u8, _priority: u8) {}

/// Returns the number of the most urgent pending interrupt above a level, with its priority. Of one
/// priority, the lowest number is first. At most as many turns as there are pending interrupts.
#[inline(always)]
fn most_urgent(level: u8) -> Option<(u16, u8)> {
    let mut rest = words::get(&PENDING) & words::get(&ENABLED);
    let mut found = None;
    let mut highest = level;
    while rest != 0 {
        let number = rest.trailing_zeros() as u16;
        rest &= rest - 1;
        let priority = priority_of(number);
        if priority > highest {
            (found, highest) = (Some((number, priority)), priority);
        }
    }
    found
}

/// Returns the routine of an interrupt; `None` if nothing serves it.
#[inline(always)]
fn routine_of(number: u16) -> Option<Routine> {
    if number == TIMER
        && let Some(clock) = clock()
    {
        return Some(clock);
    }
    __quintet_vectors()[usize::from(number) % COUNT]
}

/// The routine of the application's clock, which serves [`TIMER`], if it has begun.
#[cfg(feature = "time")]
static CLOCK: AtomicPtr<()> = AtomicPtr::new(::core::ptr::null_mut());

/// Lets `routine` serve the timer of the platform.
///
/// # Safety
/// Called once, and no task binds the timer. `routine` may run from now on.
#[cfg(feature = "time")]
pub unsafe fn begin_clock(priority: u8, routine: unsafe extern "C" fn()) {
    // SAFETY: no routine serves the timer yet.
    unsafe { set_interrupt_priority(TIMER, priority) };
    CLOCK.store(routine as *mut (), Ordering::Relaxed);
    allow(bit(TIMER));
}

/// Returns the routine of the application's clock, if it has begun.
#[cfg(feature = "time")]
#[inline(always)]
fn clock() -> Option<Routine> {
    let routine = CLOCK.load(Ordering::Relaxed);
    // SAFETY: null, or a function that `begin_clock` was given.
    unsafe { ::core::mem::transmute::<*mut (), Option<Routine>>(routine) }
}

/// Returns `None`: there is no clock.
#[cfg(not(feature = "time"))]
const fn clock() -> Option<Routine> {
    None
}

/// Returns `true` if the interrupt `number` is pending.
#[cfg(feature = "time")]
pub fn is_pending(number: u16) -> bool {
    words::get(&PENDING) & bit(number) != 0
}

/// Returns the priority that runs, or the ceiling of a section.
#[inline(always)]
pub fn level() -> u8 {
    words::get_byte(&LEVEL)
}

/// Lets a switch of threads come as soon as masks allow. A level holds it off, and who puts the
/// level back looks for it.
#[inline(always)]
pub fn pend_switch() {
    words::set(&PENDING, bit(SWITCH));
    if level() == 0 {
        trap();
    }
}

/// Lets the trap come in a program without an application.
pub fn begin() {
    take_pending();
}

/// Raises the level to that of the switch, which no interrupt has.
#[inline(always)]
pub fn hold_switches_off() {
    words::put_byte(&LEVEL, SWITCH_LEVEL);
}

/// Lowers the level below that of the switch, and lets a switch come that is pending.
#[inline(always)]
pub fn let_switches_in() {
    words::put_byte(&LEVEL, 0);
    renew_switch();
}

/// Lowers the level below that of the switch. The caller looks for a pending switch.
#[cfg(processes)]
#[inline(always)]
pub fn release_switches() {
    words::put_byte(&LEVEL, 0);
}

/// Begins a section that holds off the interrupts up to `level`. Returns the level before.
#[inline(always)]
pub fn raise(level: u8) -> u8 {
    let before = words::get_byte(&LEVEL);
    if level > before {
        words::put_byte(&LEVEL, level);
    }
    before
}

/// Ends a section, and takes the interrupts that it has held off.
///
/// # Safety
/// The matching [`raise`] has returned `before`, and sections end in the reverse order of their
/// beginning.
#[inline(always)]
pub unsafe fn restore(before: u8) {
    words::put_byte(&LEVEL, before);
    if words::get(&PENDING) != 0 {
        take_above(before);
    }
}

/// Takes the pending interrupts above a level, if there are any.
#[inline(never)]
fn take_above(level: u8) {
    if most_urgent(level).is_some() || level == 0 && words::get(&PENDING) & bit(SWITCH) != 0 {
        trap();
    }
}

/// Lets the trap come, if interrupts are open.
#[inline(always)]
fn trap() {
    // SAFETY: the device has the register, and the trap finds what is pending.
    unsafe { msip().write_volatile(1) };
    take_pending();
}

/// Takes in an interrupt that this controller serves. Returns `false` if it is another one, or an
/// exception.
///
/// # Safety
/// Called by the trap, with interrupts held off.
#[inline(always)]
pub unsafe fn accept(cause: u32) -> bool {
    if cause == SOFTWARE_CAUSE {
        // SAFETY: the device has the register.
        unsafe { msip().write_volatile(0) };
        return true;
    }
    let platform = PLATFORM.iter().find(|(_, source)| cause == INTERRUPT | source);
    let Some((number, source)) = platform else { return false };
    let is_bound = words::get(&ENABLED) & bit(*number) != 0;
    if is_bound {
        // The source stays pending until the routine has served it, and would trap again.
        close(*source);
        words::set(&PENDING, bit(*number));
    }
    is_bound
}

/// Runs all pending routines above the level that was interrupted, and returns this level.
///
/// # Safety
/// Called by the trap, with interrupts held off, and with the registers saved that a function may
/// change.
#[inline(always)]
pub unsafe fn serve() -> u8 {
    let found = words::get_byte(&LEVEL);
    while let Some((number, priority)) = most_urgent(found) {
        // Interrupts are held off: nobody else updates the word.
        words::put(&PENDING, words::get(&PENDING) & !bit(number));
        let Some(routine) = routine_of(number) else { continue };
        words::put_byte(&LEVEL, priority);
        // SAFETY: no section is open, as the trap was taken. The routine isn't running: its
        // priority is above the level.
        unsafe {
            interrupts::enable_interrupts();
            routine();
        }
        interrupts::disable_interrupts();
        if let Some(source) = source_of(number) {
            open(source);
        }
    }
    words::put_byte(&LEVEL, found);
    found
}

/// Returns the source of an interrupt of the platform.
#[inline(always)]
fn source_of(number: u16) -> Option<u32> {
    PLATFORM.iter().find(|(other, _)| *other == number).map(|(_, source)| *source)
}

/// Lets an interrupt of the platform come.
#[inline(always)]
fn open(source: u32) {
    // SAFETY: the application binds the interrupt, and its routine isn't running.
    unsafe { asm!("csrs mie, {}", in(reg) 1_u32 << source, options(nostack, preserves_flags)) };
}

/// Holds an interrupt of the platform off.
#[inline(always)]
fn close(source: u32) {
    // SAFETY: holding an interrupt off breaks no memory safety.
    unsafe { asm!("csrc mie, {}", in(reg) 1_u32 << source, options(nostack, preserves_flags)) };
}

/// Lets a trap come for a switch that is pending.
#[inline(always)]
pub fn renew_switch() {
    if words::get(&PENDING) & bit(SWITCH) != 0 {
        trap();
    }
}

/// Returns whether a switch of threads was pended since the last call. With interrupts held off.
#[inline(always)]
pub fn take_switch() -> bool {
    let pending = words::get(&PENDING);
    if pending & bit(SWITCH) == 0 {
        return false;
    }
    words::put(&PENDING, pending & !bit(SWITCH));
    true
}

/// Defines the list of the application's routines.
#[doc(hidden)]
#[macro_export]
macro_rules! __vectors {
    ($([$(#[$cfg:meta])* $kind:ident $name:ident $number:expr])*) => {
        $($crate::__vector_refused!($(#[$cfg])* $kind $name);)*

        const _: () = {
            $crate::__vectors_of!([] $([$(#[$cfg])* $kind $name $number])*);
        };
    };
}

/// Defines the list of the routines of interrupts.
#[doc(hidden)]
#[macro_export]
macro_rules! __vectors_of {
    ([$($done:tt)*] [$(#[$cfg:meta])* interrupt $name:ident $number:expr] $($rest:tt)*) => {
        $crate::__vectors_of!([$($done)* {$(#[$cfg])* $name $number}] $($rest)*);
    };
    ([$($done:tt)*] [$(#[$cfg:meta])* exception $name:ident $number:expr] $($rest:tt)*) => {
        $crate::__vectors_of!([$($done)*] $($rest)*);
    };
    ([$({$(#[$cfg:meta])* $name:ident $number:expr})*]) => {
        unsafe extern "C" {
            $($(#[$cfg])* fn $name();)*
        }

        #[doc(hidden)]
        #[unsafe(no_mangle)]
        extern "Rust" fn __quintet_vectors() -> &'static $crate::export::Routines {
            static ROUTINES: $crate::export::Routines = {
                #[allow(unused_mut, reason = "there may be no routine")]
                let mut routines: $crate::export::Routines = [::core::option::Option::None; _];
                $($(#[$cfg])* {
                    routines[$number as ::core::primitive::usize] =
                        ::core::option::Option::Some($name);
                })*
                routines
            };
            &ROUTINES
        }
    };
}

/// Refuses a task that binds an exception of Cortex-M.
#[doc(hidden)]
#[macro_export]
macro_rules! __vector_refused {
    ($(#[$cfg:meta])* interrupt $name:ident) => {};
    ($(#[$cfg:meta])* exception $name:ident) => {
        $(#[$cfg])*
        ::core::compile_error!(::core::concat!(
            "`", ::core::stringify!($name), "` is an exception of Cortex-M, which RISC-V doesn't \
             have: bind an interrupt of `quintet::riscv`"
        ));
    };
}
