//! The first fault, in words: what the simulator knows of it, which is more than fault registers
//! say. What its handler did then is another matter; it comes second in a report.

use quintet_sim::bus::programs_flash;
use quintet_sim::machine::Machine;
use quintet_sim::processor::faults::Fault;
use quintet_sim::processor::history::{FailedAccess, FaultCause, FaultHistory, FaultRecord};
use quintet_sim::timing::Direction;
use serde::Serialize;

use super::fault::exception_name;
use super::instruction::{Executed, Kind, executed};
use super::missing;
use crate::debug::Place;
use crate::debug::backtrace::{is_exception_return, places};
use crate::firmware::Firmware;

/// CCR, and its bit that makes accesses fault that are not aligned.
const CCR: u32 = 0xe000_ed14;
const UNALIGN_TRP: u32 = 1 << 3;
/// The processor's own registers.
const PRIVATE_START: u32 = 0xe000_0000;
/// Where devices are (B3.1).
const DEVICES_START: u32 = 0x4000_0000;
const DEVICES_END: u32 = 0x6000_0000;
/// The part of the private peripheral bus that is a chip's.
const CHIP_START: u32 = 0xe004_2000;
const CHIP_END: u32 = 0xe00f_f000;
/// A pointer below this is nobody's: a null pointer, with the offset of a field.
const NULL_MAX: u32 = 0x100;

/// The first fault of those that nobody has handled.
#[derive(Clone, Debug, Serialize)]
pub struct FirstFault {
    /// What kind of fault, a word for programs.
    pub kind: &'static str,
    /// Why it was raised, in words.
    pub cause: String,
    /// The address of the instruction.
    pub address: u32,
    /// The address of the access that failed, where it was one.
    pub accessed: Option<u32>,
    /// When.
    pub cycle: u64,
    /// The handler in which it happened, or thread mode.
    pub exception: String,
    /// Functions and lines of the instruction, inlined ones first.
    pub places: Vec<Place>,
    /// What to do about it.
    #[serde(skip)]
    pub advice: Option<String>,
}

impl FirstFault {
    /// The record in words.
    pub fn of(firmware: &Firmware, machine: &Machine, record: &FaultRecord) -> Self {
        let scene = Scene { firmware, machine, record };
        let said = scene.said();
        let address = record.registers.r[15];
        Self {
            kind: said.kind,
            cause: said.cause,
            address,
            accessed: record.access.map(|access| access.address),
            cycle: record.cycle,
            exception: exception_name(record.registers.ipsr),
            places: places(firmware, address),
            advice: said.advice,
        }
    }

    /// Where it was, and why, in one line.
    pub fn text(&self) -> String {
        format!("{}: {}", self.place(), self.cause)
    }

    /// Where it was.
    pub fn place(&self) -> String {
        format!("at {}", Place::at(self.address, &self.places))
    }
}

/// The history that tells how firmware has come to where it is: none where its fault was handled,
/// or was another matter. `died` says that the firmware has ended in a fault.
pub fn relevant(machine: &Machine, died: bool) -> Option<&FaultHistory> {
    let history = machine.processor.fault_history()?;
    let in_handler = |handler: u16| machine.processor.system.exceptions.is_active(handler);
    let goes_on = died || history.resets > 0 || history.first.handler.is_none_or(in_handler);
    let comes_again = history.faults > 1 && machine.pc() == history.first.registers.r[15];
    let is_relevant = if history.returned { comes_again } else { goes_on };
    is_relevant.then_some(history)
}

/// What the first fault's handler did then, a line each.
pub fn then(firmware: &Firmware, machine: &Machine, history: &FaultHistory) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(second) = history.second.as_ref().filter(|_| history.resets == 0) {
        let second = FirstFault::of(firmware, machine, second);
        lines.push(format!("then another fault, while it was handled, {}", second.text()));
    }
    let times = |count: u64| if count == 1 { "once".into() } else { format!("{count} times") };
    if history.resets > 0 {
        let again = if history.faults > 1 { ", and it faulted again" } else { "" };
        lines.push(format!("then the firmware was reset {}{again}", times(history.resets)));
    } else if history.second.is_none() && history.faults > 1 {
        lines.push(format!(
            "it has come {}: its handler returns to the instruction that faults",
            times(history.faults)
        ));
    }
    lines
}

/// What is said of a fault.
struct Said {
    kind: &'static str,
    cause: String,
    advice: Option<String>,
}

impl Said {
    fn new(kind: &'static str, cause: impl Into<String>) -> Self {
        Self { kind, cause: cause.into(), advice: None }
    }

    fn advised(self, advice: impl Into<String>) -> Self {
        Self { advice: Some(advice.into()), ..self }
    }
}

struct Scene<'a> {
    firmware: &'a Firmware,
    machine: &'a Machine,
    record: &'a FaultRecord,
}

impl Scene<'_> {
    fn said(&self) -> Said {
        let registers = &self.record.registers;
        match self.record.cause {
            FaultCause::Instruction(fault) => self.of_instruction(fault),
            FaultCause::BufferedStore => {
                let later = "the store was buffered, so its fault came some instructions later";
                Said::new("store", format!("{} ({later})", self.access()))
                    .advised(self.pointer_advice())
            }
            FaultCause::Stacking { fault: Fault::NoCoprocessor, exception } => Said::new(
                "stacking",
                format!(
                    "the floating-point registers could not be written into the frame of {}: CPACR \
                     keeps the unit off",
                    exception_name(exception)
                ),
            ),
            FaultCause::Stacking { exception, .. } => Said::new(
                "stacking",
                format!(
                    "no frame of {} could be written: {}",
                    exception_name(exception),
                    self.access()
                ),
            ),
            FaultCause::LateStacking(_) => Said::new(
                "stacking",
                format!(
                    "the floating-point registers of what {} interrupted could not be written into \
                     its frame: {}",
                    exception_name(registers.ipsr),
                    self.access()
                ),
            )
            .advised("look for a stack that ends too early: its frames have 72 bytes more"),
            FaultCause::Unstacking(Fault::NoCoprocessor) => Said::new(
                "unstacking",
                "the floating-point registers could not be read from the frame to return to: CPACR \
                 keeps the unit off",
            ),
            FaultCause::Unstacking(_) => Said::new(
                "unstacking",
                format!("the frame to return to could not be read: {}", self.access()),
            ),
            FaultCause::InvalidReturn { exc_return } => Said::new(
                "exception-return",
                format!(
                    "the return from {} by {exc_return:#010x} failed its checks: the value or the \
                     frame is wrong",
                    exception_name(registers.ipsr)
                ),
            )
            .advised("look for what has written over LR or the frame on the stack in the handler"),
            FaultCause::Vector { exception } => Said::new(
                "vector",
                format!(
                    "the vector of {} could not be read: nothing is at {:#010x}",
                    exception_name(exception),
                    self.vector(exception)
                ),
            )
            .advised("VTOR must point to a vector table in memory"),
        }
    }

    fn of_instruction(&self, fault: Fault) -> Said {
        match fault {
            Fault::Undefined | Fault::NoCoprocessor => self.of_unknown(fault),
            Fault::InvalidState => self.of_state(),
            Fault::InvalidPc => Said::new("exception-return", "a return failed its checks"),
            Fault::StackOverflow => Said::new(
                "stack-limit",
                "the stack pointer would have gone below its limit (MSPLIM or PSPLIM)",
            ),
            Fault::Unaligned => self.of_unaligned(),
            Fault::DivideByZero => {
                Said::new("division", "a division by zero, which CCR.DIV_0_TRP makes a fault")
            }
            Fault::DataAccess { .. } => Said::new("protection", self.access()),
            Fault::DataBus { .. } => {
                let kind = match self.record.access.map(|access| access.direction) {
                    Some(Direction::Write) => "store",
                    _ => "load",
                };
                Said::new(kind, self.access()).advised(self.pointer_advice())
            }
            Fault::InstructionAccess => Said::new(
                "fetch",
                format!("code must not be executed at {:#010x}{}", self.pc(), self.came_from()),
            )
            .advised(JUMPED),
            Fault::InstructionBus => Said::new(
                "fetch",
                format!("there is no code at {:#010x}{}", self.pc(), self.came_from()),
            )
            .advised(JUMPED),
            Fault::SupervisorCall => self.of_supervisor_call(),
            Fault::Breakpoint => {
                let number = self.executed().first & 0xff;
                Said::new(
                    "breakpoint",
                    format!("a breakpoint instruction (BKPT {number:#x}) without a debugger"),
                )
                .advised("attach a debugger with `quintet run --gdb`, or remove the breakpoint")
            }
        }
    }

    /// An instruction that the core doesn't execute.
    fn of_unknown(&self, fault: Fault) -> Said {
        let executed = self.executed();
        let code = executed.text();
        let is_code = is_code(self.firmware, self.pc());
        match executed.kind {
            Kind::Trap(number) => Said::new(
                "trap",
                format!(
                    "UDF #{number}, a deliberate trap: `abort`, `core::intrinsics::abort`, or what \
                     a compiler puts where code must never come"
                ),
            )
            .advised(
                "who called tells which: a panic handler that aborts, a check that failed, or code \
                 that was promised never to run",
            ),
            _ if !is_code => {
                let came = self.came_from();
                Said::new("no-code", format!("what is at {:#010x} is no code{came}", self.pc()))
                    .advised(JUMPED)
            }
            Kind::UnitIsOff if fault == Fault::Undefined => Said::new(
                "missing-instruction",
                format!(
                    "{code} is a floating-point instruction that this core lacks: its unit is for \
                     single precision"
                ),
            ),
            Kind::UnitIsOff => Said::new(
                "floating-point-off",
                format!("{code} is a floating-point instruction, and CPACR keeps the unit off"),
            )
            .advised(
                "set bits 20 to 23 of CPACR (0xE000ED88) before the first such instruction: a \
                 start-up routine for this target does it before `main`",
            ),
            Kind::FloatingPoint => Said::new(
                "missing-instruction",
                format!("{code} is a floating-point instruction, and this core has no such unit"),
            ),
            Kind::Missing { of, has } => Said::new(
                "missing-instruction",
                format!("{code} is an instruction of {of}, which this core, of {has}, lacks"),
            ),
            Kind::Unknown if fault == Fault::NoCoprocessor => Said::new(
                "missing-instruction",
                format!("{code} is for a coprocessor that this core does not have"),
            ),
            Kind::Unknown => Said::new(
                "undefined-instruction",
                format!("{code} is no instruction that this core has"),
            )
            .advised("look for data among the code, or for code that was overwritten"),
        }
    }

    /// The Thumb bit is clear, or an instruction doesn't go with what was interrupted.
    fn of_state(&self) -> Said {
        let registers = &self.record.registers;
        if registers.thumb {
            return Said::new(
                "state",
                "the IT or ICI bits of the status register don't go with this instruction",
            )
            .advised("look for what has changed the frame that an exception stacked");
        }
        let target = self.pc();
        let cause = if self.is_vector() {
            let exception = exception_name(registers.ipsr);
            format!("the vector of {exception} is the even address {target:#010x}")
        } else {
            format!("a jump{} to the even address {target:#010x}", self.from())
        };
        Said::new("even-jump", format!("{cause}: bit 0 of where a jump goes must be set (Thumb)"))
            .advised(
                "look at the function pointer, or at the return address that was overwritten on \
                 the stack; a function in assembly needs `.thumb_func` or `.type NAME, %function`",
            )
    }

    fn of_unaligned(&self) -> Said {
        let v6 = self.machine.processor.configuration.architecture
            == quintet_sim::processor::Architecture::V6M;
        let traps = self.machine.read_word(CCR).is_some_and(|word| word & UNALIGN_TRP != 0);
        let why = match (v6, traps) {
            (true, _) => "which ARMv6-M never allows",
            (false, true) => "which CCR.UNALIGN_TRP makes a fault",
            (false, false) => "which this instruction never allows",
        };
        let Some(access) = self.record.access else {
            return Said::new("unaligned", format!("an access that is not aligned, {why}"));
        };
        let FailedAccess { address, size, .. } = access;
        let cause =
            format!("{} {address:#010x}, no multiple of {}, {why}", verb(access), size.bytes());
        Said::new("unaligned", cause).advised(
            "look at the pointer, and at casts of `u8` buffers and packed structures: \
             `read_unaligned` and `memcpy` take any address",
        )
    }

    fn of_supervisor_call(&self) -> Said {
        let registers = &self.record.registers;
        let number = self.executed().first & 0xff;
        let why = match (registers.primask, registers.faultmask, registers.basepri) {
            (_, true, _) => "FAULTMASK is set".into(),
            (true, _, _) => "PRIMASK is set".into(),
            (_, _, basepri) if registers.ipsr == 0 && basepri != 0 => {
                format!("BASEPRI, {basepri:#04x}, holds its exception off")
            }
            _ if registers.ipsr != 0 => format!(
                "the handler of {} is as urgent as its exception, or more",
                exception_name(registers.ipsr)
            ),
            _ => "its exception can't be taken".into(),
        };
        Said::new("supervisor-call", format!("`svc #{number}` while {why}")).advised(
            "an `svc` whose exception can't be taken at once is a HardFault: call it where \
             interrupts are open, and not from a handler that is as urgent",
        )
    }

    fn pc(&self) -> u32 {
        self.record.registers.r[15]
    }

    fn executed(&self) -> Executed {
        executed(self.machine, self.firmware.image.built_for, self.pc())
    }

    /// The access that failed, and why.
    fn access(&self) -> String {
        let Some(access) = self.record.access else { return "an access was refused".into() };
        let address = access.address;
        let what = format!("{} {address:#010x}", verb(access));
        let board = self.machine.board();
        let inside = |start: u32, size: u32| address.wrapping_sub(start) < size;
        let is_protection = matches!(
            self.record.cause,
            FaultCause::Instruction(Fault::DataAccess { .. })
                | FaultCause::Stacking { fault: Fault::DataAccess { .. }, .. }
                | FaultCause::Unstacking(Fault::DataAccess { .. })
                | FaultCause::LateStacking(Fault::DataAccess { .. })
        );
        if is_protection {
            return format!("{what}, which the memory protection unit refuses");
        }
        let memories = board.memory_ranges();
        if let Some(memory) = memories.iter().find(|memory| inside(memory.start, memory.size)) {
            let programmer = board.devices.iter().find(|device| programs_flash(device.kind));
            return match programmer {
                Some(programmer) => format!(
                    "{what}, in `{}`, which its controller `{}` doesn't let the program write now",
                    memory.name, programmer.name
                ),
                None => format!("{what}, in `{}`, which no program can write", memory.name),
            };
        }
        match address {
            PRIVATE_START.. if self.record.registers.unprivileged_thread => {
                format!("{what}, which code without privilege may not")
            }
            _ => format!("{what}, {}", self.firmware.nothing_at(address)),
        }
    }

    fn pointer_advice(&self) -> String {
        let address = self.record.access.map_or(0, |access| access.address);
        let memories = self.machine.board().memory_ranges();
        let in_memory = |start: u32, size: u32| address.wrapping_sub(start) < size;
        match address {
            0..NULL_MAX => "the address is that of a null pointer, or of a field behind one",
            _ if memories.iter().any(|memory| in_memory(memory.start, memory.size)) => {
                "look at the pointer: constants and code lie in flash, which its controller alone \
                 writes"
            }
            DEVICES_START..DEVICES_END | CHIP_START..CHIP_END => {
                return missing::advice(self.machine.board(), address);
            }
            _ => {
                let is_load =
                    self.record.access.is_some_and(|access| access.direction == Direction::Read);
                let advice = is_load.then(|| missing::memory_advice(self.machine.board(), address));
                if let Some(advice) = advice.flatten() {
                    return advice;
                }
                "look at the pointer: the board has nothing there"
            }
        }
        .into()
    }

    fn vector(&self, exception: u16) -> u32 {
        let table = self.machine.processor.system.scb.vector_table;
        table.wrapping_add(4 * u32::from(exception))
    }

    /// Returns `true` if the first instruction of a handler faulted.
    fn is_vector(&self) -> bool {
        let registers = &self.record.registers;
        let vector = self.machine.read_word(self.vector(registers.ipsr));
        registers.ipsr != 0
            && is_exception_return(registers.r[14])
            && vector.is_some_and(|vector| vector & !1 == self.pc())
    }

    /// Who jumped to where no code is.
    fn came_from(&self) -> String {
        if self.is_vector() {
            let exception = exception_name(self.record.registers.ipsr);
            return format!(": it is the vector of {exception}");
        }
        let jump = self.record.jump;
        match self.from() {
            from if from.is_empty() => String::new(),
            from if jump.to & !1 == self.pc() => format!(", where a jump went{from}"),
            from => format!("; the last jump went{from} to {:#010x}", jump.to),
        }
    }

    /// Where the last jump came from.
    fn from(&self) -> String {
        match self.record.jump.from {
            0 => String::new(),
            from => format!(" from {}", Place::at(from, &places(self.firmware, from))),
        }
    }
}

const JUMPED: &str = "a jump went wrong: look at the function pointer, or at the return address \
                      that was overwritten on the stack; LR tells who called";

fn verb(access: FailedAccess) -> String {
    let bytes = access.size.bytes();
    let bytes = if bytes == 1 { "1 byte".to_owned() } else { format!("{bytes} bytes") };
    match access.direction {
        Direction::Read => format!("a load of {bytes} from"),
        Direction::Write => format!("a store of {bytes} to"),
    }
}

/// Returns `true` if the image has code there; of an image without sections, whether it has
/// anything.
pub fn is_code(firmware: &Firmware, address: u32) -> bool {
    let image = &firmware.image;
    let inside = |start: u32, size: u32| address.wrapping_sub(start) < size;
    if image.sections.is_empty() {
        return image.segments.iter().any(|one| inside(one.load_address, one.memory_size));
    }
    image.sections.iter().any(|one| one.executable && inside(one.address, one.size))
}
