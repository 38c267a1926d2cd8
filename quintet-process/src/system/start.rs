//! The first instructions of an application.

#![expect(unsafe_code, reason = "assembly, and symbols of the linker")]

use core::arch::naked_asm;

/// Asks for memory, sets up the stack, then the variables, and calls the first function.
///
/// The kernel starts a process with a stack of 32 bytes, and with the break behind the stack. If
/// the kernel refuses the break, the process ends with the code 9: its header asked for too little
/// memory.
#[unsafe(no_mangle)]
#[unsafe(naked)]
#[unsafe(link_section = ".quintet_process.start")]
unsafe extern "C" fn __quintet_process_start() {
    naked_asm!(
        "movs r0, #0", // the break: behind all variables
        "ldr r1, =__quintet_process_bss_end",
        "svc 5",
        "cmp r0, #128",
        "bne 9f",
        "ldr r0, =__quintet_process_stack_top",
        "mov sp, r0",
        "mov r1, r0", // for debuggers: where the stack begins
        "movs r0, #10",
        "svc 5",
        "ldr r1, =__quintet_process_bss_end", // and the heap
        "movs r0, #11",
        "svc 5",
        "ldr r0, =__quintet_process_data", // variables with initial values
        "ldr r1, =__quintet_process_data_end",
        "ldr r2, =__quintet_process_data_source",
        "2:",
        "cmp r0, r1",
        "bhs 3f",
        "ldr r3, [r2], #4",
        "str r3, [r0], #4",
        "b 2b",
        "3:",
        "ldr r0, =__quintet_process_bss", // and without
        "ldr r1, =__quintet_process_bss_end",
        "movs r2, #0",
        "4:",
        "cmp r0, r1",
        "bhs 5f",
        "str r2, [r0], #4",
        "b 4b",
        "5:",
        "bl __quintet_process_main",
        "9:",
        "movs r0, #0", // exit: for good, with the number of NoMemory
        "movs r1, #9",
        "svc 6",
        "udf #0",
        ".ltorg",
    )
}
