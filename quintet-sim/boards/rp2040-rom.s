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
