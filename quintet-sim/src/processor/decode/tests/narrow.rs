//! The 16-bit encodings, in the order of A5.2, with the bytes of an assembler.

use super::*;
use AluOperation::{Adc, Add, And, Bic, Eor, Orr, Rsb, Sbc, Sub};
use CompareOperation::{Cmn, Cmp, Tst};

#[test]
fn shift_add_subtract_move_compare() {
    check(&[
        ("movs r0, r1", &[0x0008], mov(S, 0, lsl(1, 0))),
        ("lsls r2, r3, #31", &[0x07DA], mov(S, 2, lsl(3, 31))),
        ("lsrs r4, r5, #32", &[0x082C], mov(S, 4, reg(5, Shift::Lsr, 32))),
        ("lsrs r4, r5, #1", &[0x086C], mov(S, 4, reg(5, Shift::Lsr, 1))),
        ("asrs r6, r7, #32", &[0x103E], mov(S, 6, reg(7, Shift::Asr, 32))),
        ("asrs r6, r7, #7", &[0x11FE], mov(S, 6, reg(7, Shift::Asr, 7))),
        ("adds r0, r1, r2", &[0x1888], alu(Add, S, 0, 1, lsl(2, 0))),
        ("subs r3, r4, r5", &[0x1B63], alu(Sub, S, 3, 4, lsl(5, 0))),
        ("adds r6, r7, #7", &[0x1DFE], alu(Add, S, 6, 7, imm(7))),
        ("subs r0, r1, #1", &[0x1E48], alu(Sub, S, 0, 1, imm(1))),
        ("movs r7, #255", &[0x27FF], mov(S, 7, imm(255))),
        ("cmp r6, #200", &[0x2EC8], cmp(Cmp, 6, imm(200))),
        ("adds r5, #100", &[0x3564], alu(Add, S, 5, 5, imm(100))),
        ("subs r4, #99", &[0x3C63], alu(Sub, S, 4, 4, imm(99))),
    ]);
}

#[test]
fn data_processing() {
    check(&[
        ("ands r0, r1", &[0x4008], alu(And, S, 0, 0, lsl(1, 0))),
        ("eors r1, r2", &[0x4051], alu(Eor, S, 1, 1, lsl(2, 0))),
        ("lsls r2, r3", &[0x409A], mov(S, 2, by(2, Shift::Lsl, 3))),
        ("lsrs r3, r4", &[0x40E3], mov(S, 3, by(3, Shift::Lsr, 4))),
        ("asrs r4, r5", &[0x412C], mov(S, 4, by(4, Shift::Asr, 5))),
        ("adcs r5, r6", &[0x4175], alu(Adc, S, 5, 5, lsl(6, 0))),
        ("sbcs r6, r7", &[0x41BE], alu(Sbc, S, 6, 6, lsl(7, 0))),
        ("rors r7, r0", &[0x41C7], mov(S, 7, by(7, Shift::Ror, 0))),
        ("tst r0, r7", &[0x4238], cmp(Tst, 0, lsl(7, 0))),
        ("rsbs r1, r6, #0", &[0x4271], alu(Rsb, S, 1, 6, imm(0))),
        ("cmp r2, r5", &[0x42AA], cmp(Cmp, 2, lsl(5, 0))),
        ("cmn r3, r4", &[0x42E3], cmp(Cmn, 3, lsl(4, 0))),
        ("orrs r4, r3", &[0x431C], alu(Orr, S, 4, 4, lsl(3, 0))),
        (
            "muls r5, r2, r5",
            &[0x4355],
            Operation::Multiply { set_flags: true, rd: r(5), rn: r(2), rm: r(5) },
        ),
        ("bics r6, r1", &[0x438E], alu(Bic, S, 6, 6, lsl(1, 0))),
        (
            "mvns r7, r0",
            &[0x43C7],
            Operation::MoveNot { set_flags: true, rd: r(7), operand: lsl(0, 0) },
        ),
    ]);
}

#[test]
fn high_registers_and_branch_exchange() {
    check(&[
        ("add r8, r1", &[0x4488], alu(Add, K, 8, 8, lsl(1, 0))),
        ("add pc, r3", &[0x449F], alu(Add, K, 15, 15, lsl(3, 0))),
        ("add r2, sp, r2", &[0x446A], alu(Add, K, 2, 2, lsl(13, 0))),
        ("cmp r9, r10", &[0x45D1], cmp(Cmp, 9, lsl(10, 0))),
        ("cmp r1, r12", &[0x4561], cmp(Cmp, 1, lsl(12, 0))),
        ("mov r8, pc", &[0x46F8], mov(K, 8, lsl(15, 0))),
        ("mov pc, lr", &[0x46F7], mov(K, 15, lsl(14, 0))),
        ("mov sp, r7", &[0x46BD], mov(K, 13, lsl(7, 0))),
        ("bx lr", &[0x4770], Operation::BranchExchange { rm: r(14) }),
        ("blx r3", &[0x4798], Operation::BranchLinkExchange { rm: r(3) }),
    ]);
}

#[test]
fn loads_and_stores() {
    check(&[
        ("ldr r2, [pc, #1020]", &[0x4AFF], ldr(Size::Word, U, 2, at(15, 1020))),
        ("str r0, [r1, r2]", &[0x5088], str(Size::Word, 0, index(1, 2, 0))),
        ("strh r0, [r1, r2]", &[0x5288], str(Size::Half, 0, index(1, 2, 0))),
        ("strb r3, [r4, r5]", &[0x5563], str(Size::Byte, 3, index(4, 5, 0))),
        ("ldrsb r3, [r4, r5]", &[0x5763], ldr(Size::Byte, I, 3, index(4, 5, 0))),
        ("ldr r6, [r7, r0]", &[0x583E], ldr(Size::Word, U, 6, index(7, 0, 0))),
        ("ldrh r6, [r7, r0]", &[0x5A3E], ldr(Size::Half, U, 6, index(7, 0, 0))),
        ("ldrb r1, [r2, r3]", &[0x5CD1], ldr(Size::Byte, U, 1, index(2, 3, 0))),
        ("ldrsh r1, [r2, r3]", &[0x5ED1], ldr(Size::Half, I, 1, index(2, 3, 0))),
        ("str r4, [r5, #124]", &[0x67EC], str(Size::Word, 4, at(5, 124))),
        ("ldr r4, [r5, #4]", &[0x686C], ldr(Size::Word, U, 4, at(5, 4))),
        ("strb r4, [r5, #31]", &[0x77EC], str(Size::Byte, 4, at(5, 31))),
        ("ldrb r4, [r5, #1]", &[0x786C], ldr(Size::Byte, U, 4, at(5, 1))),
        ("strh r4, [r5, #62]", &[0x87EC], str(Size::Half, 4, at(5, 62))),
        ("ldrh r4, [r5, #2]", &[0x886C], ldr(Size::Half, U, 4, at(5, 2))),
        ("str r6, [sp, #1020]", &[0x96FF], str(Size::Word, 6, at(13, 1020))),
        ("ldr r6, [sp, #8]", &[0x9E02], ldr(Size::Word, U, 6, at(13, 8))),
    ]);
}

#[test]
fn addresses_and_stack_pointer() {
    check(&[
        ("adr r3, .+4+1020", &[0xA3FF], Operation::Adr { rd: r(3), offset: 1020 }),
        ("add r3, sp, #1020", &[0xABFF], alu(Add, K, 3, 13, imm(1020))),
        ("add sp, #508", &[0xB07F], alu(Add, K, 13, 13, imm(508))),
        ("sub sp, #8", &[0xB082], alu(Sub, K, 13, 13, imm(8))),
    ]);
}

#[test]
fn miscellaneous() {
    check(&[
        (
            "cbz r3, .+4+126",
            &[0xB3FB],
            Operation::CompareBranch { nonzero: false, rn: r(3), offset: 126 },
        ),
        (
            "cbz r3, .+4+2",
            &[0xB10B],
            Operation::CompareBranch { nonzero: false, rn: r(3), offset: 2 },
        ),
        (
            "cbnz r7, .+4+64",
            &[0xBB07],
            Operation::CompareBranch { nonzero: true, rn: r(7), offset: 64 },
        ),
        ("sxth r0, r1", &[0xB208], ext(I, Size::Half, 0, 1, 0)),
        ("sxtb r0, r1", &[0xB248], ext(I, Size::Byte, 0, 1, 0)),
        ("uxth r0, r1", &[0xB288], ext(U, Size::Half, 0, 1, 0)),
        ("uxtb r0, r1", &[0xB2C8], ext(U, Size::Byte, 0, 1, 0)),
        ("push {r0, r7, lr}", &[0xB581], stm(13, 0x4081, true, true)),
        ("pop {r0, r7, pc}", &[0xBD81], ldm(13, 0x8081, false, true)),
        (
            "cpsid i",
            &[0xB672],
            Operation::ChangeState { disable: true, primask: true, faultmask: false },
        ),
        (
            "cpsie f",
            &[0xB661],
            Operation::ChangeState { disable: false, primask: false, faultmask: true },
        ),
        (
            "cpsid if",
            &[0xB673],
            Operation::ChangeState { disable: true, primask: true, faultmask: true },
        ),
        ("rev r4, r5", &[0xBA2C], rev(Reversal::Rev, 4, 5)),
        ("rev16 r4, r5", &[0xBA6C], rev(Reversal::Rev16, 4, 5)),
        ("revsh r4, r5", &[0xBAEC], rev(Reversal::Revsh, 4, 5)),
        ("bkpt 0xab", &[0xBEAB], Operation::Breakpoint { immediate: 0xAB }),
        ("itte ne", &[0xBF1A], Operation::IfThen { first_condition: 1, mask: 0b1010 }),
        ("nop", &[0xBF00], Operation::Nop),
        ("yield", &[0xBF10], Operation::Yield),
        ("wfe", &[0xBF20], Operation::WaitForEvent),
        ("wfi", &[0xBF30], Operation::WaitForInterrupt),
        ("sev", &[0xBF40], Operation::SendEvent),
    ]);
}

#[test]
fn multiple() {
    check(&[
        ("stmia r3!, {r0, r3, r7}", &[0xC389], stm(3, 0x89, false, true)),
        ("ldmia r3!, {r0, r7}", &[0xCB81], ldm(3, 0x81, false, true)),
        ("ldmia r3, {r0, r3}", &[0xCB09], ldm(3, 0x09, false, false)),
    ]);
}

#[test]
fn branches_and_calls() {
    check(&[
        ("beq.n .+4+254", &[0xD07F], b(0, 254)),
        ("bls.n .+4-256", &[0xD980], b(9, -256)),
        ("udf #1", &[0xDE01], Operation::Undefined),
        ("svc 255", &[0xDFFF], Operation::SupervisorCall { immediate: 255 }),
        ("b.n .+4+2046", &[0xE3FF], b(14, 2046)),
        ("b.n .+4-2048", &[0xE400], b(14, -2048)),
    ]);
}

#[test]
fn unallocated() {
    check(&[
        (".inst.n 0xb640", &[0xB640], Operation::Undefined),
        (
            ".inst.n 0xb100",
            &[0xB100],
            Operation::CompareBranch { nonzero: false, rn: r(0), offset: 0 },
        ),
        (".inst.n 0xba80", &[0xBA80], Operation::Undefined),
        (".inst.n 0xbf50", &[0xBF50], Operation::Nop),
        (".inst.n 0x4701", &[0x4701], Operation::Undefined),
        (".inst.n 0xb400", &[0xB400], Operation::Undefined),
        (".inst.n 0xbc00", &[0xBC00], Operation::Undefined),
        (".inst.n 0xc800", &[0xC800], Operation::Undefined),
        (".inst.n 0xb66c", &[0xB66C], Operation::Undefined),
    ]);
}
