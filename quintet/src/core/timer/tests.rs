//! The queue against a sorted reference: random schedules, and every small schedule.

use std::collections::BTreeMap;
use std::task::Waker;

use super::tidy::{Move, Pairing};
use super::{Cancel, Entry, Link, Look, Node, Order, Queue, ring};
use crate::core::lock::kernel;
use crate::core::record::WakeTarget;
use crate::core::wake::host::waker;
use crate::core::wake::slot_of;

mod schedules;

/// A queue with its nodes in separate places, and the reference.
struct Fixture {
    queue: *mut Queue,
    nodes: *mut [Node],
    /// The armed nodes and their deadlines.
    reference: BTreeMap<usize, u64>,
    /// The time for which the hardware is set.
    alarm: u64,
    /// Whether pairing comes next, or placing.
    pairs: bool,
    /// The step that was planned and has not been carried out.
    planned: Option<Move>,
}

/// The result of a look at the queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Looked {
    /// A node has fired.
    Fired,
    /// A node that is due was prepared.
    Prepared,
    /// There are loose trees.
    Loose,
    /// The alarm is exact.
    Settled,
}

/// The waker of a test's node.
fn job(target: WakeTarget) -> Waker {
    target.into_waker().expect("a job's")
}

/// The distance for a lowered alarm that the tests use as near.
const NEAR: u32 = 1 << 10;
/// The end of time: an alarm that is not limited.
const LATEST: u64 = u64::MAX;

impl Fixture {
    fn new(nodes: usize) -> Self {
        assert!(nodes <= 128, "the test process has wakers for 128 slots");
        let queue = Box::into_raw(Box::<Queue>::new_uninit()).cast::<Queue>();
        // SAFETY: the place is the queue's until the fixture is dropped.
        unsafe { queue.write(Queue::new(queue)) };
        let nodes = Box::into_raw((0..nodes).map(|_| Node::new(0)).collect());
        let reference = BTreeMap::new();
        let (alarm, pairs, planned) = (0, true, None);
        let mut fixture = Self { queue, nodes, reference, alarm, pairs, planned };
        assert_eq!(fixture.look(0, LATEST), Looked::Settled, "there is nothing to do");
        fixture
    }

    fn queue(&self) -> &'static Queue {
        // SAFETY: the queue lives until the fixture is dropped, as long as the tests use it.
        unsafe { &*self.queue }
    }

    fn node(&self, index: usize) -> &'static Node {
        // SAFETY: the same.
        unsafe { &(&*self.nodes)[index] }
    }

    /// Arms a node that is not armed, and lowers the alarm if necessary.
    fn arm(&mut self, index: usize, deadline: u64) {
        let node = self.node(index);
        // SAFETY: not armed, as the reference says; the nodes keep their places.
        let lowers = unsafe {
            node.set_deadline(deadline);
            node.prepare(WakeTarget::job(waker(index / 32, index as u32 % 32)));
            let order = kernel(|token| self.queue().arm_in_order(token, node, deadline));
            let late = order == Order::Late;
            order == Order::First
                || order != Order::Armed
                    && (kernel(|token| self.queue().arm(token, node, deadline, late)) || late)
        };
        assert!(self.reference.insert(index, deadline).is_none(), "the test arms it once");
        if lowers {
            let lowered = kernel(|token| self.queue().lower_alarm(token, deadline, NEAR));
            let at = deadline.max(self.alarm.saturating_sub(NEAR.into()));
            assert_eq!(lowered, (deadline < self.alarm).then_some(at as u32));
            self.alarm = self.alarm.min(deadline);
        }
    }

    /// Cancels a node, armed or not.
    fn cancel(&mut self, index: usize) {
        let cancel = || kernel(|token| self.queue().cancel(token, self.node(index)));
        let cancelled = match cancel() {
            Cancel::Parent => {
                kernel(|token| self.queue().free_below(token, self.node(index)));
                cancel()
            }
            other => other,
        };
        let armed = self.reference.contains_key(&index);
        assert_eq!(cancelled, if armed { Cancel::Done } else { Cancel::NotArmed });
        if self.reference.remove(&index).is_some() {
            // SAFETY: cancelled just now.
            let waker = job(unsafe { self.node(index).take_target() });
            assert_eq!(usize::from(slot_of(&waker).expect("a slot's").number), index);
        }
    }

    /// Looks at the nodes that are due at `now`; the alarm becomes no later than `latest`.
    fn look(&mut self, now: u64, latest: u64) -> Looked {
        self.planned = None;
        let look = kernel(|token| self.queue().look(token, now, latest));
        let next = if let Look::Next(next) = look { Some(next) } else { None };
        let looked = match look {
            Look::Fired(target) => {
                let slot = slot_of(&job(target)).expect("a slot's");
                let deadline = self.reference.remove(&usize::from(slot.number));
                let deadline = deadline.expect("a node fires once, and not after it was cancelled");
                assert!(deadline <= now, "fired early");
                Looked::Fired
            }
            Look::Parent => {
                kernel(|token| self.queue().free_below_first(token));
                Looked::Prepared
            }
            Look::Loose => Looked::Loose,
            Look::Next(_) => Looked::Settled,
        };
        if let Some(next) = next {
            self.alarm = next;
            let earliest = self.reference.values().min().copied().unwrap_or(u64::MAX);
            assert_eq!(next, earliest.min(latest), "the alarm is exact");
            assert!(next > now || earliest == u64::MAX, "what is due has fired");
            assert!(kernel(|token| self.queue().is_alarm(token, next)));
        }
        looked
    }

    /// Plans a step of tidying. Returns whether to go on.
    fn plan(&mut self) -> bool {
        self.planned = None;
        if self.pairs {
            match kernel(|token| self.queue().plan_pair(token)) {
                Pairing::Settled => return false,
                Pairing::Single => {}
                Pairing::Pair(planned) => self.planned = Some(planned),
            }
        } else {
            self.planned = kernel(|token| self.queue().plan_place(token));
        }
        self.pairs = !self.pairs;
        true
    }

    /// Carries the planned step out. Returns whether there is one.
    fn carry_out(&mut self) -> bool {
        let planned = self.planned.take();
        if let Some(planned) = planned {
            // SAFETY: planned last, and taken.
            kernel(|token| unsafe { self.queue().carry_out(token, planned) });
        }
        planned.is_some()
    }

    /// Runs a whole expiry, undisturbed. Returns the number of steps, without steps that found
    /// nothing.
    fn expire_all(&mut self, now: u64) -> usize {
        let mut steps = 0;
        loop {
            match self.look(now, LATEST) {
                Looked::Fired | Looked::Prepared => steps += 1,
                Looked::Loose => {
                    while self.plan() {
                        steps += usize::from(self.carry_out());
                    }
                }
                Looked::Settled => return steps,
            }
        }
    }

    /// Checks the structure: order, links, and that the nodes are those of the reference.
    fn validate(&self) {
        let state = self.queue().state.get();
        let mut found = BTreeMap::new();
        // SAFETY: one thread, no section open.
        unsafe {
            let mut earliest = 0;
            for root in Self::ring(&raw mut (*state).roots) {
                assert!((*root).deadline.0 >= earliest, "roots ascend");
                earliest = (*root).deadline.0;
                self.collect(root, 0, &mut found);
            }
            for tree in Self::ring(&raw mut (*state).loose) {
                self.collect(tree, 0, &mut found);
            }
            let recent = (*state).recent;
            assert!(recent.is_null() || found.contains_key(&self.index(recent)));
            let roots = Self::ring(&raw mut (*state).roots);
            assert!(recent.is_null() || !roots.contains(&recent), "it is below another");
            assert_eq!((*state).alarm.ticks(), self.alarm);
        }
        assert_eq!(found, self.reference);
        assert!(self.reference.values().all(|deadline| self.alarm <= *deadline));
    }

    unsafe fn collect(&self, entry: *mut Entry, parent: u64, found: &mut BTreeMap<usize, u64>) {
        // SAFETY: an armed node.
        unsafe {
            assert!((*entry).deadline.0 >= parent, "no earlier than its parent");
            assert!(found.insert(self.index(entry), (*entry).deadline.0).is_none(), "linked once");
            for child in Self::ring(&raw mut (*entry).children) {
                self.collect(child, (*entry).deadline.0, found);
            }
        }
    }

    /// The entries of a ring, whose links are checked.
    unsafe fn ring(owner: *mut Link) -> Vec<*mut Entry> {
        let mut entries = Vec::new();
        // SAFETY: a ring of valid links, or an owner without one.
        unsafe {
            if !(*owner).is_linked() {
                return entries;
            }
            assert_eq!(ring::is_alone(owner), (*owner).previous() == owner);
            let mut link = (*owner).next();
            while link != owner {
                assert_eq!((*(*link).next()).previous(), link);
                entries.push(link.cast());
                link = (*link).next();
            }
        }
        entries
    }

    fn index(&self, entry: *mut Entry) -> usize {
        let first = self.nodes.cast::<Node>().addr();
        (entry.addr() - first) / size_of::<Node>()
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // SAFETY: from the boxes in `new`; no reference to them is left.
        unsafe {
            drop(Box::from_raw(self.nodes));
            drop(Box::from_raw(self.queue));
        }
    }
}

/// A pseudo-random sequence (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}
