//! The processes of an application, and the drivers that they may call.

#![expect(unsafe_code, reason = "the table of processes is reached from SVCall by a static")]

use ::core::mem::MaybeUninit;

use super::check;
use super::client::Slots;
use super::driver::{Entry, Lines};
use super::fault::{Fault, Policy};
use super::permission::Permit;
use super::record::{Process, Range};
use super::upcall::Place;
use crate::arch::process::STACK;
use crate::core::scheduler::ThreadInfo;

/// The processes of an application: a static, by [`processes!`](crate::processes).
pub struct System {
    pub(super) processes: &'static [Process],
    pub(super) drivers: &'static [Entry],
    /// The hash table of the drivers.
    pub(super) lines: &'static Lines,
    /// The flash in which the applications lie, one behind the other.
    pub(super) flash: Range,
    /// The memory for the processes.
    pub(super) memory: Range,
    /// The policy for faults.
    pub(super) on_fault: fn(&Process, &Fault) -> Policy,
}

debug_by_name!([] System: "System");

impl System {
    /// Makes the system. For [`processes!`](crate::processes).
    #[doc(hidden)]
    #[must_use]
    pub const fn new(
        processes: &'static [Process],
        (drivers, lines): (&'static [Entry], &'static Lines),
        flash: ::core::ops::Range<u32>,
        memory: ::core::ops::Range<u32>,
        on_fault: fn(&Process, &Fault) -> Policy,
    ) -> Self {
        assert!(flash.start < flash.end, "`flash` has nothing: its first address comes first");
        assert!(memory.start < memory.end, "`memory` has nothing: its first address comes first");
        check::refuse_few_places(drivers, processes.len());
        Self {
            processes,
            drivers,
            lines,
            flash: Range { begin: flash.start, end: flash.end },
            memory: Range { begin: memory.start, end: memory.end },
            on_fault,
        }
    }

    /// Returns the processes, including those in which nothing was loaded.
    ///
    /// ```
    /// use quintet::process::{LifeError, System};
    ///
    /// /// Restarts the process of an application, unless there is no such process.
    /// fn restart(processes: &System, name: &str) -> Result<(), LifeError> {
    ///     let mut all = processes.processes().iter();
    ///     let process = all.find(|process| process.name() == name).ok_or(LifeError::Empty)?;
    ///     process.restart()
    /// }
    ///
    /// /// Returns how many processes run, or will run by themselves.
    /// fn active(processes: &System) -> usize {
    ///     let all = processes.processes().iter();
    ///     all.filter(|process| process.status().is_active()).count()
    /// }
    /// ```
    #[must_use]
    pub const fn processes(&self) -> &'static [Process] {
        self.processes
    }

    /// Returns the slots of a driver for a process.
    pub(super) fn slots(&self, driver: u8, process: usize) -> Slots {
        self.drivers[usize::from(driver)].slots(process)
    }

    /// Returns the driver with this number.
    #[inline]
    pub(super) fn driver(&self, number: u32) -> Option<&'static Entry> {
        self.find(number).map(|place| &self.drivers[usize::from(place)])
    }

    /// Returns the place of a driver in the table.
    #[inline]
    pub(super) fn find(&self, number: u32) -> Option<u8> {
        let found = self.lines.find(number).or_else(|| self.search(number))?;
        Some(found as u8)
    }

    /// Searches the place of a driver that has no line of its own.
    #[inline(never)]
    fn search(&self, number: u32) -> Option<usize> {
        self.drivers.iter().position(|driver| driver.number == number)
    }
}

#[cfg(target_os = "none")]
unsafe extern "Rust" {
    /// The processes of the application; [`processes!`](crate::processes) defines this.
    safe static __QUINTET_SYSTEM: &'static System;
}

/// Returns the processes of the application.
#[cfg(target_os = "none")]
#[inline(always)]
pub fn system() -> &'static System {
    __QUINTET_SYSTEM
}

/// The names of processes in messages and in the lab, by their places.
const NAMES: [&str; PROCESSES_MAX] = [
    "process 0",
    "process 1",
    "process 2",
    "process 3",
    "process 4",
    "process 5",
    "process 6",
    "process 7",
    "process 8",
    "process 9",
    "process 10",
    "process 11",
    "process 12",
    "process 13",
    "process 14",
    "process 15",
];

/// The largest number of processes.
pub const PROCESSES_MAX: usize = 16;

/// Returns the constant part of each of `N` processes. A process has no stack of the kernel's.
#[doc(hidden)]
#[must_use]
pub const fn abouts<const N: usize>() -> [ThreadInfo; N] {
    assert!(0 < N && N <= PROCESSES_MAX, "there can be 1 to 16 processes");
    let mut all = [const {
        ThreadInfo { name: "", stack: STACK, stack_size: 0, resources: &[], entry: None }
    }; N];
    let mut index = 0;
    while index < N {
        all[index].name = NAMES[index];
        index += 1;
    }
    all
}

/// The default number of upcalls of a process that may be due: as in Tock.
pub const UPCALLS: usize = 10;

/// The table of processes.
#[doc(hidden)]
#[derive(Debug)]
#[repr(transparent)]
pub struct Table<const N: usize>(pub [Process; N]);

/// Returns the room for due upcalls of `N` processes, `UPCALLS` for each.
#[doc(hidden)]
#[must_use]
pub const fn places<const N: usize, const UPCALLS: usize>() -> [[Place; UPCALLS]; N] {
    assert!(0 < UPCALLS && UPCALLS <= UPCALLS_MAX, "`upcalls` can be 1 to 100");
    [const { [const { Place::new() }; UPCALLS] }; N]
}

/// The largest number of upcalls of a process that may be due.
pub const UPCALLS_MAX: usize = 100;

impl<const N: usize> Table<N> {
    /// Makes the table, to be put into the static `this`.
    ///
    /// # Safety
    /// The value is put at `this`, and the system has `D` drivers.
    #[must_use]
    pub const unsafe fn new<const UPCALLS: usize, const D: usize>(
        this: *const Self,
        priorities: &[u8],
        abouts: &'static [ThreadInfo; N],
        places: &'static [[Place; UPCALLS]; N],
        permits: &'static [[Permit; D]; N],
    ) -> Self {
        assert!(
            priorities.len() == 1 || priorities.len() == N,
            "`priority` is one number for all processes, or a list of as many as `count` says"
        );
        let mut all = [const { MaybeUninit::<Process>::uninit() }; N];
        let mut index = 0;
        while index < N {
            let priority = priorities[if priorities.len() == 1 { 0 } else { index }];
            assert!(1 <= priority && priority <= 31, "the priority of processes is from 1 to 31");
            // SAFETY: inside the table.
            let place = unsafe { this.cast::<Process>().add(index) };
            // SAFETY: the process will be at this place.
            let process = unsafe {
                let tables = (&abouts[index], &places[index] as &[_], &permits[index] as &[_]);
                Process::new(place, index as u8, priority, tables)
            };
            all[index] = MaybeUninit::new(process);
            index += 1;
        }
        // SAFETY: all elements are initialised; an array of them has the layout of the array of
        // `MaybeUninit`.
        unsafe { (&raw const all).cast::<Self>().read() }
    }
}

/// Defines the processes of an application: `processes!(static NAME, count = N, priority = P, flash
/// = A..B, memory = A..B, drivers = [&D, ..], upcalls = U, on_fault = function)`, in this order.
///
/// - `count`: the largest number of processes, 1 to 16.
/// - `priority`: the priority of all processes, 1 to 31, as for threads; or `[1, 3, ..]`, a
///   priority for each, in the order of the applications in flash.
/// - `flash`: the addresses in which applications for Tock lie, one behind the other.
/// - `memory`: the addresses that the processes share out. The linker script must leave `flash` and
///   `memory` free.
/// - `drivers`: statics that implement [`Driver`](crate::process::Driver).
/// - `upcalls`: the largest number of due upcalls of a process that has not yielded for them, 1 to
///   100; 10 by default, as in Tock. Each takes 16 bytes for each process.
/// - `on_fault`: the policy for a process with a fault. By default, the process is stopped.
///
/// [`System::start`] starts the processes. You need the feature `processes`, and a processor with a
/// memory protection unit: an ARMv7-M, an ARMv8-M Mainline or a Cortex-M0+; or a RISC-V one with
/// user mode and six entries of physical memory protection.
///
/// ```
/// use lm3s6965::Interrupt;
/// use quintet::process::console::Console;
/// use quintet::process::ipc::Ipc;
/// use semihosting::println;
///
/// static CONSOLE: Console<4> = Console::new(|| quintet::pend(Interrupt::UART0));
/// static IPC: Ipc<4> = Ipc::new();
///
/// quintet::processes!(
///     static PROCESSES,
///     count = 4,
///     priority = 2,
///     flash = 0x0002_0000..0x0004_0000,
///     memory = 0x2000_4000..0x2001_0000,
///     drivers = [&CONSOLE, &IPC],
/// );
///
/// fn start() {
///     // SAFETY: the linker script leaves this flash and this memory to the processes.
///     unsafe { PROCESSES.start(|found| println!("{found}")) };
/// }
/// ```
#[macro_export]
macro_rules! processes {
    (
        $(#[$attribute:meta])*
        $visibility:vis static $name:ident,
        count = $count:expr,
        priority = [$($priority:expr),+ $(,)?],
        flash = $flash:expr,
        memory = $memory:expr,
        drivers = [$($driver:expr),* $(,)?]
        $(, upcalls = $upcalls:expr)?
        $(, on_fault = $on_fault:expr)? $(,)?
    ) => {
        $(#[$attribute])*
        $visibility static $name: $crate::process::System = {
            const __COUNT: usize = $count;
            static __ABOUTS: [$crate::export::threads::ThreadInfo; __COUNT] =
                $crate::export::processes::abouts();
            #[allow(unused_variables)]
            const __UPCALLS: usize = {
                let upcalls = $crate::export::processes::UPCALLS;
                $(let upcalls = $upcalls;)?
                upcalls
            };
            static __PLACES: [[$crate::export::processes::Place; __UPCALLS]; __COUNT] =
                $crate::export::processes::places();
            static __PERMITS: [[$crate::export::processes::Permit; __DRIVERS.len()]; __COUNT] =
                $crate::export::processes::permits();
            static __TABLE: $crate::export::processes::Table<__COUNT> =
                // SAFETY: the value is put into this static, and `__PERMITS` has a word for each
                // driver.
                unsafe {
                    $crate::export::processes::Table::new(
                        &raw const __TABLE,
                        &[$($priority),+],
                        &__ABOUTS,
                        &__PLACES,
                        &__PERMITS,
                    )
                };
            static __DRIVERS: &[$crate::process::Entry] = {
                let mut __index = 0;
                &[$($crate::process::Entry::of($driver, {
                    __index += 1;
                    __index - 1
                }).named(::core::stringify!($driver))),*]
            };
            static __LINES: $crate::export::processes::Lines =
                $crate::export::processes::Lines::of(__DRIVERS);
            #[allow(unused_variables)]
            const __ON_FAULT: fn(
                &$crate::process::Process,
                &$crate::process::Fault,
            ) -> $crate::process::Policy = {
                let stop = $crate::process::stop;
                $(let stop = $on_fault;)?
                stop
            };
            $crate::process::System::new(
                &__TABLE.0, (__DRIVERS, &__LINES), $flash, $memory, __ON_FAULT
            )
        };
        const _: () = {
            #[doc(hidden)]
            #[unsafe(no_mangle)]
            static __QUINTET_SYSTEM: &$crate::process::System = &$name;
            // The lab loads applications there.
            #[doc(hidden)]
            #[unsafe(no_mangle)]
            #[used]
            static __QUINTET_PROCESSES: [u32; 4] = {
                let flash: ::core::ops::Range<u32> = $flash;
                let memory: ::core::ops::Range<u32> = $memory;
                [flash.start, flash.end, memory.start, memory.end]
            };
            $crate::__process_faults!();
        };
    };
    (
        $(#[$attribute:meta])*
        $visibility:vis static $name:ident,
        count = $count:expr,
        priority = $priority:expr,
        flash = $flash:expr,
        memory = $memory:expr,
        drivers = [$($driver:expr),* $(,)?]
        $(, upcalls = $upcalls:expr)?
        $(, on_fault = $on_fault:expr)? $(,)?
    ) => {
        $crate::processes! {
            $(#[$attribute])*
            $visibility static $name,
            count = $count,
            priority = [$priority],
            flash = $flash,
            memory = $memory,
            drivers = [$($driver),*]
            $(, upcalls = $upcalls)?
            $(, on_fault = $on_fault)?
        }
    };
    ($($other:tt)*) => {
        ::core::compile_error!(
            "processes are written `processes!(static NAME, count = 4, priority = 1, flash = \
             0x2_0000..0x4_0000, memory = 0x2000_4000..0x2000_8000, drivers = [&CONSOLE])`, in \
             this order, with `upcalls = 4` and `on_fault = function` at the end if wanted"
        );
    };
}

/// Defines the exception that reports stack overflows. The system's own faults go on to
/// `$otherwise`.
#[doc(hidden)]
#[macro_export]
macro_rules! __process_fault {
    ($exception:ident, $otherwise:path) => {
        $crate::__fault_of_process!($exception, $otherwise);

        #[doc(hidden)]
        #[unsafe(export_name = "__quintet_processes_need_a_kernel_with_stack_guard")]
        extern "C" fn __quintet_guards() {}
    };
}

/// Defines nothing: the trap has the faults of processes.
#[cfg(plain_switch)]
#[doc(hidden)]
#[macro_export]
macro_rules! __process_faults {
    () => {};
}

/// Defines the one exception of faults, as stacks have neither guards nor limits.
#[cfg(not(any(stack_guard, stack_limit, plain_switch)))]
#[doc(hidden)]
#[macro_export]
macro_rules! __process_faults {
    () => {
        $crate::__fault_of_process!(HardFault, $crate::export::processes::system_fault);
    };
}

/// Defines the exceptions of faults that neither a guard nor a limit defines.
#[cfg(all(any(stack_guard, stack_limit), not(plain_switch)))]
#[doc(hidden)]
#[macro_export]
macro_rules! __process_faults {
    () => {
        unsafe extern "C" {
            // Without this symbol, no code would handle the faults of processes.
            #[link_name = "__quintet_processes_need_a_kernel_with_stack_guard"]
            fn __guards();
        }
        #[used]
        static __GUARDS: unsafe extern "C" fn() = __guards;
        $crate::__other_fault_of_process!();
        $crate::__fault_of_process!(BusFault, $crate::export::processes::system_fault);
        $crate::__fault_of_process!(DebugMonitor, $crate::export::processes::system_fault);
    };
}

/// For stacks with guards.
#[cfg(not(any(stack_limit, plain_switch)))]
#[doc(hidden)]
#[macro_export]
macro_rules! __other_fault_of_process {
    () => {
        $crate::__fault_of_process!(UsageFault, $crate::export::processes::system_fault);
    };
}

/// For stacks with limits.
#[cfg(stack_limit)]
#[doc(hidden)]
#[macro_export]
macro_rules! __other_fault_of_process {
    () => {
        $crate::__fault_of_process!(MemoryManagement, $crate::export::processes::system_fault);
    };
}
