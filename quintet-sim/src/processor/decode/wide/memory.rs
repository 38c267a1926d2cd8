//! Wide loads and stores: multiple, dual, exclusive, table branch, single.

use crate::processor::decode::{bit, bits, register};
use crate::processor::instruction::{Address, Indexing, Offset, Operation, Register, Size};

/// A5.3.5. The encodings with both or neither direction bits are the A profile's.
pub(super) fn multiple(first: u16, second: u16) -> Operation {
    let base = register(first, 0);
    let (registers, writeback) = (second, bit(first, 5));
    let decrement_before = match bits(first, 8, 7) {
        0b01 => false,
        0b10 => true,
        _ => return Operation::Undefined,
    };
    let base_twice = writeback && registers >> base.0 & 1 != 0;
    if base == Register::PC || base_twice || registers.count_ones() < 2 {
        Operation::Undefined
    } else if bit(first, 4) {
        Operation::LoadMultiple { base, registers, decrement_before, writeback }
    } else if bit(registers, 15) {
        Operation::Undefined
    } else {
        Operation::StoreMultiple { base, registers, decrement_before, writeback }
    }
}

/// A5.3.6.
pub(super) fn dual_exclusive_table_branch(first: u16, second: u16) -> Operation {
    let base = register(first, 0);
    let (rt, rt2) = (register(second, 12), register(second, 8));
    match (bits(first, 8, 7), bits(first, 5, 4)) {
        (0b00, load @ (0b00 | 0b01)) => {
            let offset = (bits(second, 7, 0) * 4) as u16;
            let exclusive = Exclusive { size: Size::Word, rt, base, offset };
            if load == 0b00 { exclusive.store(rt2) } else { exclusive.load(rt2) }
        }
        (0b01, load @ (0b00 | 0b01)) => {
            let size = match bits(second, 7, 4) {
                0b0000 | 0b0001 if load == 0b01 => return table_branch(first, second),
                0b0100 => Size::Byte,
                0b0101 => Size::Half,
                _ => return Operation::Undefined,
            };
            let exclusive = Exclusive { size, rt, base, offset: 0 };
            match (load, register(second, 0)) {
                (0b00, rd) if rt2 == Register::PC => exclusive.store(rd),
                (0b01, Register::PC) => exclusive.load(rt2),
                _ => Operation::Undefined,
            }
        }
        _ => dual(first, second),
    }
}

/// The fields that the exclusive accesses share.
struct Exclusive {
    size: Size,
    rt: Register,
    base: Register,
    offset: u16,
}

impl Exclusive {
    /// LDREX; `ones` is the field that must be 1111.
    fn load(self, ones: Register) -> Operation {
        let Self { size, rt, base, offset } = self;
        let allowed = rt < Register::SP || rt == Register::LR;
        if ones != Register::PC || !allowed || base == Register::PC {
            return Operation::Undefined;
        }
        Operation::LoadExclusive { size, rt, base, offset }
    }

    /// STREX with its status in `rd`.
    fn store(self, rd: Register) -> Operation {
        let Self { size, rt, base, offset } = self;
        let allowed = |register| register < Register::SP || register == Register::LR;
        if !allowed(rd) || !allowed(rt) || base == Register::PC || rd == rt || rd == base {
            return Operation::Undefined;
        }
        Operation::StoreExclusive { size, rd, rt, base, offset }
    }
}

/// TBB and TBH.
fn table_branch(first: u16, second: u16) -> Operation {
    if bits(second, 15, 8) != 0b1111_0000 {
        return Operation::Undefined;
    }
    let (base, index) = (register(first, 0), register(second, 0));
    Operation::TableBranch { half: bit(second, 4), base, index }
}

/// LDRD and STRD. PC as a base is LDRD's literal form, which has no write-back.
fn dual(first: u16, second: u16) -> Operation {
    let base = register(first, 0);
    let (rt, rt2) = (register(second, 12), register(second, 8));
    let magnitude = (bits(second, 7, 0) * 4) as i32;
    let offset = if bit(first, 7) { magnitude } else { -magnitude };
    let indexing = match (bit(first, 8), bit(first, 5)) {
        (true, false) => Indexing::Offset,
        (true, true) => Indexing::PreIndexed,
        (false, _) => Indexing::PostIndexed,
    };
    let load = bit(first, 4);
    let literal = load && indexing == Indexing::Offset;
    if rt == Register::PC || rt2 == Register::PC || (base == Register::PC && !literal) {
        Operation::Undefined
    } else if load {
        Operation::LoadDual { rt, rt2, base, offset, indexing }
    } else {
        Operation::StoreDual { rt, rt2, base, offset, indexing }
    }
}

/// The size in bits 6 and 5 of the first halfword of a single load or store.
fn single_size(first: u16) -> Option<Size> {
    match bits(first, 6, 5) {
        0b00 => Some(Size::Byte),
        0b01 => Some(Size::Half),
        0b10 => Some(Size::Word),
        _ => None,
    }
}

/// Returns the address of a single load or store, and `true` if the access is unprivileged; `None`
/// if the encoding does not exist.
fn single_address(first: u16, second: u16) -> Option<(Address, bool)> {
    let base = register(first, 0);
    let simple = |offset| (Address { base, offset, indexing: Indexing::Offset }, false);
    if base == Register::PC {
        let magnitude = bits(second, 11, 0) as i32;
        let offset = if bit(first, 7) { magnitude } else { -magnitude };
        return Some(simple(Offset::Immediate(offset)));
    }
    if bit(first, 7) {
        return Some(simple(Offset::Immediate(bits(second, 11, 0) as i32)));
    }
    if !bit(second, 11) {
        let offset = Offset::Register { rm: register(second, 0), lsl: bits(second, 5, 4) as u8 };
        return (bits(second, 10, 6) == 0).then(|| simple(offset));
    }
    let magnitude = bits(second, 7, 0) as i32;
    let offset = Offset::Immediate(if bit(second, 9) { magnitude } else { -magnitude });
    let (indexing, unprivileged) = match bits(second, 10, 8) {
        0b100 => (Indexing::Offset, false),
        0b110 => (Indexing::Offset, true),
        0b101 | 0b111 => (Indexing::PreIndexed, false),
        0b001 | 0b011 => (Indexing::PostIndexed, false),
        _ => return None,
    };
    Some((Address { base, offset, indexing }, unprivileged))
}

/// A5.3.10.
pub(super) fn store_single(first: u16, second: u16) -> Operation {
    let rt = register(second, 12);
    match (single_size(first), single_address(first, second)) {
        (Some(size), Some((address, unprivileged)))
            if rt != Register::PC && address.base != Register::PC && !bit(first, 8) =>
        {
            Operation::Store { size, unprivileged, rt, address }
        }
        _ => Operation::Undefined,
    }
}

/// A5.3.7 to A5.3.9. A byte or halfword load to PC without write-back is a memory hint.
pub(super) fn load_single(first: u16, second: u16) -> Operation {
    let (rt, signed) = (register(second, 12), bit(first, 8));
    let (Some(size), Some((address, unprivileged))) =
        (single_size(first), single_address(first, second))
    else {
        return Operation::Undefined;
    };
    let hint = rt == Register::PC && size != Size::Word;
    if signed && size == Size::Word || unprivileged && rt == Register::PC {
        Operation::Undefined
    } else if !hint {
        Operation::Load { size, signed, unprivileged, rt, address }
    } else if address.indexing == Indexing::Offset {
        Operation::Preload { address }
    } else {
        Operation::Undefined
    }
}
