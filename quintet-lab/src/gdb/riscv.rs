//! GDB's requests to a board with a RISC-V core.
//!
//! There is one hart, GDB's thread 1. Breakpoints and watchpoints are as many as one likes, and
//! change nothing in the program. A step may end in the handler of an interrupt.

pub mod registers;

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
use gdbstub::target::ext::monitor_cmd::{ConsoleOutput, MonitorCmd, MonitorCmdOps};
use gdbstub::target::ext::target_description_xml_override::{
    TargetDescriptionXmlOverride, TargetDescriptionXmlOverrideOps,
};
use gdbstub::target::{TargetError, TargetResult};
use quintet_sim::cores::Core;
use quintet_sim::machine::Stop;
use quintet_sim::riscv::machine::Machine;

use registers::{COUNT, COUNTER, CSRS, Number, Rv32, Values, description};

use super::Served;
use super::target::{Way, go, piece, watch_kind, watched_range};
use super::threads::PROCESSOR;
use crate::debugger::{Debugger, Halted};
use crate::output;

const HELP: &str = "\
monitor cycles    cycles and instructions since reset
monitor reset     reset the board; the hart halts before its first instruction
monitor help      this list
";

/// A board with GDB attached.
pub struct Target<'a> {
    debugger: Debugger<Machine>,
    way: Way,
    output: &'a mut dyn FnMut(&mut Machine),
}

impl<'a> Target<'a> {
    /// Halts the machine for GDB. `output` gets the firmware's output.
    pub fn new(machine: Machine, output: &'a mut dyn FnMut(&mut Machine)) -> Self {
        let mut debugger = Debugger::attach(machine);
        debugger.remember();
        Self { debugger, way: Way::Run, output }
    }

    fn machine(&self) -> &Machine {
        self.debugger.machine()
    }

    fn value(&self, place: usize) -> u32 {
        match place {
            ..COUNTER => self.machine().hart.registers[place],
            COUNTER => self.machine().pc(),
            _ => CSRS
                .get(place - COUNT)
                .and_then(|(_, csr)| self.machine().hart.peek_csr(*csr))
                .unwrap_or(0),
        }
    }

    fn set(&mut self, place: usize, value: u32) {
        match place {
            ..COUNTER => {
                self.debugger.change(|machine| machine.set_register(place, value));
            }
            COUNTER => self.debugger.change(|machine| machine.hart.jump(value)),
            _ => {}
        }
    }

    fn reason(&mut self, halted: Halted) -> Option<MultiThreadStopReason<u32>> {
        let tid = TID;
        Some(match halted {
            Halted::Limit => return None,
            Halted::Stepped | Halted::Fault(_) => self.signal(Signal::SIGTRAP),
            Halted::Beginning => {
                MultiThreadStopReason::ReplayLog { tid: Some(tid), pos: ReplayLogPosition::Begin }
            }
            Halted::Breakpoint if self.debugger.has_breakpoint(self.debugger.pc()) => {
                MultiThreadStopReason::HwBreak(tid)
            }
            Halted::Breakpoint => self.signal(Signal::SIGTRAP),
            Halted::Watchpoint(range) => {
                let kind = watch_kind(range.kind);
                MultiThreadStopReason::Watch { tid, kind, addr: range.start }
            }
            Halted::Stopped(Stop::Exit { code }) => {
                MultiThreadStopReason::Exited(u8::try_from(code).unwrap_or(u8::MAX))
            }
            Halted::Stopped(Stop::Asleep) => {
                output::complain("the hart sleeps, and nothing will ever wake it");
                self.signal(Signal::SIGINT)
            }
            Halted::Stopped(Stop::Lockup) => {
                output::complain("the first instruction of the trap handler can't be executed");
                self.signal(Signal::SIGSEGV)
            }
            Halted::Stopped(stop) => {
                output::complain(&format!("halted: {stop:?}"));
                self.signal(Signal::SIGTRAP)
            }
        })
    }
}

/// The one thread.
const TID: Tid = Tid::new(PROCESSOR).unwrap();

impl Served for Target<'_> {
    fn run(&mut self, interrupted: &mut dyn FnMut() -> bool) -> Option<MultiThreadStopReason<u32>> {
        let halted = go(&mut self.debugger, self.way, self.output, interrupted);
        self.reason(halted)
    }

    fn signal(&mut self, signal: Signal) -> MultiThreadStopReason<u32> {
        MultiThreadStopReason::SignalWithThread { tid: TID, signal }
    }

    fn forget_debugger(&mut self) {
        self.debugger.clear_stops();
        self.way = Way::Run;
    }
}

impl gdbstub::target::Target for Target<'_> {
    type Arch = Rv32;
    type Error = Infallible;

    fn base_ops(&mut self) -> BaseOps<'_, Rv32, Infallible> {
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
        Ok(piece(&description(), offset, length, buffer))
    }
}

impl MultiThreadBase for Target<'_> {
    fn read_registers(&mut self, values: &mut Values, _: Tid) -> TargetResult<(), Self> {
        *values = Values(std::array::from_fn(|place| self.value(place)));
        Ok(())
    }

    fn write_registers(&mut self, values: &Values, _: Tid) -> TargetResult<(), Self> {
        for (place, value) in values.0.iter().take(COUNT).enumerate() {
            if *value != self.value(place) {
                self.set(place, *value);
            }
        }
        Ok(())
    }

    fn support_single_register_access(&mut self) -> Option<SingleRegisterAccessOps<'_, Tid, Self>> {
        Some(self)
    }

    fn read_addrs(&mut self, start: u32, data: &mut [u8], _: Tid) -> TargetResult<usize, Self> {
        let machine = self.machine();
        if machine.read_memory(start, data).is_some() {
            return Ok(data.len());
        }
        // A block that ends behind a memory is read as far as there is memory.
        let readable = (0..).zip(data.iter_mut()).map_while(|(offset, byte)| {
            let address = start.checked_add(offset)?;
            machine.read_memory(address, std::slice::from_mut(byte))
        });
        match readable.count() {
            0 => Err(TargetError::NonFatal),
            count => Ok(count),
        }
    }

    fn write_addrs(&mut self, start: u32, data: &[u8], _: Tid) -> TargetResult<(), Self> {
        let written = self.debugger.change(|machine| machine.write_memory(start, data));
        written.ok_or(TargetError::NonFatal)
    }

    fn list_active_threads(&mut self, list: &mut dyn FnMut(Tid)) -> Result<(), Infallible> {
        list(TID);
        Ok(())
    }

    fn support_resume(&mut self) -> Option<MultiThreadResumeOps<'_, Self>> {
        Some(self)
    }
}

impl SingleRegisterAccess<Tid> for Target<'_> {
    fn read_register(
        &mut self,
        _: Tid,
        Number(place): Number,
        buffer: &mut [u8],
    ) -> TargetResult<usize, Self> {
        let bytes = self.value(place).to_le_bytes();
        let Some(start) = buffer.get_mut(..bytes.len()) else { return Err(TargetError::NonFatal) };
        start.copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn write_register(
        &mut self,
        _: Tid,
        Number(place): Number,
        value: &[u8],
    ) -> TargetResult<(), Self> {
        let Ok(bytes) = value.try_into() else { return Err(TargetError::NonFatal) };
        if place >= COUNT {
            return Err(TargetError::NonFatal);
        }
        self.set(place, u32::from_le_bytes(bytes));
        Ok(())
    }
}

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

/// There is no other thread.
impl MultiThreadSchedulerLocking for Target<'_> {
    fn set_resume_action_scheduler_lock(&mut self) -> Result<(), Infallible> {
        Ok(())
    }
}

impl MultiThreadSingleStep for Target<'_> {
    fn set_resume_action_step(&mut self, _: Tid, _: Option<Signal>) -> Result<(), Infallible> {
        self.way = Way::Step;
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
        let command = String::from_utf8_lossy(command);
        let answer = match command.split_whitespace().collect::<Vec<_>>().as_slice() {
            ["cycles"] => {
                let (cycles, instructions) =
                    (self.machine().cycle(), self.machine().instructions());
                format!("{cycles} cycles, {instructions} instructions\n")
            }
            ["reset"] | ["reset", "halt" | "init"] => {
                self.debugger.reset();
                format!(
                    "reset, halted at {:#010x}\nGDB shows old registers until `maintenance flush \
                     register-cache`\n",
                    self.debugger.pc()
                )
            }
            ["help"] | [] => HELP.to_owned(),
            _ => format!("there is no `monitor {command}` for a RISC-V core\n{HELP}"),
        };
        console.write_raw(answer.as_bytes());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::registers::ALL;
    use super::*;
    use gdbstub::arch::Registers;
    use quintet_sim::riscv::board::Board;

    #[test]
    fn registers_survive_the_way_to_gdb_and_back() {
        let machine = Machine::new(&Board::named("virt-rv32").unwrap());
        let mut output = |_: &mut Machine| {};
        let mut target = Target::new(machine, &mut output);
        let mut values = Values::default();
        target.read_registers(&mut values, TID).ok().unwrap();
        assert_eq!(values.pc(), 0x8000_0000);
        (values.0[10], values.0[COUNTER], values.0[0]) = (7, 0x8000_0100, 9);
        let mut bytes = Vec::new();
        values.gdb_serialize(|byte| bytes.extend(byte));
        assert_eq!(bytes.len(), 4 * ALL);
        let mut read = Values::default();
        read.gdb_deserialize(&bytes).unwrap();
        target.write_registers(&read, TID).ok().unwrap();
        assert_eq!([0, 10, COUNTER].map(|place| target.value(place)), [0, 7, 0x8000_0100]);
        assert!(read.gdb_deserialize(&[0; 4 * ALL + 4]).is_err());
    }
}
