//! Statics that the optimiser has taken apart: an expression says how to put the content together.
//!
//! For a machine in a static, LLVM may keep each word of it in a variable of its own, and a number
//! that only ever has two values in one bit.

use super::Read;
use crate::debug::Reader;
use gimli::{
    AttributeValue, DebuggingInformationEntry, Encoding, EvaluationResult, Expression, Location,
    Operation, UnitRef, Value,
};

/// A larger static is none of these.
const BYTES_MAX: usize = 4096;
/// An expression asks for memory at most so often.
const REQUESTS_MAX: usize = 1024;
/// An expression has at most so many steps: damaged ones may go round for ever.
const STEPS_MAX: u32 = 4096;

/// How to put a static together.
#[derive(Debug)]
pub(super) struct Whole {
    expression: Expression<Reader>,
    encoding: Encoding,
}

impl Whole {
    /// Returns the static of an entry whose location is more than an address.
    pub fn of(
        unit: &UnitRef<'_, Reader>,
        entry: &DebuggingInformationEntry<Reader>,
    ) -> Option<Self> {
        let location: AttributeValue<Reader> = entry.attr_value(gimli::DW_AT_location)?;
        let (expression, encoding) = (location.exprloc_value()?, unit.encoding());
        // Parameters and variables on a stack don't begin with an address.
        let first = expression.clone().operations(encoding).next().ok()??;
        matches!(first, Operation::Address { .. }).then_some(Self { expression, encoding })
    }

    /// Reads up to 8 bytes at an offset.
    pub fn read(&self, offset: u32, size: u32, read: &Read<'_>) -> Option<u64> {
        let bytes = self.content(read)?;
        let start = usize::try_from(offset).ok()?;
        let part = bytes.get(start..start.checked_add(usize::try_from(size).ok()?)?)?;
        (part.len() <= 8)
            .then(|| part.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte)))
    }

    /// Returns the memory that the content depends on: first addresses, and lengths.
    pub fn watched(&self) -> Vec<(u32, u32)> {
        let asked = std::cell::RefCell::new(Vec::new());
        let read = |address, size| {
            asked.borrow_mut().push((address, size));
            Some(0)
        };
        let _ = self.content(&read);
        asked.into_inner()
    }

    fn content(&self, read: &Read<'_>) -> Option<Vec<u8>> {
        let mut evaluation = self.expression.clone().evaluation(self.encoding);
        evaluation.set_max_iterations(STEPS_MAX);
        let mut state = evaluation.evaluate().ok()?;
        let mut requests = 0;
        while state != EvaluationResult::Complete {
            requests += 1;
            if requests > REQUESTS_MAX {
                return None;
            }
            state = match state {
                EvaluationResult::RequiresMemory { address, size, .. } => {
                    let value = read(u32::try_from(address).ok()?, u32::from(size))?;
                    evaluation.resume_with_memory(Value::Generic(value)).ok()?
                }
                EvaluationResult::RequiresRelocatedAddress(address) => {
                    evaluation.resume_with_relocated_address(address).ok()?
                }
                _ => return None,
            };
        }
        let mut bytes = Vec::new();
        for piece in evaluation.as_result() {
            let size = usize::try_from(piece.size_in_bits? / 8).ok()?;
            if bytes.len() + size > BYTES_MAX {
                return None;
            }
            match &piece.location {
                Location::Value { value } => {
                    let value = value.to_u64(u64::from(u32::MAX)).ok()?.to_le_bytes();
                    bytes.extend((0..size).map(|at| value.get(at).copied().unwrap_or(0)));
                }
                Location::Address { address } => {
                    let address = u32::try_from(*address).ok()?;
                    for at in 0..u32::try_from(size).ok()? {
                        bytes.push(read(address.wrapping_add(at), 1)?.to_le_bytes()[0]);
                    }
                }
                // Optimised away.
                _ => bytes.extend(vec![0; size]),
            }
        }
        Some(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gimli::{Format, LittleEndian};
    use std::sync::Arc;

    fn whole(bytes: &[u8]) -> Whole {
        let expression = Expression(Reader::new(Arc::from(bytes), LittleEndian));
        Whole {
            expression,
            encoding: Encoding { address_size: 4, format: Format::Dwarf32, version: 4 },
        }
    }

    /// The byte at an address is the lowest one of the address.
    fn read(address: u32, size: u32) -> Option<u64> {
        (size == 1).then_some(u64::from(address & 0xff))
    }

    #[test]
    fn words_that_lie_apart_are_put_together() {
        // addr 0x20000005, deref_size 1, stack_value, piece 1; addr 0x20000007, piece 2; piece 1.
        let bytes =
            [0x03, 5, 0, 0, 0x20, 0x94, 1, 0x9f, 0x93, 1, 0x03, 7, 0, 0, 0x20, 0x93, 2, 0x93, 1];
        let whole = whole(&bytes);
        assert_eq!(whole.content(&read), Some(vec![5, 7, 8, 0]));
        assert_eq!(whole.read(1, 2, &read), Some(0x0807));
        assert_eq!(whole.read(3, 2, &read), None, "behind the end");
        assert_eq!(whole.watched(), [(0x2000_0005, 1), (0x2000_0007, 1), (0x2000_0008, 1)]);
    }

    #[test]
    fn an_expression_that_goes_round_for_ever_ends() {
        // addr 0; skip back to it.
        let whole = whole(&[0x03, 0, 0, 0, 0, 0x2f, 0xf8, 0xff]);
        assert_eq!(whole.content(&read), None);
    }
}
