//! The core registers and the special registers that MRS, MSR and CPS reach.

/// Thread or handler mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Application code; privileged or not, on either stack.
    Thread,
    /// Exception handlers; privileged, on the main stack.
    Handler,
}

/// The registers of the floating-point unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FloatRegisters {
    /// S0 to S31; the double Dn is S2n below S2n+1.
    pub s: [u32; 32],
    /// FPSCR.
    pub fpscr: u32,
    /// CONTROL.FPCA: the present code has used the unit.
    pub active: bool,
}

impl FloatRegisters {
    /// As after reset.
    pub const RESET: Self = Self { s: [0; 32], fpscr: 0, active: false };
}

/// The register file.
#[derive(Clone, Debug)]
pub struct Registers {
    /// R0 to R12, the current SP in slot 13, LR in slot 14; slot 15 is the address of the current
    /// instruction.
    pub r: [u32; 16],
    /// The stack pointer that is not selected now.
    pub other_sp: u32,
    /// N, Z, C, V, Q in bits 31 to 27, GE in bits 19 to 16, as in APSR.
    pub apsr: u32,
    /// The exception number, IPSR.
    pub ipsr: u16,
    /// ITSTATE (bits 7:0); 0 outside an IT block.
    pub itstate: u8,
    /// ICI: the next register of an interrupted load or store multiple, 0 when there is none.
    pub ici: u8,
    /// The T bit of EPSR. An instruction with a clear T bit is a UsageFault INVSTATE.
    pub thumb: bool,
    /// PRIMASK.
    pub primask: bool,
    /// FAULTMASK.
    pub faultmask: bool,
    /// BASEPRI, already masked to the implemented priority bits; 0 masks nothing.
    pub basepri: u8,
    /// CONTROL.nPRIV.
    pub unprivileged_thread: bool,
    /// CONTROL.SPSEL.
    pub process_stack: bool,
    /// The registers of the floating-point unit; all zero without a unit.
    pub float: FloatRegisters,
}

/// The T bit of xPSR.
const THUMB: u32 = 1 << 24;

impl Default for Registers {
    /// The registers after reset, before the vector table has been read.
    fn default() -> Self {
        Self {
            r: [0; 16],
            other_sp: 0,
            apsr: 0,
            ipsr: 0,
            itstate: 0,
            ici: 0,
            thumb: true,
            primask: false,
            faultmask: false,
            basepri: 0,
            unprivileged_thread: false,
            process_stack: false,
            float: FloatRegisters::RESET,
        }
    }
}

impl Registers {
    /// Thread mode when no exception is active.
    #[inline]
    pub fn mode(&self) -> Mode {
        if self.ipsr == 0 { Mode::Thread } else { Mode::Handler }
    }

    /// The main stack pointer, selected or not.
    #[inline]
    pub fn main_stack_pointer(&self) -> u32 {
        if self.process_stack { self.other_sp } else { self.r[13] }
    }

    /// The process stack pointer, selected or not.
    #[inline]
    pub fn process_stack_pointer(&self) -> u32 {
        if self.process_stack { self.r[13] } else { self.other_sp }
    }

    /// Sets the main stack pointer; its two low bits stay zero.
    #[inline]
    pub fn set_main_stack_pointer(&mut self, value: u32) {
        *(if self.process_stack { &mut self.other_sp } else { &mut self.r[13] }) = value & !3;
    }

    /// Sets the process stack pointer; its two low bits stay zero.
    #[inline]
    pub fn set_process_stack_pointer(&mut self, value: u32) {
        *(if self.process_stack { &mut self.r[13] } else { &mut self.other_sp }) = value & !3;
    }

    /// Makes one of the two stack pointers the current one. You must call this after every change
    /// of the mode or of CONTROL.SPSEL: handler mode uses the main stack, whatever CONTROL.SPSEL
    /// was in thread mode.
    #[inline]
    pub fn select_stack(&mut self, process: bool) {
        if self.process_stack != process {
            std::mem::swap(&mut self.r[13], &mut self.other_sp);
            self.process_stack = process;
        }
    }

    /// CONTROL: nPRIV, SPSEL and FPCA.
    #[inline]
    pub fn control(&self) -> u32 {
        u32::from(self.unprivileged_thread)
            | u32::from(self.process_stack) << 1
            | u32::from(self.float.active) << 2
    }

    /// Writes CONTROL. SPSEL can be written only in thread mode (B1.4.4). The caller clears the
    /// bits that do not exist on its processor.
    #[inline]
    pub fn set_control(&mut self, value: u32) {
        self.unprivileged_thread = value & 1 != 0;
        self.float.active = value & 4 != 0;
        if self.mode() == Mode::Thread {
            self.select_stack(value & 2 != 0);
        }
    }

    /// xPSR as an exception entry stacks it: APSR, IPSR, and EPSR with ITSTATE or ICI (B1.4.2).
    pub fn xpsr(&self) -> u32 {
        let it = u32::from(self.itstate);
        let ici_or_it =
            if it != 0 { (it & 3) << 25 | it >> 2 << 10 } else { u32::from(self.ici & 15) << 12 };
        let thumb = if self.thumb { THUMB } else { 0 };
        self.apsr | thumb | ici_or_it | u32::from(self.ipsr)
    }

    /// Takes xPSR apart, as an exception return does. ICI and ITSTATE share bits: in the state of
    /// an IT block, one of the four low bits is set, and in ICI all four are clear. The caller
    /// clears the flags that do not exist on its processor.
    pub fn set_xpsr(&mut self, value: u32) {
        self.apsr = value & 0xF80F_0000;
        self.ipsr = (value & 0x1FF) as u16;
        self.thumb = value & THUMB != 0;
        let it = (value >> 25 & 3 | value >> 8 & 0xFC) as u8;
        (self.itstate, self.ici) = if it & 15 != 0 { (it, 0) } else { (0, it >> 4) };
    }
}

#[cfg(test)]
mod tests {
    use crate::processor::testing::registers;

    #[test]
    fn stack_pointers_change_places() {
        let mut registers = registers();
        registers.r[13] = 0x2000_1000;
        registers.set_process_stack_pointer(0x2000_2003);
        registers.set_control(3);
        assert_eq!(registers.r[13], 0x2000_2000);
        assert_eq!(registers.main_stack_pointer(), 0x2000_1000);
        registers.set_main_stack_pointer(0x2000_0ffe);
        assert_eq!((registers.other_sp, registers.control()), (0x2000_0ffc, 3));
        registers.select_stack(false);
        assert_eq!(registers.r[13], 0x2000_0ffc);
        assert_eq!(registers.process_stack_pointer(), 0x2000_2000);
    }

    #[test]
    fn a_handler_cannot_select_the_process_stack() {
        let mut registers = registers();
        registers.ipsr = 11;
        registers.set_control(3);
        assert_eq!(registers.control(), 1);
    }

    #[test]
    fn xpsr_keeps_it_and_ici_apart() {
        let mut registers = registers();
        for it in [0x08, 0x14, 0xE8, 0xD7, 0xFF] {
            (registers.itstate, registers.ici, registers.apsr) = (it, 0, 0xA800_0000);
            let value = registers.xpsr();
            (registers.itstate, registers.apsr) = (0, 0);
            registers.set_xpsr(value);
            assert_eq!((registers.itstate, registers.ici), (it, 0));
            assert_eq!(registers.apsr, 0xA800_0000);
        }
        (registers.itstate, registers.ici, registers.ipsr) = (0, 9, 0x1F0);
        assert_eq!(registers.xpsr(), 0xA900_91F0);
        registers.set_xpsr(0x0100_9000);
        assert_eq!((registers.itstate, registers.ici, registers.ipsr), (0, 9, 0));
    }
}
