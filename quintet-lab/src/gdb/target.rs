//! GDB's requests to the simulated board.

use std::convert::Infallible;

use gdbstub::common::{Signal, Tid};
use gdbstub::stub::MultiThreadStopReason;
use gdbstub::target::ext::base::BaseOps;
use gdbstub::target::ext::base::multithread::{
    MultiThreadBase, MultiThreadResume, MultiThreadResumeOps, MultiThreadSchedulerLocking,
    MultiThreadSchedulerLockingOps, MultiThreadSingleStep, MultiThreadSingleStepOps,
};
use gdbstub::target::ext::base::reverse_exec::{
    ReplayLogPosition, ReverseCont, ReverseContOps, ReverseStep, ReverseStepOps,
};
use gdbstub::target::ext::base::single_register_access::{
    SingleRegisterAccess, SingleRegisterAccessOps,
};
use gdbstub::target::ext::breakpoints::{
    Breakpoints, BreakpointsOps, HwBreakpoint, HwBreakpointOps, HwWatchpoint, HwWatchpointOps,
    SwBreakpoint, SwBreakpointOps, WatchKind,
};
use gdbstub::target::ext::memory_map::{MemoryMap, MemoryMapOps};
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps};
use gdbstub::target::ext::target_description_xml_override::{
    TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps,
};
use gdbstub::target::ext::thread_extra_info::{ThreadExtraInfo, ThreadExtraInfoOps};
use gdbstub::target::{TargetError, TargetResult};
use quintet_sim::bus::{AccessKind, WatchedRange};
use quintet_sim::machine::{Machine, Stop};
use quintet_sim::processor::Configuration;

use super::Served;
use super::memory_map;
use super::monitor;
use super::registers::{self, CortexM, Number, Values};
use super::threads::{PROCESSOR, Threads};
use crate::debugger::{Debugger, Halted, Halting};
use crate::firmware::Firmware;
use crate::output;

/// Instructions between two looks at the connection.
const CHUNK: u64 = 20_000;

/// How GDB lets the board go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Way {
    #[default]
    Run,
    Step,
    StepBack,
    RunBack,
}

/// A board with GDB attached.
pub struct Target<'a> {
    debugger: Debugger,
    firmware: &'a Firmware,
    threads: Threads<'a>,
    way: Way,
    /// `true` if the next step has been made already. GDB expects that a watchpoint on an Arm
    /// processor halts in front of the access, and then steps over the access. Here the processor
    /// halts behind the access, as with the DWT.
    stepped_already: bool,
    output: &'a mut dyn FnMut(&mut Machine),
}

impl<'a> Target<'a> {
    /// Halts the machine for GDB. `output` gets the firmware's output.
    pub fn new(
        machine: Machine,
        firmware: &'a Firmware,
        output: &'a mut dyn FnMut(&mut Machine),
    ) -> Self {
        let mut debugger = Debugger::attach(machine);
        debugger.mask_steps(true);
        debugger.remember();
        let threads = Threads::of(firmware);
        Self { debugger, firmware, threads, way: Way::Run, stepped_already: false, output }
    }

    /// The thread that runs, by its number.
    fn current(&mut self) -> Tid {
        let number = self.threads.current(self.debugger.machine());
        Tid::new(number).unwrap_or(const { Tid::new(PROCESSOR).unwrap() })
    }

    /// The registers of a thread.
    fn values(&mut self, tid: Tid) -> Values {
        let configuration = self.configuration();
        let machine = self.debugger.machine();
        let values = registers::read_all(&machine.processor.registers, &configuration);
        match self.threads.saved(machine, tid.get()) {
            Some(saved) => values.of_thread(saved.r, saved.xpsr),
            None => values,
        }
    }

    /// Refuses to write registers of a thread that doesn't run: they are words of its stack.
    fn check_runs(&mut self, tid: Tid) -> TargetResult<(), Self> {
        match self.threads.saved(self.debugger.machine(), tid.get()) {
            Some(_) => Err(TargetError::NonFatal),
            None => Ok(()),
        }
    }

    fn reason(&mut self, halted: Halted) -> Option<MultiThreadStopReason<u32>> {
        let tid = self.current();
        Some(match halted {
            Halted::Limit => return None,
            Halted::Stepped | Halted::Fault(_) => self.signal(Signal::SIGTRAP),
            Halted::Breakpoint if self.debugger.has_breakpoint(self.debugger.pc()) => {
                MultiThreadStopReason::HwBreak(tid)
            }
            // GDB tells its watchpoints apart by their first address.
            Halted::Watchpoint(range) => {
                let kind = watch_kind(range.kind);
                MultiThreadStopReason::Watch { tid, kind, addr: range.start }
            }
            Halted::Breakpoint => self.signal(Signal::SIGTRAP),
            Halted::Beginning => {
                MultiThreadStopReason::ReplayLog { tid: Some(tid), pos: ReplayLogPosition::Begin }
            }
            Halted::Stopped(Stop::Exit { code }) => {
                MultiThreadStopReason::Exited(u8::try_from(code).unwrap_or(u8::MAX))
            }
            Halted::Stopped(Stop::Asleep) => {
                output::complain("the processor sleeps, and nothing will ever wake it");
                self.signal(Signal::SIGINT)
            }
            Halted::Stopped(Stop::Lockup) => {
                output::complain("the processor is locked up");
                self.signal(Signal::SIGSEGV)
            }
            Halted::Stopped(stop) => {
                output::complain(&format!("halted: {stop:?}"));
                self.signal(Signal::SIGTRAP)
            }
        })
    }

    fn configuration(&self) -> Configuration {
        self.debugger.machine().processor.configuration
    }
}

impl Served for Target<'_> {
    fn forget_debugger(&mut self) {
        self.debugger.clear_stops();
        (self.way, self.stepped_already) = (Way::Run, false);
    }

    fn run(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Option<MultiThreadStopReason<u32>> {
        let stepped_already = std::mem::take(&mut self.stepped_already);
        let halted = match self.way {
            Way::Step if stepped_already => Halted::Stepped,
            way => go(&mut self.debugger, way, self.output, interrupted),
        };
        let is_forwards = matches!(self.way, Way::Run | Way::Step);
        self.stepped_already = is_forwards && matches!(halted, Halted::Watchpoint(_));
        self.reason(halted)
    }

    fn signal(&mut self, signal: Signal) -> MultiThreadStopReason<u32> {
        MultiThreadStopReason::SignalWithThread { tid: self.current(), signal }
    }
}

/// Lets a board go on as GDB asked, until it halts or GDB interrupts it.
pub(super) fn go<M: Halting>(
    debugger: &mut Debugger<M>,
    way: Way,
    output: &mut dyn FnMut(&mut M),
    interrupted: &mut dyn FnMut() -> bool,
) -> Halted {
    let halted = match way {
        Way::Step => debugger.step(),
        Way::StepBack => debugger.step_back(),
        Way::RunBack => debugger.resume_back(&mut || !interrupted()).unwrap_or(Halted::Limit),
        Way::Run => debugger.resume_while(CHUNK, &mut |debugger| {
            debugger.print(output);
            !interrupted()
        }),
    };
    debugger.print(output);
    halted
}

pub(super) fn watch_kind(kind: AccessKind) -> WatchKind {
    match kind {
        AccessKind::Read => WatchKind::Read,
        AccessKind::Write => WatchKind::Write,
        AccessKind::Any => WatchKind::ReadWrite,
    }
}

pub(super) fn watched_range(start: u32, length: u32, kind: WatchKind) -> WatchedRange {
    let kind = match kind {
        WatchKind::Read => AccessKind::Read,
        WatchKind::Write => AccessKind::Write,
        WatchKind::ReadWrite => AccessKind::Any,
    };
    WatchedRange { start, length, kind }
}

impl gdbstub::target::Target for Target<'_> {
    type Arch = CortexM;
    type Error = Infallible;

    fn base_ops(&mut self) -> BaseOps<'_, CortexM, Infallible> {
        BaseOps::MultiThread(self)
    }

    fn support_breakpoints(&mut self) -> Option<BreakpointsOps<'_, Self>> {
        Some(self)
    }

    fn support_target_description_xml_override(
        &mut self,
    ) -> Option<TargetDescriptionXmlOverrideOps<'_, Self>> {
        Some(self)
    }

    fn support_memory_map(&mut self) -> Option<MemoryMapOps<'_, Self>> {
        Some(self)
    }

    fn support_monitor_cmd(&mut self) -> Option<MonitorCmdOps<'_, Self>> {
        Some(self)
    }
}

impl TargetDescriptionXmlOverride for Target<'_> {
    fn target_description_xml(
        &self,
        annex: &[u8],
        offset: u64,
        length: usize,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        if annex != b"target.xml" {
            return Err(TargetError::NonFatal);
        }
        let text = registers::description(self.configuration().has_floating_point());
        Ok(piece(&text, offset, length, buffer))
    }
}

impl MemoryMap for Target<'_> {
    fn memory_map_xml(
        &self,
        offset: u64,
        length: usize,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        Ok(piece(&memory_map::xml(self.debugger.machine().board()), offset, length, buffer))
    }
}

/// Copies the piece of a text that GDB asks for, and returns its length.
pub(super) fn piece(text: &str, offset: u64, length: usize, buffer: &mut [u8]) -> usize {
    let rest = usize::try_from(offset).ok().and_then(|offset| text.as_bytes().get(offset..));
    let rest = rest.unwrap_or_default();
    let count = rest.len().min(length).min(buffer.len());
    buffer[..count].copy_from_slice(&rest[..count]);
    count
}

impl MultiThreadBase for Target<'_> {
    fn read_registers(&mut self, values: &mut Values, tid: Tid) -> TargetResult<(), Self> {
        *values = self.values(tid);
        Ok(())
    }

    fn write_registers(&mut self, values: &Values, tid: Tid) -> TargetResult<(), Self> {
        self.check_runs(tid)?;
        let configuration = self.configuration();
        self.debugger.change(|machine| {
            registers::write_all(&mut machine.processor.registers, values, &configuration);
        });
        Ok(())
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, Tid, Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, start: u32, data: &mut [u8], _: Tid) -> TargetResult<usize, Self> {
        let machine = self.debugger.machine();
        if machine.read_memory(start, data).is_ok() {
            return Ok(data.len());
        }
        // A block that ends behind a memory is read as far as there is memory.
        let readable = (0..).zip(data.iter_mut()).map_while(|(offset, byte)| {
            let address = start.checked_add(offset)?;
            machine.read_memory(address, std::slice::from_mut(byte)).ok()
        });
        match readable.count() {
            0 => Err(TargetError::NonFatal),
            count => Ok(count),
        }
    }

    fn write_addrs(&mut self, start: u32, data: &[u8], _: Tid) -> TargetResult<(), Self> {
        let written = self.debugger.change(|machine| machine.write_memory(start, data));
        written.map_err(|_| TargetError::NonFatal)
    }

    fn list_active_threads(&mut self, list: &mut dyn FnMut(Tid)) -> Result<(), Infallible> {
        let all = self.threads.all(self.debugger.machine());
        all.into_iter().filter_map(Tid::new).for_each(list);
        Ok(())
    }

    fn support_resume(&mut self) -> Option<MultiThreadResumeOps<'_, Self>> {
        Some(self)
    }

    fn support_thread_extra_info(&mut self) -> Option<ThreadExtraInfoOps<'_, Self>> {
        Some(self)
    }
}

impl ThreadExtraInfo for Target<'_> {
    fn thread_extra_info(&self, tid: Tid, buffer: &mut [u8]) -> Result<usize, Infallible> {
        let text = self.threads.describe(self.debugger.machine(), tid.get());
        let count = text.len().min(buffer.len());
        buffer[..count].copy_from_slice(&text.as_bytes()[..count]);
        Ok(count)
    }
}

impl SingleRegisterAccess<Tid> for Target<'_> {
    fn read_register(
        &mut self,
        tid: Tid,
        number: Number,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let places = registers::places(number);
        let length = 4 * places.len();
        let Some(bytes) = buffer.get_mut(..length) else { return Err(TargetError::NonFatal) };
        let values = self.values(tid);
        for (place, word) in places.zip(bytes.chunks_exact_mut(4)) {
            word.copy_from_slice(&values.get(place).to_le_bytes());
        }
        Ok(length)
    }

    fn write_register(&mut self, tid: Tid, number: Number, value: &[u8]) -> TargetResult<(), Self> {
        self.check_runs(tid)?;
        let places = registers::places(number);
        let (words, rest) = value.as_chunks::<4>();
        if words.len() != places.len() || !rest.is_empty() {
            return Err(TargetError::NonFatal);
        }
        let configuration = self.configuration();
        self.debugger.change(|machine| {
            let registers = &mut machine.processor.registers;
            for (place, word) in places.zip(words) {
                registers::write(registers, place, u32::from_le_bytes(*word), &configuration);
            }
        });
        Ok(())
    }
}

/// There is one processor: whichever thread GDB lets go on or step, it is the one that runs.
impl MultiThreadResume for Target<'_> {
    fn resume(&mut self) -> Result<(), Infallible> {
        Ok(())
    }

    fn clear_resume_actions(&mut self) -> Result<(), Infallible> {
        self.way = Way::Run;
        Ok(())
    }

    fn set_resume_action_continue(&mut self, _: Tid, _: Option<Signal>) -> Result<(), Infallible> {
        Ok(())
    }

    fn support_single_step(&mut self) -> Option<MultiThreadSingleStepOps<'_, Self>> {
        Some(self)
    }

    fn support_scheduler_locking(&mut self) -> Option<MultiThreadSchedulerLockingOps<'_, Self>> {
        Some(self)
    }

    fn support_reverse_step(&mut self) -> Option<ReverseStepOps<'_, Tid, Self>> {
        Some(self)
    }

    fn support_reverse_cont(&mut self) -> Option<ReverseContOps<'_, Tid, Self>> {
        Some(self)
    }
}

impl ReverseStep<Tid> for Target<'_> {
    fn reverse_step(&mut self, _: Tid) -> Result<(), Infallible> {
        self.way = Way::StepBack;
        Ok(())
    }
}

impl ReverseCont<Tid> for Target<'_> {
    fn reverse_cont(&mut self) -> Result<(), Infallible> {
        self.way = Way::RunBack;
        Ok(())
    }
}

impl MultiThreadSingleStep for Target<'_> {
    fn set_resume_action_step(&mut self, _: Tid, _: Option<Signal>) -> Result<(), Infallible> {
        self.way = Way::Step;
        Ok(())
    }
}

/// No other thread runs anyway until the firmware's scheduler says so, which can't be locked.
impl MultiThreadSchedulerLocking for Target<'_> {
    fn set_resume_action_scheduler_lock(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

impl Breakpoints for Target<'_> {
    fn support_sw_breakpoint(&mut self) -> Option<SwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_breakpoint(&mut self) -> Option<HwBreakpointOps<'_, Self>> {
        Some(self)
    }

    fn support_hw_watchpoint(&mut self) -> Option<HwWatchpointOps<'_, Self>> {
        Some(self)
    }
}

/// Both kinds are the same here: no instruction is replaced, and there are as many as one likes.
impl SwBreakpoint for Target<'_> {
    fn add_sw_breakpoint(&mut self, address: u32, _kind: usize) -> TargetResult<bool, Self> {
        self.debugger.add_breakpoint(address);
        Ok(true)
    }

    fn remove_sw_breakpoint(&mut self, address: u32, _kind: usize) -> TargetResult<bool, Self> {
        Ok(self.debugger.remove_breakpoint(address))
    }
}

impl HwBreakpoint for Target<'_> {
    fn add_hw_breakpoint(&mut self, address: u32, kind: usize) -> TargetResult<bool, Self> {
        self.add_sw_breakpoint(address, kind)
    }

    fn remove_hw_breakpoint(&mut self, address: u32, kind: usize) -> TargetResult<bool, Self> {
        self.remove_sw_breakpoint(address, kind)
    }
}

impl HwWatchpoint for Target<'_> {
    fn add_hw_watchpoint(
        &mut self,
        address: u32,
        length: u32,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        self.debugger.add_watchpoint(watched_range(address, length, kind));
        Ok(true)
    }

    fn remove_hw_watchpoint(
        &mut self,
        address: u32,
        length: u32,
        kind: WatchKind,
    ) -> TargetResult<bool, Self> {
        Ok(self.debugger.remove_watchpoint(watched_range(address, length, kind)))
    }
}

impl MonitorCmd for Target<'_> {
    fn handle_monitor_cmd(
        &mut self,
        command: &[u8],
        mut console: ConsoleOutput<'_>,
    ) -> Result<(), Infallible> {
        let answer =
            monitor::command(&mut self.debugger, self.firmware, &String::from_utf8_lossy(command));
        console.write_raw(answer.as_bytes());
        Ok(())
    }
}
