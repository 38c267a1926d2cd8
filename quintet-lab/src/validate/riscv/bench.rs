//! The memory in which the cores were measured: 256 KiB that repeat, and a page of registers.
//!
//! ```text
//!  0xf000_0000  +0 a word to store, +4 the end, +8 bit 0 is the line of the timer interrupt
//! ```

use quintet_sim::processor::bus::BusError;
use quintet_sim::processor::instruction::Size;
use quintet_sim::riscv::bus::{Bus, line};
use quintet_sim::riscv::extensions::Extensions;
use quintet_sim::riscv::hart::{Configuration, Hart};
use quintet_sim::riscv::timing::Model;

const RAM_BYTES: usize = 256 << 10;
const PAGE: u32 = 0xf000_0000;
/// Where an image begins to run, and where its data is.
const ENTRY: u32 = 0x80;
const DATA: usize = 0x600;

/// The memory and the registers.
#[derive(Clone, Debug)]
pub struct Bench {
    ram: Vec<u8>,
    stored: u32,
    stopped: bool,
    timer: bool,
}

/// Returns a core after reset with an image in its memory.
pub fn hart(model: Model, wait_states: u8, image: &[u8], data: &[u8]) -> Hart<Bench> {
    let mut ram = vec![0; RAM_BYTES];
    for (start, bytes) in [(0, image), (DATA, data)] {
        for (place, byte) in ram.iter_mut().skip(start).zip(bytes) {
            *place = *byte;
        }
    }
    let is_hazard3 = model == Model::Hazard3;
    let is_vexriscv = model.is_vexriscv();
    let base = [Extensions::M, Extensions::ZIFENCEI];
    let compressed = (model != Model::VexRiscvSecure).then_some(Extensions::C);
    let exclusive = (model == Model::VexRiscvImac).then_some(Extensions::A);
    let more = [
        Extensions::A,
        Extensions::ZBA,
        Extensions::ZBB,
        Extensions::ZBS,
        Extensions::ZCB,
        Extensions::ZCMP,
    ];
    let all = base.into_iter().chain(compressed).chain(exclusive);
    let all = all.chain(more.into_iter().filter(|_| is_hazard3));
    let configuration = Configuration {
        extensions: all.fold(Extensions::default(), Extensions::with),
        user_mode: model != Model::VexRiscvImac,
        protection: !matches!(model, Model::IbexSmall | Model::VexRiscvImac),
        standard_protection: false,
        misaligned: !is_hazard3 && !is_vexriscv,
        time: false,
        reset_vector: ENTRY | if is_vexriscv { 0x4000_0000 } else { 0x8000_0000 },
        model,
        wait_states,
    };
    let mut hart = Hart::new(configuration, Bench { ram, stored: 0, stopped: false, timer: false });
    hart.semihosting = false;
    hart
}

impl Bench {
    /// Returns `true` after a store to the register of the end.
    pub fn has_stopped(&self) -> bool {
        self.stopped
    }

    /// Returns the word that was stored.
    pub fn stored(&self) -> u32 {
        self.stored
    }

    /// Returns the word at an even address.
    pub fn word(&self, address: u32) -> u32 {
        (0..4).map(|byte| u32::from(self.byte(address.wrapping_add(byte))) << (8 * byte)).sum()
    }

    fn byte(&self, address: u32) -> u8 {
        self.ram[address as usize % RAM_BYTES]
    }
}

impl Bus for Bench {
    fn read(&mut self, address: u32, size: Size, _cycle: u64) -> Result<u32, BusError> {
        if self.is_device(address) {
            return Ok(0);
        }
        let unused = 32 - 8 * size.bytes();
        Ok(self.word(address) << unused >> unused)
    }

    fn write(&mut self, address: u32, size: Size, value: u32, _cycle: u64) -> Result<(), BusError> {
        match address.wrapping_sub(PAGE) {
            0 => self.stored = value,
            4 => self.stopped = true,
            8 => self.timer = value & 1 != 0,
            _ if self.is_device(address) => {}
            _ => {
                for (index, byte) in (0..size.bytes()).zip(value.to_le_bytes()) {
                    self.ram[address.wrapping_add(index) as usize % RAM_BYTES] = byte;
                }
            }
        }
        Ok(())
    }

    fn fetch(&mut self, address: u32) -> Result<u16, BusError> {
        Ok(self.word(address) as u16)
    }

    fn advance(&mut self, _cycle: u64) -> u32 {
        if self.timer { line::TIMER } else { 0 }
    }

    fn next_event(&self) -> u64 {
        u64::MAX
    }

    fn is_device(&self, address: u32) -> bool {
        address >= PAGE
    }

    fn time(&self, cycle: u64) -> u64 {
        cycle
    }
}
