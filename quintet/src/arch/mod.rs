//! Everything that depends on the processor: masks, pending, atomic words, waiting, dispatch, and
//! the switch of threads.
//!
//! Each architecture offers the names below, with these contracts. To write a new port, begin with
//! this list. If not all architectures need a name, the list says which do: those with the feature
//! `time` or `statistics`, or with an ability that `build.rs` finds, such as `threads`. *Targets*
//! are all architectures but the host, which has neither vectors nor interrupts to hold off.
//!
//! # Masks
//! - `mask::Ceiling`: the mask that holds off a resource's other users. Made in constants, by
//!   `new`, `with_threads`, `kernel` and, with `threads`, `of_hardware`. Its `hardware`: the
//!   priority byte; 0 if the mask holds every interrupt off. `mask::hardware_priority`: the
//!   priority byte for a priority of the application, from 1 to 2 to the power of the number of
//!   priority bits.
//! - `mask::raise`, `mask::restore`: begin and end a section. `restore` gets the `Saved` of
//!   `raise`, with the same ceiling, and sections end in the reverse order of their beginning. The
//!   beginning of a section never lowers a mask. No access moves out of a section or into it.
//! - `mask::raise_alone`, `mask::restore_alone`: the same, if no other section can be open, neither
//!   in this context nor in one that it interrupted.
//! - `mask::held` (`threads`): the value that `raise` would find now.
//! - `mask::holds_off_this`: `true` if sections at a ceiling hold off the running context. May be
//!   `false` for such a context.
//! - `mask::without_switches`, `end_pause`, `let_switch` (`threads`): `without_switches` begins a
//!   pause, in a section: no switch comes until the pause ends. The function returns the values for
//!   the end of the section and of the pause. `end_pause` ends a pause in a section, and returns
//!   the value for the section's end; `let_switch` ends a pause, and no other section is open then.
//! - `mask::take_pending_interrupts`: pending interrupts that are no longer held off come before
//!   the next instruction.
//! - `disable_interrupts`, `enable_interrupts` (targets): all interrupts of any priority. No
//!   critical section is open when they are enabled.
//!
//! # Interrupts
//! - `pend`: makes an interrupt pending, from any context. Earlier accesses happen before the
//!   interrupt. `take_pending`: interrupts that are pending and not masked come before the next
//!   instruction.
//! - `enable`; and `Interrupts`, for interrupts that are enabled together. No section is open that
//!   relies on their being disabled.
//! - `set_interrupt_priority`, `set_exception_priority` (targets): only at start-up, as ceilings
//!   are computed from the priorities in the application.
//! - `sleep_until_event`: waits until an exception was taken, or `signal_event` called, since the
//!   last wait. May return earlier.
//!
//! # Words
//! - `words::get`, `put`, `set`, `clear`, `add`, `replace`, with forms for bytes, flags and, with
//!   `threads`, pointers: updates of words that any interrupt may touch as well, even an interrupt
//!   that no mask holds off. No access moves across. `replace_pointer` may fail without a reason,
//!   as `try_exchange_pointer`. `exchange_pointer` and `swap_pointer` return the old pointer.
//! - `at_hand`, `decided` (`time`): the same pointer or answer, in a register from there on. For
//!   use before a section that needs the value.
//!
//! # Levels
//! - `Wake`: a function that makes a slot ready, and then lets its level run; from any context.
//!   `wake_function`: this function in the form for a waker's function table.
//! - `__wake_interrupt!`, `__wake_thread_mode!`, `__wake_one_thread_mode!`, `__wake_numbered!`,
//!   `__wake_wide!` (targets): define a `Wake`, for each kind of level. `__dispatcher!` (targets):
//!   the interrupt routine of a level, a round over the ready jobs.
//!
//! # Time (feature `time`)
//! - `systick`: a counter and its alarm. `start`: called once, by the owner of SysTick. `counter`:
//!   from any context. `set`: the interrupt comes at a time up to `LEG` ahead, or at once if the
//!   time is past. `keep_up`: called by the interrupt's handler, if the handler runs for long
//!   without a `set`.
//! - `tick`: an interrupt in each period of up to `PERIOD_MAX` cycles. `start`: as above. `pend`
//!   and `is_pending`; `take_ended`: whether a period has ended since the last call. `Count`: every
//!   context reads the count; one context that doesn't interrupt itself increments it.
//! - `__tick_handler!`: defines the handler of the tick. `__tick_arrival!`: defines its
//!   continuations after a timer has arrived, and at the alarm. If the application has threads, the
//!   macro gets the kernel's ceiling.
//!
//! # Threads (`threads`)
//! - `switch::initialise`: at start-up, on the main stack. `__switch_exceptions!`: defines the
//!   exceptions that switch after interrupts. The macro gets the kernel's ceiling as a priority
//!   byte, which isn't 0.
//! - `switch::prepare`: prepares a stack for a thread that begins with an `Entry`. No other code
//!   uses the stack.
//! - `switch::pend`: a switch comes as soon as masks allow; from any context.
//! - `switch::in_handler`, `switch::interrupts_are_off`: the context of the caller.
//! - The following functions are called with the kernel's lock held, and release it.
//!   `switch::ready`: from any context, for a thread that is in no ring. `block`, `wait` and
//!   `wait_for` (in an empty list), `wait_for_own`, `park`, `sleep` (`time`: if ticks are counted)
//!   and `sleep_without_ceilings` (where no thread has one): by the running thread, which another
//!   context will make ready. `pass`: runs the next thread of
//!   the caller's priority. `switch`: runs the thread that was just selected. `leave`: as `switch`,
//!   for a thread that has ended; doesn't return.
//! - Of these, `wait`, `wait_for`, `wait_for_own`, `park` and `sleep` check whether the thread may
//!   wait, and call `upward::refuse_to_wait` if not. `pass` only checks ceilings of threads. A
//!   caller of `block` or `switch` has checked already. The functions without a `Saved` argument
//!   are for a section that found 0 at its beginning, and `block` gets that 0.
//! - `switch::enter_or_lend`, `leave_and_switch`: take and leave a mutex, and release the lock.
//!   `enter_and_raise`, `leave_and_lower`: take and leave a mutex with a ceiling, within a section.
//!   They may refuse the less simple cases. All are called by a thread, with a preemptive
//!   scheduler.
//! - `guard` (`stack_guard`): regions of the memory protection unit; `set` is for a region that the
//!   caller has claimed. `stack_limit` (`stack_limit`): the fault of the register that limits
//!   stacks.
//! - `cycle_counter::start` (`statistics`): the register that counts cycles, if there is one.
//! - `recorder` (`recorder`): `start`; `record`, and `record_queue` of a queue's byte, from any
//!   context; and `exception`, the number of the running one.
//!
//! # Processes (`processes`)
//! - `process::Frame`: the registers of a process, with `registers`, the arguments and the answer
//!   of a call, and `pc`; its `Display` is the dump. `Frame::first` is the frame with which a
//!   process begins, `call` turns that of a yield into that of an upcall. `Saved`: the words of a
//!   record for the registers. `frame_in`, `note_frame` and `first_frame` tell where the frame
//!   is; `STACKED`: its bytes in the process's memory, or 0. `class_of`, `stack_pointer_of`,
//!   `show_call`, and `CALL`, the size of the instruction that calls.
//! - `process::Onward`, `onward`, `begin_with`: what `__quintet_serve_call` and `__quintet_look`
//!   return. The trap calls both at a level below all jobs, with no switch in between.
//! - `process::fault`: `take_fault` and the masks of its status. `process::change`: the functions
//!   by which the switch begins changes, and the *live* process, whose registers are in the
//!   processor.
//! - `process::initialise`, `refresh`, `trampoline`, `STACK`, and the offsets in a record.
//! - `protection`: `REGIONS`, `WINDOW`, `NEEDED`, `Words`, `Access`, `region`, `no_region`,
//!   `with_rights`; with `region_bounds` each region has two addresses at multiples of 32.
//!
//! - `upward` (`threads`): the functions on the floors above that the switch calls, by symbols. No
//!   other code in `arch` calls the floors above. The switch and `process` know the records of
//!   `core`, which lie below.
//!
//! # Expansions
//! - `__vectors!` (targets): the list of the routines of interrupts, if vectors aren't found by
//!   their names. `__uninitialised!` (targets): puts a static where start-up leaves it as it is.
//! - `device`: names of the processor. `__map_line!` and `mask::Ceiling::mapped` (targets): a line
//!   of the lab's map of an image, and the form of a ceiling there. `__chart_lines!`: the lines of
//!   a state machine.
//!
//! The other macros (`__fpu!`, `__limit!`, `__moving_guard!`, `__take_lock!`, `__take_back!`,
//! `__count!`, `__counted!`, `__tick_branch!`, `__tick_arrival_of_any!`, `__tick_alarm!`,
//! `__tick_alarm_rest!`, `__tick_alarm_of_any!`, those in `switch::processes`) belong to
//! `cortex_m`: lines of assembly, most for some processors only.

mod backend;

#[cfg(target_arch = "arm")]
mod cortex_m;
#[cfg(target_arch = "arm")]
pub use cortex_m::*;

#[cfg(riscv32)]
mod riscv;
#[cfg(riscv32)]
pub use riscv::*;

#[cfg(not(any(target_arch = "arm", riscv32)))]
mod host;
#[cfg(not(any(target_arch = "arm", riscv32)))]
pub use host::*;
