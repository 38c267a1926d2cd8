@ The boot ROM of the board rp2040: our own, with the tables and the functions that programs call.
@ Facts: RP2040 Datasheet, 2.8.3 (the places of the tables, the codes and what each function does).
@
@   arm-none-eabi-as -mcpu=cortex-m0plus rp2040-rom.s -o rom.o
@   arm-none-eabi-objcopy -O binary rom.o rom.bin
@
@ The words of the memory "rom" in rp2040.toml are these bytes. What the real ROM does before a
@ program begins (finding it in the flash) is done by the board's `vector_table`.
    .syntax unified
    .thumb
    .macro entry first, second, function
    .hword \first | \second << 8, \function + 1 - start
    .endm

start:
    .word 0x20041000        @ the main stack, on a start from here
    .word stop + 1 - start
    .word stop + 1 - start
    .word stop + 1 - start
    .byte 'M', 'u', 1, 3    @ the magic word, and the version: B2
    .hword functions - start
    .hword data - start
    .hword lookup + 1 - start

functions:
    entry 'P', '3', popcount
    entry 'R', '3', reverse
    entry 'L', '3', leading_zeros
    entry 'T', '3', trailing_zeros
    entry 'M', 'S', set_memory
    entry 'S', '4', set_memory
    entry 'M', 'C', copy_memory
    entry 'C', '4', copy_memory
    entry 'U', 'B', stop
    entry 'D', 'T', stop
    entry 'D', 'E', stop
    entry 'W', 'V', stop
    entry 'I', 'F', nothing
    entry 'E', 'X', nothing
    entry 'R', 'E', nothing
    entry 'R', 'P', nothing
    entry 'F', 'C', nothing
    entry 'C', 'X', nothing
    .hword 0
data:
    .hword 'S' | 'F' << 8, singles - start
    .hword 'S' | 'D' << 8, doubles - start
    .hword 0

@ r0: table, r1: code -> r0: what the table has for it, or 0.
    .balign 4
lookup:
    ldrh r2, [r0]
    cmp r2, #0
    beq 2f
    cmp r2, r1
    beq 1f
    adds r0, #4
    b lookup
1:  ldrh r0, [r0, #2]
    bx lr
2:  movs r0, #0
nothing:
    bx lr

@ Waits for ever: for USB, a debugger or another core.
stop:
    wfi
    b stop

@ r0: where to, r1: the byte, r2: how many -> r0.
set_memory:
    mov r3, r0
    b 2f
1:  strb r1, [r3]
    adds r3, #1
    subs r2, #1
2:  cmp r2, #0
    bne 1b
    bx lr

@ r0: where to, r1: where from, r2: how many -> r0.
copy_memory:
    push {r0, r4, lr}
    b 2f
1:  ldrb r4, [r1]
    strb r4, [r0]
    adds r0, #1
    adds r1, #1
    subs r2, #1
2:  cmp r2, #0
    bne 1b
    pop {r0, r4, pc}

@ r0 -> r0: how many bits are set.
popcount:
    movs r1, #0
1:  cmp r0, #0
    beq 2f
    subs r2, r0, #1
    ands r0, r2
    adds r1, #1
    b 1b
2:  mov r0, r1
    bx lr

@ r0 -> r0: the bits in the other order.
reverse:
    movs r1, #0
    movs r2, #32
1:  lsrs r0, r0, #1
    adcs r1, r1
    subs r2, #1
    bne 1b
    mov r0, r1
    bx lr

@ r0 -> r0: how many zeros are above the highest 1.
leading_zeros:
    movs r1, #32
1:  cmp r0, #0
    beq 2f
    lsrs r0, r0, #1
    subs r1, #1
    b 1b
2:  mov r0, r1
    bx lr

@ r0 -> r0: how many zeros are below the lowest 1.
trailing_zeros:
    movs r1, #0
    cmp r0, #0
    beq 2f
1:  lsrs r0, r0, #1
    bcs 3f
    adds r1, #1
    b 1b
2:  movs r1, #32
3:  mov r0, r1
    bx lr
    .balign 4

@ The tables of arithmetic, in the order of the data sheet; `stop` is what is not there: the fast
@ comparisons, and the functions of angles, powers and logarithms.
    .balign 4
singles:
    .word single_0 + 1 - start
    .word single_1 + 1 - start
    .word single_2 + 1 - start
    .word single_3 + 1 - start
    .word stop + 1 - start
    .word stop + 1 - start
    .word single_4 + 1 - start
    .word single_5 + 1 - start
    .word single_6 + 1 - start
    .word single_7 + 1 - start
    .word single_8 + 1 - start
    .word single_9 + 1 - start
    .word single_10 + 1 - start
    .word single_11 + 1 - start
    .word single_12 + 1 - start
    .word stop + 1 - start
    .word stop + 1 - start
    .word stop + 1 - start
    .word stop + 1 - start
    .word stop + 1 - start
    .word stop + 1 - start
    .word single_13 + 1 - start
    .word stop + 1 - start
    .word single_14 + 1 - start
    .word single_15 + 1 - start
    .word single_16 + 1 - start
    .word single_17 + 1 - start
    .word single_18 + 1 - start
    .word single_19 + 1 - start
    .word single_20 + 1 - start
    .word single_21 + 1 - start
    .word single_22 + 1 - start
doubles:
    .word double_0 + 1 - start
    .word double_1 + 1 - start
    .word double_2 + 1 - start
    .word double_3 + 1 - start
    .word stop + 1 - start
    .word stop + 1 - start
    .word double_4 + 1 - start
    .word double_5 + 1 - start
    .word double_6 + 1 - start
    .word double_7 + 1 - start
    .word double_8 + 1 - start
    .word double_9 + 1 - start
    .word double_10 + 1 - start
    .word double_11 + 1 - start
    .word double_12 + 1 - start
    .word stop + 1 - start
    .word stop + 1 - start
    .word stop + 1 - start
    .word stop + 1 - start
    .word stop + 1 - start
    .word stop + 1 - start
    .word double_13 + 1 - start
    .word stop + 1 - start
    .word double_14 + 1 - start
    .word double_15 + 1 - start
    .word double_16 + 1 - start
    .word double_17 + 1 - start
    .word double_18 + 1 - start
    .word double_19 + 1 - start
    .word double_20 + 1 - start
    .word double_21 + 1 - start
    .word double_22 + 1 - start

@ Each function: the number of its operation, then the device that computes.
    .macro single, number
single_\number:
    movs r3, #\number
    b compute_single
    .endm
    .macro double, number
double_\number:
    push {r4, r5, r6, lr}
    movs r4, #(\number | 0x40)
    b compute_double
    .endm
    single 0
    single 1
    single 2
    single 3
    single 4
    single 5
    single 6
    single 7
    single 8
    single 9
    single 10
    single 11
    single 12
    single 13
    single 14
    single 15
    single 16
    single 17
    single 18
    single 19
    single 20
    single 21
    single 22

@ With 64 bits in r0 and r1, the fraction bits are in r2: it is an operand as well. No interrupt comes
@ between the operands and the result.
compute_single:
    push {r4, r5, lr}
    ldr r4, device
    mrs r5, primask
    cpsid i
    str r0, [r4]
    str r1, [r4, #4]
    str r2, [r4, #8]
    str r3, [r4, #16]
    ldr r0, [r4, #16]
    ldr r1, [r4, #20]
    msr primask, r5
    pop {r4, r5, pc}
    .balign 4
device:
    .word 0x40070000
    double 0
    double 1
    double 2
    double 3
    double 4
    double 5
    double 6
    double 7
    double 8
    double 9
    double 10
    double 11
    double 12
    double 13
    double 14
    double 15
    double 16
    double 17
    double 18
    double 19
    double 20
    double 21
    double 22

compute_double:
    ldr r5, device_again
    mrs r6, primask
    cpsid i
    str r0, [r5]
    str r1, [r5, #4]
    str r2, [r5, #8]
    str r3, [r5, #12]
    str r4, [r5, #16]
    ldr r0, [r5, #16]
    ldr r1, [r5, #20]
    msr primask, r6
    pop {r4, r5, r6, pc}
    .balign 4
device_again:
    .word 0x40070000
