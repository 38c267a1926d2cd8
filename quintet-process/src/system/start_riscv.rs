//! The first instructions of an application on RISC-V.

#![expect(unsafe_code, reason = "assembly, and symbols of the linker")]

use core::arch::naked_asm;

/// Asks for memory, sets up the stack, then the variables, and calls the first function.
///
/// The kernel starts a process without a stack, and with no memory before the break is moved. If
/// the kernel refuses the break, the process ends with the code 9: its header asked for too little
/// memory.
#[unsafe(no_mangle)]
#[unsafe(naked)]
#[unsafe(link_section = ".quintet_process.start")]
unsafe extern "C" fn __quintet_process_start() {
    naked_asm!(
        "li a0, 0",                         // the break: behind all variables
        "la a1, __quintet_process_bss_end", // a1 = the new break
        "li a4, 5",                         // class 5, memory
        "ecall",
        "li t0, 128",                         // 128 is success
        "bne a0, t0, 9f",                     // the kernel has refused it
        "la sp, __quintet_process_stack_top", // the stack is in use
        "mv a1, sp",                          // for debuggers: where the stack begins
        "li a0, 10",                          // the operation: the stack's beginning
        "ecall",                              // a4 is as it was
        "la a1, __quintet_process_bss_end",   // and the heap
        "li a0, 11",                          // the operation: the heap's beginning
        "ecall",
        "la a0, __quintet_process_data", // variables with initial values
        "la a1, __quintet_process_data_end", // a1 = where they end
        "la a2, __quintet_process_data_source", // a2 = their values, in flash
        "2:",
        "bgeu a0, a1, 3f", // all are copied
        "lw a3, 0(a2)",    // the next value
        "sw a3, 0(a0)",    // and its variable
        "addi a0, a0, 4",
        "addi a2, a2, 4",
        "j 2b", // and once more
        "3:",
        "la a0, __quintet_process_bss",     // and without
        "la a1, __quintet_process_bss_end", // a1 = where they end
        "4:",
        "bgeu a0, a1, 5f", // all are cleared
        "sw zero, 0(a0)",  // the next one
        "addi a0, a0, 4",
        "j 4b", // and once more
        "5:",
        "call __quintet_process_main", // the application, which doesn't return
        "9:",
        "li a0, 0", // exit: for good, with the number of NoMemory
        "li a1, 9", // a1 = the code
        "li a4, 6", // class 6, exit
        "ecall",
        "unimp", // never executed
    )
}
