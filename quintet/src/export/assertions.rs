//! Assertions about types and chips, which the expansion evaluates at compile time.

/// Compiles if the chip has a priority of the hardware, of which `highest` is the highest. `line`
/// is that one as a priority of the application, and stands between the two parts of the message.
#[track_caller]
pub const fn assert_priority(hardware: u8, highest: u16, line: u16, message: [&str; 2]) {
    if hardware as u16 > highest {
        let (mut text, mut length) = ([0; MESSAGE_MAX], 0);
        append(&mut text, &mut length, message[0].as_bytes());
        let digits = [line / 100 % 10, line / 10 % 10, line % 10];
        let first = if line > 99 { 0 } else { 2 - (line > 9) as usize };
        let mut index = first;
        while index < digits.len() {
            append(&mut text, &mut length, &[b'0' + digits[index] as u8]);
            index += 1;
        }
        append(&mut text, &mut length, message[1].as_bytes());
        match ::core::str::from_utf8(text.split_at(length).0) {
            Ok(text) => panic!("{}", text),
            // It was cut within a character.
            Err(_) => panic!("the chip has fewer priorities"),
        }
    }
}

/// How long a message can be, in bytes; what is behind is cut off.
const MESSAGE_MAX: usize = 1024;

/// Appends to a message of the compiler's.
const fn append(text: &mut [u8; MESSAGE_MAX], length: &mut usize, part: &[u8]) {
    let mut index = 0;
    while index < part.len() && *length < MESSAGE_MAX {
        text[*length] = part[index];
        *length += 1;
        index += 1;
    }
}

/// Compiles if values of the type may go from one priority to another.
pub const fn assert_send<T: Send>() {}

/// Compiles if values of the type may be arguments of a task that is spawned from everywhere.
pub const fn assert_spawn_argument<T: SpawnArgument>() {}

/// A type whose values may go from one priority to another by a spawn: every type that is `Send`.
///
/// Not `Send` itself, so that the compiler's message has the way out.
#[diagnostic::on_unimplemented(
    message = "`{Self}` isn't `Send`, but an argument of a spawn goes from one priority to another",
    label = "not `Send`: hand over what is, or make it a `local_task` if only tasks of its \
             priority spawn it",
    note = "tasks of its priority spawn a `#[task(local_task, ..)]` by their contexts, as in \
            `cx.local_spawner.NAME(..)`, and its arguments may be of any type"
)]
pub trait SpawnArgument {}

#[diagnostic::do_not_recommend]
impl<T: Send> SpawnArgument for T {}

/// Compiles if references to a value of the type may be shared between priorities.
pub const fn assert_sync<T: Sync>() {}
