//! Units: single instructions, IT blocks, the stack, and control flow that ends at its beginning.

use super::generate::{Builder, Piece};
use super::pattern::{encode, fill};
use super::{SANDBOX, SANDBOX_BYTES, Subset};

/// Appends a random unit.
pub fn unit(builder: &mut Builder) {
    let wide = builder.subset.is_wide();
    match builder.random.below(32) {
        0..3 if wide => if_then(builder),
        3..5 => skip(builder),
        5 if wide => compare_skip(builder),
        6 => repeat(builder),
        7 => call(builder),
        8 => jump(builder),
        9 if wide => table(builder),
        10..12 => stack_narrow(builder),
        12 if wide => stack_wide(builder),
        13 if wide => exclusive(builder),
        14 => masks(builder),
        15 if builder.random.one_in(6) => fault(builder),
        16..18 => stack_relative(builder),
        _ => {
            let piece = builder.draw(0);
            builder.begin(piece.name, true);
            builder.piece(&piece);
        }
    }
}

/// Emits one to four instructions under conditions. At most one accesses memory, because its
/// constants are loaded before the block and must survive until the access.
fn if_then(builder: &mut Builder) {
    let length = 1 + builder.random.below(4) as usize;
    let condition = builder.random.below(15) as u16;
    let always = condition == 14;
    let mut mask = 0u16;
    for position in 1..length {
        let other = !always && builder.random.one_in(2);
        let bit = (condition & 1) ^ u16::from(other);
        mask |= bit << (4 - position);
    }
    mask |= 1 << (4 - length);
    let first = builder.draw(0);
    let constants = first.needs.clone();
    let keep = constants.iter().fold(0, |mask, (register, _)| mask | 1 << register);
    let mut body = Vec::new();
    while body.len() + 1 < length {
        let piece = builder.draw(keep);
        if piece.needs.is_empty() {
            body.push(piece.code);
        }
    }
    let place = builder.random.below(length as u32) as usize;
    body.insert(place, first.code);
    builder.begin("it block", true);
    for (register, value) in constants {
        builder.constant(register, value);
    }
    builder.emit(&[0xBF00 | condition << 4 | mask]);
    for code in body {
        builder.emit(&code);
    }
}

/// One to three instructions for the inside of control flow, which leave `keep` alone.
fn body(builder: &mut Builder, keep: u16) -> Vec<Piece> {
    let length = 1 + builder.random.below(3);
    (0..length).map(|_| builder.draw(keep)).collect()
}

/// Lays out a body in a scratch builder and returns its code, for branches that must know its
/// length.
///
/// Literal constants depend on the address, so the body is laid out at `offset` halfwords from
/// here.
fn lay_out(builder: &mut Builder, pieces: &[Piece], offset: usize) -> Vec<u16> {
    let length = builder.case.code.len();
    builder.case.code.resize(length + offset, 0xBF00);
    for piece in pieces {
        builder.piece(piece);
    }
    let code = builder.case.code.split_off(length + offset);
    builder.case.code.truncate(length);
    code
}

/// B, conditional or not, narrow or wide, over a few instructions.
fn skip(builder: &mut Builder) {
    let pieces = body(builder, 0);
    let conditional = !builder.random.one_in(4);
    let condition = builder.random.below(14) as u16;
    let wide = builder.subset.is_wide() && builder.random.one_in(2);
    let code = lay_out(builder, &pieces, if wide { 2 } else { 1 });
    let length = code.len() as u16;
    builder.begin("skip", true);
    match (wide, conditional) {
        (false, true) => builder.emit(&[0xD000 | condition << 8 | (length - 1)]),
        (false, false) => builder.emit(&[0xE000 | (length - 1)]),
        (true, true) => builder.emit(&[0xF000 | condition << 6, 0x8000 | length]),
        (true, false) => builder.emit(&[0xF000, 0xB800 | length]),
    }
    builder.emit(&code);
}

/// CBZ and CBNZ over a few instructions.
fn compare_skip(builder: &mut Builder) {
    let pieces = body(builder, 0);
    let code = lay_out(builder, &pieces, 1);
    let offset = code.len() as u16 - 1;
    let register = builder.random.below(8) as u16;
    let nonzero = builder.random.below(2) as u16;
    builder.begin("cbz", true);
    builder.emit(&[0xB100 | nonzero << 11 | (offset >> 5) << 9 | (offset & 31) << 3 | register]);
    builder.emit(&code);
}

/// A loop that runs a few times: MOVS, the body, SUBS, BNE backwards.
fn repeat(builder: &mut Builder) {
    let counter = builder.random.below(8) as u16;
    let times = 1 + builder.random.below(5) as u16;
    let pieces = body(builder, 1 << counter);
    let code = lay_out(builder, &pieces, 1);
    let back = (-(code.len() as i32) - 3) as u16 & 0xFF;
    builder.begin("loop", true);
    builder.emit(&[0x2000 | counter << 8 | times]);
    builder.emit(&code);
    builder.emit(&[0x3801 | counter << 8, 0xD100 | back]);
}

/// BL forwards to a body that returns with BX LR, then a branch around it.
fn call(builder: &mut Builder) {
    let pieces = body(builder, 1 << 14);
    let code = lay_out(builder, &pieces, 3);
    builder.begin("call", true);
    // The subroutine is three halfwords from the BL: behind the BL (two) and the B to which the
    // subroutine returns.
    builder.emit(&[0xF000, 0xF801, 0xE000 | code.len() as u16]);
    builder.emit(&code);
    builder.emit(&[0x4770]);
}

/// A jump to an address in a register or in memory, over an instruction that must not run.
fn jump(builder: &mut Builder) {
    let register = builder.random.below(8) as u8;
    let wide = builder.subset.is_wide();
    let kind = builder.random.below(if wide { 5 } else { 3 });
    builder.begin(["bx", "blx", "mov pc", "add pc", "ldr pc"][kind as usize], true);
    // The length of the constant does not depend on its value, so the code is laid out twice.
    let jump = |target: u32| -> Vec<u16> {
        let r = u16::from(register);
        match kind {
            0 => vec![0x4700 | r << 3],
            1 => vec![0x4780 | r << 3],
            2 => vec![0x4687 | r << 3],
            3 => vec![0x4487 | r << 3],
            // LDR PC, [PC, #0 or #2...]: the word is behind the instruction, aligned.
            _ => vec![0xF8DF, 0xF000, target as u16, (target >> 16) as u16],
        }
    };
    if kind == 4 {
        if !builder.here().is_multiple_of(4) {
            builder.emit(&[0xBF00]);
        }
        let target = (builder.here() + 10) | 1;
        builder.emit(&jump(target));
        builder.emit(&[0xDEAD]);
        return;
    }
    let start = builder.case.code.len();
    builder.constant(register, 0);
    let after = (builder.here() + 4) | 1;
    builder.case.code.truncate(start);
    // ADD PC adds to the address of the instruction + 4, and ignores bit 0.
    let value = if kind == 3 { 0 } else { after };
    builder.constant(register, value);
    builder.emit(&jump(0));
    builder.emit(&[0xDEAD]);
}

/// TBB or TBH: a short table behind the branch, then as many landing places.
fn table(builder: &mut Builder) {
    let index = builder.random.below(4) as u16;
    let half = builder.random.one_in(2);
    let register = u32::from(builder.random.pick(&[0u8, 3, 7, 8, 12, 14]));
    builder.begin(if half { "tbh" } else { "tbb" }, true);
    builder.constant(register as u8, u32::from(index));
    builder.emit(&[0xE8DF, 0xF000 | u16::from(half) << 4 | register as u16]);
    // Every landing place is one halfword (ADDS R0, #1) and falls through to the next.
    if half {
        builder.emit(&[4, 5, 6, 7]);
    } else {
        builder.emit(&[0x0302, 0x0504]);
    }
    builder.emit(&[0x3001; 4]);
}

/// Returns `true` if SP has room below for a push and the final frame, and above for a pop.
fn stack_room(builder: &Builder) -> bool {
    (SANDBOX + 160..SANDBOX + SANDBOX_BYTES - 80).contains(&builder.stack)
}

/// PUSH, POP, ADD SP and SUB SP. Near an end of the sandbox, SP goes back to the middle.
fn stack_narrow(builder: &mut Builder) {
    if !stack_room(builder) {
        let middle = SANDBOX + SANDBOX_BYTES / 2 + 4;
        let up = middle > builder.stack;
        let words = middle.abs_diff(builder.stack) / 4;
        builder.begin("sp back", false);
        builder.emit(&[if up { 0xB000 } else { 0xB080 } | words as u16]);
        builder.stack = middle;
        return;
    }
    let list = builder.random.below(255) as u16 + 1;
    let bytes = 4 * list.count_ones();
    match builder.random.below(4) {
        0 => {
            let link = builder.random.below(2);
            builder.begin("push", false);
            builder.emit(&[0xB400 | (link as u16) << 8 | list]);
            builder.stack -= bytes + 4 * link;
        }
        1 => {
            builder.begin("pop", false);
            builder.emit(&[0xBC00 | list]);
            builder.stack += bytes;
        }
        2 => {
            let words = builder.random.below(16);
            let up = builder.random.one_in(2);
            builder.begin("sp imm", false);
            builder.emit(&[if up { 0xB000 } else { 0xB080 } | words as u16]);
            builder.stack = if up { builder.stack + 4 * words } else { builder.stack - 4 * words };
        }
        _ => {
            // PUSH of a return address, POP of PC, which jumps to the unit's end.
            let register = builder.random.below(8) as u8;
            builder.begin("pop pc", false);
            let start = builder.case.code.len();
            builder.constant(register, 0);
            let after = (builder.here() + 6) | 1;
            builder.case.code.truncate(start);
            builder.constant(register, after);
            builder.emit(&[0xB400 | 1 << register, 0xBD00, 0xDEAD]);
        }
    }
}

/// The 32-bit ways to move SP.
fn stack_wide(builder: &mut Builder) {
    if !stack_room(builder) {
        return stack_narrow(builder);
    }
    let register = builder.random.pick(&[0u16, 2, 5, 8, 11, 12, 14]);
    let list = 1 << register | 1 << builder.random.below(4) | 0x40;
    let bytes = 4 * u32::from(list).count_ones();
    let (name, code, change) = match builder.random.below(8) {
        0 => ("push.w", [0xE92D, list], bytes.wrapping_neg()),
        1 => ("pop.w", [0xE8BD, list], bytes),
        2 => ("str pre sp", [0xF84D, register << 12 | 0xD08], 8u32.wrapping_neg()),
        3 => ("ldr post sp", [0xF85D, register << 12 | 0xB0C], 12),
        4 => ("add.w sp", [0xF10D, 0x0D1C], 28),
        5 => ("subw sp", [0xF2AD, 0x0D24], 36u32.wrapping_neg()),
        6 => ("stmdb sp", [0xE90D, list], 0),
        _ => ("ldrd post sp", [0xE8FD, 0x3402], 8),
    };
    builder.begin(name, false);
    builder.emit(&code);
    builder.stack = builder.stack.wrapping_add(change);
}

/// Loads and stores relative to SP, if SP's distance from the sandbox's ends allows them.
fn stack_relative(builder: &mut Builder) {
    let words = (SANDBOX + SANDBOX_BYTES - builder.stack) / 4;
    let index = builder.random.below(words.clamp(1, 64)) as u16;
    let register = builder.random.below(8) as u16;
    let load = builder.random.below(2) as u16;
    builder.begin("sp relative", true);
    builder.emit(&[0x9000 | load << 11 | register << 8 | index]);
}

/// LDREX, something harmless, STREX to the same address; sometimes with CLREX between, or no LDREX.
///
/// QEMU compares the memory's value and address where the architecture's monitor need not, so
/// nothing here stores between the two or pairs different addresses or sizes.
fn exclusive(builder: &mut Builder) {
    let (base, status) = (builder.random.below(4) as u16, 4 + builder.random.below(3) as u16);
    let (loaded, stored) = (8 + builder.random.below(4) as u16, builder.random.below(13) as u16);
    let size = builder.random.below(3);
    let address = SANDBOX + 4 * builder.random.below(SANDBOX_BYTES / 4 - 8);
    let stored = if stored == status || stored == base { 7 } else { stored };
    let (loads, stores) = match size {
        0 => {
            ([0xE850 | base, loaded << 12 | 0xF03], [0xE840 | base, stored << 12 | status << 8 | 3])
        }
        1 => {
            ([0xE8D0 | base, loaded << 12 | 0xF4F], [0xE8C0 | base, stored << 12 | 0xF40 | status])
        }
        _ => {
            ([0xE8D0 | base, loaded << 12 | 0xF5F], [0xE8C0 | base, stored << 12 | 0xF50 | status])
        }
    };
    builder.begin("exclusive", true);
    builder.emit(&[0xF3BF, 0x8F2F]);
    builder.constant(base as u8, address);
    if !builder.random.one_in(5) {
        builder.emit(&loads);
    }
    if builder.random.one_in(2) {
        let amount = builder.random.below(8) as u16;
        builder.emit(&[0x1C24 | amount << 6]); // ADDS R4, R4, #amount
    }
    if builder.random.one_in(5) {
        builder.emit(&[0xF3BF, 0x8F2F]);
    }
    builder.emit(&stores);
    if builder.random.one_in(3) {
        // The monitor is open no more: the second store fails.
        builder.emit(&stores);
    }
}

/// Writes of PRIMASK, BASEPRI and CONTROL, which have no effect in an unprivileged case.
fn masks(builder: &mut Builder) {
    let wide = builder.subset.is_wide();
    let register = builder.random.below(8) as u16;
    match builder.random.below(if wide { 5 } else { 1 }) {
        0 => {
            let disable = builder.random.below(2) as u16;
            builder.begin("cps primask", true);
            builder.emit(&[0xB662 | disable << 4]);
        }
        1 if builder.unprivileged => {
            builder.begin("cpsid f without privileges", true);
            builder.emit(&[0xB671]);
        }
        2 => {
            builder.begin("msr control", true);
            // FPCA is set, if it exists. If it were clear, the next use of the unit would make a
            // new context, in which QEMU takes more from FPDSCR than the architecture.
            let active = u16::from(builder.subset == Subset::V7EM) << 2;
            builder.emit(&[0x2003 | active | register << 8]);
            builder.emit(&[0xF380 | register, 0x8814, 0xF3BF, 0x8F6F]);
        }
        _ => {
            // Only the top three bits, which every implementation has.
            let value = (builder.random.below(8) as u16) << 5;
            let special = 17 + builder.random.below(2) as u16;
            builder.begin("msr basepri", true);
            builder.emit(&[0x2000 | register << 8 | value]);
            builder.emit(&[0xF380 | register, 0x8800 | special]);
        }
    }
}

/// An instruction that ends the case with a fault.
fn fault(builder: &mut Builder) {
    let wide = builder.subset.is_wide();
    let choices: &[(&'static str, &'static str)] = &[
        ("udf", "11011110 iiiiiiii"),
        ("udf.w", "11110111 1111iiii 1010iiii iiiiiiii"),
        ("coprocessor", "11101110 oooonnnn ttttcccc ooo1oooo"),
        ("coprocessor load", "11101101 oo0onnnn ttttcccc iiiiiiii"),
    ];
    let (name, pattern) = builder.random.pick(&choices[..if wide { 4 } else { 2 }]);
    let mut fields = fill(pattern, &mut builder.random);
    if name.starts_with("coprocessor") {
        // Coprocessors 10 and 11 are floating point, which has its own rules.
        fields.set('c', fields.get('c') & 7);
    }
    builder.begin(name, true);
    builder.emit(&encode(pattern, &fields));
}
