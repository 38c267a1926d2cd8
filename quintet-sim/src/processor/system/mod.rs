//! The private peripherals: the processor's own registers at 0xe0000000 to 0xe00fffff. The chip's
//! part of these addresses, at 0xe0042000 to 0xe00fefff, belongs to devices behind the bus.
//!
//! ```text
//!  0xe0000000 ITM    trace.rs        0xe000e010 SysTick      systick.rs
//!  0xe0001000 DWT    trace.rs        0xe000e100 NVIC         nvic.rs
//!  0xe0002000 FPB    trace.rs        0xe000ed00 SCB          scb.rs
//!  0xe00ff000 ROM table              0xe000ed90 MPU          mpu.rs
//!                                    0xe000edf0 debug        here
//!                                    0xe000ef34 float        float.rs
//!                                    0xe000ef50 caches       cache.rs
//! ```

mod cache;
pub(in crate::processor) mod float;
pub mod mpu;
mod nvic;
pub mod scb;
pub mod systick;
pub mod trace;

use super::bus::{BusError, CHIP_PRIVATE, PRIVATE_START, VENDOR_START};
use super::exceptions::number::{DEBUG_MONITOR, SYS_TICK};
use super::exceptions::table::Table;
use super::instruction::Size;
use super::registers::Registers;
use super::{Architecture, Configuration};
use cache::CacheControl;
use float::FloatControl;
use mpu::Mpu;
use scb::{FaultStatus, Scb, ccr, dfsr};
use systick::SysTick;
use trace::{Dwt, Fpb, Itm};

/// DEMCR.TRCENA.
const TRACE_ENABLE: u32 = 1 << 24;
/// DEMCR.MON_EN.
const MONITOR_ENABLE: u32 = 1 << 16;
/// DEMCR.MON_PEND.
const MONITOR_PENDING: u32 = 1 << 17;
/// DEMCR.MON_STEP.
const MONITOR_STEP: u32 = 1 << 18;
/// DEMCR.MON_REQ, which has no meaning for the processor.
const MONITOR_REQUEST: u32 = 1 << 19;
/// DEMCR's vector catch bits.
const VECTOR_CATCH: u32 = 0x7f1;
/// DHCSR.C_HALT, with the key that a write needs in the upper half.
const HALT: u32 = 1 << 1;
const HALT_KEY: u32 = 0xa05f;
/// STIR.
const SOFTWARE_TRIGGER: u32 = 0xe000_ef00;

/// The private peripherals' state.
#[derive(Clone, Debug)]
pub struct System {
    /// The configuration of the processor.
    pub(super) configuration: Configuration,
    /// Every exception's state.
    pub exceptions: Table,
    /// The system control block.
    pub scb: Scb,
    /// The system timer.
    pub systick: SysTick,
    /// The memory protection unit.
    pub mpu: Mpu,
    /// ARMv8-M: MSPLIM and PSPLIM; 0 for no limit.
    pub(super) stack_limits: [u32; 2],
    /// The control of the floating-point unit.
    pub(super) float: FloatControl,
    /// The control of the caches.
    cache: CacheControl,
    /// The cycle counter.
    pub dwt: Dwt,
    /// The trace console.
    pub itm: Itm,
    /// The breakpoint unit.
    pub fpb: Fpb,
    /// A debugger is attached: DHCSR.C_DEBUGEN.
    pub debugger_attached: bool,
    /// The debug event that waits for the end of the instruction, as bits of DFSR.
    pub(super) debug_event: u32,
    monitor_control: u32,
}

/// The bytes of `value` in `lanes` (a bit mask of four) and their index.
fn byte_lanes(value: u32, lanes: u32) -> impl Iterator<Item = (u16, u8)> {
    let bytes = value.to_le_bytes();
    (0..4)
        .filter(move |&index| lanes >> index & 1 != 0)
        .map(move |index| (index, bytes[usize::from(index)]))
}

impl System {
    /// The peripherals after power-on.
    pub fn new(configuration: Configuration) -> Self {
        let aligned = configuration.stack_alignment;
        let control = match configuration.architecture {
            Architecture::V6M => ccr::ALIGN_STACK | ccr::TRAP_UNALIGNED,
            _ if configuration.is_cortex_m7() => ccr::ALIGN_STACK | ccr::BRANCH_PREDICTION,
            Architecture::V8M => ccr::ALIGN_STACK | ccr::NON_BASE_THREAD,
            _ if aligned => ccr::ALIGN_STACK,
            _ => 0,
        };
        Self {
            configuration,
            exceptions: Table::new(&configuration),
            scb: Scb {
                vector_table: configuration.vector_table,
                priority_group: 0,
                system_control: 0,
                configuration_control: control,
                auxiliary_control: 0,
                faults: FaultStatus::default(),
                reset_request: None,
            },
            systick: SysTick::new(
                configuration.systick_reference_divider,
                configuration.systick_calibration,
            ),
            mpu: Mpu::new(configuration.mpu_regions, configuration.architecture),
            stack_limits: [0; 2],
            float: FloatControl::new(configuration.floating_point),
            cache: CacheControl::new(configuration.is_cortex_m7()),
            dwt: Dwt::default(),
            itm: Itm::default(),
            fpb: Fpb::default(),
            debugger_attached: false,
            debug_event: 0,
            monitor_control: 0,
        }
    }

    /// A local reset: resets everything except the debugger's part (C1.6.5 keeps DEMCR's TRCENA
    /// domain).
    pub fn reset(&mut self, lines: super::bus::Lines) {
        let mut fresh = Self::new(self.configuration);
        fresh.debugger_attached = self.debugger_attached;
        fresh.itm = std::mem::take(&mut self.itm);
        if self.debugger_attached {
            fresh.monitor_control = self.monitor_control & (TRACE_ENABLE | VECTOR_CATCH);
            fresh.dwt = self.dwt.clone();
            fresh.fpb = self.fpb.clone();
        }
        fresh.exceptions.set_lines(lines);
        *self = fresh;
    }

    /// DEMCR.MON_EN.
    pub fn is_monitor_enabled(&self) -> bool {
        self.monitor_control & MONITOR_ENABLE != 0
    }

    /// Returns `true` if DEMCR.MON_STEP has an effect.
    pub fn is_monitor_stepping(&self) -> bool {
        self.is_monitor_enabled()
            && !self.debugger_attached
            && self.monitor_control & MONITOR_STEP != 0
    }

    /// Returns `true` if a debug event would halt the processor or could enter DebugMonitor.
    fn has_debug_events(&self) -> bool {
        self.debugger_attached || self.is_monitor_enabled()
    }

    /// Returns `true` if accesses must be compared with watchpoints.
    pub fn is_watching(&self) -> bool {
        self.dwt.is_armed() && self.has_debug_events()
    }

    /// Returns `true` if something is to be done for debugging's sake before the next instruction.
    pub fn is_debugging(&self) -> bool {
        self.debug_event != 0
            || self.is_monitor_stepping()
            || (self.fpb.is_armed() && self.has_debug_events())
    }

    /// Returns `true` if DEMCR catches one of these vectors. `vectors` holds their bits.
    pub fn catches(&self, vectors: u32) -> bool {
        self.monitor_control & VECTOR_CATCH & vectors != 0
    }

    /// Returns `true` if the address belongs to the processor's own peripherals rather than to the
    /// chip's part of the private peripheral bus.
    #[inline]
    pub fn owns(address: u32) -> bool {
        (PRIVATE_START..VENDOR_START).contains(&address) && !CHIP_PRIVATE.contains(&address)
    }

    /// Returns `true` if unprivileged code may make this access (B3.1.1).
    pub fn allows_unprivileged(&self, address: u32, is_write: bool) -> bool {
        match address {
            0xe000_0000..=0xe000_007f => self.itm.is_open_to_all((address & 0x7f) / 4),
            SOFTWARE_TRIGGER => is_write && self.scb.is_set(ccr::USER_SET_PENDING),
            _ => false,
        }
    }

    /// Reads the register at `address` for the time `cycle`, without the side effects of a read.
    pub fn peek(&self, address: u32, size: Size, cycle: u64, registers: &Registers) -> u32 {
        let word = self.peek_word(address & !3, cycle, registers);
        match size {
            Size::Word => word,
            Size::Half => word >> (8 * (address & 2)) & 0xffff,
            Size::Byte => word >> (8 * (address & 3)) & 0xff,
        }
    }

    /// Reads a register, with the side effects of a read.
    pub fn read(&mut self, address: u32, size: Size, cycle: u64, registers: &Registers) -> u32 {
        let value = self.peek(address, size, cycle, registers);
        match address & !3 {
            0xe000_e010 if self.systick.control_was_read(cycle) => {
                self.exceptions.set_pending(SYS_TICK, true);
            }
            0xe000_1020..=0xe000_105c => self.dwt.comparator_was_read(address & 0xffc),
            _ => {}
        }
        value
    }

    fn peek_word(&self, address: u32, cycle: u64, registers: &Registers) -> u32 {
        let offset = address & 0xfff;
        match address >> 12 {
            0xe000e => self.peek_control_space(offset, cycle, registers),
            0xe00ff => read_rom_table(offset),
            _ if self.configuration.architecture == Architecture::V6M
                && address >> 12 != 0xe0001 =>
            {
                0
            }
            0xe0000 if offset < 0xfd0 => self.itm.read(offset),
            0xe0001 if offset < 0xfd0 => self.dwt.read(offset, cycle),
            0xe0002 if offset < 0xfd0 => self.fpb.read(offset),
            0xe0000 => identification(offset, 0x01),
            0xe0001 => identification(offset, 0x02),
            0xe0002 => identification(offset, 0x03),
            _ => 0,
        }
    }

    fn peek_control_space(&self, offset: u32, cycle: u64, registers: &Registers) -> u32 {
        let is_full = self.configuration.architecture != Architecture::V6M;
        match offset {
            0x004 if is_full => u32::from(self.configuration.interrupts.saturating_sub(1) / 32),
            0x008 => self.scb.auxiliary_control,
            0x010 => self.systick.control(cycle),
            0x014 => self.systick.reload(),
            0x018 => self.systick.current(cycle),
            0x01c => self.systick.calibration(),
            0x100..=0x5ef => self.read_interrupts(offset),
            0xd78..=0xd84 => self.cache.read(offset),
            0xd90..=0xdef => self.mpu.read(offset - 0xd90),
            0xd88 => self.read_float_access(),
            0xf34..=0xf48 => self.read_float_control(offset),
            0xf90..=0xfac => self.cache.read(offset),
            0xd00..=0xd8f => self.read_control_block(offset, registers),
            0xdf0 => {
                let masked = u32::from(self.exceptions.is_masked()) << 3;
                u32::from(self.debugger_attached) | masked | 1 << 16
            }
            0xdfc => {
                let pending = self.exceptions.is_pending(DEBUG_MONITOR);
                self.monitor_control | if pending { MONITOR_PENDING } else { 0 }
            }
            0xfd0..=0xfff => identification(offset, 0x00),
            _ => 0,
        }
    }

    /// Writes a register. Bytes and halfwords are for the priorities, CFSR, the console and the
    /// attributes of an MPU region (whose size and enable bits are a half of their own). Other
    /// registers refuse them. In registers where a zero means "no change", they write zeros around
    /// their bytes.
    pub fn write(
        &mut self,
        address: u32,
        size: Size,
        value: u32,
        cycle: u64,
    ) -> Result<(), BusError> {
        let shift = 8 * (address & 3);
        let (lanes, value) = match size {
            Size::Word => (0b1111, value),
            Size::Half => (0b11 << (address & 3), (value & 0xffff) << shift),
            Size::Byte => (0b1 << (address & 3), (value & 0xff) << shift),
        };
        let (offset, word) = (address & 0xfff, address & 0xffc);
        let takes_parts = matches!(
            (address >> 12, word),
            (
                0xe000e,
                0x100..=0x5ef | 0xd18..=0xd23 | 0xd28..=0xd30 | 0xda0 | 0xda8 | 0xdb0 | 0xdb8,
            )
        );
        match address >> 12 {
            0xe0000 => self.itm.write(offset, size.bytes(), value >> shift),
            _ if size != Size::Word && !takes_parts => return Err(BusError),
            0xe0001 => self.dwt.write(word, value, cycle),
            0xe0002 => self.fpb.write(word, value),
            0xe000e => self.write_control_space(word, value, lanes, cycle),
            _ => {}
        }
        Ok(())
    }

    /// The bits of ACTLR: a Cortex-M4 has DISFPCA and DISOOFP beside those of a Cortex-M3.
    fn auxiliary_mask(&self) -> u32 {
        if self.configuration.has_dsp() { 0x307 } else { 7 }
    }

    fn write_control_space(&mut self, offset: u32, value: u32, lanes: u32, cycle: u64) {
        let is_full = self.configuration.architecture != Architecture::V6M;
        match offset {
            0x008 if is_full => self.scb.auxiliary_control = value & self.auxiliary_mask(),
            0x010 => self.systick.set_control(value, cycle),
            0x014 => self.systick.set_reload(value, cycle),
            0x018 => self.systick.clear_current(cycle),
            0x100..=0x5ef => self.write_interrupts(offset, value, lanes),
            0xd90..=0xdef => {
                let written =
                    byte_lanes(u32::MAX, lanes).fold(0, |mask, (i, _)| mask | 0xff << (8 * i));
                let kept = self.mpu.read(offset - 0xd90) & !written;
                self.mpu.write(offset - 0xd90, kept | value);
            }
            0xd88 => self.write_float_access(value),
            0xf34..=0xf44 => self.write_float_control(offset, value),
            0xd84 | 0xf50..=0xfac => self.cache.write(offset, value),
            0xd00..=0xd8f => self.write_control_block(offset, value, lanes),
            // C_DEBUGEN belongs to the debugger, and the other bits have a meaning while it is set.
            0xdf0 if value >> 16 == HALT_KEY && value & HALT != 0 && self.debugger_attached => {
                self.debug_event |= dfsr::HALTED;
            }
            0xdfc => {
                let monitor = MONITOR_ENABLE | MONITOR_STEP | MONITOR_REQUEST;
                self.monitor_control = value & (VECTOR_CATCH | monitor | TRACE_ENABLE);
                self.dwt.set_trace_enabled(value & TRACE_ENABLE != 0, cycle);
                self.exceptions.set_pending(DEBUG_MONITOR, value & MONITOR_PENDING != 0);
            }
            0xf00 if is_full => self.trigger(value),
            _ => {}
        }
    }
}

/// The CoreSight identification registers at the end of a component's 4 KB.
fn identification(offset: u32, part: u32) -> u32 {
    match offset {
        0xfd0 => 0x04,
        0xfe0 => part,
        0xfe4 => 0xb0,
        0xfe8 => 0x1b,
        0xff0 => 0x0d,
        0xff4 => 0xe0,
        0xff8 => 0x05,
        0xffc => 0xb1,
        _ => 0,
    }
}

/// The table at 0xe00ff000 that tells a debugger where the components are.
fn read_rom_table(offset: u32) -> u32 {
    match offset {
        0x00 => 0xfff0_f003,
        0x04 => 0xfff0_2003,
        0x08 => 0xfff0_3003,
        0x0c => 0xfff0_1003,
        0x10 => 0xfff4_1002,
        0x14 => 0xfff4_2002,
        0xfcc => 1,
        0xff0 => 0x0d,
        0xff4 => 0x10,
        0xff8 => 0x05,
        0xffc => 0xb1,
        _ => 0,
    }
}
