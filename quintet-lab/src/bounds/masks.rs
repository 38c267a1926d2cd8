//! What an instruction does to the registers that hold interrupts off.
//!
//! A value that was read from such a register before it was raised lowers it again when it is
//! written. Any other value that is not known may raise it, to hold off anything.

use quintet_sim::processor::instruction::Operation;

use super::graph::Instruction;
use super::values::{Value, Values};

/// What is held off.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Mask {
    /// By BASEPRI with this value.
    Basepri(u8),
    /// By PRIMASK or FAULTMASK, or by a value that is not known: all.
    All,
}

/// What an instruction does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// It holds interrupts off, perhaps more than before.
    Raises(Mask),
    /// It ends what the last such instruction began.
    Lowers,
    /// It may do either.
    Unclear,
}

/// A value that was read from one of these registers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Saved {
    register: u8,
    /// How often the register has been raised since, without being lowered.
    raised: i8,
}

/// The special registers.
const PRIMASK: u8 = 16;
const BASEPRI: u8 = 17;
const BASEPRI_MAX: u8 = 18;
const FAULTMASK: u8 = 19;

impl Saved {
    /// Read just now; `None` from other registers.
    pub fn read(special: u8) -> Option<Self> {
        let register = if special == BASEPRI_MAX { BASEPRI } else { special };
        let is_mask = matches!(register, PRIMASK | BASEPRI | FAULTMASK);
        is_mask.then_some(Self { register, raised: 0 })
    }

    /// Behind an instruction that does something to a register; `None` if that is not clear.
    pub fn behind(self, register: u8, effect: Effect) -> Option<Self> {
        let by = match effect {
            _ if register != self.register => 0,
            Effect::Raises(_) => 1,
            Effect::Lowers => -1,
            Effect::Unclear => return None,
        };
        self.raised.checked_add(by).map(|raised| Self { raised, ..self })
    }

    /// Returns `true` if the value lowers the register again.
    const fn lowers(self, register: u8) -> bool {
        self.register == register && self.raised > 0
    }
}

/// Returns `true` if the instruction writes a register that holds interrupts off.
pub fn may_change(instruction: &Instruction) -> bool {
    match instruction.operation() {
        Operation::ChangeState { .. } => true,
        Operation::MoveToSpecial { special, .. } => Saved::read(special).is_some(),
        _ => false,
    }
}

/// Returns `true` if the instruction sets BASEPRI whatever was there.
pub fn sets(instruction: &Instruction) -> bool {
    matches!(instruction.operation(), Operation::MoveToSpecial { special: BASEPRI, .. })
}

/// What an instruction does to which register.
pub fn effect(instruction: &Instruction, values: &Values) -> Option<(u8, Effect)> {
    match instruction.operation() {
        Operation::ChangeState { disable, primask, .. } => {
            let effect = if disable { Effect::Raises(Mask::All) } else { Effect::Lowers };
            Some((if primask { PRIMASK } else { FAULTMASK }, effect))
        }
        Operation::MoveToSpecial { special, rn, .. } => {
            let value = values.of(rn);
            let register = if special == BASEPRI_MAX { BASEPRI } else { special };
            Some((register, written(special, register, value)?))
        }
        _ => None,
    }
}

fn written(special: u8, register: u8, value: Value) -> Option<Effect> {
    let effect = match (special, value) {
        (BASEPRI_MAX, Value::Constant(value)) if value & 0xff == 0 => return None,
        (BASEPRI | BASEPRI_MAX, Value::Constant(value)) if value & 0xff != 0 => {
            Effect::Raises(Mask::Basepri(value as u8))
        }
        // It never lowers.
        (BASEPRI_MAX, _) => Effect::Raises(Mask::All),
        (PRIMASK | FAULTMASK, Value::Constant(value)) if value & 1 != 0 => {
            Effect::Raises(Mask::All)
        }
        (PRIMASK | FAULTMASK | BASEPRI, Value::Constant(_)) => Effect::Lowers,
        (PRIMASK | FAULTMASK | BASEPRI, Value::Saved(saved)) if saved.lowers(register) => {
            Effect::Lowers
        }
        (PRIMASK | FAULTMASK | BASEPRI, _) => Effect::Unclear,
        _ => return None,
    };
    Some(effect)
}
