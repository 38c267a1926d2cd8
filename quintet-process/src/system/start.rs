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
        "movs r0, #0",                            // the break: behind all variables
        "ldr r1, =__quintet_process_bss_end",     // r1 = the new break
        "svc 5",                                  // class 5, memory
        "cmp r0, #128",                           // 128 is success
        "bne 9f",                                 // the kernel has refused it
        "ldr r0, =__quintet_process_stack_top",   // r0 = the end of the stack
        "mov sp, r0",                             // the stack is in use
        "mov r1, r0",                             // for debuggers: where the stack begins
        "movs r0, #10",                           // the operation: the stack's beginning
        "svc 5",                                  // class 5, memory
        "ldr r1, =__quintet_process_bss_end",     // and the heap
        "movs r0, #11",                           // the operation: the heap's beginning
        "svc 5",                                  // class 5, memory
        "ldr r0, =__quintet_process_data",        // variables with initial values
        "ldr r1, =__quintet_process_data_end",    // r1 = where they end
        "ldr r2, =__quintet_process_data_source", // r2 = their values, in flash
        "2:",
        "cmp r0, r1",        // are all copied?
        "bhs 3f",            // yes
        "ldmia r2!, {{r3}}", // the next value
        "stmia r0!, {{r3}}", // and its variable
        "b 2b",              // and once more
        "3:",
        "ldr r0, =__quintet_process_bss",     // and without
        "ldr r1, =__quintet_process_bss_end", // r1 = where they end
        "movs r2, #0",                        // the value of all
        "4:",
        "cmp r0, r1",        // are all cleared?
        "bhs 5f",            // yes
        "stmia r0!, {{r2}}", // the next one
        "b 4b",              // and once more
        "5:",
        "bl __quintet_process_main", // the application, which doesn't return
        "9:",
        "movs r0, #0", // exit: for good, with the number of NoMemory
        "movs r1, #9", // r1 = the code
        "svc 6",       // class 6, exit
        "udf #0",      // never executed
        ".ltorg",
    )
}
