//! Processes that notify each other and share memory, as a number says that the test writes into
//! their flash: what they do, and what they must not.

use core::arch::asm;
use core::hint::black_box;
use core::ptr;

use crate::{
    allow_read_only, allow_read_write, command, exit, memory, print, print_late, subscribe,
    yield_wait,
};

mod borders;

/// The driver.
const IPC: u32 = 0x1_0000;
/// The errors that are expected.
const INVALID: u32 = 6;
const NO_SUPPORT: u32 = 10;
const NO_DEVICE: u32 = 11;

/// What is shared.
#[repr(C, align(64))]
struct Shared([u8; 64]);

static mut SHARED: Shared = Shared([0; 64]);

/// What the last upcalls have said, the last one last: who, how many bytes, where.
static mut HEARD: [[u32; 3]; 2] = [[u32::MAX; 3]; 2];

extern "C" fn hear(from: u32, size: u32, address: u32, _: u32) {
    // SAFETY: one thread, which is in a yield.
    unsafe { HEARD = [HEARD[1], [from, size, address]] };
}

/// The upcalls that were heard, the last one last.
fn heard() -> [[u32; 3]; 2] {
    // SAFETY: one thread.
    unsafe { (&raw const HEARD).read_volatile() }
}

/// Waits for an upcall; what it says.
fn listen() -> [u32; 3] {
    yield_wait();
    heard()[1]
}

fn find(name: &str) -> [u32; 4] {
    allow_read_only([IPC, 0, name.as_ptr() as u32, name.len() as u32]);
    command([IPC, 1, 0, 0])
}

/// Ends with the number of a line unless this is so.
#[track_caller]
fn expect(is_so: bool) {
    if !is_so {
        exit(core::panic::Location::caller().line());
    }
}

fn share(with: u32, address: u32, size: u32) {
    allow_read_write([IPC, with, address, size]);
}

fn notify_service(which: u32) -> [u32; 4] {
    command([IPC, 2, which, 0])
}

fn notify_client(which: u32) -> [u32; 4] {
    command([IPC, 3, which, 0])
}

/// Adds one to each byte.
fn add_one([_, size, address]: [u32; 3]) {
    for place in address..address + size {
        let place = place as usize as *mut u8;
        // SAFETY: what is shared, until it is not.
        unsafe { place.write_volatile(place.read_volatile().wrapping_add(1)) };
    }
}

/// Lets the others run for a while.
fn pause() {
    for _ in 0..200_000 {
        black_box(());
    }
}

/// The one that is found by its name.
pub fn service(what: u32) {
    let own = find("service");
    expect(own[0] == 129);
    if what == 7 {
        // A client is faster.
        (0..10).for_each(|_| pause());
    }
    subscribe([IPC, own[1], hear as *const () as u32, 0]);
    match what {
        // Adds one to what is shared, for ever.
        0 | 7 => loop {
            let notice = listen();
            add_one(notice);
            notify_client(notice[0]);
        },
        // Reads what was shared, for ever.
        1 => {
            let notice = listen();
            notify_client(notice[0]);
            print("reads\n");
            loop {
                // SAFETY: what is shared, until it is not.
                unsafe { (notice[2] as usize as *const u8).read_volatile() };
            }
        }
        // Ends.
        2 => exit(0),
        // Doesn't listen.
        3 => loop {
            black_box(());
        },
        // Works for two at the same time.
        4 => {
            listen();
            listen();
            for _ in 0..50 {
                heard().into_iter().for_each(add_one);
            }
            for [from, ..] in heard() {
                notify_client(from);
            }
            print("worked for two\n");
        }
        // Takes what one has shared as its stack, which is memory, but not its own.
        5 => {
            let [from, size, address] = listen();
            notify_client(from);
            // SAFETY: none: no call must be served there.
            unsafe {
                asm!("mov sp, {}", "movs r0, #1", "svc 0", "udf #0", in(reg) address + size,
                    options(noreturn))
            };
        }
        // Lends what is shared to a driver.
        6 => {
            let [from, size, address] = listen();
            expect(size == 64);
            expect(allow_read_write([1, 1, address, size]) == [2, INVALID, address, size]);
            expect(allow_read_only([1, 1, address, size]) == [2, INVALID, address, size]);
            notify_client(from);
        }
        // Notifies one that doesn't use any of this, for ever.
        8 => loop {
            command([IPC, 2, find("client")[1], 0]);
        },
        9 => serve_by_turns(),
        _ => borders::cross(what - borders::FIRST, [listen(), listen()]),
    }
}

/// Hears of two clients that never cease and of an alarm, and is slow with each.
fn serve_by_turns() {
    static mut ALARMS: u32 = 0;
    extern "C" fn due(_: u32, _: u32, _: u32, _: u32) {
        // SAFETY: one thread, which is in a yield.
        unsafe { ALARMS += 1 };
        command([0, 5, 1000, 0]);
    }
    subscribe([0, 0, due as *const () as u32, 0]);
    command([0, 5, 1000, 0]);
    let mut counts = [0; 4];
    for _ in 0..12 {
        // SAFETY: one thread.
        let before = unsafe { (&raw const ALARMS).read_volatile() };
        yield_wait();
        // SAFETY: the same.
        if unsafe { (&raw const ALARMS).read_volatile() } != before {
            counts[0] += 1;
        } else {
            counts[heard()[1][0] as usize] += 1;
        }
        (0..50_000).for_each(|_| black_box(()));
    }
    // An alarm comes behind each notice.
    expect(counts[0] >= 4 && counts[1] >= 2 && counts[2] >= 2);
    print("by turns\n");
}

/// Has work of its own, and never looks at notices: it hears of each of its lines.
fn never_shares() {
    for _ in 0..3 {
        print_late("unharmed\n", pause);
    }
    exit(0);
}

/// Finds the service, which may not have begun.
fn service_and_self(own_name: &str) -> (u32, u32) {
    let (service, own) = (find("service"), find(own_name));
    expect(service[0] == 129 && own[0] == 129);
    pause();
    subscribe([IPC, service[1], hear as *const () as u32, 0]);
    (service[1], own[1])
}

fn shared() -> u32 {
    (&raw const SHARED) as u32
}

/// Whether all bytes that are shared are this.
fn all_are(wanted: u8) -> bool {
    let first = (&raw const SHARED).cast::<u8>();
    // SAFETY: its own memory.
    (0..64).all(|index| unsafe { first.add(index).read_volatile() } == wanted)
}

/// One that uses the service.
pub fn client(what: u32, name: &str) {
    match what {
        10 => return never_shares(),
        11 => return borders::lend_last(),
        12 => return borders::lend_first(),
        _ => (),
    }
    let (service, own) = service_and_self(name);
    match what {
        0 => share_and_take_back(service),
        // Takes it back while the service reads.
        1 => {
            share(service, shared(), 64);
            notify_service(service);
            listen();
            pause();
            print("takes it back\n");
            share(service, 0, 0);
            pause();
        }
        // Ends while the service reads.
        2 => {
            share(service, shared(), 64);
            notify_service(service);
            listen();
            pause();
            print("ends\n");
        }
        // Notifies one that has ended.
        3 => expect(notify_service(service) == [0, NO_DEVICE, service, 0]),
        // Notifies one that doesn't listen.
        4 => {
            for _ in 0..100 {
                expect(notify_service(service)[0] == 128);
            }
            print("as often as it likes\n");
        }
        5 => refused(service, own),
        // Shares its stack, the frames of its calls among it.
        6 => {
            let begin = memory([2, 0, 0, 0])[1];
            share(service, begin + 512, 512);
            notify_service(service);
            listen();
            print("not stopped\n");
        }
        // Has a part done by a service that works for others as well.
        7 => {
            share(service, shared(), 64);
            notify_service(service);
            listen();
            expect(all_are(50));
            print("both were worked for\n");
        }
        // Shares, and hears of it.
        8 => {
            share(service, shared(), 64);
            notify_service(service);
            listen();
        }
        9 => use_the_end(),
        // Notifies one that has other work too, for ever.
        13 => loop {
            notify_service(service);
        },
        _ => exit(77),
    }
    exit(0);
}

/// Shares, and takes it back.
fn share_and_take_back(service: u32) {
    share(service, shared(), 64);
    for round in 1..=3 {
        expect(notify_service(service)[0] == 128);
        expect(listen() == [service, 0, 0]);
        expect(all_are(round));
    }
    share(service, 0, 0);
    expect(notify_service(service)[0] == 128);
    listen();
    expect(all_are(3));
    print("shared\n");
}

/// Uses the end of its memory, which its last region covers, while others take turns.
fn use_the_end() {
    let end = memory([3, 0, 0, 0])[1];
    expect(memory([0, end, 0, 0])[0] == 128);
    let last = (end - 4) as usize as *mut u32;
    for round in 0..3 {
        // SAFETY: its own memory.
        unsafe { last.write_volatile(round) };
        pause();
        // SAFETY: the same.
        expect(unsafe { last.read_volatile() } == round);
    }
}

/// What can't be.
fn refused(service: u32, own: u32) {
    for which in [own.max(service) + 1, 99, u32::MAX] {
        expect(notify_service(which) == [0, INVALID, which, 0]);
        expect(notify_client(which) == [0, INVALID, which, 0]);
    }
    expect(allow_read_write([IPC, 4, 0, 0]) == [2, NO_SUPPORT, 0, 0]);
    expect(subscribe([IPC, 4, 0, 5]) == [2, NO_SUPPORT, 0, 5]);
    expect(command([IPC, 4, 0, 0]) == [0, NO_SUPPORT, 0, 0]);
    expect(notify_service(own)[0] == 128);
    expect(notify_client(own)[0] == 128);
    for name in ["servic", "servicee", "Service", ""] {
        expect(find(name)[..2] == [0, NO_DEVICE]);
    }
    let first = shared();
    for (address, size) in [(first, 48), (first + 16, 32), (first, 16), (first + 1, 32)] {
        share(service, address, size);
        expect(notify_service(service) == [0, INVALID, service, 0]);
    }
    // Nothing was told of it.
    share(service, ptr::null::<u8>() as u32, 0);
    expect(notify_service(service)[0] == 128);
    expect(listen() == [service, 0, 0]);
    expect(all_are(0));
    print("all was refused\n");
}
