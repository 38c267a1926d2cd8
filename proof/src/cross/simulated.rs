//! Runs images of cases on the simulator's processor.
//!
//! The bus is two slices, and the semihosting two services. So a difference from QEMU comes from
//! the processor.

use anyhow::{Result, bail, ensure};
use quintet_sim::processor::bus::{Bus, BusError, Lines, RegionTiming};
use quintet_sim::processor::decode::{decode as decode_instruction, is_wide};
use quintet_sim::processor::instruction::Size;
use quintet_sim::processor::instruction::float::FloatUnit;
use quintet_sim::processor::{Architecture, Configuration, Halt, Processor};

use super::{SANDBOX, SANDBOX_BYTES, Subset};

/// Where RAM begins.
const RAM: u32 = 0x2000_0000;
/// The size of RAM, which ends behind the sandbox and the places to which a mistaken case may
/// write.
const RAM_BYTES: usize = (SANDBOX - RAM + SANDBOX_BYTES) as usize + 0x4000;
/// A case takes a few thousand instructions, nearly all of them in the harness.
const INSTRUCTIONS_PER_CASE: u64 = 100_000;

/// A read-only image at 0 and RAM.
#[derive(Clone)]
struct FlatBus {
    image: Vec<u8>,
    ram: Vec<u8>,
}

impl FlatBus {
    fn bytes(&self, address: u32, count: u32) -> Result<&[u8], BusError> {
        let (memory, start) = match address.checked_sub(RAM) {
            Some(offset) => (&self.ram, offset as usize),
            None => (&self.image, address as usize),
        };
        memory.get(start..start + count as usize).ok_or(BusError)
    }
}

impl Bus for FlatBus {
    fn read(&mut self, address: u32, size: Size, _: u64) -> Result<u32, BusError> {
        let bytes = self.bytes(address, size.bytes())?;
        Ok(bytes.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte)))
    }

    fn write(&mut self, address: u32, size: Size, value: u32, _: u64) -> Result<(), BusError> {
        let start = address.checked_sub(RAM).ok_or(BusError)? as usize;
        let count = size.bytes() as usize;
        let bytes = self.ram.get_mut(start..start + count).ok_or(BusError)?;
        bytes.copy_from_slice(&value.to_le_bytes()[..count]);
        Ok(())
    }

    fn fetch(&mut self, address: u32) -> Result<u16, BusError> {
        let bytes = self.bytes(address, 2)?;
        Ok(u16::from_le_bytes([bytes[0], bytes[1]]))
    }

    fn advance(&mut self, _: u64, _: &mut Lines) {}

    fn next_event(&self) -> u64 {
        u64::MAX
    }

    fn regions(&self) -> &[RegionTiming] {
        &[]
    }
}

fn architecture(subset: Subset) -> Architecture {
    match subset {
        Subset::V6M => Architecture::V6M,
        Subset::V7M => Architecture::V7M,
        Subset::V7EM => Architecture::V7EM,
    }
}

/// Runs `image`, which holds `count` cases. Returns its output.
pub fn cases(image: &[u8], count: usize, subset: Subset) -> Result<Vec<u8>> {
    let configuration = Configuration {
        architecture: architecture(subset),
        floating_point: match subset {
            Subset::V7EM => FloatUnit::Fpv4Single,
            Subset::V6M | Subset::V7M => FloatUnit::None,
        },
        ..Configuration::default()
    };
    let bus = FlatBus { image: image.to_vec(), ram: vec![0; RAM_BYTES] };
    let mut processor = Processor::new(configuration, bus);
    processor.reset();
    let mut output = Vec::new();
    let limit = INSTRUCTIONS_PER_CASE * (count as u64 + 1);
    for _ in 0..limit {
        match processor.step() {
            None => {}
            Some(Halt::Breakpoint { immediate: 0xAB }) => {
                if let Some(code) = serve(&mut processor, &mut output)? {
                    ensure!(code == 0x20026, "the harness gave up with {code:#x}");
                    return Ok(output);
                }
                processor.skip_breakpoint();
            }
            Some(halt) => bail!("{halt:?} at {:#010x}", processor.registers.r[15]),
        }
    }
    bail!("no end after {limit} steps, at {:#010x}", processor.registers.r[15])
}

/// Serves SYS_OPEN, SYS_WRITE and SYS_EXIT, as the harness uses them. Returns the reason at the
/// exit.
fn serve(processor: &mut Processor<FlatBus>, output: &mut Vec<u8>) -> Result<Option<u32>> {
    let [operation, argument, ..] = processor.registers.r;
    match operation {
        1 => processor.registers.r[0] = 1,
        5 => {
            let mut word = |index: u32| processor.bus.read(argument + 4 * index, Size::Word, 0);
            let (Ok(start), Ok(length)) = (word(1), word(2)) else {
                bail!("SYS_WRITE with a block outside memory");
            };
            let Ok(bytes) = processor.bus.bytes(start, length) else {
                bail!("SYS_WRITE of {length} bytes at {start:#x}, outside memory");
            };
            output.extend_from_slice(bytes);
            processor.registers.r[0] = 0;
        }
        0x18 => return Ok(Some(argument)),
        other => bail!("the harness asked for service {other:#x}"),
    }
    Ok(None)
}

/// The length in halfwords and the operation that the simulator decodes.
pub fn decode(first: u16, second: u16, subset: Subset) -> (usize, String) {
    let instruction = decode_instruction(first, second, architecture(subset));
    (if is_wide(first) { 2 } else { 1 }, format!("{:?}", instruction.operation))
}
