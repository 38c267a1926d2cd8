//! The configuration of a processor: the choices that the architecture leaves to the maker of a
//! chip.

use super::instruction::float::FloatUnit;
use crate::timing::Table;

/// The version of the architecture that a processor implements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Architecture {
    /// ARMv6-M (Cortex-M0, M0+): a subset of the instructions, two priority bits, HardFault as the
    /// only fault.
    V6M,
    /// ARMv7-M (Cortex-M3).
    V7M,
    /// ARMv7E-M (Cortex-M4 and M7): ARMv7-M with the DSP extension, and with a floating-point unit
    /// where [`Configuration::floating_point`] says so.
    V7EM,
    /// ARMv8-M mainline (Cortex-M33) without the Security Extension: ARMv7E-M with acquire and
    /// release, limits of stacks, and a protection unit of its own (PMSAv8).
    V8M,
}

/// The choices that a chip's maker has when building a processor in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Configuration {
    /// The architecture.
    pub architecture: Architecture,
    /// The floating-point unit; ARMv7E-M and ARMv8-M only.
    pub floating_point: FloatUnit,
    /// The value of CPUID.
    pub cpuid: u32,
    /// The number of external interrupts, up to 240.
    pub interrupts: u16,
    /// The number of implemented priority bits, 3 to 8 (2 on ARMv6-M).
    pub priority_bits: u8,
    /// The number of MPU regions, 0 (no MPU) or 8.
    pub mpu_regions: u8,
    /// The address of the vector table after reset.
    pub vector_table: u32,
    /// CCR.STKALIGN after reset (1 since Cortex-M3 r2p0).
    pub stack_alignment: bool,
    /// `true` if the SRAM and peripheral bit-band regions exist.
    pub bit_banding: bool,
    /// Processor cycles per cycle of SysTick's external reference clock; 0 if there is none.
    pub systick_reference_divider: u32,
    /// SYST_CALIB.
    pub systick_calibration: u32,
}

impl Default for Configuration {
    /// A Cortex-M3 r2p0 with all options.
    fn default() -> Self {
        Self {
            architecture: Architecture::V7M,
            floating_point: FloatUnit::None,
            cpuid: 0x412f_c230,
            interrupts: 240,
            priority_bits: 8,
            mpu_regions: 8,
            vector_table: 0,
            stack_alignment: true,
            bit_banding: true,
            systick_reference_divider: 0,
            systick_calibration: 0,
        }
    }
}

/// The part numbers of some cores in CPUID.
const CORTEX_M0_PLUS: u32 = 0xc60;
const CORTEX_M7: u32 = 0xc27;
const CORTEX_M3: u32 = 0xc23;

impl Configuration {
    /// Returns `true` if this is a Cortex-M7, which has caches and memories of its own.
    pub fn is_cortex_m7(&self) -> bool {
        self.cpuid >> 4 & 0xfff == CORTEX_M7
    }

    /// Returns `true` if this is the one ARMv6-M core that can have VTOR and unprivileged code.
    pub fn is_cortex_m0_plus(&self) -> bool {
        self.cpuid >> 4 & 0xfff == CORTEX_M0_PLUS
    }

    /// Returns `true` if the address of a fetch stays on its bus until the memory takes it, as
    /// AHB-Lite demands, even if a branch has made the word useless. Cortex-M3 r2p1 and Cortex-M4
    /// r0p1 do this, and Cortex-M3 r1p1 doesn't. For r2p0 it is an assumption.
    pub fn holds_addresses(&self) -> bool {
        let is_early_m3 = self.cpuid >> 4 & 0xfff == CORTEX_M3 && self.cpuid >> 20 & 0xf < 2;
        self.architecture != Architecture::V6M && !is_early_m3
    }

    /// Returns the table that gives the instructions' time, for a core whose manual has one.
    pub fn timing_table(&self) -> Option<Table> {
        match (self.architecture, self.is_cortex_m0_plus()) {
            (Architecture::V6M, false) => Some(Table::CortexM0),
            (Architecture::V6M, true) => Some(Table::CortexM0Plus),
            _ => None,
        }
    }

    /// Returns `true` if CONTROL.nPRIV exists.
    pub fn has_unprivileged_code(&self) -> bool {
        self.architecture != Architecture::V6M || self.is_cortex_m0_plus()
    }

    /// Returns `true` if the DSP extension exists, and APSR.GE with it.
    #[inline]
    pub fn has_dsp(&self) -> bool {
        matches!(self.architecture, Architecture::V7EM | Architecture::V8M)
    }

    /// Returns `true` if the floating-point unit exists.
    #[inline]
    pub fn has_floating_point(&self) -> bool {
        self.floating_point != FloatUnit::None && self.has_dsp()
    }

    /// The bits of CONTROL that exist.
    pub fn control_mask(&self) -> u32 {
        u32::from(self.has_unprivileged_code()) | 1 << 1 | u32::from(self.has_floating_point()) << 2
    }

    /// Returns the bits of APSR that exist. On ARMv6-M, bit 27 is reserved, and keeps a written
    /// value as it does under QEMU.
    pub fn flags_mask(&self) -> u32 {
        match self.architecture {
            Architecture::V6M | Architecture::V7M => 0xf800_0000,
            Architecture::V7EM | Architecture::V8M => 0xf80f_0000,
        }
    }

    /// The bits of BASEPRI and of every priority that exist.
    pub fn priority_mask(&self) -> u8 {
        let bits = match self.architecture {
            Architecture::V6M => 2,
            Architecture::V7M | Architecture::V7EM | Architecture::V8M => {
                self.priority_bits.clamp(3, 8)
            }
        };
        (0xff00_u16 >> bits) as u8
    }
}
