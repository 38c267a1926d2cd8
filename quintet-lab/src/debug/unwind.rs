//! One step of unwinding: from a function's registers to its caller's, by `.debug_frame`.

use super::DebugInfo;
use gimli::{CfaRule, Register, RegisterRule, UnwindContext, UnwindSection};

/// Registers R0 to R15 as far as they are known; R15 is the address of an instruction.
pub type KnownRegisters = [Option<u32>; 16];

impl DebugInfo {
    /// The caller's registers, where the debug information describes the function at `lookup`.
    /// R15 of the answer is the raw return address: a Thumb address, or an EXC_RETURN value.
    pub(super) fn unwind(
        &self,
        registers: &KnownRegisters,
        lookup: u32,
        read: &dyn Fn(u32) -> Option<u32>,
    ) -> Option<KnownRegisters> {
        let here = self.unwind_here(registers, lookup, read);
        here.or_else(|| {
            let others = self.also.iter();
            others
                .filter_map(|also| Some((also, also.linked(lookup)?)))
                .find_map(|(also, lookup)| also.debug.unwind(registers, lookup, read))
        })
    }

    fn unwind_here(
        &self,
        registers: &KnownRegisters,
        lookup: u32,
        read: &dyn Fn(u32) -> Option<u32>,
    ) -> Option<KnownRegisters> {
        let bases = gimli::BaseAddresses::default();
        let mut context = UnwindContext::new();
        let address = u64::from(lookup);
        let entry = self
            .frames
            .fde_for_address(&bases, address, gimli::DebugFrame::cie_from_offset)
            .ok()?;
        let row =
            entry.unwind_info_for_address(&self.frames, &bases, &mut context, address).ok()?;
        let known = |register: Register| *registers.get(usize::from(register.0))?;
        let frame_address = match row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => {
                displaced(known(*register)?, *offset)
            }
            // No compiler writes expressions for Thumb frames.
            CfaRule::Expression(_) => return None,
        };
        let mut caller: KnownRegisters = [None; 16];
        for (number, value) in (0u16..).zip(caller.iter_mut()).take(15) {
            let register = Register(number);
            *value = match row.register(register) {
                Some(RegisterRule::Offset(offset)) => read(displaced(frame_address, offset)),
                Some(RegisterRule::ValOffset(offset)) => Some(displaced(frame_address, offset)),
                Some(RegisterRule::Register(other)) => known(other),
                // The procedure call standard preserves R4 to R11; LR keeps its value in a leaf.
                Some(RegisterRule::SameValue) | None if matches!(number, 4..=11 | 14) => {
                    known(register)
                }
                _ => None,
            };
        }
        let return_register = entry.cie().return_address_register();
        let return_address = *caller.get(usize::from(return_register.0))?;
        caller[13] = Some(frame_address);
        caller[14] = None;
        caller[15] = return_address;
        Some(caller)
    }
}

fn displaced(base: u32, offset: i64) -> u32 {
    // Offsets of frames are small. Wrapping is the behaviour of the 32-bit machine.
    base.wrapping_add(offset as u32)
}
