/*
 * A C program on newlib's semihosting library: what arm-none-eabi-gcc --specs=rdimon.specs makes.
 *
 * It uses the services that a C library uses: standard streams, a file that is absent,
 * the command line, the heap, the clock, and an exit code.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* The stack and the entry point: all of the vector table that a program without interrupts needs. */
extern void _start(void);
__attribute__((section(".vectors"), used)) static void *const vectors[] = {(void *)0x20010000, _start};

static int by_length(const void *left, const void *right)
{
    const char *const *a = left;
    const char *const *b = right;
    int difference = (int)strlen(*a) - (int)strlen(*b);
    return difference != 0 ? difference : strcmp(*a, *b);
}

int main(int count, char **arguments)
{
    const char *words[] = {"pear", "apple", "fig", "cherry", "date"};
    qsort(words, 5, sizeof words[0], by_length);
    for (int index = 0; index < 5; index++) {
        printf("%s%c", words[index], index < 4 ? ' ' : '\n');
    }
    printf("arguments %s\n", count >= 1 && arguments[0] != NULL ? "there" : "missing");

    double sum = 0;
    for (int term = 1; term < 1000; term++) {
        sum += 1.0 / term;
    }
    printf("%.12f %.10f %e\n", sum, sqrt(2), pow(3, -40));
    printf("%lld %08lx %+d|%-8s|%8s|\n", 123456789012345LL * 3 / 7, 0xbeefUL, 42, "left", "right");

    char *block = malloc(3000);
    memset(block, 'x', 2999);
    block[2999] = 0;
    printf("%u\n", (unsigned)strlen(block));
    free(block);

    errno = 0;
    printf("absent: %s\n", fopen("/no/such/file", "r") == NULL && errno != 0 ? "refused" : "opened");
    clock_t first = clock();
    printf("clock %s\n", clock() >= first ? "goes on" : "goes back");
    fflush(stdout);
    fprintf(stderr, "to the error stream\n");
    return 42;
}
