//! Everything that depends on the processor: masks, pending, atomic words, waiting, dispatch, and
//! the switch of threads.
//!
//! Each architecture offers the names below, with these contracts; a new one begins with this list.
//! What is not for all of them says for which: with the feature `time` or `statistics`, or with an
//! ability that `build.rs` finds, such as `threads`. *Targets* are all but the host, which has no
//! vectors, nor interrupts to hold off.
//!
//! # Masks
//! - `mask::Ceiling`: what to mask to hold off a resource's other users; built in constants, by
//!   `new`, `kernel` and, with `threads`, `of_hardware`. `mask::hardware_priority`: the priority
//!   byte for a priority of the application, from 1 to two to the number of the chip's bits.
//! - `mask::raise`, `mask::restore`: begin and end a section. What the one returns, a `Saved`, goes
//!   to the other, with the same ceiling, and sections end in the reverse order of their beginning.
//!   Beginning one lowers nothing. No access moves out of a section or into it.
//! - `mask::raise_alone`, `mask::restore_alone`: the same where no other section can be open,
//!   neither in this context nor in one that it interrupted.
//! - `mask::held` (`threads`): what `raise` would find now. `mask::held_priority` (`time`): the
//!   priority byte up to which the open sections hold interrupts off; 0 if that is all of them.
//! - `mask::holds_off_this`: whether the running context is one that sections at a ceiling hold
//!   off; it may say `false` of one that is.
//! - `mask::without_switches`, `mask::let_switch` (`threads`): what a section is to put back so
//!   that no switch comes behind it until the second, which is given what the section had found. No
//!   other section is open there.
//! - `mask::take_pending_interrupts`: what is pending and no longer held off comes before what
//!   follows.
//! - `disable_interrupts`, `enable_interrupts` (targets): every interrupt, whatever its priority.
//!   No critical section is open where they are enabled.
//!
//! # Interrupts
//! - `pend`: makes an interrupt pending, from any context. Accesses before it happen before the
//!   interrupt. `take_pending`: what is pending and not masked comes before the next instruction.
//! - `enable`; `Interrupts`, those that are let in together. No section is open that relies on
//!   their being disabled.
//! - `set_interrupt_priority`, `set_exception_priority` (targets): at start-up only, as ceilings
//!   are computed with the priorities that the application says.
//! - `sleep_until_event`: waits until an exception was taken, or `signal_event` called, since the
//!   last wait; or less long.
//!
//! # Words
//! - `words::get`, `put`, `set`, `clear`, `add`, `replace`, with forms for bytes, flags and, with
//!   `threads`, pointers: updates of what any interrupt may touch as well, also one that no mask
//!   holds off. No access moves across. `replace_pointer` may fail for nothing.
//! - `at_hand`, `decided` (`time`): the same pointer or answer, in a register from there on, before
//!   a section that needs it.
//!
//! # Levels
//! - `Wake`: a function that makes a slot ready, and then its level run; from any context.
//!   `wake_function`: as a waker's function table wants it.
//! - `__wake_interrupt!`, `__wake_thread_mode!`, `__wake_one_thread_mode!`, `__wake_numbered!`,
//!   `__wake_wide!` (targets): define one, for each kind of level. `__dispatcher!` (targets): the
//!   interrupt routine of a level, a round over the jobs that are ready.
//!
//! # Time (feature `time`)
//! - `systick`: a counter and its alarm. `start`: once, by whoever SysTick belongs to. `counter`:
//!   from any context. `set`: the interrupt comes at a time up to `LEG` ahead, at once if it is
//!   past. `keep_up`: by the interrupt's handler, if that goes on for long without a `set`.
//! - `tick`: an interrupt in each period of up to `PERIOD_MAX` cycles. `start`: as above. `pend`
//!   and `is_pending`; `take_ended`: whether a period has ended since the last call. `Count`: every
//!   context reads it, one that doesn't interrupt itself counts it up.
//! - `__tick_handler!`: defines that interrupt's handler. `__tick_arrival!`: what it goes on with
//!   where a timer has arrived, given the kernel's ceiling if the application has threads.
//!
//! # Threads (`threads`)
//! - `switch::initialise`: at start-up, on the main stack. `__switch_exceptions!`: defines what
//!   switches behind interrupts, given the kernel's ceiling as a priority byte, which isn't 0.
//! - `switch::prepare`: a stack for a thread that begins with an `Entry`. It is nobody else's.
//! - `switch::pend`: a switch comes as soon as masks allow; from any context.
//! - `switch::in_handler`, `switch::interrupts_are_off`: where the caller runs.
//! - These are called with the kernel's lock held, and release it: `switch::ready`, for a thread
//!   that is in no ring, by anybody; and by the running thread, for which somebody will do that,
//!   `block`, `wait` and `wait_for` (in an empty list), `wait_for_own`, `park`, `sleep` (`time`:
//!   where ticks are counted). `pass`: the next of its priority runs. `switch`: the one that was
//!   just selected. `leave`: the same for a thread that has ended, and doesn't return.
//! - Of these, `wait`, `wait_for`, `wait_for_own`, `park` and `sleep` look whether the thread may
//!   wait, and call `upward::refuse_to_wait` if not; `pass` looks at ceilings of threads only.
//!   Who calls `block` or `switch` has looked. Those that are given no `Saved` are for a section
//!   that began where 0 was found, and `block` is given that.
//! - `switch::enter_or_lend`, `leave_and_switch`: take and leave a mutex, and release the lock.
//!   `enter_and_raise`, `leave_and_lower`: one with a ceiling, within a section; they may say that
//!   it is not as simple. All by a thread, where the scheduler is preemptive.
//! - `guard` (`stack_guard`): regions of the memory protection unit; `set` is for one that the
//!   caller has claimed. `stack_limit` (`stack_limit`): the fault of the register that limits
//!   stacks.
//! - `cycle_counter::start` (`statistics`): the register that counts cycles, if there is one.
//!
//! - `upward` (`threads`): what the switch calls on the floors above, by symbols; nothing else in
//!   `arch` reaches these. The switch and `process` know the records of `core` below.
//!
//! # Expansions
//! - `device`: names of the processor. `__map_line!` and `mask::Ceiling::mapped` (targets): a line
//!   of what the lab prints of an image, and what a ceiling is there. `__chart_lines!`: those of a
//!   state machine.
//!
//! The other macros (`__fpu!`, `__limit!`, `__moving_guard!`, `__take_lock!`, `__take_back!`,
//! `__count!`, `__tick_branch!`, `__tick_arrival_of_any!`, those in `switch::processes`) are
//! `cortex_m`'s own: lines of assembly, most for some processors only.

mod backend;

#[cfg(target_arch = "arm")]
mod cortex_m;
#[cfg(target_arch = "arm")]
pub use cortex_m::*;

#[cfg(not(target_arch = "arm"))]
mod host;
#[cfg(not(target_arch = "arm"))]
pub use host::*;
