//! MRS, MSR and CPS: the special registers (B5.2).

use crate::processor::bus::Bus;
use crate::processor::exceptions::number::{HARD_FAULT, NMI};
use crate::processor::{Architecture, Processor};

/// The flags that MSR writes when bit 1 of its mask selects them: N, Z, C, V and Q.
const FLAGS: u32 = 0xF800_0000;
/// Those that bit 0 selects: GE.
const GREATER_OR_EQUAL: u32 = 0x000F_0000;

/// SYSm, the numbers of the special registers. Those below are the combinations of APSR, IPSR and
/// EPSR.
mod number {
    pub const MSP: u8 = 8;
    pub const PSP: u8 = 9;
    pub const MSPLIM: u8 = 10;
    pub const PSPLIM: u8 = 11;
    pub const PRIMASK: u8 = 16;
    pub const BASEPRI: u8 = 17;
    pub const BASEPRI_MAX: u8 = 18;
    pub const FAULTMASK: u8 = 19;
    pub const CONTROL: u8 = 20;
}

impl<B: Bus> Processor<B> {
    fn is_v6m(&self) -> bool {
        self.architecture() == Architecture::V6M
    }

    /// MRS. EPSR always reads as zero, and everything but APSR and CONTROL does for unprivileged
    /// code.
    pub(super) fn move_from_special(&self, special: u8) -> u32 {
        let registers = &self.registers;
        let privileged = self.is_privileged();
        match special {
            0..=7 => {
                let ipsr =
                    if special & 1 != 0 && privileged { u32::from(registers.ipsr) } else { 0 };
                let apsr = if special & 4 == 0 { registers.apsr } else { 0 };
                ipsr | apsr
            }
            number::CONTROL => registers.control(),
            _ if !privileged => 0,
            number::MSP => registers.main_stack_pointer(),
            number::PSP => registers.process_stack_pointer(),
            number::MSPLIM | number::PSPLIM => {
                self.system.stack_limits[usize::from(special == number::PSPLIM)]
            }
            number::PRIMASK => u32::from(registers.primask),
            _ if self.is_v6m() => 0,
            number::BASEPRI | number::BASEPRI_MAX => u32::from(registers.basepri),
            number::FAULTMASK => u32::from(registers.faultmask),
            _ => 0,
        }
    }

    /// MSR. Unprivileged code writes APSR only; the rest is ignored.
    pub(super) fn move_to_special(&mut self, special: u8, mask: u8, value: u32) {
        let privileged = self.is_privileged();
        match special {
            0..=3 => self.set_flags(mask, value),
            _ if !privileged => {}
            number::MSP => self.registers.set_main_stack_pointer(value),
            number::PSP => self.registers.set_process_stack_pointer(value),
            number::CONTROL => {
                self.registers.set_control(value & self.configuration.control_mask());
            }
            number::MSPLIM | number::PSPLIM if self.architecture() == Architecture::V8M => {
                let place = usize::from(special == number::PSPLIM);
                self.system.stack_limits[place] = value & !7;
                self.choose_path();
            }
            number::PRIMASK => self.set_primask(value & 1 != 0),
            _ if self.is_v6m() => {}
            number::BASEPRI => self.set_base_priority(value as u8),
            number::BASEPRI_MAX => {
                // Only towards more masking: a lower number, or any when nothing was masked. Of the
                // value written, the bits that do not exist do not count.
                let wanted = value as u8 & self.priority_mask();
                let current = self.registers.basepri;
                if wanted != 0 && (current == 0 || wanted < current) {
                    self.set_base_priority(wanted);
                }
            }
            number::FAULTMASK => self.set_fault_mask(value & 1 != 0),
            _ => {}
        }
    }

    /// Writes the part of APSR that the mask selects and that exists.
    fn set_flags(&mut self, mask: u8, value: u32) {
        let all = [(2, FLAGS), (1, GREATER_OR_EQUAL)];
        let selected = all.into_iter().filter(|(bit, _)| mask & bit != 0);
        let written = selected.fold(0, |written, (_, flags)| written | flags)
            & self.configuration.flags_mask();
        self.registers.apsr = self.registers.apsr & !written | value & written;
    }

    fn set_primask(&mut self, masked: bool) {
        if self.registers.primask && !masked {
            self.note_unmasking();
        }
        self.registers.primask = masked;
        self.priority_changed();
    }

    fn set_base_priority(&mut self, value: u8) {
        let (before, after) = (self.registers.basepri, value & self.priority_mask());
        if before != 0 && (after == 0 || after > before) {
            self.note_unmasking();
        }
        self.registers.basepri = after;
        self.priority_changed();
    }

    /// FAULTMASK can be set only below the priority of HardFault; the NMI and HardFault handlers
    /// run above.
    fn set_fault_mask(&mut self, masked: bool) {
        if !masked || !matches!(self.registers.ipsr, NMI | HARD_FAULT) {
            self.registers.faultmask = masked;
            self.priority_changed();
        }
    }

    /// CPSIE and CPSID, which unprivileged code executes without effect.
    pub(super) fn change_state(&mut self, disable: bool, primask: bool, faultmask: bool) {
        if !self.is_privileged() {
            return;
        }
        let before = (self.registers.primask, self.registers.faultmask);
        if primask {
            self.set_primask(disable);
        }
        if faultmask && !self.is_v6m() {
            self.set_fault_mask(disable);
        }
        if disable && before != (self.registers.primask, self.registers.faultmask) {
            self.pipeline.set_mask();
        }
    }
}
