//! Loads and stores: patterns, and operands that keep every access inside the sandbox.
//!
//! A pattern is filled at random first. Then an address inside the sandbox is chosen, and the base
//! register gets a value with which the random offset leads there.

use super::pattern::{Fields, encode, fill};
use super::{SANDBOX, SANDBOX_BYTES, Subset};
use crate::random::Random;

/// The forms of an encoding's address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Form {
    /// `[Rn, ± i * scale]`; negative if the pattern has a field `U` that is 0.
    Offset { scale: u32 },
    /// `[Rn], ± i * scale`: the access is at the base itself.
    PostIndexed,
    /// `[Rn, Rm, LSL y]`.
    Register,
    /// `[PC, ± i]`: reads the image itself.
    Literal,
    /// A register list `r`, upwards from the base, or ending below it.
    Multiple { below: bool },
    /// `c` words of floating-point registers, upwards from the base, or ending below it; an
    /// even number of them in `doubles`.
    Singles { below: bool, doubles: bool },
}

/// One encoding that accesses memory.
struct Access {
    name: &'static str,
    pattern: &'static str,
    form: Form,
    /// The bytes of one access. The address is a multiple of this number, unless an unaligned
    /// access is wanted.
    size: u32,
}

const fn access(name: &'static str, pattern: &'static str, form: Form, size: u32) -> Access {
    Access { name, pattern, form, size }
}

const fn offset(scale: u32) -> Form {
    Form::Offset { scale }
}

/// 16-bit encodings, all of them in ARMv6-M as well.
const NARROW: &[Access] = &[
    access("str imm", "01100iii iinnnttt", offset(4), 4),
    access("ldr imm", "01101iii iinnnddd", offset(4), 4),
    access("strb imm", "01110iii iinnnttt", offset(1), 1),
    access("ldrb imm", "01111iii iinnnddd", offset(1), 1),
    access("strh imm", "10000iii iinnnttt", offset(2), 2),
    access("ldrh imm", "10001iii iinnnddd", offset(2), 2),
    access("ldr literal", "01001ddd iiiiiiii", Form::Literal, 4),
    access("str reg", "0101000m mmnnnttt", Form::Register, 4),
    access("strh reg", "0101001m mmnnnttt", Form::Register, 2),
    access("strb reg", "0101010m mmnnnttt", Form::Register, 1),
    access("ldrsb reg", "0101011m mmnnnddd", Form::Register, 1),
    access("ldr reg", "0101100m mmnnnddd", Form::Register, 4),
    access("ldrh reg", "0101101m mmnnnddd", Form::Register, 2),
    access("ldrb reg", "0101110m mmnnnddd", Form::Register, 1),
    access("ldrsh reg", "0101111m mmnnnddd", Form::Register, 2),
    access("stm", "11000nnn rrrrrrrr", Form::Multiple { below: false }, 4),
    access("ldm", "11001nnn rrrrrrrr", Form::Multiple { below: false }, 4),
];

/// 32-bit encodings of ARMv7-M. `W` writes the base back.
const WIDE: &[Access] = &[
    access("strb imm12", "11111000 1000nnnn ttttiiii iiiiiiii", offset(1), 1),
    access("strh imm12", "11111000 1010nnnn ttttiiii iiiiiiii", offset(1), 2),
    access("str imm12", "11111000 1100nnnn ttttiiii iiiiiiii", offset(1), 4),
    access("ldrb imm12", "11111000 1001nnnn ddddiiii iiiiiiii", offset(1), 1),
    access("ldrh imm12", "11111000 1011nnnn ddddiiii iiiiiiii", offset(1), 2),
    access("ldr imm12", "11111000 1101nnnn ddddiiii iiiiiiii", offset(1), 4),
    access("ldrsb imm12", "11111001 1001nnnn ddddiiii iiiiiiii", offset(1), 1),
    access("ldrsh imm12", "11111001 1011nnnn ddddiiii iiiiiiii", offset(1), 2),
    access("pld", "11111000 1001nnnn 1111iiii iiiiiiii", offset(1), 1),
    access("strb pre", "11111000 0000nnnn tttt11UW iiiiiiii", offset(1), 1),
    access("strh pre", "11111000 0010nnnn tttt11UW iiiiiiii", offset(1), 2),
    access("str pre", "11111000 0100nnnn tttt11UW iiiiiiii", offset(1), 4),
    access("ldrb pre", "11111000 0001nnnn dddd11UW iiiiiiii", offset(1), 1),
    access("ldrh pre", "11111000 0011nnnn dddd11UW iiiiiiii", offset(1), 2),
    access("ldr pre", "11111000 0101nnnn dddd11UW iiiiiiii", offset(1), 4),
    access("ldrsb pre", "11111001 0001nnnn dddd11UW iiiiiiii", offset(1), 1),
    access("ldrsh pre", "11111001 0011nnnn dddd11UW iiiiiiii", offset(1), 2),
    access("strb post", "11111000 0000nnnn tttt10U1 iiiiiiii", Form::PostIndexed, 1),
    access("strh post", "11111000 0010nnnn tttt10U1 iiiiiiii", Form::PostIndexed, 2),
    access("str post", "11111000 0100nnnn tttt10U1 iiiiiiii", Form::PostIndexed, 4),
    access("ldrb post", "11111000 0001nnnn dddd10U1 iiiiiiii", Form::PostIndexed, 1),
    access("ldrh post", "11111000 0011nnnn dddd10U1 iiiiiiii", Form::PostIndexed, 2),
    access("ldr post", "11111000 0101nnnn dddd10U1 iiiiiiii", Form::PostIndexed, 4),
    access("ldrsb post", "11111001 0001nnnn dddd10U1 iiiiiiii", Form::PostIndexed, 1),
    access("ldrsh post", "11111001 0011nnnn dddd10U1 iiiiiiii", Form::PostIndexed, 2),
    access("strb reg.w", "11111000 0000nnnn tttt0000 00yymmmm", Form::Register, 1),
    access("strh reg.w", "11111000 0010nnnn tttt0000 00yymmmm", Form::Register, 2),
    access("str reg.w", "11111000 0100nnnn tttt0000 00yymmmm", Form::Register, 4),
    access("ldrb reg.w", "11111000 0001nnnn dddd0000 00yymmmm", Form::Register, 1),
    access("ldrh reg.w", "11111000 0011nnnn dddd0000 00yymmmm", Form::Register, 2),
    access("ldr reg.w", "11111000 0101nnnn dddd0000 00yymmmm", Form::Register, 4),
    access("ldrsb reg.w", "11111001 0001nnnn dddd0000 00yymmmm", Form::Register, 1),
    access("ldrsh reg.w", "11111001 0011nnnn dddd0000 00yymmmm", Form::Register, 2),
    access("ldrb literal", "11111000 U0011111 ddddiiii iiiiiiii", Form::Literal, 1),
    access("ldrh literal", "11111000 U0111111 ddddiiii iiiiiiii", Form::Literal, 2),
    access("ldr literal.w", "11111000 U1011111 ddddiiii iiiiiiii", Form::Literal, 4),
    access("ldrsb literal", "11111001 U0011111 ddddiiii iiiiiiii", Form::Literal, 1),
    access("ldrsh literal", "11111001 U0111111 ddddiiii iiiiiiii", Form::Literal, 2),
    access("strd", "11101001 U1W0nnnn ttttuuuu iiiiiiii", offset(4), 4),
    access("ldrd", "11101001 U1W1nnnn ddddhhhh iiiiiiii", offset(4), 4),
    access("strd post", "11101000 U110nnnn ttttuuuu iiiiiiii", Form::PostIndexed, 4),
    access("ldrd post", "11101000 U111nnnn ddddhhhh iiiiiiii", Form::PostIndexed, 4),
    access("ldrd literal", "11101001 U1011111 ddddhhhh iiiiiiii", Form::Literal, 4),
    access("stm.w", "11101000 10W0nnnn 0r0rrrrr rrrrrrrr", Form::Multiple { below: false }, 4),
    access("ldm.w", "11101000 10W1nnnn 0r0rrrrr rrrrrrrr", Form::Multiple { below: false }, 4),
    access("stmdb", "11101001 00W0nnnn 0r0rrrrr rrrrrrrr", Form::Multiple { below: true }, 4),
    access("ldmdb", "11101001 00W1nnnn 0r0rrrrr rrrrrrrr", Form::Multiple { below: true }, 4),
    access("strbt", "11111000 0000nnnn tttt1110 iiiiiiii", offset(1), 1),
    access("strht", "11111000 0010nnnn tttt1110 iiiiiiii", offset(1), 2),
    access("strt", "11111000 0100nnnn tttt1110 iiiiiiii", offset(1), 4),
    access("ldrbt", "11111000 0001nnnn dddd1110 iiiiiiii", offset(1), 1),
    access("ldrht", "11111000 0011nnnn dddd1110 iiiiiiii", offset(1), 2),
    access("ldrt", "11111000 0101nnnn dddd1110 iiiiiiii", offset(1), 4),
    access("ldrsbt", "11111001 0001nnnn dddd1110 iiiiiiii", offset(1), 1),
    access("ldrsht", "11111001 0011nnnn dddd1110 iiiiiiii", offset(1), 2),
    access("ldrex", "11101000 0101nnnn dddd1111 iiiiiiii", offset(4), 4),
    access("ldrexb", "11101000 1101nnnn dddd1111 01001111", offset(1), 1),
    access("ldrexh", "11101000 1101nnnn dddd1111 01011111", offset(1), 2),
];

const fn singles(below: bool, doubles: bool) -> Form {
    Form::Singles { below, doubles }
}

/// Those of the floating-point unit: `f` and `F` are the first register.
const FLOAT: &[Access] = &[
    access("vldr", "11101101 UF01nnnn ffff1010 iiiiiiii", offset(4), 4),
    access("vldr.64", "11101101 U001nnnn ffff1011 iiiiiiii", offset(4), 4),
    access("vstr", "11101101 UF00nnnn ffff1010 iiiiiiii", offset(4), 4),
    access("vstr.64", "11101101 U000nnnn ffff1011 iiiiiiii", offset(4), 4),
    access("vldr literal", "11101101 UF011111 ffff1010 iiiiiiii", Form::Literal, 4),
    access("vldr.64 literal", "11101101 U0011111 ffff1011 iiiiiiii", Form::Literal, 4),
    access("vldm", "11101100 1FW1nnnn ffff1010 00cccccc", singles(false, false), 4),
    access("vldm.64", "11101100 10W1nnnn ffff1011 00cccccc", singles(false, true), 4),
    access("vldmdb", "11101101 0F11nnnn ffff1010 00cccccc", singles(true, false), 4),
    access("vstm", "11101100 1FW0nnnn ffff1010 00cccccc", singles(false, false), 4),
    access("vstm.64", "11101100 10W0nnnn ffff1011 00cccccc", singles(false, true), 4),
    access("vstmdb", "11101101 0F10nnnn ffff1010 00cccccc", singles(true, false), 4),
    access("vstmdb.64", "11101101 0010nnnn ffff1011 00cccccc", singles(true, true), 4),
];

/// A load or store, with the register values that keep it in the sandbox.
#[derive(Clone, Debug)]
pub struct Placed {
    /// The mnemonic.
    pub name: &'static str,
    /// The instruction.
    pub code: Vec<u16>,
    /// Registers that must hold these values first.
    pub needs: Vec<(u8, u32)>,
    /// The registers that the access writes.
    pub writes: u16,
}

/// A random load or store.
pub fn draw(subset: Subset, random: &mut Random) -> Placed {
    let table = match subset {
        Subset::V7EM if random.one_in(3) => FLOAT,
        Subset::V7M | Subset::V7EM if !random.one_in(4) => WIDE,
        _ => NARROW,
    };
    loop {
        let access = &table[random.below(table.len() as u32) as usize];
        let mut fields = fill(access.pattern, random);
        if let Some(needs) = place(access, &mut fields, subset, random) {
            let code = encode(access.pattern, &fields);
            return Placed { name: access.name, code, needs, writes: written(access, &fields) };
        }
    }
}

/// Returns the registers that the access writes: the loaded registers, and the base with
/// write-back.
fn written(access: &Access, fields: &Fields) -> u16 {
    let mut writes = 0u16;
    for letter in ['d', 'h'].into_iter().filter(|letter| access.pattern.contains(*letter)) {
        writes |= 1 << fields.get(letter);
    }
    let narrow = access.pattern.len() < 20;
    match access.form {
        Form::Multiple { .. } => {
            if access.name.starts_with("ldm") {
                writes |= list(access, fields) as u16;
            }
            if narrow || fields.get('W') == 1 {
                writes |= 1 << fields.get('n');
            }
        }
        Form::PostIndexed | Form::Singles { below: true, .. } => writes |= 1 << fields.get('n'),
        _ if fields.get('W') == 1 => writes |= 1 << fields.get('n'),
        _ => {}
    }
    writes
}

/// The register list, one bit a register.
fn list(access: &Access, fields: &Fields) -> u32 {
    let list = fields.get('r');
    // In the wide form bit 13 of the encoding is 0, so the field has one bit less.
    if access.pattern.len() < 20 { list } else { list & 0x1FFF | (list >> 13 & 1) << 14 }
}

/// Chooses the address; `None` if the fields make an UNPREDICTABLE instruction.
fn place(
    access: &Access,
    fields: &mut Fields,
    subset: Subset,
    random: &mut Random,
) -> Option<Vec<(u8, u32)>> {
    let base = fields.get('n') as u8;
    let loads = access.pattern.contains('d');
    let writeback = access.form == Form::PostIndexed || fields.get('W') == 1;
    let transfers: Vec<u32> = ['t', 'u', 'd', 'h']
        .into_iter()
        .filter(|letter| access.pattern.contains(*letter))
        .map(|letter| fields.get(letter))
        .collect();
    if writeback && transfers.contains(&u32::from(base)) {
        return None;
    }
    if loads && transfers.len() == 2 && transfers[0] == transfers[1] {
        return None;
    }
    // P = 1, U = 1, W = 0 is the unprivileged form, which has rows of its own.
    if access.name.ends_with("pre") && fields.get('U') == 1 && fields.get('W') == 0 {
        return None;
    }
    let step = fields.get('i');
    let signed = |bytes: u32| {
        let negative = access.pattern.contains('U') && fields.get('U') == 0;
        if negative { bytes.wrapping_neg() } else { bytes }
    };
    let alignment = unalignment(access, subset, random);
    match access.form {
        Form::Offset { scale } => {
            let address = address(2 * access.size, access.size, alignment, random);
            Some(vec![(base, address.wrapping_sub(signed(step * scale)))])
        }
        Form::PostIndexed => {
            Some(vec![(base, address(2 * access.size, access.size, alignment, random))])
        }
        Form::Register => {
            let index = fields.get('m') as u8;
            if index == base {
                return None;
            }
            let address = address(access.size, access.size, alignment, random);
            let value = random.value();
            let scaled = value << fields.get('y');
            Some(vec![(base, address.wrapping_sub(scaled)), (index, value)])
        }
        // A word of the image. An LDRD needs an aligned word, and so its offset counts words.
        Form::Literal => Some(Vec::new()),
        Form::Singles { below, doubles } => {
            let count = fields.get('c');
            let first = fields.get('f') << 1 | fields.get('F');
            let last = if doubles { 2 * fields.get('f') + count } else { first + count };
            if count == 0 || last > 32 || doubles && !count.is_multiple_of(2) {
                return None;
            }
            let address = address(4 * count, 4, alignment, random);
            Some(vec![(base, address.wrapping_add(if below { 4 * count } else { 0 }))])
        }
        Form::Multiple { below } => {
            let count = registers(access, fields, base)?;
            let address = address(4 * count, 4, alignment, random);
            Some(vec![(base, address.wrapping_add(if below { 4 * count } else { 0 }))])
        }
    }
}

/// Returns the number of registers in a list; `None` if the instruction is UNPREDICTABLE with this
/// list.
fn registers(access: &Access, fields: &Fields, base: u8) -> Option<u32> {
    let list = list(access, fields);
    let wide = access.pattern.len() > 20;
    let inside = list & 1 << base != 0;
    let count = list.count_ones();
    let is_wrong = count == 0
        || wide && (count < 2 || inside && fields.get('W') == 1)
        || !wide && inside && access.name == "stm";
    (!is_wrong).then_some(count)
}

/// Returns the distance of an address from its natural alignment: often not 0 if this is allowed,
/// rarely if it faults.
fn unalignment(access: &Access, subset: Subset, random: &mut Random) -> u32 {
    let single = !matches!(access.form, Form::Multiple { .. }) && !access.name.starts_with('v');
    let plain = single && !access.name.contains("rd") && !access.name.contains("rex");
    let chance = if plain && subset.is_wide() { 3 } else { 60 };
    if access.size > 1 && random.one_in(chance) { 1 + random.below(access.size - 1) } else { 0 }
}

/// A random address with `bytes` behind it in the sandbox.
fn address(bytes: u32, size: u32, unalignment: u32, random: &mut Random) -> u32 {
    let last = (SANDBOX_BYTES - bytes) / size - 1;
    SANDBOX + random.below(last) * size + unalignment
}
