//! Threads that wait for ever: company for those that are measured.

/// Defines threads, each of a name and a priority, with stacks just large enough: so many as the
/// board has memory for.
#[macro_export]
macro_rules! others {
    ($($name:ident $priority:literal),*) => {
        static NEVER: quintet::sync::Semaphore = quintet::sync::Semaphore::new(0);

        $(
            static $name: quintet::thread::Thread = {
                static STACK: $crate::others::SmallStack = $crate::others::SmallStack::new();
                static ABOUT: quintet::export::threads::ThreadInfo =
                    quintet::export::threads::ThreadInfo {
                    name: stringify!($name),
                    stack: STACK.lowest(),
                    stack_size: size_of::<$crate::others::SmallStack>(),
                    resources: &[],
                    entry: Some(wait_for_ever),
                };
                // SAFETY: it is put into this static, and the stack is nobody else's.
                unsafe { quintet::thread::Thread::new(&raw const $name, $priority, &ABOUT) }
            };
        )*

        unsafe extern "C" fn wait_for_ever(_: *mut ()) {
            use quintet::sync::Operation;

            // SAFETY: a thread begins here.
            NEVER.take().block(&unsafe { quintet::thread::CurrentThread::new() });
        }
    };
}

/// The stack of a thread that does nothing but wait: below what the library makes.
#[repr(align(8))]
pub struct SmallStack(core::cell::UnsafeCell<[u32; WORDS]>);

/// A hart of RISC-V stores its registers by instructions, and more of them.
const WORDS: usize = if cfg!(target_arch = "riscv32") { 96 } else { 32 };

// SAFETY: it is its thread's.
unsafe impl Sync for SmallStack {}

impl SmallStack {
    /// A stack that was not used.
    #[expect(clippy::new_without_default, reason = "for statics only")]
    pub const fn new() -> Self {
        Self(core::cell::UnsafeCell::new([0; WORDS]))
    }

    /// Its lowest address.
    pub const fn lowest(&self) -> *mut u32 {
        self.0.get().cast()
    }
}
