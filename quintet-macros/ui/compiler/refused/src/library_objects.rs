//! Objects that could never be what they are for, in the statics of a program without an
//! application.

#![no_std]
#![no_main]

use panic_halt as _;
use quintet::sync::{Barrier, CeilingMutex, Channel, Mutex, Pool, Semaphore};
use quintet::thread::{Slice, Stack};
use quintet::time::Duration;

quintet::kernel!(hardware_priority = 0);

static NO_CEILING: CeilingMutex<()> = CeilingMutex::new(0, ());
static TOO_HIGH: CeilingMutex<(), quintet::sync::thread_mutex::Recursive> =
    CeilingMutex::recursive(32, ());
static OF_NOBODY: Mutex<()> = Mutex::for_priority(255, ());
static NEVER: Semaphore = Semaphore::with_limit(0, 0);
static TOO_MANY: Semaphore = Semaphore::with_limit(2, 1);
static FOR_NONE: Barrier = Barrier::new(0);
static NO_PLACE: Channel<u8, 0> = Channel::new();
static TOO_LONG: Channel<u8, 256> = Channel::new();
static NO_BLOCK: Pool<u8, 0> = Pool::new();
static TOO_LARGE: Pool<u8, 65_536> = Pool::new();
static TOO_SMALL: Stack<255> = Stack::new();
static OF_NO_THREAD: Slice = Slice::new(32, Duration::from_millis(1));
static NO_TIME: Slice = Slice::new(1, Duration::from_ticks(0));
