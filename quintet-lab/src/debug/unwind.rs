//! One step of unwinding: from a function's registers to its caller's, by `.debug_frame`.

use super::DebugInfo;
use gimli::{CfaRule, Register, RegisterRule, UnwindContext, UnwindSection, UnwindTableRow};
use quintet_sim::cores::Unwinding;

/// Registers R0 to R15 as far as they are known; R15 is the address of an instruction.
pub type KnownRegisters = [Option<u32>; 16];

/// A caller's registers, and the raw return address, where it is known.
type Caller = (Vec<Option<u32>>, Option<u32>);

/// The procedure call standard of Arm preserves R4 to R11.
const CORTEX_M: Unwinding = Unwinding { registers: 15, stack: 13, link: 14, preserved: 0xff0 };

impl DebugInfo {
    /// The caller's registers, where the debug information describes the function at `lookup`.
    /// R15 of the answer is the raw return address: a Thumb address, or an EXC_RETURN value.
    pub(super) fn unwind(
        &self,
        registers: &KnownRegisters,
        lookup: u32,
        read: &dyn Fn(u32) -> Option<u32>,
    ) -> Option<KnownRegisters> {
        let (found, return_address) = self.unwind_by(&CORTEX_M, registers, lookup, read)?;
        let mut caller: KnownRegisters = [None; 16];
        for (register, value) in caller.iter_mut().zip(found) {
            *register = value;
        }
        caller[15] = return_address;
        Some(caller)
    }

    /// The caller's registers on any core, and the raw return address.
    pub(crate) fn unwind_by(
        &self,
        core: &Unwinding,
        registers: &[Option<u32>],
        lookup: u32,
        read: &dyn Fn(u32) -> Option<u32>,
    ) -> Option<Caller> {
        let here = self.unwind_here(core, registers, lookup, read);
        here.or_else(|| {
            let others = self.also.iter();
            others
                .filter_map(|also| Some((also, also.linked(lookup)?)))
                .find_map(|(also, lookup)| also.debug.unwind_by(core, registers, lookup, read))
        })
    }

    fn unwind_here(
        &self,
        core: &Unwinding,
        registers: &[Option<u32>],
        lookup: u32,
        read: &dyn Fn(u32) -> Option<u32>,
    ) -> Option<Caller> {
        let address = u64::from(lookup);
        let none = gimli::BaseAddresses::default();
        let of_debugger = rules(&self.frames, &none, address, gimli::DebugFrame::cie_from_offset);
        let (row, return_register) = of_debugger.or_else(|| {
            let (frames, section) = &self.exception_frames;
            let bases = gimli::BaseAddresses::default().set_eh_frame(*section);
            rules(frames, &bases, address, gimli::EhFrame::cie_from_offset)
        })?;
        let known = |register: Register| *registers.get(usize::from(register.0))?;
        let frame_address = match row.cfa() {
            CfaRule::RegisterAndOffset { register, offset } => {
                displaced(known(*register)?, *offset)
            }
            // No compiler writes expressions for frames of these cores.
            CfaRule::Expression(_) => return None,
        };
        // The link register keeps its value in a leaf.
        let kept = core.preserved | 1 << core.link;
        let mut caller = vec![None; usize::from(core.registers)];
        for (number, value) in (0u16..).zip(caller.iter_mut()) {
            let register = Register(number);
            *value = match row.register(register) {
                Some(RegisterRule::Offset(offset)) => read(displaced(frame_address, offset)),
                Some(RegisterRule::ValOffset(offset)) => Some(displaced(frame_address, offset)),
                Some(RegisterRule::Register(other)) => known(other),
                Some(RegisterRule::SameValue) | None if kept >> number & 1 != 0 => known(register),
                _ => None,
            };
        }
        let return_address = *caller.get(usize::from(return_register.0))?;
        *caller.get_mut(usize::from(core.stack))? = Some(frame_address);
        *caller.get_mut(usize::from(core.link))? = None;
        Some((caller, return_address))
    }
}

/// The rules at an address, and the register of the return address.
fn rules<S: UnwindSection<super::Reader>>(
    section: &S,
    bases: &gimli::BaseAddresses,
    address: u64,
    common: impl FnMut(
        &S,
        &gimli::BaseAddresses,
        S::Offset,
    ) -> gimli::Result<gimli::CommonInformationEntry<super::Reader>>,
) -> Option<(UnwindTableRow<usize>, Register)> {
    let entry = section.fde_for_address(bases, address, common).ok()?;
    let mut context = UnwindContext::new();
    let row = entry.unwind_info_for_address(section, bases, &mut context, address).ok()?;
    Some((row.clone(), entry.cie().return_address_register()))
}

fn displaced(base: u32, offset: i64) -> u32 {
    // Offsets of frames are small. Wrapping is the behaviour of the 32-bit machine.
    base.wrapping_add(offset as u32)
}
