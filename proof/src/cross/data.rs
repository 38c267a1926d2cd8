//! The instructions that use only registers and flags, as patterns with their restrictions.
//!
//! Encodings that the manual calls UNPREDICTABLE are left out by a `Rule`; registers SP and PC,
//! which most encodings refuse, are left out by [`fill`](super::pattern::fill) already.

use super::pattern::Fields;

/// Returns `true` if fields make a predictable instruction.
type Rule = fn(&Fields) -> bool;

/// One encoding.
pub struct Template {
    /// The mnemonic, for reports.
    pub name: &'static str,
    /// The encoding.
    pub pattern: &'static str,
    /// The allowed operands.
    pub rule: Rule,
}

const fn any(name: &'static str, pattern: &'static str) -> Template {
    Template { name, pattern, rule: |_| true }
}

const fn ruled(name: &'static str, pattern: &'static str, rule: Rule) -> Template {
    Template { name, pattern, rule }
}

/// A5.3.2: these immediates repeat a byte, which may not be zero.
fn modified_immediate(fields: &Fields) -> bool {
    let immediate = fields.get('i');
    !(matches!(immediate >> 8, 1..=3) && immediate & 0xFF == 0)
}

/// The operations of A5.3.1 and A5.3.11 that a Cortex-M3 has: no PKH.
fn operation(fields: &Fields) -> bool {
    matches!(fields.get('o'), 0..=4 | 8 | 10 | 11 | 13 | 14)
}

/// 16-bit encodings, all of them in ARMv6-M as well.
pub const NARROW: &[Template] = &[
    ruled("lsl/lsr/asr imm", "000ooiii iimmmddd", |f| f.get('o') != 3),
    any("add reg", "0001100m mmnnnddd"),
    any("sub reg", "0001101m mmnnnddd"),
    any("add imm3", "0001110i iinnnddd"),
    any("sub imm3", "0001111i iinnnddd"),
    any("mov imm8", "00100ddd iiiiiiii"),
    any("cmp imm8", "00101nnn iiiiiiii"),
    any("add imm8", "00110ddd iiiiiiii"),
    any("sub imm8", "00111ddd iiiiiiii"),
    any("data processing", "010000oo oommmddd"),
    any("data processing", "010000oo oommmddd"),
    any("add high", "01000100 dmmmmddd"),
    any("mov high", "01000110 dmmmmddd"),
    any("add pc", "01000100 d1111ddd"),
    any("mov pc", "01000110 d1111ddd"),
    any("add sp", "01000100 d1101ddd"),
    any("mov sp", "01000110 d1101ddd"),
    ruled("cmp high", "01000101 nmmmmnnn", |f| f.get('n') > 7 || f.get('m') > 7),
    any("adr", "10100ddd iiiiiiii"),
    any("add sp imm8", "10101ddd iiiiiiii"),
    any("extend", "10110010 oommmddd"),
    ruled("reverse", "10111010 oommmddd", |f| f.get('o') != 2),
    ruled("hint", "10111111 oooo0000", |f| !matches!(f.get('o'), 2 | 3)),
];

/// 32-bit encodings of ARMv7-M.
pub const WIDE: &[Template] = &[
    ruled("imm", "11110i0o oooSnnnn 0iiidddd iiiiiiii", |f| operation(f) && modified_immediate(f)),
    ruled("imm", "11110i0o oooSnnnn 0iiidddd iiiiiiii", |f| operation(f) && modified_immediate(f)),
    ruled("mov imm", "11110i00 010S1111 0iiidddd iiiiiiii", modified_immediate),
    ruled("mvn imm", "11110i00 011S1111 0iiidddd iiiiiiii", modified_immediate),
    ruled("tst imm", "11110i00 0001nnnn 0iii1111 iiiiiiii", modified_immediate),
    ruled("teq imm", "11110i00 1001nnnn 0iii1111 iiiiiiii", modified_immediate),
    ruled("cmn imm", "11110i01 0001nnnn 0iii1111 iiiiiiii", modified_immediate),
    ruled("cmp imm", "11110i01 1011nnnn 0iii1111 iiiiiiii", modified_immediate),
    ruled("add sp imm", "11110i01 000S1101 0iiidddd iiiiiiii", modified_immediate),
    ruled("sub sp imm", "11110i01 101S1101 0iiidddd iiiiiiii", modified_immediate),
    ruled("reg", "1110101o oooSnnnn 0iiidddd iiyymmmm", operation),
    ruled("reg", "1110101o oooSnnnn 0iiidddd iiyymmmm", operation),
    any("mov reg", "11101010 010S1111 0iiidddd iiyymmmm"),
    any("mvn reg", "11101010 011S1111 0iiidddd iiyymmmm"),
    any("tst reg", "11101010 0001nnnn 0iii1111 iiyymmmm"),
    any("teq reg", "11101010 1001nnnn 0iii1111 iiyymmmm"),
    any("cmn reg", "11101011 0001nnnn 0iii1111 iiyymmmm"),
    any("cmp reg", "11101011 1011nnnn 0iii1111 iiyymmmm"),
    any("add sp reg", "11101011 000S1101 0iiidddd iiyymmmm"),
    any("sub sp reg", "11101011 101S1101 0iiidddd iiyymmmm"),
    any("movw", "11110i10 0100jjjj 0iiidddd iiiiiiii"),
    any("movt", "11110i10 1100jjjj 0iiidddd iiiiiiii"),
    any("addw", "11110i10 0000nnnn 0iiidddd iiiiiiii"),
    any("subw", "11110i10 1010nnnn 0iiidddd iiiiiiii"),
    any("addw sp", "11110i10 00001101 0iiidddd iiiiiiii"),
    any("adr after", "11110i10 00001111 0iiidddd iiiiiiii"),
    any("adr before", "11110i10 10101111 0iiidddd iiiiiiii"),
    ruled("ssat", "11110011 00y0nnnn 0iiidddd ii0bbbbb", |f| f.get('y') == 0 || f.get('i') != 0),
    ruled("usat", "11110011 10y0nnnn 0iiidddd ii0bbbbb", |f| f.get('y') == 0 || f.get('i') != 0),
    ruled("sbfx", "11110011 0100nnnn 0iiidddd ii0bbbbb", |f| f.get('i') + f.get('b') < 32),
    ruled("ubfx", "11110011 1100nnnn 0iiidddd ii0bbbbb", |f| f.get('i') + f.get('b') < 32),
    ruled("bfi", "11110011 0110nnnn 0iiidddd ii0bbbbb", |f| f.get('b') >= f.get('i')),
    ruled("bfc", "11110011 01101111 0iiidddd ii0bbbbb", |f| f.get('b') >= f.get('i')),
    any("shift reg", "11111010 0yySnnnn 1111dddd 0000mmmm"),
    ruled("extend", "11111010 0ooo1111 1111dddd 10iimmmm", |f| matches!(f.get('o'), 0 | 1 | 4 | 5)),
    ruled("reverse", "11111010 1001nnnn 1111dddd 10oommmm", |f| f.get('n') == f.get('m')),
    ruled("clz", "11111010 1011nnnn 1111dddd 1000mmmm", |f| f.get('n') == f.get('m')),
    any("mul", "11111011 0000nnnn 1111dddd 0000mmmm"),
    any("mla", "11111011 0000nnnn aaaadddd 0000mmmm"),
    any("mls", "11111011 0000nnnn aaaadddd 0001mmmm"),
    ruled("smull", "11111011 1000nnnn llllhhhh 0000mmmm", |f| f.get('l') != f.get('h')),
    ruled("umull", "11111011 1010nnnn llllhhhh 0000mmmm", |f| f.get('l') != f.get('h')),
    ruled("smlal", "11111011 1100nnnn llllhhhh 0000mmmm", |f| f.get('l') != f.get('h')),
    ruled("umlal", "11111011 1110nnnn llllhhhh 0000mmmm", |f| f.get('l') != f.get('h')),
    any("sdiv", "11111011 1001nnnn 1111dddd 1111mmmm"),
    any("udiv", "11111011 1011nnnn 1111dddd 1111mmmm"),
    ruled("hint.w", "11110011 10101111 10000000 oooooooo", |f| !matches!(f.get('o'), 2 | 3 | 16..)),
    any("dbg", "11110011 10101111 10000000 1111oooo"),
];

/// The encodings of the DSP extension.
pub const DSP: &[Template] = &[
    any("qadd", "11111010 1000nnnn 1111dddd 10oommmm"),
    ruled("parallel", "11111010 1ooonnnn 1111dddd 0uppmmmm", |f| {
        !matches!(f.get('o'), 3 | 7) && f.get('p') != 3
    }),
    ruled("parallel", "11111010 1ooonnnn 1111dddd 0uppmmmm", |f| {
        !matches!(f.get('o'), 3 | 7) && f.get('p') != 3
    }),
    ruled("parallel", "11111010 1ooonnnn 1111dddd 0uppmmmm", |f| {
        !matches!(f.get('o'), 3 | 7) && f.get('p') != 3
    }),
    any("sel", "11111010 1010nnnn 1111dddd 1000mmmm"),
    any("sel", "11111010 1010nnnn 1111dddd 1000mmmm"),
    ruled("extend and add", "11111010 0ooonnnn 1111dddd 10iimmmm", |f| f.get('o') < 6),
    ruled("extend 16", "11111010 0oo01111 1111dddd 10iimmmm", |f| f.get('o') == 1),
    ruled("uxtb16", "11111010 0oo11111 1111dddd 10iimmmm", |f| f.get('o') == 1),
    any("pkh", "11101010 1100nnnn 0iiidddd iiy0mmmm"),
    any("ssat16", "11110011 0010nnnn 0000dddd 0000bbbb"),
    any("usat16", "11110011 1010nnnn 0000dddd 0000bbbb"),
    any("usad8", "11111011 0111nnnn 1111dddd 0000mmmm"),
    any("usada8", "11111011 0111nnnn aaaadddd 0000mmmm"),
    any("smul", "11111011 0001nnnn 1111dddd 00xxmmmm"),
    any("smla", "11111011 0001nnnn aaaadddd 00xxmmmm"),
    any("smuad", "11111011 0010nnnn 1111dddd 000xmmmm"),
    any("smlad", "11111011 0010nnnn aaaadddd 000xmmmm"),
    any("smulw", "11111011 0011nnnn 1111dddd 000xmmmm"),
    any("smlaw", "11111011 0011nnnn aaaadddd 000xmmmm"),
    any("smusd", "11111011 0100nnnn 1111dddd 000xmmmm"),
    any("smlsd", "11111011 0100nnnn aaaadddd 000xmmmm"),
    any("smmul", "11111011 0101nnnn 1111dddd 000xmmmm"),
    any("smmla", "11111011 0101nnnn aaaadddd 000xmmmm"),
    any("smmls", "11111011 0110nnnn aaaadddd 000xmmmm"),
    ruled("smlalxy", "11111011 1100nnnn llllhhhh 10xxmmmm", |f| f.get('l') != f.get('h')),
    ruled("smlald", "11111011 1100nnnn llllhhhh 110xmmmm", |f| f.get('l') != f.get('h')),
    ruled("smlsld", "11111011 1101nnnn llllhhhh 110xmmmm", |f| f.get('l') != f.get('h')),
    ruled("umaal", "11111011 1110nnnn llllhhhh 0110mmmm", |f| f.get('l') != f.get('h')),
    any("msr apsr g", "11110011 1000nnnn 1000xx00 00000000"),
];

/// The encodings of the floating-point unit that access no memory: `f` and `F`, `v` and `V`, `w`
/// and `W` are its registers.
pub const FLOAT: &[Template] = &[
    any("vmla", "11101110 0F00vvvv ffff1010 VxW0wwww"),
    any("vnmla", "11101110 0F01vvvv ffff1010 VxW0wwww"),
    any("vmul", "11101110 0F10vvvv ffff1010 VxW0wwww"),
    any("vadd", "11101110 0F11vvvv ffff1010 VxW0wwww"),
    any("vdiv", "11101110 1F00vvvv ffff1010 V0W0wwww"),
    any("vfnma", "11101110 1F01vvvv ffff1010 VxW0wwww"),
    any("vfma", "11101110 1F10vvvv ffff1010 VxW0wwww"),
    any("vmov imm", "11101110 1F11iiii ffff1010 0000iiii"),
    any("vabs", "11101110 1F11000x ffff1010 11W0wwww"),
    any("vneg", "11101110 1F11000x ffff1010 01W0wwww"),
    any("vsqrt", "11101110 1F110001 ffff1010 11W0wwww"),
    any("vcvt half", "11101110 1F11001x ffff1010 y1W0wwww"),
    any("vcmp", "11101110 1F110100 ffff1010 y1W0wwww"),
    any("vcmp zero", "11101110 1F110101 ffff1010 y1000000"),
    any("vcvt from int", "11101110 1F111000 ffff1010 y1W0wwww"),
    any("vcvt to int", "11101110 1F11110x ffff1010 y1W0wwww"),
    ruled("vcvt fixed", "11101110 1F111o1u ffff1010 y1i0iiii", |f| {
        let immediate = (f.get('i') & 15) << 1 | f.get('i') >> 4;
        f.get('y') == 1 || immediate <= 16
    }),
    any("vmov to core", "11101110 0001vvvv dddd1010 V0010000"),
    any("vmov from core", "11101110 0000vvvv nnnn1010 V0010000"),
    any("vmov.32 to core", "11101110 00x1vvvv dddd1011 00010000"),
    any("vmov.32 from core", "11101110 00x0vvvv nnnn1011 00010000"),
    ruled("vmov two to core", "11101100 0101hhhh dddd1010 00W1wwww", |f| {
        f.get('h') != f.get('d') && (f.get('w'), f.get('W')) != (15, 1)
    }),
    ruled("vmov two from core", "11101100 0100mmmm nnnn1010 00W1wwww", |f| {
        (f.get('w'), f.get('W')) != (15, 1)
    }),
    ruled("vmov double to core", "11101100 0101hhhh dddd1011 0001wwww", |f| {
        f.get('h') != f.get('d')
    }),
    any("vmov double from core", "11101100 0100mmmm nnnn1011 0001wwww"),
    any("vmrs", "11101110 11110001 dddd1010 00010000"),
    any("vmrs apsr", "11101110 11110001 11111010 00010000"),
    any("vmsr", "11101110 11100001 nnnn1010 00010000"),
    ruled("double is undefined", "11101110 xF11vvvv ffff1011 VxW0wwww", |f| f.get('w') == 3),
];

/// 32-bit encodings of both architectures that move special registers.
pub const SPECIAL: &[Template] = &[
    ruled("msr apsr", "11110011 1000nnnn 10001000 000000xx", |_| true),
    ruled("mrs", "11110011 11101111 1000dddd 0000xxxx", |f| !matches!(f.get('x'), 4 | 10..)),
    any("mrs primask", "11110011 11101111 1000dddd 00010000"),
    any("mrs control", "11110011 11101111 1000dddd 00010100"),
    ruled("barrier", "11110011 10111111 10001111 01oo1111", |f| f.get('o') < 3),
];

/// 32-bit encodings of ARMv7-M only that move special registers.
pub const SPECIAL_WIDE: &[Template] = &[
    any("mrs basepri", "11110011 11101111 1000dddd 00010001"),
    any("mrs basepri_max", "11110011 11101111 1000dddd 00010010"),
    any("mrs faultmask", "11110011 11101111 1000dddd 00010011"),
    any("clrex", "11110011 10111111 10001111 00101111"),
];
