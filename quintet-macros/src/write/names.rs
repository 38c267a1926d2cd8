//! The names of generated items. All begin with `__quintet_`, so that they collide with no name of
//! the user. Items that users name are re-exported in a module with the task's name.

use proc_macro2::Ident;
use quote::format_ident;
use syn::ext::IdentExt;

/// The static variable that holds a shared resource.
pub fn shared(resource: &Ident) -> Ident {
    format_ident!("__quintet_shared_{}", resource.unraw())
}

/// The static variable that holds a local resource.
pub fn local(resource: &Ident) -> Ident {
    format_ident!("__quintet_local_{}", resource.unraw())
}

/// The proxy of a shared resource, in the module `shared_resources`. This is RTIC's name for the
/// proxy.
pub fn proxy(resource: &Ident) -> Ident {
    format_ident!("{}_that_needs_to_be_locked", resource.unraw())
}

/// The type that users call `FUNCTION::Context`.
pub fn context(function: &Ident) -> Ident {
    format_ident!("__quintet_{}_Context", function.unraw())
}

/// The type that users call `FUNCTION::SharedResources`.
pub fn shared_resources(function: &Ident) -> Ident {
    format_ident!("__quintet_{}_SharedResources", function.unraw())
}

/// The type that users call `FUNCTION::LocalResources`.
pub fn local_resources(function: &Ident) -> Ident {
    format_ident!("__quintet_{}_LocalResources", function.unraw())
}

/// The function that users call `TASK::spawn`.
pub fn spawn(task: &Ident) -> Ident {
    format_ident!("__quintet_{}_spawn", task.unraw())
}

/// The function that users call `TASK::waker`.
pub fn waker(task: &Ident) -> Ident {
    format_ident!("__quintet_{}_waker", task.unraw())
}

/// The waker with which a software task is polled.
pub fn own_waker(task: &Ident) -> Ident {
    format_ident!("__quintet_{}_selfwaker", task.unraw())
}

/// Where the arguments of a software task's spawns wait.
pub fn queue(task: &Ident) -> Ident {
    format_ident!("__quintet_{}_queue", task.unraw())
}

/// The static that the handles of a `joinable` task ask.
pub fn control(task: &Ident) -> Ident {
    format_ident!("__quintet_{}_control", task.unraw())
}

/// The type that stands for a `joinable` task.
pub fn joinable(task: &Ident) -> Ident {
    format_ident!("__quintet_{}_Joinable", task.unraw())
}

/// The type that users call `TASK::Handle`.
pub fn handle(task: &Ident) -> Ident {
    format_ident!("__quintet_{}_Handle", task.unraw())
}

/// A function's name with the number of an instance, for items that each instance has.
pub fn numbered(function: &Ident, instance: usize) -> Ident {
    format_ident!("{}_instance_{instance}", function.unraw())
}

/// The statics and the first function of a thread.
pub struct Thread {
    /// The thread's control block.
    pub control: Ident,
    /// The thread's stack.
    pub stack: Ident,
    /// The data of the thread that are known at compile time.
    pub about: Ident,
    /// The thread's first function.
    pub entry: Ident,
}

/// The names of a user's thread.
pub fn thread(thread: &Ident) -> Thread {
    Thread {
        control: format_ident!("__quintet_{}_thread", thread.unraw()),
        stack: format_ident!("__quintet_{}_stack", thread.unraw()),
        about: format_ident!("__quintet_{}_about", thread.unraw()),
        entry: format_ident!("__quintet_{}_entry", thread.unraw()),
    }
}

/// The names of the thread that hosts the software tasks of a priority.
pub fn host(priority: u8) -> Thread {
    Thread {
        control: format_ident!("__quintet_host_{priority}"),
        stack: format_ident!("__quintet_host_stack_{priority}"),
        about: format_ident!("__quintet_host_about_{priority}"),
        entry: format_ident!("__quintet_host_entry_{priority}"),
    }
}

/// Where a thread's arguments wait.
pub fn arguments(thread: &Ident) -> Ident {
    format_ident!("__quintet_{}_arguments", thread.unraw())
}

/// The function that users call `THREAD::start`.
pub fn start(thread: &Ident) -> Ident {
    format_ident!("__quintet_{}_start", thread.unraw())
}

/// The function that users call `THREAD::handle`.
pub fn thread_handle(thread: &Ident) -> Ident {
    format_ident!("__quintet_{}_handle", thread.unraw())
}

/// The memory of an async task's future.
pub fn cell(task: &Ident) -> Ident {
    format_ident!("__quintet_{}_cell", task.unraw())
}

/// The function that the dispatcher calls for the software task of a slot.
pub fn job(priority: u8, slot: usize) -> Ident {
    format_ident!("__quintet_job_{priority}_{slot}")
}

/// The function that makes the future of an async task whose body is in another module.
pub fn maker(task: &Ident) -> Ident {
    format_ident!("__quintet_{}_future", task.unraw())
}

/// The ready slots of a level.
pub fn ready(priority: u8) -> Ident {
    format_ident!("__quintet_ready_{priority}")
}

/// The value of the interrupt that runs a level in the device's enumeration.
pub fn value(priority: u8) -> Ident {
    format_ident!("__quintet_value_{priority}")
}

/// The function that returns the number of the interrupt that runs a level.
pub fn number(priority: u8) -> Ident {
    format_ident!("__quintet_number_{priority}")
}

/// The function of a level's wakers that makes a slot ready.
pub fn wake(priority: u8) -> Ident {
    format_ident!("__quintet_wake_{priority}")
}

/// The same, if the interrupt's number is no constant.
pub fn wake_numbered(priority: u8) -> Ident {
    format_ident!("__quintet_wake_numbered_{priority}")
}

/// The function of a level's wakers that copies one.
pub fn clone(priority: u8) -> Ident {
    format_ident!("__quintet_clone_{priority}")
}

/// The spawner by which tasks of a level spawn its `local_task`s.
pub fn local_spawner(priority: u8) -> Ident {
    format_ident!("__quintet_LocalSpawner_{priority}")
}

/// The function that returns the descriptors of all levels.
pub fn levels() -> Ident {
    format_ident!("__quintet_levels")
}

/// The descriptors of all levels, where the numbers of interrupts are constants.
pub fn usual_levels() -> Ident {
    format_ident!("__quintet_usual_levels")
}

/// The descriptors of all levels, if the numbers of interrupts aren't constants.
pub fn numbered_levels() -> Ident {
    format_ident!("__quintet_numbered_levels")
}

/// The function that says which of the two arrays is in use.
pub fn numbers_agree() -> Ident {
    format_ident!("__quintet_numbers_agree")
}

/// The interrupts of the application with their priorities.
pub fn interrupts() -> Ident {
    format_ident!("__quintet_interrupts")
}
