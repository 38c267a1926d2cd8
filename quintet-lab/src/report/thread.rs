//! The thread in which firmware died, and the used part of its stack.

use quintet_sim::image::Image;
use quintet_sim::machine::Machine;
use serde::Serialize;

use super::fault::{FaultStatus, exception_name};
use super::table::grouped;
use crate::firmware::symbols::demangle;
use crate::main_stack;
use crate::threads::layout::{GUARD, Layout};

/// In CFSR: the address in MMFAR is right, and an exception's frame could not be written.
const MMARVALID: u32 = 1 << 7;
const MSTKERR: u32 = 1 << 4;
/// A stack pointer further than this below its stack is none: no size helps.
const STACK_MAX: u32 = 1 << 16;
/// In the path of each function that switches threads where one waits or wakes another.
const SWITCH: &str = "cortex_m::switch::";
/// The exceptions that switch threads.
const SVCALL: u16 = 11;
const PENDSV: u16 = 14;
/// What the symbol of a thread is called that hosts software tasks, before its priority.
const HOST: &str = "__quintet_host_";

/// The thread that runs, or is interrupted.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RunningThread {
    /// Its name; `idle` is `main`, on the main stack, and `process n` one of the processes.
    pub name: String,
    /// Its priority, with what it inherits; 0 for idle.
    pub priority: u8,
    /// The size of its stack in bytes; null for idle, and for a process, whose stack is its own
    /// business.
    pub stack: Option<u32>,
    /// How much of that has been used at most, as far as its memory and its pointer tell.
    pub high_water: Option<u32>,
    /// `true` if it has left its stack, or touched the guard at its end.
    pub overflow: bool,
    /// `true` if it hosts software tasks, so that the application has its size.
    #[serde(skip)]
    pub is_host: bool,
}

impl RunningThread {
    /// The thread as the machine stands, or whose guard was hit; none in firmware without threads,
    /// and before they start.
    pub fn find(image: &Image, machine: &Machine) -> Option<Self> {
        let layout = Layout::find(image)?;
        let fault = FaultStatus::read(|address| machine.read_word(address));
        // A switch stores registers of the one that is left when the other one runs already. Any
        // other code that hits a guard has its own thread's pointer, wherever that has come to.
        let is_hit = fault.cfsr & MMARVALID != 0 && switched(image, machine);
        let hit = is_hit.then_some(fault.mmfar);
        let hit = hit.and_then(|address| layout.guarded_at(image, machine, address));
        let control = hit.or_else(|| layout.running(machine))?;
        Self::of(image, machine, &layout, control)
    }

    /// What is to be said of the thread at `control`.
    fn of(image: &Image, machine: &Machine, layout: &Layout, control: u32) -> Option<Self> {
        let fault = FaultStatus::read(|address| machine.read_word(address));
        let about = layout.about(machine, control)?;
        let (_, priority) = layout.priorities(machine, control)?;
        let is_idle = about.stack_size == 0;
        let pointer = machine.processor.registers.process_stack_pointer();
        let at_fault = machine.processor.last_fault.as_ref();
        let lowest = at_fault.map_or(pointer, |then| then.process_stack_pointer().min(pointer));
        let is_guard = |address: u32| address.wrapping_sub(about.stack) < GUARD;
        // What main's stack has gone through says nothing of this one.
        let is_main = main_stack::is_overflown(machine);
        let reached = about.top().saturating_sub(lowest);
        let used = if is_main { reached } else { layout.written(machine, &about).max(reached) };
        let touched = fault.cfsr & MMARVALID != 0 && is_guard(fault.mmfar)
            || fault.cfsr & MSTKERR != 0 && lowest < about.stack.saturating_add(2 * GUARD);
        Some(Self {
            priority,
            stack: (!is_idle).then_some(about.stack_size),
            high_water: (!is_idle).then_some(used),
            overflow: !is_idle && !is_main && (touched || lowest < about.stack),
            is_host: is_host(image, control),
            name: about.name,
        })
    }

    /// One line for people.
    pub fn text(&self) -> String {
        let Self { name, priority, .. } = self;
        let (Some(stack), Some(used)) = (self.stack, self.high_water) else {
            return match priority {
                0 => format!("no thread was running: {name}"),
                _ => format!("in {name}, priority {priority}"),
            };
        };
        let (stack, used) = (grouped(u64::from(stack)), grouped(u64::from(used)));
        let overflow = if self.overflow { ": a stack overflow" } else { "" };
        format!(
            "in the thread {name}, priority {priority}; {used} of {stack} bytes of its stack were \
             used{overflow}"
        )
    }

    /// Where firmware was that has ended by itself, in the handler of `exception` or, if that is 0,
    /// in a thread.
    fn whereabouts(&self, exception: u16) -> String {
        let who = match self.stack {
            Some(_) => format!("the thread `{}`", self.name),
            None => self.name.clone(),
        };
        match exception {
            0 => format!("in {who}"),
            _ => {
                format!("in the handler of {}, while {who} was running", exception_name(exception))
            }
        }
    }

    /// A size to try: twice that of the stack, and no less than what was used of it.
    fn larger(&self) -> u32 {
        let doubled = self.stack.unwrap_or(0).saturating_mul(2);
        let used = self.high_water.filter(|used| *used <= STACK_MAX).unwrap_or(0);
        doubled.max((used + GUARD).next_power_of_two())
    }

    /// What to do about an overflow.
    pub fn advice(&self) -> String {
        let larger = self.larger();
        let more = if self.is_host {
            format!("`host_stack = {larger}` in `#[quintet::app(..)]`, which all hosts share")
        } else {
            format!("`stack = {larger}`")
        };
        format!(
            "the stack of the thread {} is too small: give it more, as {more}; `quintet threads` \
             shows how much threads use, and code that isn't optimised takes several times as much",
            self.name,
        )
    }
}

/// What to do where firmware has ended by itself after an overflow: its panic handler says whose,
/// but not that. None if no stack overflowed.
pub fn overflow_advice(image: &Image, machine: &Machine) -> Option<String> {
    RunningThread::find(image, machine).filter(|thread| thread.overflow).map(|one| one.advice())
}

/// What to do where somebody has written over a thread's control block.
pub fn damage_advice(image: &Image, machine: &Machine) -> Option<String> {
    let layout = Layout::find(image)?;
    let (control, about) = layout.overwritten(image, machine)?;
    let (name, constant) = (about.name, layout.constant(control));
    Some(format!(
        "the control block of the thread {name}, at {control:#010x}, was overwritten: look for an \
         overflow of what lies beside it, or for a wild pointer; under `quintet run --gdb`, GDB's \
         `watch *({constant:#x} as *mut u32)` stops where that word is written, first by start-up \
         code"
    ))
}

/// In which thread or handler firmware has ended by itself. None in firmware without threads, and
/// before they start.
pub fn whereabouts(image: &Image, machine: &Machine) -> Option<String> {
    let layout = Layout::find(image)?;
    let running = layout.running(machine)?;
    let thread = RunningThread::of(image, machine, &layout, running)?;
    Some(thread.whereabouts(machine.processor.registers.ipsr))
}

/// Returns `true` if the last fault was one of what switches threads.
fn switched(image: &Image, machine: &Machine) -> bool {
    let scene = machine.processor.last_fault.as_ref();
    scene.is_some_and(|scene| {
        let function = image.function_at(scene.r[15]).map(|symbol| demangle(&symbol.name));
        let in_switch = function.is_some_and(|function| function.contains(SWITCH));
        in_switch || [SVCALL, PENDSV].contains(&scene.ipsr)
    })
}

/// Returns `true` if the control block is that of a host, by the name that the expansion gives it.
fn is_host(image: &Image, control: u32) -> bool {
    let mut here = image.symbols.iter().filter(|symbol| symbol.address == control);
    here.any(|symbol| symbol.name.contains(HOST))
}

/// Where the stack of the thread that runs ends, one above its highest byte; none if that is the
/// main stack.
pub fn stack_top(image: &Image, machine: &Machine) -> Option<u32> {
    let layout = Layout::find(image)?;
    let about = layout.about(machine, layout.running(machine)?)?;
    (about.stack_size > 0).then(|| about.top())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_overflow_is_said_with_the_thread_and_what_to_do() {
        let thread = RunningThread {
            name: "worker".into(),
            priority: 3,
            stack: Some(512),
            high_water: Some(480),
            overflow: true,
            is_host: false,
        };
        let said = "in the thread worker, priority 3; 480 of 512 bytes of its stack were used: a \
                    stack overflow";
        assert_eq!(thread.text(), said);
        assert!(thread.advice().contains("`stack = 1024`"));
        assert_eq!(thread.whereabouts(0), "in the thread `worker`");
        let in_handler = "in the handler of IRQ 4, while the thread `worker` was running";
        assert_eq!(thread.whereabouts(20), in_handler);
        let host = RunningThread { is_host: true, ..thread.clone() };
        assert!(host.advice().contains("`host_stack = 1024` in `#[quintet::app(..)]`"));
        // What was used is to fit, but a pointer to anywhere is no size.
        for (used, larger) in [(512, 1024), (1000, 2048), (2080, 4096), (0x2000_0000, 1024)] {
            let high_water = Some(used);
            assert_eq!(RunningThread { high_water, ..thread.clone() }.larger(), larger, "{used}");
        }
        let well = RunningThread { overflow: false, ..thread };
        assert!(!well.text().contains("overflow"));
    }

    #[test]
    fn idle_is_no_thread() {
        let idle = RunningThread {
            name: "idle".into(),
            priority: 0,
            stack: None,
            high_water: None,
            overflow: false,
            is_host: false,
        };
        assert_eq!(idle.text(), "no thread was running: idle");
        assert_eq!(idle.whereabouts(0), "in idle");
        assert_eq!(idle.whereabouts(15), "in the handler of SysTick, while idle was running");
    }

    #[test]
    fn a_process_is_no_idle() {
        let process = RunningThread {
            name: "process 0".into(),
            priority: 2,
            stack: None,
            high_water: None,
            overflow: false,
            is_host: false,
        };
        assert_eq!(process.text(), "in process 0, priority 2");
        assert_eq!(process.whereabouts(0), "in process 0");
        let in_handler = "in the handler of SysTick, while process 0 was running";
        assert_eq!(process.whereabouts(15), in_handler);
    }
}
