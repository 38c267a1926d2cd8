//! Statics that the optimiser has taken apart: an expression says how to put the content together.
//!
//! For a machine in a static, LLVM may keep each word of it in a variable of its own, and a number
//! that only ever has two values in one bit.

use super::Reader;
use super::types::Read;
use gimli::{
    AttributeValue, DebuggingInformationEntry, Encoding, EvaluationResult, Expression, Location,
    Operation, UnitRef, Value,
};

/// A larger static is none of these.
const BYTES_MAX: usize = 4096;
/// An expression asks for memory at most so often.
const REQUESTS_MAX: usize = 1024;

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
        let mut state = evaluation.evaluate().ok()?;
        for _ in 0..REQUESTS_MAX {
            state = match state {
                EvaluationResult::Complete => break,
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
