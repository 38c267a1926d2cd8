# Each part begins at an address that the fetch reads at once, behind two NOPs, so that nothing that
# came before is still at work. A mark takes neither space nor time.
    .option norvc

    .macro before name
    .balign 32
    nop
    nop
    .globl \name\()_before
\name\()_before:
    .endm

    .macro after name
    .globl \name\()_after
\name\()_after:
    nop
    .endm

    .section .text.start, "ax"
    .globl _start
_start:
    j     begin

    .section .text.hardware, "ax"
begin:
    lui   sp, %hi(__word)
    addi  sp, sp, %lo(__word)
    # s0: the word. s1: turns. s2: whether the board is LiteX.
    mv    s0, sp
    li    s1, 3
    lui   s2, %hi(__is_litex)
    addi  s2, s2, %lo(__is_litex)
    beqz  s2, turn
    # The timer's event is pending from the start: let it call.
    li    t0, 0xf0002800
    li    t1, 1
    sw    t1, 0x1c(t0)
    li    t1, 2
    csrw  0xbc0, t1

turn:
    la    t0, call_handler
    csrw  mtvec, t0

    before nothing
    after nothing

    before instruction
    addi  t0, t0, 1
    after instruction

    before csr_read
    csrr  t0, mscratch
    after csr_read

    before csr_write
    csrw  mscratch, t0
    after csr_write

    before csr_exchange
    csrrw t0, mscratch, t0
    after csr_exchange

    before mask
    csrci mstatus, 8
    after mask

    before masked_addition
    csrrci t1, mstatus, 8
    lw    t0, 0(s0)
    addi  t0, t0, 1
    sw    t0, 0(s0)
    csrw  mstatus, t1
    after masked_addition

    # A call of the environment: to the handler's first instruction, and back.
    before call
    ecall
    .globl call_return_after
    nop
call_return_after:
    nop

    # An interrupt that waits for mstatus.MIE. An Ibex is always vectored.
    la    t0, interrupt_table
    beqz  s2, 1f
    la    t0, interrupt_handler
1:  csrw  mtvec, t0
    li    t0, 0x880
    csrw  mie, t0
    li    t1, 8
    before interrupt
    csrs  mstatus, t1
    nop
    nop
    .globl interrupt_return_after
    nop
interrupt_return_after:
    nop
    csrci mstatus, 8

    # Of these cores, VexRiscv alone has these; none has AMOADD.W.
    beqz  s2, no_atomics
    .option push
    .option arch, +a
    before reserved
    lr.w  t0, (s0)
    addi  t0, t0, 1
    sc.w  t2, t0, (s0)
    after reserved
    .option pop

no_atomics:
    addi  s1, s1, -1
    bnez  s1, again
    j     end
again:
    j     turn

end:
    bnez  s2, end_litex
    li    t0, 0x00020008
    li    t1, 1
    sw    t1, 0(t0)
1:  j     1b

end_litex:
    li    a0, 0x18
    li    a1, 0x20026
    .balign 16
    slli  x0, x0, 0x1f
    ebreak
    srai  x0, x0, 7
2:  j     2b

    .balign 256
call_handler:
    nop
    .globl call_after
call_after:
    csrr  t0, mepc
    addi  t0, t0, 4
    csrw  mepc, t0
    nop
    nop
    .globl call_return_before
call_return_before:
    mret

    # The interrupt stays pending: its handler disables it. The timer's is the seventh.
    .balign 256
interrupt_table:
    .rept 7
    j     end
    .endr
interrupt_handler:
    nop
    .globl interrupt_after
interrupt_after:
    csrw  mie, x0
    nop
    nop
    .globl interrupt_return_before
interrupt_return_before:
    mret
