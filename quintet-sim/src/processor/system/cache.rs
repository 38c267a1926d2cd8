//! The registers by which a Cortex-M7 controls its caches and the memories beside it (TCM). Nothing
//! is cached here, so that maintenance has no effect, and a program sees no old data.

/// CLIDR: an instruction cache and a data cache.
const LEVELS: u32 = 0x0900_0003;
/// CTR.
const TYPE: u32 = 0x8303_c003;
/// CCSIDR of a data cache of 16 KiB in four ways, and of an instruction cache of 16 KiB in two.
const SIZES: [u32; 2] = [0xf00f_e019, 0xf01f_e009];
/// ITCMCR and DTCMCR, their enable bit.
const ENABLED: u32 = 1;
/// The registers from ITCMCR on.
const FIRST: u32 = 0xf90;

/// The registers that remember.
#[derive(Clone, Debug)]
pub struct CacheControl {
    is_present: bool,
    /// CSSELR: 0 for the data cache, 1 for the instruction cache.
    selected: u32,
    /// ITCMCR, DTCMCR, AHBPCR, CACR, AHBSCR.
    others: [u32; 5],
}

impl CacheControl {
    /// After reset. Without caches, all words are zero and stay so.
    pub fn new(is_present: bool) -> Self {
        let others = if is_present { [ENABLED, ENABLED, 0, 0, 0] } else { [0; 5] };
        Self { is_present, selected: 0, others }
    }

    /// Reads the register at `offset` of the system control space.
    pub fn read(&self, offset: u32) -> u32 {
        match offset {
            _ if !self.is_present => 0,
            0xd78 => LEVELS,
            0xd7c => TYPE,
            0xd80 => SIZES[self.selected as usize & 1],
            0xd84 => self.selected,
            _ => {
                let index = offset.checked_sub(FIRST).map(|distance| distance as usize / 4);
                index.and_then(|index| self.others.get(index).copied()).unwrap_or(0)
            }
        }
    }

    /// Writes it. ICIALLU to BPIALL, 0xf50 to 0xf78, do nothing.
    pub fn write(&mut self, offset: u32, value: u32) {
        if !self.is_present {
            return;
        }
        if offset == 0xd84 {
            self.selected = value & 1;
        }
        let index = offset.checked_sub(FIRST).map(|distance| distance as usize / 4);
        if let Some(word) = index.and_then(|index| self.others.get_mut(index)) {
            *word = value;
        }
    }
}
