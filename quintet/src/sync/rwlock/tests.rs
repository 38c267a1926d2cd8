//! The bounds of a lock that many read.

use super::{InUse, RwLock};

#[test]
fn as_many_may_read_as_can_be_counted_beside_a_writer() {
    let lock = RwLock::new(7);
    // The largest count stands for a writer.
    let guards: Vec<_> = std::iter::from_fn(|| lock.try_read().ok()).take(70_000).collect();
    assert_eq!(guards.len(), usize::from(u16::MAX) - 1);
    assert_eq!(format!("{lock:?}"), "RwLock(65534 readers)");
    assert_eq!(lock.try_read().err(), Some(InUse));
    assert_eq!(lock.try_write().err(), Some(InUse));
    drop(guards);
    let guard = lock.try_write().expect("none reads");
    assert_eq!(format!("{lock:?}"), "RwLock(<written>)");
    assert_eq!((lock.try_read().err(), lock.try_write().err()), (Some(InUse), Some(InUse)));
    drop(guard);
    assert_eq!(*lock.try_read().expect("none writes"), 7);
}
