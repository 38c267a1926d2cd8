//! The global allocator: a list of free blocks in the memory behind the variables. The allocator
//! asks the kernel for more memory when it needs more, and never gives memory back.
//!
//! An allocation takes a number of steps that grows with the number of free blocks.

#![expect(unsafe_code, reason = "an allocator")]

use core::alloc::{GlobalAlloc, Layout};
use core::cell::RefCell;

use linked_list_allocator::Heap;

use crate::memory;
use crate::system::OneThread;

/// The least number of bytes that the allocator asks the kernel for.
const STEP: usize = 256;
/// The bytes that the list needs beyond an allocation: a block before the allocation, and one
/// behind.
const MORE: usize = 32;

struct Growing(OneThread<RefCell<Heap>>);

#[cfg_attr(target_os = "none", global_allocator)]
#[cfg_attr(not(target_os = "none"), expect(dead_code, reason = "the computer has one"))]
static HEAP: Growing = Growing(OneThread::new(RefCell::new(Heap::empty())));

// SAFETY: the allocator of the list; INVARIANT(one-thread), and nothing is called in between.
unsafe impl GlobalAlloc for Growing {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let mut heap = self.0.get().borrow_mut();
        if let Ok(block) = heap.allocate_first_fit(layout) {
            return block.as_ptr();
        }
        if !grow(&mut heap, layout.size() + layout.align() + MORE) {
            return core::ptr::null_mut();
        }
        heap.allocate_first_fit(layout).map_or(core::ptr::null_mut(), core::ptr::NonNull::as_ptr)
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if let Some(block) = core::ptr::NonNull::new(block) {
            // SAFETY: it comes from here, by the word of the caller.
            unsafe { self.0.get().borrow_mut().deallocate(block, layout) };
        }
    }
}

/// Asks the kernel for more memory. Returns `true` if there is some.
fn grow(heap: &mut Heap, bytes: usize) -> bool {
    let bytes = bytes.next_multiple_of(STEP);
    let Ok(block) = memory::grow(bytes) else { return false };
    if heap.size() == 0 {
        // SAFETY: `memory::grow` returns new memory, the process's for ever.
        unsafe { heap.init(block, bytes) };
    } else if heap.top() == block {
        // SAFETY: the same; it lies directly behind.
        unsafe { heap.extend(bytes) };
    } else {
        // Somebody else has grown memory in between: there is a hole that isn't the heap's.
        return false;
    }
    true
}
