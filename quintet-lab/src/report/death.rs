//! The post-mortem of firmware that did not end by itself: what, where, how, and what to do.

use super::fault::{FaultStatus, exception_name};
use super::first_fault::{self, FirstFault};
use super::floating_point::FloatingPoint;
use super::foreign;
use super::livelock;
use super::polling;
use super::standstill::{SYST_CSR, circle_advice, clock_advice};
use super::table::grouped;
use super::thread::{self, RunningThread};
use super::trace::{backtrace_text, place, trace};
use super::waiting;
use crate::debug::backtrace::{CoreState, Found, Frame};
use crate::exit::Outcome;
use crate::firmware::Firmware;
use crate::main_stack::Overflow;
use quintet_sim::image::MemoryRange;
use quintet_sim::machine::Machine;
use serde::Serialize;

/// What ended the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cause {
    /// A fault while no handler could run (B1.5.15).
    Lockup,
    /// The handler of this fault does nothing but loop.
    FaultLoop {
        /// The exception's number, 3 to 6.
        exception: u16,
    },
    /// The handler of this fault was halted by a debugger.
    FaultHandler {
        /// The exception's number, 3 to 6.
        exception: u16,
    },
    /// A loop of one instruction with all interrupts masked.
    MaskedLoop,
    /// A BKPT that asks for no service.
    Breakpoint {
        /// The number in the instruction.
        immediate: u8,
    },
    /// The limit of cycles.
    CycleLimit(u64),
    /// The limit of instructions.
    InstructionLimit(u64),
    /// Asleep, and nothing will wake it.
    Asleep,
    /// Ctrl-C.
    Interrupted,
}

impl Cause {
    /// How the command ends.
    pub fn outcome(&self) -> Outcome {
        match self {
            Self::CycleLimit(_) | Self::InstructionLimit(_) => Outcome::Limit,
            Self::Asleep => Outcome::Asleep,
            Self::Interrupted => Outcome::Interrupted,
            _ => Outcome::Died,
        }
    }
}

/// Everything known about the end.
#[derive(Clone, Debug, Serialize)]
pub struct PostMortem {
    /// What happened, one line: of a fault, the first one's place and cause.
    pub what: String,
    /// `true` if it is a panic, which has ended in a trap.
    #[serde(skip)]
    pub is_panic: bool,
    /// What happened then, a line each.
    pub then: Vec<String>,
    /// What to do about it.
    pub advice: Vec<String>,
    /// The cycle since reset.
    pub cycle: u64,
    /// The instructions executed.
    pub instructions: u64,
    /// The exception being handled.
    pub exception: String,
    /// R0 to R15.
    pub registers: [u32; 16],
    /// The program status register.
    pub xpsr: u32,
    /// The main stack pointer.
    pub msp: u32,
    /// The process stack pointer.
    pub psp: u32,
    /// CONTROL.
    pub control: u32,
    /// PRIMASK, FAULTMASK and BASEPRI.
    pub masks: [u32; 3],
    /// The floating-point registers; left out where the core has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub floating_point: Option<FloatingPoint>,
    /// The fault status registers.
    pub fault: FaultStatus,
    /// What they say.
    pub fault_words: Vec<String>,
    /// The stack pointer that the last fault found.
    #[serde(skip)]
    pub at_fault: Option<u32>,
    /// The first fault, with its cause; null where it was none, or its handler has mended it.
    pub first_fault: Option<FirstFault>,
    /// What the main stack was written over; null where it has stayed above its end.
    pub main_stack: Option<Overflow>,
    /// The thread that ran, or that was interrupted; null where firmware has none.
    pub thread: Option<RunningThread>,
    /// The register that it polls, of a device that nothing models; null where it polls none.
    pub waits_for: Option<polling::Wait>,
    /// The call stack.
    pub backtrace: Vec<Frame>,
}

/// Examines the machine as it stands.
pub fn examine(firmware: &Firmware, machine: &Machine, cause: &Cause) -> PostMortem {
    let state = CoreState::of(&machine.processor.registers);
    let fault = FaultStatus::read(|address| machine.read_word(address));
    let registers = &machine.processor.registers;
    let is_fault =
        matches!(cause, Cause::Lockup | Cause::FaultLoop { .. } | Cause::FaultHandler { .. });
    let history = first_fault::relevant(machine, is_fault);
    let mut report = PostMortem {
        what: String::new(),
        is_panic: false,
        then: Vec::new(),
        advice: Vec::new(),
        cycle: machine.cycle(),
        instructions: machine.instructions(),
        exception: exception_name(state.exception),
        registers: state.registers,
        xpsr: registers.xpsr(),
        msp: state.main_stack,
        psp: state.process_stack,
        control: registers.control(),
        masks: [
            u32::from(registers.primask),
            u32::from(registers.faultmask),
            u32::from(registers.basepri),
        ],
        floating_point: FloatingPoint::of(machine),
        fault,
        fault_words: fault.words(),
        at_fault: machine.processor.last_fault.as_ref().map(|then| then.r[13]),
        first_fault: history.map(|history| FirstFault::of(firmware, machine, &history.first)),
        main_stack: Overflow::find(firmware, machine),
        thread: RunningThread::find(&firmware.image, machine),
        waits_for: None,
        backtrace: trace(firmware, machine, is_fault),
    };
    let end = what(cause, &report);
    match &report.first_fault {
        Some(first) => {
            report.what = format!("a fault {}", first.text());
            let second = history.map(|history| first_fault::then(firmware, machine, history));
            report.then = second.into_iter().flatten().chain([end]).collect();
        }
        None => report.what = end,
    }
    let is_at_limit = cause.outcome() == Outcome::Limit && report.first_fault.is_none();
    report.waits_for = is_at_limit.then(|| polling::find(firmware, machine)).flatten();
    report.advice = advice(cause, &report, &machine.board().memory_ranges());
    let foreign = history.map(|history| foreign::advice(firmware, machine, &history.first));
    // What main's stack was written over is told already.
    let is_damaged = report.main_stack.is_none();
    let damage = is_damaged.then(|| thread::damage_advice(&firmware.image, machine)).flatten();
    let first = damage.into_iter().chain(foreign.flatten());
    let first = first.chain(standstill(firmware, machine, cause, &report));
    report.advice = first.chain(report.advice).collect();
    if let Some(livelock) = is_at_limit.then(|| livelock::advice(firmware, machine)).flatten() {
        // Neither another limit nor a clock would change it.
        report.advice = vec![livelock];
    }
    report
}

/// What to do where nothing goes on, as far as the threads and the clock tell.
fn standstill(
    firmware: &Firmware,
    machine: &Machine,
    cause: &Cause,
    report: &PostMortem,
) -> impl Iterator<Item = String> + use<> {
    let circle = nobody_is_ready(cause, report).then(|| circle_advice(firmware, machine));
    let is_asleep = matches!(cause, Cause::Asleep);
    let is_at_limit = cause.outcome() == Outcome::Limit && report.first_fault.is_none();
    let polling = report.waits_for.as_ref().map(|wait| wait.advice.clone());
    let sleeps = is_asleep || is_at_limit && machine.processor.is_asleep();
    let waiting = sleeps.then(|| waiting::advice(machine)).flatten();
    let core = (is_asleep || is_at_limit).then(|| waiting::core_advice(machine)).flatten();
    // Who waits for a device doesn't wait for a clock.
    let is_for_ever =
        (is_asleep || is_at_limit) && polling.is_none() && waiting.is_none() && core.is_none();
    let control = machine.read_word(SYST_CSR);
    let clock = is_for_ever.then(|| clock_advice(&firmware.image, is_asleep, control));
    let device = polling.into_iter().chain(core).chain(waiting);
    circle.flatten().into_iter().chain(device).chain(clock.flatten())
}

/// Returns `true` if the run has ended in idle, of firmware with threads.
fn nobody_is_ready(cause: &Cause, report: &PostMortem) -> bool {
    let ends_early = matches!(cause, Cause::CycleLimit(_) | Cause::Asleep);
    let idles = report.thread.as_ref().is_some_and(|thread| thread.stack.is_none());
    ends_early && idles && report.xpsr & 0x1ff == 0
}

/// The frame in which things went wrong: what a fault interrupted, else the current one.
fn scene(report: &PostMortem) -> Option<&Frame> {
    let interrupted = report.backtrace.iter().find(|frame| frame.found == Found::Interrupted);
    interrupted.filter(|_| report.fault.any()).or(report.backtrace.first())
}

fn what(cause: &Cause, report: &PostMortem) -> String {
    let is_told = report.first_fault.is_some();
    let frame = if is_told { report.backtrace.first() } else { scene(report) };
    let place = frame.map(place).unwrap_or_default();
    match cause {
        Cause::Lockup => {
            let first = "lockup: a fault happened where no fault handler could run";
            format!("{first}, {place}")
        }
        Cause::FaultLoop { exception } => {
            let name = exception_name(*exception);
            format!("a fault that the firmware does not handle: its {name} handler loops, {place}")
        }
        Cause::FaultHandler { exception } => {
            format!("the handler of {} runs, {place}", exception_name(*exception))
        }
        Cause::MaskedLoop => format!("an endless loop with all interrupts masked, {place}"),
        Cause::Breakpoint { immediate } => {
            format!("a breakpoint instruction (BKPT {immediate:#x}) without a debugger, {place}")
        }
        Cause::CycleLimit(limit) => {
            format!("the limit of {} cycles was reached, {place}", grouped(*limit))
        }
        Cause::InstructionLimit(limit) => {
            format!("the limit of {} instructions was reached, {place}", grouped(*limit))
        }
        Cause::Asleep => format!("the processor sleeps and nothing will ever wake it, {place}"),
        Cause::Interrupted => format!("interrupted, {place}"),
    }
}

/// What to do: first what the fault registers suggest, then what the cause does.
fn advice(cause: &Cause, report: &PostMortem, memories: &[MemoryRange]) -> Vec<String> {
    let mut advice = Vec::new();
    advice.extend(report.main_stack.as_ref().map(Overflow::advice));
    if let Some(thread) = report.thread.as_ref().filter(|thread| thread.overflow) {
        advice.push(thread.advice());
    }
    // What the stack was written over says nothing of how that came.
    let first = report.first_fault.as_ref().filter(|_| advice.is_empty());
    advice.extend(first.and_then(|fault| fault.advice.clone()));
    let is_told = report.first_fault.is_some();
    if matches!(cause, Cause::Lockup | Cause::FaultLoop { .. } | Cause::FaultHandler { .. }) {
        // The stack that overflowed is named already; the handler's own pointer says nothing of it.
        let is_named = report.main_stack.is_some()
            || report.thread.as_ref().is_some_and(|thread| thread.overflow);
        // A fault's handler has a stack of its own, unless it shares that of what it interrupted.
        let pointer = report.at_fault.unwrap_or(report.registers[13]);
        advice.extend(report.fault.stack_advice(pointer, memories, is_named));
        advice.extend(report.fault.advice().into_iter().filter(|_| !is_told));
    }
    if matches!(cause, Cause::CycleLimit(_)) && report.xpsr & 0x1ff != 0 && !is_told {
        advice.push(format!(
            "it is in the handler of {}, so nothing of the same or a lower priority runs; if that \
             is the default handler, the exception has none of its own",
            report.exception
        ));
    }
    if nobody_is_ready(cause, report) {
        advice.push(
            "no thread is ready: each waits, is suspended, has ended or was not started; `quintet \
             threads` shows how each stands"
                .into(),
        );
    }
    let general = match cause {
        Cause::CycleLimit(_) => {
            "if it is meant to run longer, raise the limit with --max-cycles N (0 for none); else \
             the backtrace shows where it loops"
        }
        Cause::InstructionLimit(_) => {
            "if it is meant to run longer, raise --max-instructions N (0 for none)"
        }
        Cause::Asleep => {
            "no interrupt that could wake it is enabled and pending or to come: enable one, start \
             the timer, or script inputs with --inputs FILE"
        }
        Cause::Breakpoint { .. } => {
            "attach a debugger with `quintet run --gdb`, or remove the breakpoint"
        }
        Cause::MaskedLoop => {
            "a panic handler that halts looks like this: use one that prints, or end the program \
             by semihosting"
        }
        Cause::Lockup | Cause::FaultLoop { .. } | Cause::FaultHandler { .. }
            if advice.is_empty() =>
        {
            "the backtrace leads to the code that faulted; the words above say why"
        }
        _ => return advice,
    };
    if is_told && !advice.is_empty() {
        return advice;
    }
    advice.push(general.into());
    advice
}

impl PostMortem {
    /// The report for people.
    pub fn text(&self) -> String {
        let mut text = format!("{}\n", self.what);
        text.extend(self.main_stack.iter().map(|stack| format!("  {}\n", stack.text())));
        for line in &self.then {
            text.push_str(&format!("  {line}\n"));
        }
        for words in &self.fault_words {
            text.push_str(&format!("  {words}\n"));
        }
        text.push_str(&format!(
            "  after {} cycles, {} instructions, in {}\n",
            grouped(self.cycle),
            grouped(self.instructions),
            self.exception,
        ));
        text.extend(self.thread.iter().map(|thread| format!("  {}\n", thread.text())));
        text.push_str(&format!("\nRegisters:\n{}", self.register_text()));
        if self.fault.any() {
            let FaultStatus { cfsr, hfsr, mmfar, bfar } = self.fault;
            text.push_str(&format!(
                "  CFSR {cfsr:08x}  HFSR {hfsr:08x}  MMFAR {mmfar:08x}  BFAR {bfar:08x}\n"
            ));
        }
        text.push_str(&format!("\nBacktrace:\n{}", backtrace_text(&self.backtrace)));
        text.push_str("\nWhat to do:\n");
        for advice in &self.advice {
            text.push_str(&format!("  - {advice}\n"));
        }
        text
    }

    fn register_text(&self) -> String {
        const NAMES: [&str; 16] = [
            "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "sp",
            "lr", "pc",
        ];
        let mut text = String::new();
        for (row, values) in NAMES.chunks(4).zip(self.registers.chunks(4)) {
            for (name, value) in row.iter().zip(values) {
                text.push_str(&format!("  {name:>3} {value:08x}"));
            }
            text.push('\n');
        }
        let [primask, faultmask, basepri] = self.masks;
        text.push_str(&format!(
            "  xpsr {:08x}  msp {:08x}  psp {:08x}  control {:x}\n  primask {primask}  faultmask \
             {faultmask}  basepri {basepri:#04x}\n",
            self.xpsr, self.msp, self.psp, self.control
        ));
        text.push_str(&self.floating_point.as_ref().map_or_else(String::new, FloatingPoint::text));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(stack_pointer: u32, cfsr: u32) -> PostMortem {
        let mut registers = [0; 16];
        registers[13] = stack_pointer;
        PostMortem {
            is_panic: false,
            what: String::new(),
            then: Vec::new(),
            advice: Vec::new(),
            cycle: 0,
            instructions: 0,
            exception: "HardFault".into(),
            registers,
            xpsr: 3,
            msp: stack_pointer,
            psp: 0,
            control: 0,
            masks: [0; 3],
            floating_point: None,
            fault: FaultStatus { cfsr, ..FaultStatus::default() },
            fault_words: Vec::new(),
            at_fault: None,
            first_fault: None,
            main_stack: None,
            thread: None,
            waits_for: None,
            backtrace: Vec::new(),
        }
    }

    #[test]
    fn floating_point_registers_are_shown_where_there_are_any() {
        let mut registers = [0; 32];
        registers[17] = 1.5f32.to_bits();
        let floating_point = Some(FloatingPoint { registers, fpscr: 0x10 });
        let text = PostMortem { floating_point, ..report(0, 0) }.register_text();
        assert!(text.contains("fpscr 00000010\n  s17 3fc00000 (1.5e0)\n"), "{text}");
        assert!(!report(0, 0).register_text().contains("fpscr"));
    }

    fn advised(cause: &Cause, stack_pointer: u32, cfsr: u32) -> String {
        advice(cause, &report(stack_pointer, cfsr), &ram()).join("\n")
    }

    fn ram() -> [MemoryRange; 1] {
        [MemoryRange { name: "ram".into(), start: 0x2000_0000, size: 0x1000, writable: true }]
    }

    #[test]
    fn advice_follows_from_what_the_registers_say() {
        let fault = Cause::FaultLoop { exception: 3 };
        assert!(advised(&fault, 0x1fff_fff0, 0).contains("stack overflow"));
        let unstacked = advised(&fault, 0x2000_0100, 1 << 12);
        assert!(unstacked.contains("no room for an exception's frame"), "{unstacked}");
        let report = PostMortem { at_fault: Some(0x1fff_ff00), ..report(0x2000_0100, 1 << 12) };
        let thread = advice(&fault, &report, &ram()).join("\n");
        assert!(thread.contains("has left its memory (0x1fffff00)"), "{thread}");
        assert!(advised(&fault, 0x2000_0100, 1 << 17).contains("a jump went wrong"));
        assert!(advised(&fault, 0x2000_0100, 1 << 10).contains("some instructions before"));
        let plain = advised(&fault, 0x2000_0100, 1 << 25);
        assert!(plain.contains("the words above say why"), "{plain}");
    }

    #[test]
    fn idle_threads_are_pointed_to() {
        let idle = RunningThread {
            name: "idle".into(),
            priority: 0,
            stack: None,
            high_water: None,
            overflow: false,
            is_host: false,
        };
        let advised = |cause: &Cause, thread: &RunningThread, xpsr: u32| {
            let thread = Some(thread.clone());
            advice(cause, &PostMortem { thread, xpsr, ..report(0x2000_0100, 0) }, &[]).join("\n")
        };
        for cause in [Cause::CycleLimit(1), Cause::Asleep] {
            assert!(advised(&cause, &idle, 0).contains("`quintet threads`"), "{cause:?}");
        }
        let busy = RunningThread { stack: Some(512), ..idle.clone() };
        assert!(!advised(&Cause::CycleLimit(1), &busy, 0).contains("`quintet threads`"));
        assert!(!advised(&Cause::CycleLimit(1), &idle, 15).contains("`quintet threads`"), "a tick");
        assert!(!advised(&Cause::MaskedLoop, &idle, 0).contains("`quintet threads`"));
    }

    #[test]
    fn every_cause_has_advice_except_ctrl_c() {
        let causes = [
            Cause::Lockup,
            Cause::MaskedLoop,
            Cause::Breakpoint { immediate: 1 },
            Cause::CycleLimit(1),
            Cause::InstructionLimit(1),
            Cause::Asleep,
        ];
        for cause in causes {
            assert!(!advised(&cause, 0x2000_0100, 0).is_empty(), "{cause:?}");
        }
        assert_eq!(advised(&Cause::Interrupted, 0x2000_0100, 0), "");
        assert!(advised(&Cause::CycleLimit(1), 0x2000_0100, 0).contains("handler of HardFault"));
    }
}
