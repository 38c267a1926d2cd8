//! Values, and accesses of memory, in Rust.

use crate::random_bounds::program::{Access, Binary, Compare, Expr, Float, Wide};

/// A place in memory: behind `p` in bytes, or behind `q` in words.
fn at(access: Access, offset: u32, index: Option<&Expr>) -> String {
    let by_words = matches!(access, Access::Aligned | Access::AlignedHalf | Access::Pair);
    let (base, offset, mask) = if by_words { ("q", offset / 4, 15) } else { ("p", offset, 63) };
    match index {
        Some(index) => format!("{base}.add(({} & {mask}) as usize + {offset})", expr(index)),
        None => format!("{base}.add({offset})"),
    }
}

fn load(access: Access, offset: u32, index: Option<&Expr>) -> String {
    let at = at(access, offset, index);
    match access {
        Access::Byte => format!("(*{at} as u32)"),
        Access::Half => format!("(u16::from_le_bytes(*({at} as *const [u8; 2])) as u32)"),
        Access::Word => format!("u32::from_le_bytes(*({at} as *const [u8; 4]))"),
        Access::Long => format!("fold(u64::from_le_bytes(*({at} as *const [u8; 8])))"),
        Access::Packed => format!(
            "{{ let s = &*({at} as *const Pack); let (b, c, d) = (s.b, s.c, s.d); (b ^ c as \
             u32).wrapping_add(d) }}"
        ),
        Access::Aligned => format!("(*{at})"),
        Access::AlignedHalf => format!("(*({at} as *const u16) as u32)"),
        Access::Pair => format!("{{ let w = *({at} as *const [u32; 2]); w[0] ^ w[1] }}"),
        Access::Cast => format!("read_unaligned({at} as *const u32)"),
        Access::Structure => {
            format!("{{ let s = read_unaligned({at} as *const Words).0; s[0] ^ s[1] ^ s[3] }}")
        }
    }
}

pub fn store(access: Access, offset: u32, index: Option<&Expr>, value: &str) -> String {
    let at = at(access, offset, index);
    match access {
        Access::Byte => format!("*{at} = {value} as u8;"),
        Access::Half => format!("*({at} as *mut [u8; 2]) = ({value} as u16).to_le_bytes();"),
        Access::Word => format!("*({at} as *mut [u8; 4]) = {value}.to_le_bytes();"),
        Access::Long => {
            format!("*({at} as *mut [u8; 8]) = long({value}, v0).to_le_bytes();")
        }
        Access::Packed => {
            format!("{{ let s = &mut *({at} as *mut Pack); s.b = {value}; s.c = v0 as u16; }}")
        }
        Access::Aligned => format!("*{at} = {value};"),
        Access::AlignedHalf => format!("*({at} as *mut u16) = {value} as u16;"),
        Access::Pair => format!("*({at} as *mut [u32; 2]) = [{value}, v1];"),
        Access::Cast => format!("write_unaligned({at} as *mut u32, {value});"),
        Access::Structure => {
            format!("write_unaligned({at} as *mut Words, Words([{value}, v0, v1, v2]));")
        }
    }
}

/// A value, which can stand anywhere.
pub fn expr(one: &Expr) -> String {
    match one {
        Expr::Constant(value) => format!("0x{value:x}u32"),
        Expr::Variable(number) => format!("v{number}"),
        Expr::Counter(id) => format!("(i{id} as u32)"),
        Expr::State(word) => format!("state({word})"),
        Expr::Load(access, offset, index) => {
            format!("({})", load(*access, *offset, index.as_deref()))
        }
        Expr::Binary(operation, both) => binary(*operation, &expr(&both[0]), &expr(&both[1])),
        Expr::Compare(comparison, both) => {
            let (x, y) = (expr(&both[0]), expr(&both[1]));
            match comparison {
                Compare::Equal => format!("u32::from({x} == {y})"),
                Compare::Less => format!("u32::from(({x}) < ({y}))"),
                Compare::LessSigned => format!("u32::from(({x} as i32) < ({y} as i32))"),
                Compare::NotMore => format!("u32::from(({x}) <= ({y}))"),
                Compare::Bit => format!("({x}.wrapping_shr({y}) & 1)"),
            }
        }
        Expr::Select(all) => {
            let [c, x, y] = [0, 1, 2].map(|index| expr(&all[index]));
            format!("(if {c} != 0 {{ {x} }} else {{ {y} }})")
        }
        Expr::Wide(operation, all) => {
            let [x, y, z] = [0, 1, 2].map(|index| expr(&all[index]));
            wide(*operation, &x, &y, &z)
        }
        Expr::Single(operation, both) => {
            let of = |one: &Expr| (format!("f32::from_bits({})", expr(one)), expr(one));
            float(*operation, "f32", of(&both[0]), of(&both[1]))
        }
        Expr::Double(operation, both) => {
            let of = |one: &Expr| (format!("f64::from_bits(long({}, v3))", expr(one)), expr(one));
            float(*operation, "f64", of(&both[0]), of(&both[1]))
        }
        Expr::Field(of, lsb, width, signed) => {
            let of = expr(of);
            match signed {
                true => {
                    format!("((({of} << {}) as i32 >> {}) as u32)", 32 - lsb - width, 32 - width)
                }
                false => format!("({of} >> {lsb} & {})", (1_u32 << width) - 1),
            }
        }
        Expr::LeadingZeros(of) => format!("{}.leading_zeros()", expr(of)),
        Expr::SwapBytes(of) => format!("{}.swap_bytes()", expr(of)),
        Expr::Call(number, both) => {
            format!("f{number}({}, {}, p, q)", expr(&both[0]), expr(&both[1]))
        }
        Expr::Table { constant, arguments } => {
            let table = if *constant { "TABLE" } else { "RAM_TABLE" };
            let (x, y) = (expr(&arguments[0]), expr(&arguments[1]));
            format!("{table}[({x} & 3) as usize]({x}, {y}, p, q)")
        }
        Expr::Method(both) => {
            let (x, y) = (expr(&both[0]), expr(&both[1]));
            format!("METHODS[({x} % 3) as usize].step({y}, p, q)")
        }
        Expr::Device { private: true } => "read_volatile(0xe000e018 as *const u32)".to_owned(),
        Expr::Device { private: false } => "read_volatile(DEVICE as *const u32)".to_owned(),
    }
}

fn binary(operation: Binary, x: &str, y: &str) -> String {
    match operation {
        Binary::Add => format!("{x}.wrapping_add({y})"),
        Binary::Subtract => format!("{x}.wrapping_sub({y})"),
        Binary::Multiply => format!("{x}.wrapping_mul({y})"),
        Binary::And => format!("({x} & {y})"),
        Binary::Or => format!("({x} | {y})"),
        Binary::Xor => format!("({x} ^ {y})"),
        Binary::ShiftLeft => format!("{x}.wrapping_shl({y})"),
        Binary::ShiftRight => format!("{x}.wrapping_shr({y})"),
        Binary::ShiftSigned => format!("(({x} as i32).wrapping_shr({y}) as u32)"),
        Binary::Rotate => format!("{x}.rotate_left({y} & 31)"),
        Binary::Divide => format!("({x} / ({y} | 1))"),
        Binary::Remainder => format!("({x} % ({y} | 1))"),
        Binary::DivideSigned => format!("(({x} as i32).wrapping_div(({y} | 1) as i32) as u32)"),
        Binary::Least => format!("{x}.min({y})"),
        Binary::Most => format!("{x}.max({y})"),
        Binary::MostSigned => format!("(({x} as i32).max({y} as i32) as u32)"),
    }
}

fn wide(operation: Wide, x: &str, y: &str, z: &str) -> String {
    match operation {
        Wide::High => format!("((({x} as u64 * {y} as u64) >> 32) as u32 ^ {z})"),
        Wide::HighSigned => {
            format!("((({x} as i32 as i64 * {y} as i32 as i64) >> 32) as u32 ^ {z})")
        }
        Wide::Accumulate => {
            format!("fold(({x} as u64 * {y} as u64).wrapping_add(({z} as u64) << 7))")
        }
        Wide::Product => format!("fold(long({x}, {y}).wrapping_mul({z} as u64 | 0x1_0000_0001))"),
        Wide::Divide => format!("fold(long({x}, {y}) / (({z} as u64) << 5 | 1))"),
        Wide::Remainder => format!("fold(long({x}, {y}) % (({z} as u64) << 9 | 1))"),
        Wide::Shift => format!("fold(long({x}, {y}).wrapping_shr({z}))"),
    }
}

/// Each operand as a number with its bits, and as an integer.
fn float(operation: Float, size: &str, x: (String, String), y: (String, String)) -> String {
    let ((x, number), (y, other)) = (x, y);
    let bits = |value: String| match size {
        "f32" => format!("({value}).to_bits()"),
        _ => format!("fold(({value}).to_bits())"),
    };
    match operation {
        Float::Add => bits(format!("{x} + {number} as {size} + {y}")),
        Float::Multiply => bits(format!("{x} * {y}")),
        Float::Divide => bits(format!("{x} / {other} as {size}")),
        Float::Convert => format!("(({x} * 0.5) as i32 as u32 ^ {other})"),
        Float::Less => format!("u32::from({x} < {y})"),
        Float::Fused => bits(format!("{x} * {y} - ({number} as {size}) * 1.25")),
    }
}
