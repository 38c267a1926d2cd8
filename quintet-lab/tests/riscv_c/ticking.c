/* A C program for QEMU's virt, with picolibc: computes, prints by semihosting, and counts ticks. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define MTIMECMP ((volatile uint32_t *)0x02004000)
#define MTIME ((volatile uint32_t *)0x0200bff8)

static volatile uint32_t ticks;

static void arm(uint32_t count) {
    MTIMECMP[1] = 0xffffffff;
    MTIMECMP[0] = MTIME[0] + count;
    MTIMECMP[1] = 0;
}

__attribute__((interrupt("machine"), aligned(4))) void trap(void) {
    ticks++;
    arm(1000);
}

__attribute__((noinline)) int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

int main(void) {
    __asm__ volatile("csrw mtvec, %0" ::"r"(trap));
    __asm__ volatile("csrs mie, %0" ::"r"(1 << 7));
    arm(1000);
    __asm__ volatile("csrsi mstatus, 8");
    printf("fib %d\n", fib(15));
    puts(ticks > 3 ? "ticked" : "no tick");
    exit(3);
}
