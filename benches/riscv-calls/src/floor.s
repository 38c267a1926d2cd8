# The floor: a call from user mode that a kernel could serve with no fewer instructions. It keeps what
# Tock's interface keeps, opens interrupts around the driver, finds it by a table whose place is
# known, and calls it as a compiled function. There is no state of a process beside its registers,
# and no switch.

    .section .text.floor, "ax"
    .option arch, +zicsr

# Runs the calls, with PMP open and in user mode. Comes back by a call of another class.
    .globl floor
floor:
    addi sp, sp, -64
    sw ra, 0(sp)
    sw s0, 4(sp)
    sw s1, 8(sp)
    la s0, floor_frame
    sw sp, 128(s0)
    csrr s1, mtvec
    csrrw t0, mie, zero                 # nothing that is pending comes
    sw t0, 12(sp)
    csrw mscratch, s0
    la t0, floor_trap
    csrw mtvec, t0
    li t0, -1
    csrw pmpaddr0, t0
    li t0, 0x1f                         # all addresses: read, write, execute
    csrw pmpcfg0, t0
    li t0, 3 << 11
    csrc mstatus, t0                    # user mode, with interrupts closed before
    la t0, floor_user
    csrw mepc, t0
    mret

floor_user:
    li t3, 3
1:
    li a0, 5
    li a1, 1
    li a4, 2
    .globl floor_from
floor_from:
    ecall
    .globl floor_to
floor_to:
    addi t3, t3, -1
    bnez t3, 1b
    li a4, 6
    ecall

    .p2align 8                          # an Ibex takes exceptions at multiples of 256 only
floor_trap:
    csrrw sp, mscratch, sp              # sp = its registers; mscratch = its sp
    sw ra, 4(sp)
    sw t0, 20(sp)
    sw t1, 24(sp)
    sw t2, 28(sp)
    sw a5, 60(sp)
    sw a6, 64(sp)
    sw a7, 68(sp)
    sw t3, 112(sp)
    sw t4, 116(sp)
    sw t5, 120(sp)
    sw t6, 124(sp)
    csrr t0, mcause
    addi t0, t0, -8
    bnez t0, 9f
    addi t0, a4, -2
    bnez t0, 9f
    sltiu t0, a0, 16                    # the driver's place
    beqz t0, 9f
    csrrw t1, mscratch, zero            # a handler may run
    csrr t2, mepc
    sw t1, 8(sp)
    sw t2, 0(sp)
    la t0, floor_table
    slli t1, a0, 2
    add t0, t0, t1
    lw t0, 0(t0)                        # its function
    mv a5, sp
    lw sp, 128(sp)                      # the kernel's stack
    csrsi mstatus, 8                    # interrupts come
    jalr t0
    csrci mstatus, 8
    lw t0, 0(a5)
    addi t0, t0, 4
    csrw mepc, t0
    csrw mscratch, a5
    lw ra, 4(a5)
    lw t0, 20(a5)
    lw t1, 24(a5)
    lw t2, 28(a5)
    lw a6, 64(a5)
    lw a7, 68(a5)
    lw t3, 112(a5)
    lw t4, 116(a5)
    lw t5, 120(a5)
    lw t6, 124(a5)
    lw sp, 8(a5)
    lw a5, 60(a5)
    mret
9:                                      # the end
    la t0, floor_frame
    lw sp, 128(t0)
    csrw mtvec, s1
    csrw mscratch, zero
    csrw pmpcfg0, zero
    li t0, 3 << 11
    csrs mstatus, t0                    # back to machine mode,
    li t0, 1 << 7
    csrc mstatus, t0                    # with interrupts closed
    la t0, 8f
    csrw mepc, t0
    mret
8:
    lw t0, 12(sp)
    csrw mie, t0
    lw ra, 0(sp)
    lw s0, 4(sp)
    lw s1, 8(sp)
    addi sp, sp, 64
    ret

# Keeps its registers, as a function does.
    .globl floor_driver
floor_driver:
    li a0, 128
    ret

    .p2align 2
floor_table:
    .rept 16
    .word floor_driver
    .endr

    .section .bss.floor, "aw", @nobits
    .p2align 4
floor_frame:
    .zero 144
