//! The 32-bit encodings, in the order of A5.3, with the bytes of an assembler.

use super::*;
use AluOperation::{Adc, Add, And, Bic, Eor, Orn, Orr, Rsb, Sbc, Sub};
use CompareOperation::{Cmn, Cmp, Teq, Tst};

const fn sat(signed: bool, rd: u8, rn: u8, shift: Shift, amount: u8, to: u8) -> Operation {
    Operation::Saturate { signed, rd: r(rd), rn: r(rn), shift, amount, to }
}

const fn field(signed: bool, rd: u8, rn: u8, lsb: u8, width: u8) -> Operation {
    Operation::BitFieldExtract { signed, rd: r(rd), rn: r(rn), lsb, width }
}

/// LDRD or STRD of R1 and R2.
const fn dual(load: bool, base: u8, offset: i32, indexing: Indexing) -> Operation {
    let (rt, rt2, base) = (r(1), r(2), r(base));
    if load {
        Operation::LoadDual { rt, rt2, base, offset, indexing }
    } else {
        Operation::StoreDual { rt, rt2, base, offset, indexing }
    }
}

/// MLA or MLS of R1, R2, R3, R4.
const fn mla(subtract: bool) -> Operation {
    Operation::MultiplyAccumulate { subtract, rd: r(1), rn: r(2), rm: r(3), ra: r(4) }
}

/// A long multiplication of R1, R2, R3, R4.
const fn long(signed: bool, accumulate: bool) -> Operation {
    Operation::MultiplyLong { signed, accumulate, rd_lo: r(1), rd_hi: r(2), rn: r(3), rm: r(4) }
}

#[test]
fn shifted_register() {
    check(&[
        ("tst.w r1, r2, lsl #3", &[0xEA11, 0x0FC2], cmp(Tst, 1, reg(2, Shift::Lsl, 3))),
        (
            "and.w r8, r9, r10, lsr #32",
            &[0xEA09, 0x081A],
            alu(And, K, 8, 9, reg(10, Shift::Lsr, 32)),
        ),
        (
            "ands.w r8, r9, r10, asr #5",
            &[0xEA19, 0x186A],
            alu(And, S, 8, 9, reg(10, Shift::Asr, 5)),
        ),
        ("bic.w r1, r2, r3, ror #31", &[0xEA22, 0x71F3], alu(Bic, K, 1, 2, reg(3, Shift::Ror, 31))),
        ("orrs.w r1, r2, r3, rrx", &[0xEA52, 0x0133], alu(Orr, S, 1, 2, reg(3, Shift::Rrx, 1))),
        ("mov.w r11, r12", &[0xEA4F, 0x0B0C], mov(K, 11, lsl(12, 0))),
        ("lsls.w r1, r2, #9", &[0xEA5F, 0x2142], mov(S, 1, lsl(2, 9))),
        ("rrx r1, r2", &[0xEA4F, 0x0132], mov(K, 1, reg(2, Shift::Rrx, 1))),
        ("ror.w r1, r2, #4", &[0xEA4F, 0x1132], mov(K, 1, reg(2, Shift::Ror, 4))),
        ("orn r1, r2, r3", &[0xEA62, 0x0103], alu(Orn, K, 1, 2, lsl(3, 0))),
        (
            "mvns.w r1, r3, asr #32",
            &[0xEA7F, 0x0123],
            Operation::MoveNot { set_flags: true, rd: r(1), operand: reg(3, Shift::Asr, 32) },
        ),
        ("eor.w r1, r2, r3", &[0xEA82, 0x0103], alu(Eor, K, 1, 2, lsl(3, 0))),
        ("teq r2, r3, lsl #1", &[0xEA92, 0x0F43], cmp(Teq, 2, lsl(3, 1))),
        ("add.w r1, r2, r3, lsl #2", &[0xEB02, 0x0183], alu(Add, K, 1, 2, lsl(3, 2))),
        ("cmn.w r2, r3", &[0xEB12, 0x0F03], cmp(Cmn, 2, lsl(3, 0))),
        ("adcs.w r1, r2, r3", &[0xEB52, 0x0103], alu(Adc, S, 1, 2, lsl(3, 0))),
        ("sbc.w r1, r2, r3", &[0xEB62, 0x0103], alu(Sbc, K, 1, 2, lsl(3, 0))),
        ("subs.w r1, r2, r3", &[0xEBB2, 0x0103], alu(Sub, S, 1, 2, lsl(3, 0))),
        ("cmp.w r2, r3, ror #8", &[0xEBB2, 0x2F33], cmp(Cmp, 2, reg(3, Shift::Ror, 8))),
        ("rsb r1, r2, r3", &[0xEBC2, 0x0103], alu(Rsb, K, 1, 2, lsl(3, 0))),
    ]);
}

#[test]
fn modified_immediate() {
    check(&[
        ("and r1, r2, #0xab", &[0xF002, 0x01AB], alu(And, K, 1, 2, imm(0xAB))),
        ("and r1, r2, #0x00ab00ab", &[0xF002, 0x11AB], alu(And, K, 1, 2, imm(0x00AB_00AB))),
        ("orr r1, r2, #0xab00ab00", &[0xF042, 0x21AB], alu(Orr, K, 1, 2, imm(0xAB00_AB00))),
        ("eors r1, r2, #0xabababab", &[0xF092, 0x31AB], alu(Eor, S, 1, 2, imm(0xABAB_ABAB))),
        (
            "bics r1, r2, #0x80000000",
            &[0xF032, 0x4100],
            alu(Bic, S, 1, 2, rotated(0x8000_0000, Carry::Set)),
        ),
        ("orns r1, r2, #0x1fe", &[0xF472, 0x71FF], alu(Orn, S, 1, 2, rotated(0x1FE, Carry::Clear))),
        (
            "movs.w r1, #0x2a000000",
            &[0xF05F, 0x5128],
            mov(S, 1, rotated(0x2A00_0000, Carry::Clear)),
        ),
        (
            "mvn r1, #0xff00",
            &[0xF46F, 0x417F],
            Operation::MoveNot {
                set_flags: false,
                rd: r(1),
                operand: rotated(0xFF00, Carry::Clear),
            },
        ),
        ("tst.w r2, #0x10", &[0xF012, 0x0F10], cmp(Tst, 2, imm(0x10))),
        ("teq r2, #0x3fc", &[0xF492, 0x7F7F], cmp(Teq, 2, rotated(0x3FC, Carry::Clear))),
        (
            "add.w r1, r2, #0x100",
            &[0xF502, 0x7180],
            alu(Add, K, 1, 2, rotated(0x100, Carry::Clear)),
        ),
        ("cmn.w r2, #1", &[0xF112, 0x0F01], cmp(Cmn, 2, imm(1))),
        ("adc r1, r2, #1", &[0xF142, 0x0101], alu(Adc, K, 1, 2, imm(1))),
        ("sbcs r1, r2, #2", &[0xF172, 0x0102], alu(Sbc, S, 1, 2, imm(2))),
        ("subs.w sp, sp, #4", &[0xF1BD, 0x0D04], alu(Sub, S, 13, 13, imm(4))),
        ("cmp.w r2, #0xff000000", &[0xF1B2, 0x4F7F], cmp(Cmp, 2, rotated(0xFF00_0000, Carry::Set))),
        ("rsbs r1, r2, #5", &[0xF1D2, 0x0105], alu(Rsb, S, 1, 2, imm(5))),
    ]);
}

#[test]
fn plain_immediate() {
    check(&[
        ("addw r1, r2, #4095", &[0xF602, 0x71FF], alu(Add, K, 1, 2, imm(4095))),
        ("adr.w r1, .+4+4095", &[0xF60F, 0x71FF], Operation::Adr { rd: r(1), offset: 4095 }),
        (
            "movw r1, #0xbeef",
            &[0xF64B, 0x61EF],
            Operation::MoveWide { rd: r(1), immediate: 0xBEEF },
        ),
        ("subw r1, r2, #0x801", &[0xF6A2, 0x0101], alu(Sub, K, 1, 2, imm(0x801))),
        ("subw r1, pc, #8", &[0xF2AF, 0x0108], Operation::Adr { rd: r(1), offset: -8 }),
        (
            "movt r14, #0x1234",
            &[0xF2C1, 0x2E34],
            Operation::MoveTop { rd: r(14), immediate: 0x1234 },
        ),
        ("ssat r1, #32, r2", &[0xF302, 0x011F], sat(I, 1, 2, Shift::Lsl, 0, 32)),
        ("ssat r1, #1, r2, asr #31", &[0xF322, 0x71C0], sat(I, 1, 2, Shift::Asr, 31, 1)),
        ("usat r1, #31, r2, lsl #31", &[0xF382, 0x71DF], sat(U, 1, 2, Shift::Lsl, 31, 31)),
        ("usat r1, #0, r2, asr #1", &[0xF3A2, 0x0140], sat(U, 1, 2, Shift::Asr, 1, 0)),
        ("sbfx r1, r2, #3, #29", &[0xF342, 0x01DC], field(I, 1, 2, 3, 29)),
        ("ubfx r1, r2, #31, #1", &[0xF3C2, 0x71C0], field(U, 1, 2, 31, 1)),
        (
            "bfi r1, r2, #4, #8",
            &[0xF362, 0x110B],
            Operation::BitFieldInsert { rd: r(1), rn: Some(r(2)), lsb: 4, width: 8 },
        ),
        (
            "bfc r1, #0, #32",
            &[0xF36F, 0x011F],
            Operation::BitFieldInsert { rd: r(1), rn: None, lsb: 0, width: 32 },
        ),
    ]);
}

#[test]
fn branches_and_control() {
    check(&[
        ("beq.w .+4+1048574", &[0xF03F, 0xAFFF], b(0, 1_048_574)),
        ("ble.w .+4-1048576", &[0xF740, 0x8000], b(13, -1_048_576)),
        ("b.w .+4+16777214", &[0xF3FF, 0x97FF], b(14, 16_777_214)),
        ("b.w .+4-16777216", &[0xF400, 0x9000], b(14, -16_777_216)),
        ("bl .+4+4096", &[0xF001, 0xF800], Operation::BranchLink { offset: 4096 }),
        ("bl .+4-4", &[0xF7FF, 0xFFFE], Operation::BranchLink { offset: -4 }),
        (
            "msr apsr_nzcvq, r3",
            &[0xF383, 0x8800],
            Operation::MoveToSpecial { rn: r(3), special: 0, mask: 2 },
        ),
        (
            "msr basepri_max, r3",
            &[0xF383, 0x8812],
            Operation::MoveToSpecial { rn: r(3), special: 18, mask: 2 },
        ),
        ("mrs r4, psp", &[0xF3EF, 0x8409], Operation::MoveFromSpecial { rd: r(4), special: 9 }),
        ("nop.w", &[0xF3AF, 0x8000], Operation::Nop),
        ("wfi.w", &[0xF3AF, 0x8003], Operation::WaitForInterrupt),
        ("dbg #3", &[0xF3AF, 0x80F3], Operation::Nop),
        ("clrex", &[0xF3BF, 0x8F2F], Operation::ClearExclusive),
        ("dsb sy", &[0xF3BF, 0x8F4F], Operation::DataSynchronizationBarrier),
        ("dmb sy", &[0xF3BF, 0x8F5F], Operation::DataMemoryBarrier),
        ("isb sy", &[0xF3BF, 0x8F6F], Operation::InstructionSynchronizationBarrier),
        ("udf.w #0", &[0xF7F0, 0xA000], Operation::Undefined),
    ]);
}

#[test]
fn multiple() {
    check(&[
        ("stmia.w r3!, {r0, r14}", &[0xE8A3, 0x4001], stm(3, 0x4001, false, true)),
        ("stmdb r3, {r0, r8}", &[0xE903, 0x0101], stm(3, 0x0101, true, false)),
        ("push.w {r4, r11, lr}", &[0xE92D, 0x4810], stm(13, 0x4810, true, true)),
        ("ldmia.w r3, {r3, r8}", &[0xE893, 0x0108], ldm(3, 0x0108, false, false)),
        ("ldmdb r3!, {r0, r8}", &[0xE933, 0x0101], ldm(3, 0x0101, true, true)),
        ("pop.w {r4, r11, pc}", &[0xE8BD, 0x8810], ldm(13, 0x8810, false, true)),
    ]);
}

#[test]
fn exclusive_dual_and_table_branch() {
    check(&[
        (
            "strex r1, r2, [r3, #1020]",
            &[0xE843, 0x21FF],
            Operation::StoreExclusive {
                size: Size::Word,
                rd: r(1),
                rt: r(2),
                base: r(3),
                offset: 1020,
            },
        ),
        (
            "strexb r1, r2, [r3]",
            &[0xE8C3, 0x2F41],
            Operation::StoreExclusive {
                size: Size::Byte,
                rd: r(1),
                rt: r(2),
                base: r(3),
                offset: 0,
            },
        ),
        (
            "strexh r1, r2, [r3]",
            &[0xE8C3, 0x2F51],
            Operation::StoreExclusive {
                size: Size::Half,
                rd: r(1),
                rt: r(2),
                base: r(3),
                offset: 0,
            },
        ),
        (
            "ldrex r2, [r3, #4]",
            &[0xE853, 0x2F01],
            Operation::LoadExclusive { size: Size::Word, rt: r(2), base: r(3), offset: 4 },
        ),
        (
            "ldrexb r2, [r3]",
            &[0xE8D3, 0x2F4F],
            Operation::LoadExclusive { size: Size::Byte, rt: r(2), base: r(3), offset: 0 },
        ),
        (
            "ldrexh r2, [r3]",
            &[0xE8D3, 0x2F5F],
            Operation::LoadExclusive { size: Size::Half, rt: r(2), base: r(3), offset: 0 },
        ),
        ("strd r1, r2, [r3, #-1020]", &[0xE943, 0x12FF], dual(false, 3, -1020, Indexing::Offset)),
        ("strd r1, r2, [r3, #8]!", &[0xE9E3, 0x1202], dual(false, 3, 8, Indexing::PreIndexed)),
        ("ldrd r1, r2, [r3], #-8", &[0xE873, 0x1202], dual(true, 3, -8, Indexing::PostIndexed)),
        ("ldrd r1, r2, [pc, #16]", &[0xE9DF, 0x1204], dual(true, 15, 16, Indexing::Offset)),
        (
            "tbb [pc, r2]",
            &[0xE8DF, 0xF002],
            Operation::TableBranch { half: false, base: r(15), index: r(2) },
        ),
        (
            "tbh [r1, r2, lsl #1]",
            &[0xE8D1, 0xF012],
            Operation::TableBranch { half: true, base: r(1), index: r(2) },
        ),
    ]);
}

#[test]
fn stores() {
    check(&[
        ("strb.w r1, [r2, #4095]", &[0xF882, 0x1FFF], str(Size::Byte, 1, at(2, 4095))),
        ("strh.w r1, [r2, #-255]", &[0xF822, 0x1CFF], str(Size::Half, 1, at(2, -255))),
        (
            "str r1, [r2, #-4]!",
            &[0xF842, 0x1D04],
            str(Size::Word, 1, moving(2, -4, Indexing::PreIndexed)),
        ),
        (
            "str r1, [r2], #255",
            &[0xF842, 0x1BFF],
            str(Size::Word, 1, moving(2, 255, Indexing::PostIndexed)),
        ),
        ("str.w r1, [r2, r3, lsl #3]", &[0xF842, 0x1033], str(Size::Word, 1, index(2, 3, 3))),
        (
            "strbt r1, [r2, #7]",
            &[0xF802, 0x1E07],
            Operation::Store { size: Size::Byte, unprivileged: true, rt: r(1), address: at(2, 7) },
        ),
    ]);
}

#[test]
fn loads() {
    check(&[
        (
            "ldrsht r1, [r2, #7]",
            &[0xF932, 0x1E07],
            Operation::Load {
                size: Size::Half,
                signed: true,
                unprivileged: true,
                rt: r(1),
                address: at(2, 7),
            },
        ),
        (
            "ldrt r1, [r2]",
            &[0xF852, 0x1E00],
            Operation::Load {
                size: Size::Word,
                signed: false,
                unprivileged: true,
                rt: r(1),
                address: at(2, 0),
            },
        ),
        ("ldrb.w r1, [r2, #4095]", &[0xF892, 0x1FFF], ldr(Size::Byte, U, 1, at(2, 4095))),
        ("ldrsb.w r1, [r2, r3, lsl #1]", &[0xF912, 0x1013], ldr(Size::Byte, I, 1, index(2, 3, 1))),
        ("ldrsb.w r1, [pc, #-4]", &[0xF91F, 0x1004], ldr(Size::Byte, I, 1, at(15, -4))),
        (
            "ldrh.w r1, [r2], #-2",
            &[0xF832, 0x1902],
            ldr(Size::Half, U, 1, moving(2, -2, Indexing::PostIndexed)),
        ),
        (
            "ldrsh.w r1, [r2, #2]!",
            &[0xF932, 0x1F02],
            ldr(Size::Half, I, 1, moving(2, 2, Indexing::PreIndexed)),
        ),
        ("ldr.w pc, [r2, r3, lsl #2]", &[0xF852, 0xF023], ldr(Size::Word, U, 15, index(2, 3, 2))),
        ("ldr.w r1, [pc, #4095]", &[0xF8DF, 0x1FFF], ldr(Size::Word, U, 1, at(15, 4095))),
        (
            "ldr.w pc, [sp], #4",
            &[0xF85D, 0xFB04],
            ldr(Size::Word, U, 15, moving(13, 4, Indexing::PostIndexed)),
        ),
        ("pld [r2, #-8]", &[0xF812, 0xFC08], Operation::Preload { address: at(2, -8) }),
        ("pli [r2, r3, lsl #1]", &[0xF912, 0xF013], Operation::Preload { address: index(2, 3, 1) }),
        ("pld [pc, #8]", &[0xF89F, 0xF008], Operation::Preload { address: at(15, 8) }),
    ]);
}

#[test]
fn registers() {
    check(&[
        ("lsl.w r1, r2, r3", &[0xFA02, 0xF103], mov(K, 1, by(2, Shift::Lsl, 3))),
        ("lsrs.w r1, r2, r3", &[0xFA32, 0xF103], mov(S, 1, by(2, Shift::Lsr, 3))),
        ("asr.w r1, r2, r3", &[0xFA42, 0xF103], mov(K, 1, by(2, Shift::Asr, 3))),
        ("rors.w r1, r2, r3", &[0xFA72, 0xF103], mov(S, 1, by(2, Shift::Ror, 3))),
        ("sxth.w r1, r2, ror #8", &[0xFA0F, 0xF192], ext(I, Size::Half, 1, 2, 8)),
        ("uxth.w r1, r2, ror #24", &[0xFA1F, 0xF1B2], ext(U, Size::Half, 1, 2, 24)),
        ("sxtb.w r9, r2", &[0xFA4F, 0xF982], ext(I, Size::Byte, 9, 2, 0)),
        ("uxtb.w r1, r2, ror #16", &[0xFA5F, 0xF1A2], ext(U, Size::Byte, 1, 2, 16)),
        ("rev.w r9, r2", &[0xFA92, 0xF982], rev(Reversal::Rev, 9, 2)),
        ("rev16.w r9, r2", &[0xFA92, 0xF992], rev(Reversal::Rev16, 9, 2)),
        ("rbit r1, r2", &[0xFA92, 0xF1A2], rev(Reversal::Rbit, 1, 2)),
        ("revsh.w r9, r2", &[0xFA92, 0xF9B2], rev(Reversal::Revsh, 9, 2)),
        ("clz r1, r2", &[0xFAB2, 0xF182], Operation::CountLeadingZeros { rd: r(1), rm: r(2) }),
    ]);
}

#[test]
fn multiply_and_divide() {
    check(&[
        (
            "mul r1, r2, r9",
            &[0xFB02, 0xF109],
            Operation::Multiply { set_flags: false, rd: r(1), rn: r(2), rm: r(9) },
        ),
        ("mla r1, r2, r3, r4", &[0xFB02, 0x4103], mla(false)),
        ("mls r1, r2, r3, r4", &[0xFB02, 0x4113], mla(true)),
        ("smull r1, r2, r3, r4", &[0xFB83, 0x1204], long(I, false)),
        ("umull r1, r2, r3, r4", &[0xFBA3, 0x1204], long(U, false)),
        ("smlal r1, r2, r3, r4", &[0xFBC3, 0x1204], long(I, true)),
        ("umlal r1, r2, r3, r4", &[0xFBE3, 0x1204], long(U, true)),
        (
            "sdiv r1, r2, r3",
            &[0xFB92, 0xF1F3],
            Operation::Divide { signed: true, rd: r(1), rn: r(2), rm: r(3) },
        ),
        (
            "udiv r1, r2, r3",
            &[0xFBB2, 0xF1F3],
            Operation::Divide { signed: false, rd: r(1), rn: r(2), rm: r(3) },
        ),
    ]);
}

#[test]
fn coprocessor() {
    check(&[
        ("mrc p15, 0, r1, c0, c0, 0", &[0xEE10, 0x1F10], Operation::Coprocessor { number: 15 }),
        ("ldc p9, c1, [r2]", &[0xED92, 0x1900], Operation::Coprocessor { number: 9 }),
        ("cdp2 p10, 0, c0, c0, c0, 0", &[0xFE00, 0x0A00], Operation::Coprocessor { number: 10 }),
    ]);
}

/// Encodings just outside those above, and the choices that the decoder's introduction lists.
#[test]
fn undefined() {
    let codes: [(&str, u16, u16); 24] = [
        ("and with bit 15 set", 0xEA01, 0x8002),
        ("pkhbt", 0xEAC1, 0x0002),
        ("orrs to PC", 0xEA51, 0x0F02),
        ("add.w to PC", 0xEB01, 0x0F02),
        ("ssat16", 0xF321, 0x0102),
        ("bfi with its end before its beginning", 0xF362, 0x1101),
        ("ubfx past bit 31", 0xF3C2, 0x711F),
        ("blx to ARM code", 0xF000, 0xE800),
        ("b.w with condition 1111", 0xF3C0, 0x8000),
        ("msr with bit 13 set", 0xF383, 0xA808),
        ("mrs to PC", 0xF3EF, 0x8F08),
        ("srs", 0xE82D, 0x4010),
        ("stm of one register", 0xE8A3, 0x0001),
        ("stm of PC", 0xE8A3, 0x8001),
        ("ldm with write-back of a loaded base", 0xE8B3, 0x0009),
        ("ldrexd", 0xE8D3, 0x127F),
        ("strd to a literal", 0xE9CF, 0x1200),
        ("str to a literal", 0xF8CF, 0x1000),
        ("ldrs of a word", 0xF952, 0x1000),
        ("ldr without index or write-back", 0xF852, 0x1804),
        ("ldrt of PC", 0xF852, 0xFE00),
        ("sxtah", 0xFA01, 0xF082),
        ("smulbb", 0xFB11, 0xF203),
        ("the coprocessor space's reserved quarter", 0xEF00, 0x0000),
    ];
    for (text, first, second) in codes {
        assert_eq!(decode(first, second, V7M).operation, Operation::Undefined, "{text}");
    }
}
