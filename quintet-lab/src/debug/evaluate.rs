//! Where a variable is, by the expression that the compiler has written.

use super::Reader;
use gimli::{Encoding, EvaluationResult, Expression, Location, Piece, Value as Number};

/// An expression asks at most so often.
const REQUESTS_MAX: usize = 1024;
/// An expression has at most so many steps: damaged ones may go round for ever.
const STEPS_MAX: u32 = 4096;
/// A variable in pieces is no longer than this.
const BYTES_MAX: usize = 4096;

/// A function's state, from which places of variables follow.
pub struct State<'a> {
    /// An address within the function.
    pub address: u32,
    /// A register by its number, if it is known. Of a double register, the lower word and the
    /// upper one.
    pub register: &'a dyn Fn(u16) -> Option<u64>,
    /// The value of the stack pointer in the caller.
    pub frame: Option<u32>,
    /// Reads a byte of memory.
    pub read: &'a dyn Fn(u32) -> Option<u8>,
}

/// Where a value is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Content {
    /// In memory.
    Memory(u32),
    /// In a register: its number, and its bytes.
    Register(u16, Vec<Option<u8>>),
    /// Nowhere as a whole. Bytes that the optimiser has removed are unknown.
    Bytes(Vec<Option<u8>>),
}

/// Evaluates the location of a variable of `size` bytes. `None`: it is optimised out.
pub fn content(
    expression: Expression<Reader>,
    encoding: Encoding,
    (state, base): (&State<'_>, Option<&Expression<Reader>>),
    size: u32,
) -> Option<Content> {
    let pieces = pieces(expression, encoding, (state, base))?;
    let size = usize::try_from(size).ok()?.min(BYTES_MAX);
    match &pieces[..] {
        [] => None,
        [Piece { size_in_bits: None, location, .. }] => whole(location, state, size),
        pieces => {
            let mut bytes = Vec::new();
            for piece in pieces {
                let size = usize::try_from(piece.size_in_bits? / 8).ok()?;
                if bytes.len() + size > BYTES_MAX {
                    return None;
                }
                bytes.extend(part(&piece.location, state, size));
            }
            bytes.iter().any(Option::is_some).then_some(Content::Bytes(bytes))
        }
    }
}

fn whole(location: &Location<Reader>, state: &State<'_>, size: usize) -> Option<Content> {
    match location {
        Location::Address { address } => Some(Content::Memory(u32::try_from(*address).ok()?)),
        Location::Register { register } => {
            let bytes = part(location, state, size);
            bytes.iter().any(Option::is_some).then_some(Content::Register(register.0, bytes))
        }
        Location::Empty | Location::ImplicitPointer { .. } => None,
        _ => Some(Content::Bytes(part(location, state, size))),
    }
}

/// The bytes of a piece.
fn part(location: &Location<Reader>, state: &State<'_>, size: usize) -> Vec<Option<u8>> {
    let of_number = |number: Option<u64>| -> Vec<Option<u8>> {
        let bytes = number.map(u64::to_le_bytes);
        (0..size).map(|at| bytes.map(|bytes| bytes.get(at).copied().unwrap_or(0))).collect()
    };
    match location {
        Location::Value { value } => of_number(value.to_u64(u64::from(u32::MAX)).ok()),
        Location::Register { register } => of_number((state.register)(register.0)),
        Location::Bytes { value } => {
            let value = gimli::Reader::to_slice(value).unwrap_or_default();
            (0..size).map(|at| value.get(at).copied()).collect()
        }
        Location::Address { address } => {
            let address = u32::try_from(*address).ok();
            let at = |at: usize| (state.read)(address?.wrapping_add(u32::try_from(at).ok()?));
            (0..size).map(at).collect()
        }
        Location::Empty | Location::ImplicitPointer { .. } => vec![None; size],
    }
}

/// Evaluates an expression. `None` where it needs what isn't known.
fn pieces(
    expression: Expression<Reader>,
    encoding: Encoding,
    (state, base): (&State<'_>, Option<&Expression<Reader>>),
) -> Option<Vec<Piece<Reader>>> {
    let mut evaluation = expression.evaluation(encoding);
    evaluation.set_max_iterations(STEPS_MAX);
    let mut result = evaluation.evaluate().ok()?;
    for _ in 0..REQUESTS_MAX {
        result = match result {
            EvaluationResult::Complete => return Some(evaluation.result()),
            EvaluationResult::RequiresMemory { address, size, .. } => {
                let address = u32::try_from(address).ok()?;
                let mut value = 0;
                for at in (0..u32::from(size)).rev() {
                    value = value << 8 | u64::from((state.read)(address.wrapping_add(at))?);
                }
                evaluation.resume_with_memory(Number::Generic(value)).ok()?
            }
            EvaluationResult::RequiresRegister { register, .. } => {
                let value = (state.register)(register.0)?;
                evaluation.resume_with_register(Number::Generic(value)).ok()?
            }
            EvaluationResult::RequiresFrameBase => {
                // A frame base has none itself.
                let base = pieces(base?.clone(), encoding, (state, None))?;
                let address = match base.first()?.location {
                    Location::Register { register } => (state.register)(register.0)?,
                    Location::Address { address } => address,
                    _ => return None,
                };
                evaluation.resume_with_frame_base(address).ok()?
            }
            EvaluationResult::RequiresCallFrameCfa => {
                evaluation.resume_with_call_frame_cfa(state.frame?.into()).ok()?
            }
            EvaluationResult::RequiresRelocatedAddress(address) => {
                evaluation.resume_with_relocated_address(address).ok()?
            }
            // What a register was at the function's entry is gone.
            _ => return None,
        };
    }
    None
}
