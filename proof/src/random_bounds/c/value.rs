//! Values, and accesses of memory, in C.

use crate::random_bounds::program::{Access, Binary, Compare, Expr, Float, Wide};

/// A place in memory: behind `p` in bytes, or behind `q` in words.
fn at(access: Access, offset: u32, index: Option<&Expr>) -> String {
    let by_words = matches!(access, Access::Aligned | Access::AlignedHalf | Access::Pair);
    let (base, offset, mask) = if by_words { ("q", offset / 4, 15) } else { ("p", offset, 63) };
    match index {
        Some(index) => format!("({base} + ({} & {mask}) + {offset})", expr(index)),
        None => format!("({base} + {offset})"),
    }
}

fn load(access: Access, offset: u32, index: Option<&Expr>) -> String {
    let at = at(access, offset, index);
    match access {
        Access::Byte | Access::Aligned => format!("((u32)*{at})"),
        Access::Half => format!("get16({at})"),
        Access::Word => format!("get32({at})"),
        Access::Long => format!("fold(get64({at}))"),
        Access::Packed => format!("packed((struct pack *){at})"),
        Access::AlignedHalf => format!("((u32)*(u16 *){at})"),
        Access::Pair => format!("({at}[0] ^ {at}[1])"),
        Access::Cast => format!("(*(u32 *){at})"),
        Access::Structure => format!("structure({at})"),
    }
}

pub fn store(access: Access, offset: u32, index: Option<&Expr>, value: &str) -> String {
    let at = at(access, offset, index);
    match access {
        Access::Byte | Access::Aligned => format!("*{at} = {value};"),
        Access::Half => format!("put16({at}, {value});"),
        Access::Word => format!("put32({at}, {value});"),
        Access::Long => format!("put64({at}, wide({value}, v0));"),
        Access::Packed => {
            format!("((struct pack *){at})->b = {value}; ((struct pack *){at})->c = (u16)v0;")
        }
        Access::AlignedHalf => format!("*(u16 *){at} = (u16){value};"),
        Access::Pair => format!("{at}[0] = {value}; {at}[1] = v1;"),
        Access::Cast => format!("*(u32 *){at} = {value};"),
        Access::Structure => format!("put_structure({at}, {value}, v0, v1, v2);"),
    }
}

/// A value, which can stand anywhere.
pub fn expr(one: &Expr) -> String {
    let pair = |both: &[Expr; 2]| (expr(&both[0]), expr(&both[1]));
    match one {
        Expr::Constant(value) => format!("0x{value:x}u"),
        Expr::Variable(number) => format!("v{number}"),
        Expr::Counter(id) => format!("((u32)i{id})"),
        Expr::State(word) => format!("STATE[{word}]"),
        Expr::Load(access, offset, index) => load(*access, *offset, index.as_deref()),
        Expr::Binary(operation, both) => {
            let (x, y) = pair(both);
            binary(*operation, &x, &y)
        }
        Expr::Compare(comparison, both) => {
            let (x, y) = pair(both);
            match comparison {
                Compare::Equal => format!("(u32)({x} == {y})"),
                Compare::Less => format!("(u32)({x} < {y})"),
                Compare::LessSigned => format!("(u32)((i32){x} < (i32){y})"),
                Compare::NotMore => format!("(u32)({x} <= {y})"),
                Compare::Bit => format!("({x} >> ({y} & 31) & 1)"),
            }
        }
        Expr::Select(all) => {
            let [c, x, y] = [0, 1, 2].map(|index| expr(&all[index]));
            format!("({c} ? {x} : {y})")
        }
        Expr::Wide(operation, all) => {
            let [x, y, z] = [0, 1, 2].map(|index| expr(&all[index]));
            wide(*operation, &x, &y, &z)
        }
        Expr::Single(operation, both) => {
            let (x, y) = pair(both);
            let of = |one: &str| format!("single({one})");
            float(*operation, ("float", "of_single"), (&of(&x), &x), (&of(&y), &y))
        }
        Expr::Double(operation, both) => {
            let (x, y) = pair(both);
            let of = |one: &str| format!("twice(wide({one}, v3))");
            float(*operation, ("double", "of_double"), (&of(&x), &x), (&of(&y), &y))
        }
        Expr::Field(of, 0..=3, _, _) => format!("field({})", expr(of)),
        Expr::Field(of, lsb, width, true) => {
            format!("((u32)((i32)({} << {}) >> {}))", expr(of), 32 - lsb - width, 32 - width)
        }
        Expr::Field(of, lsb, width, false) => {
            format!("({} >> {lsb} & {}u)", expr(of), (1_u32 << width) - 1)
        }
        Expr::LeadingZeros(of) => format!("zeros({})", expr(of)),
        Expr::SwapBytes(of) => format!("__builtin_bswap32({})", expr(of)),
        Expr::Call(number, both) => {
            let (x, y) = pair(both);
            format!("f{number}({x}, {y}, p, q)")
        }
        Expr::Table { constant, arguments } => {
            let table = if *constant { "TABLE" } else { "RAM_TABLE" };
            let (x, y) = pair(arguments);
            format!("{table}[{x} & 3]({x}, {y}, p, q)")
        }
        Expr::Method(both) => {
            let (x, y) = pair(both);
            format!("METHODS[{x} % 3]->step({y}, p, q)")
        }
        Expr::Device { private: true } => "READ(0xe000e018)".to_owned(),
        Expr::Device { private: false } => "READ(DEVICE)".to_owned(),
    }
}

fn binary(operation: Binary, x: &str, y: &str) -> String {
    match operation {
        Binary::Add => format!("({x} + {y})"),
        Binary::Subtract => format!("({x} - {y})"),
        Binary::Multiply => format!("({x} * {y})"),
        Binary::And => format!("({x} & {y})"),
        Binary::Or => format!("({x} | {y})"),
        Binary::Xor => format!("({x} ^ {y})"),
        Binary::ShiftLeft => format!("({x} << ({y} & 31))"),
        Binary::ShiftRight => format!("({x} >> ({y} & 31))"),
        Binary::ShiftSigned => format!("((u32)((i32){x} >> ({y} & 31)))"),
        Binary::Rotate => format!("rotate({x}, {y})"),
        Binary::Divide => format!("({x} / ({y} | 1))"),
        Binary::Remainder => format!("({x} % ({y} | 1))"),
        Binary::DivideSigned => format!("((u32)((i32){x} / (i32)({y} | 1)))"),
        Binary::Least => format!("({x} < {y} ? {x} : {y})"),
        Binary::Most => format!("({x} > {y} ? {x} : {y})"),
        Binary::MostSigned => format!("((i32){x} > (i32){y} ? {x} : {y})"),
    }
}

fn wide(operation: Wide, x: &str, y: &str, z: &str) -> String {
    match operation {
        Wide::High => format!("((u32)((u64){x} * {y} >> 32) ^ {z})"),
        Wide::HighSigned => format!("((u32)((i64)(i32){x} * (i32){y} >> 32) ^ {z})"),
        Wide::Accumulate => format!("fold((u64){x} * {y} + ((u64){z} << 7))"),
        Wide::Product => format!("fold(wide({x}, {y}) * ((u64){z} | 0x100000001ull))"),
        Wide::Divide => format!("fold(wide({x}, {y}) / ((u64){z} << 5 | 1))"),
        Wide::Remainder => format!("fold(wide({x}, {y}) % ((u64){z} << 9 | 1))"),
        Wide::Shift => format!("fold(wide({x}, {y}) >> ({z} & 63))"),
    }
}

/// Each operand as a number with its bits, and as an integer.
fn float(
    operation: Float,
    (size, bits): (&str, &str),
    (x, number): (&str, &str),
    (y, other): (&str, &str),
) -> String {
    match operation {
        Float::Add => format!("{bits}({x} + ({size}){number} + {y})"),
        Float::Multiply => format!("{bits}({x} * {y})"),
        Float::Divide => format!("{bits}({x} / ({size}){other})"),
        Float::Convert => format!("((u32)(i32)({x} * ({size})0.5) ^ {other})"),
        Float::Less => format!("(u32)({x} < {y})"),
        Float::Fused => format!("{bits}({x} * {y} - ({size}){number} * ({size})1.25)"),
    }
}
