//! One trait for the machines of all forms: with and without a context, `async` or not.

use super::finish::finish;
use crate::chart::{
    Chart, DispatchPlain, DispatchWaits, Machine, Plain, Takes, Waits, WaitsWith, With,
    WithoutContext,
};

/// A machine that a [`Test`](super::Test) can drive, with a context of the type `C`. All machines
/// of the macro implement the trait, if `C` fits.
#[diagnostic::on_unimplemented(
    message = "a test of `{Self}` can't lend it a context of the type `{C}`",
    label = "its handlers take another `context`",
    note = "without a parameter `context`, the test is `Test::new(machine)`; with `context: &mut \
            C` or `context: &C` it is `Test::with(machine, value)` with a value of the type `C`"
)]
pub trait Driven<C, F>: Chart {
    /// The argument of `send`: `&Event`, or `Event`.
    type Event<'a>
    where
        Self: 'a;
    #[doc(hidden)]
    fn drive_start(machine: &mut Machine<Self, F>, context: &mut C);
    #[doc(hidden)]
    fn drive_dispatch(machine: &mut Machine<Self, F>, event: Self::Event<'_>, context: &mut C);
    #[doc(hidden)]
    fn drive_stop(machine: &mut Machine<Self, F>, context: &mut C);
}

/// A value that a test can lend as `T`.
#[doc(hidden)]
pub trait Lends<'a, T> {
    fn lend(&'a mut self) -> T;
}

impl<'a, C> Lends<'a, &'a mut C> for C {
    fn lend(&'a mut self) -> &'a mut C {
        self
    }
}

impl<'a, C> Lends<'a, &'a C> for C {
    fn lend(&'a mut self) -> &'a C {
        self
    }
}

impl<M> Driven<(), Plain> for M
where
    M: Chart<Form = Plain> + DispatchPlain + WithoutContext,
{
    type Event<'a>
        = <M as Takes>::Event<'a>
    where
        M: 'a;

    fn drive_start(machine: &mut Machine<M>, _context: &mut ()) {
        machine.start();
    }

    fn drive_dispatch(machine: &mut Machine<M>, event: Self::Event<'_>, _context: &mut ()) {
        machine.dispatch(event);
    }

    fn drive_stop(machine: &mut Machine<M>, _context: &mut ()) {
        machine.stop();
    }
}

impl<M, C> Driven<C, With> for M
where
    M: Chart<Form = With> + DispatchPlain,
    C: for<'a> Lends<'a, <M as Takes>::Context<'a, 'static>>,
{
    type Event<'a>
        = <M as Takes>::Event<'a>
    where
        M: 'a;

    fn drive_start(machine: &mut Machine<M, With>, context: &mut C) {
        machine.start(context.lend());
    }

    fn drive_dispatch(machine: &mut Machine<M, With>, event: Self::Event<'_>, context: &mut C) {
        machine.dispatch(event, context.lend());
    }

    fn drive_stop(machine: &mut Machine<M, With>, context: &mut C) {
        machine.stop(context.lend());
    }
}

impl<M> Driven<(), Waits> for M
where
    M: Chart<Form = Waits> + DispatchWaits + WithoutContext,
{
    type Event<'a>
        = <M as Takes>::Event<'a>
    where
        M: 'a;

    fn drive_start(machine: &mut Machine<M, Waits>, _context: &mut ()) {
        finish(machine.start());
    }

    fn drive_dispatch(machine: &mut Machine<M, Waits>, event: Self::Event<'_>, _context: &mut ()) {
        finish(machine.dispatch(event));
    }

    fn drive_stop(machine: &mut Machine<M, Waits>, _context: &mut ()) {
        finish(machine.stop());
    }
}

impl<M, C> Driven<C, WaitsWith> for M
where
    M: Chart<Form = WaitsWith> + DispatchWaits,
    C: for<'a> Lends<'a, <M as Takes>::Context<'a, 'static>>,
{
    type Event<'a>
        = <M as Takes>::Event<'a>
    where
        M: 'a;

    fn drive_start(machine: &mut Machine<M, WaitsWith>, context: &mut C) {
        finish(machine.start(context.lend()));
    }

    fn drive_dispatch(
        machine: &mut Machine<M, WaitsWith>,
        event: Self::Event<'_>,
        context: &mut C,
    ) {
        finish(machine.dispatch(event, context.lend()));
    }

    fn drive_stop(machine: &mut Machine<M, WaitsWith>, context: &mut C) {
        finish(machine.stop(context.lend()));
    }
}
