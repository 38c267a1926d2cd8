//! What an instruction of ARMv6-M accesses, from the registers before it: for the cause of a fault,
//! which no register tells there.
//!
//! All loads and stores are instructions of a halfword. Armv6-M Architecture Reference Manual:
//! A5.2 (the encodings), A6.7 (their addresses).

/// The effect of an instruction, as far as a fault may come of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Accesses `count` items of `size` bytes, from `address` on.
    Access {
        /// The lowest address.
        address: u32,
        /// The size of an item, in bytes: the alignment that it needs.
        size: u32,
        /// The number of items.
        count: u32,
        /// Whether it is a store.
        is_write: bool,
    },
    /// A breakpoint.
    Breakpoint,
    /// The first half of an instruction of two halfwords, which accesses nothing.
    Wide,
    /// No access: only an instruction that doesn't exist can be a fault.
    Other,
}

/// The number of the stack pointer.
const SP: u32 = 13;

/// Returns the effect of the instruction `code` at the address `at`.
pub fn of(code: u16, at: u32, register: impl Fn(u32) -> u32) -> Effect {
    let code = u32::from(code);
    let bits = |from: u32, count: u32| code >> from & ((1 << count) - 1);
    let one = |address, size, is_write| Effect::Access { address, size, count: 1, is_write };
    let is_load = bits(11, 1) == 1;
    match code >> 11 {
        // LDR from a literal behind the instruction.
        0b01001 => one((at & !3).wrapping_add(4 + 4 * bits(0, 8)), 4, false),
        // By a sum of two registers: STR, STRH, STRB, LDRSB, LDR, LDRH, LDRB, LDRSH.
        0b01010 | 0b01011 => {
            let address = register(bits(3, 3)).wrapping_add(register(bits(6, 3)));
            let kind = bits(9, 3);
            one(address, [4, 2, 1, 1, 4, 2, 1, 2][kind as usize], kind < 3)
        }
        // By a register and a number: words, bytes, halfwords.
        0b01100..=0b10001 => {
            let size = [4, 1, 2][(bits(12, 4) - 0b0110) as usize];
            let address = register(bits(3, 3)).wrapping_add(size * bits(6, 5));
            one(address, size, !is_load)
        }
        // By the stack pointer and a number.
        0b10010 | 0b10011 => one(register(SP).wrapping_add(4 * bits(0, 8)), 4, !is_load),
        // LDM and STM.
        0b11000 | 0b11001 => Effect::Access {
            address: register(bits(8, 3)),
            size: 4,
            count: bits(0, 8).count_ones(),
            is_write: !is_load,
        },
        0b11101..=0b11111 => Effect::Wide,
        _ => of_miscellaneous(code, register),
    }
}

/// Returns the effect of an instruction that is no plain load or store.
fn of_miscellaneous(code: u32, register: impl Fn(u32) -> u32) -> Effect {
    let count = (code & 0x1ff).count_ones();
    match code >> 8 {
        // PUSH, below the stack pointer.
        0xb4 | 0xb5 => Effect::Access {
            address: register(SP).wrapping_sub(4 * count),
            size: 4,
            count,
            is_write: true,
        },
        // POP.
        0xbc | 0xbd => Effect::Access { address: register(SP), size: 4, count, is_write: false },
        0xbe => Effect::Breakpoint,
        _ => Effect::Other,
    }
}
