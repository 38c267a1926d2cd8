//! A driver that a task serves, and inter-process communication.

mod by_task {
    // begin: served
    use quintet::process::{Request, Served};
    use quintet::sync::Channel;

    static REQUESTS: Channel<Request, 4> = Channel::new();

    /// Multiplies for up to 4 processes. Each has one upcall.
    static MULTIPLIER: Served<0x8000_0003, 4, 1> =
        Served::new(|request| REQUESTS.try_send(request).is_ok());

    /// An async task. A thread calls `REQUESTS.receive().block(&cx.thread)`. For an actor, write
    /// `Served::new(|request| app::multiplies::try_post(request).is_ok())`.
    async fn multiplies() {
        loop {
            let request = REQUESTS.receive().await;
            let [first, second] = request.arguments;
            // Without room for another upcall, the process doesn't get this one.
            let _no_room = request.answer(0, [first.wrapping_mul(second), 0, 0]);
        }
    }
    // end: served

    static _LISTED: quintet::process::Entry = quintet::process::Entry::of(&MULTIPLIER, 0);
}

mod request {
    // begin: request
    use quintet::process::Request;

    /// Sorts the bytes of the process's buffer 0 into its other buffer 0, and tells their number.
    fn sort(request: &Request) {
        let mut bytes = [0; 64];
        let count = request.read(0, 0, &mut bytes);
        bytes[..count].sort_unstable();
        // The process may have ended meanwhile: then this writes nothing.
        let written = request.write(0, 0, &bytes[..count]);
        let _no_room = request.answer(0, [written as u32, 0, 0]);
    }
    // end: request
}

mod ipc {
    // begin: ipc
    use quintet::process::ipc::Ipc;

    /// One of the `drivers` of `processes!`. The driver does the rest.
    static IPC: Ipc<4> = Ipc::new();
    // end: ipc

    static _LISTED: quintet::process::Entry = quintet::process::Entry::of(&IPC, 0);
}
