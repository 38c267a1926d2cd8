//! The exception that reports an overflow of a stack: which macro defines it, with the feature
//! `guard-main-stack` or without.

/// In an application without threads: there is such an exception for main's stack alone.
#[cfg(not(main_guard))]
#[doc(hidden)]
#[macro_export]
macro_rules! __main_guard {
    () => {};
}

/// In an application without threads: there is such an exception for main's stack alone.
#[cfg(main_guard)]
#[doc(hidden)]
#[macro_export]
macro_rules! __main_guard {
    () => {
        $crate::__stack_fault!();
    };
}

/// The exception of a guard, and of what processes access.
#[cfg(all(stack_guard, processes, not(any(main_guard, plain_switch))))]
#[doc(hidden)]
#[macro_export]
macro_rules! __stack_fault {
    () => {
        $crate::__process_fault!(MemoryManagement, $crate::export::threads::memory_fault);
    };
}

/// The exception of a limit, and of what processes execute.
#[cfg(all(stack_limit, processes, not(main_guard)))]
#[doc(hidden)]
#[macro_export]
macro_rules! __stack_fault {
    () => {
        $crate::__process_fault!(UsageFault, $crate::export::threads::usage_fault);
    };
}

/// None: the trap looks whether a guard was hit.
#[cfg(all(stack_guard, plain_switch))]
#[doc(hidden)]
#[macro_export]
macro_rules! __stack_fault {
    () => {};
}

/// The exception of a guard.
#[cfg(all(stack_guard, not(any(processes, main_guard, plain_switch))))]
#[doc(hidden)]
#[macro_export]
macro_rules! __stack_fault {
    () => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        extern "C" fn MemoryManagement() -> ! {
            // SAFETY: the unit guards nothing before a thread runs.
            unsafe { $crate::export::threads::memory_fault() }
        }
    };
}

/// The exception of a limit.
#[cfg(all(stack_limit, not(processes), not(main_guard)))]
#[doc(hidden)]
#[macro_export]
macro_rules! __stack_fault {
    () => {
        #[doc(hidden)]
        #[unsafe(no_mangle)]
        extern "C" fn UsageFault() -> ! {
            // SAFETY: the exception is enabled when the first thread starts.
            unsafe { $crate::export::threads::usage_fault() }
        }
    };
}

/// The exception of a guard, on a stack that may be full, and of what processes access.
#[cfg(all(stack_guard, processes, main_guard))]
#[doc(hidden)]
#[macro_export]
macro_rules! __stack_fault {
    () => {
        $crate::__process_fault!(MemoryManagement, __quintet_stack_fault);
        $crate::__fault_on_full_stack!(__quintet_stack_fault, $crate::export::fault_on_main_stack);
    };
}

/// The exception of a limit, on a stack that may be full, and of what processes execute.
#[cfg(all(stack_limit, processes, main_guard))]
#[doc(hidden)]
#[macro_export]
macro_rules! __stack_fault {
    () => {
        $crate::__process_fault!(UsageFault, __quintet_stack_fault);
        $crate::__fault_on_full_stack!(__quintet_stack_fault, $crate::export::fault_on_main_stack);
    };
}

/// The exception of a guard, on a stack that may be full.
#[cfg(all(stack_guard, not(processes), main_guard))]
#[doc(hidden)]
#[macro_export]
macro_rules! __stack_fault {
    () => {
        $crate::__fault_on_full_stack!(MemoryManagement, $crate::export::fault_on_main_stack);
    };
}

/// The exception of a limit, on a stack that may be full.
#[cfg(all(stack_limit, not(processes), main_guard))]
#[doc(hidden)]
#[macro_export]
macro_rules! __stack_fault {
    () => {
        $crate::__fault_on_full_stack!(UsageFault, $crate::export::fault_on_main_stack);
    };
}
