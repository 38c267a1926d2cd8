//! Machines with parameters, and contexts that borrow: as a struct has them.

use quintet::chart::Test;

/// A context that borrows is lent for one dispatch, and then for the next ones.
mod borrowing_context {
    use quintet::chart::prelude::*;

    pub enum Event {
        Go,
        Stop,
    }

    pub struct Output<'a, 'b> {
        out: &'a mut Vec<&'static str>,
        count: &'b mut u32,
    }

    pub struct Motor;

    #[quintet::state_machine(initial = State::idle(), unhandled = Self::unknown)]
    impl Motor {
        #[state]
        fn idle(event: &Event, context: &mut Output<'_, '_>) -> Outcome<State> {
            match event {
                Event::Go => {
                    context.out.push("go");
                    Transition(State::runs(), |_, context| *context.count += 1)
                }
                Event::Stop => Super,
            }
        }

        #[state(entry_action = begin)]
        fn runs(event: &Event) -> Outcome<State> {
            match event {
                Event::Stop => Transition(State::idle()),
                Event::Go => Handled,
            }
        }

        #[action]
        fn begin(context: &mut Output<'_, '_>) {
            context.out.push("begin");
        }

        fn unknown(context: &mut Output<'_, '_>, _event: &Event) {
            context.out.push("unknown");
        }
    }

    #[test]
    fn it_is_lent_for_each_dispatch() {
        let (mut out, mut count, mut motor) = (Vec::new(), 0, Motor.machine());
        let mut context = Output { out: &mut out, count: &mut count };
        motor.start(&mut context);
        motor.dispatch(&Event::Stop, &mut context);
        motor.dispatch(&Event::Go, &mut context);
        assert!(motor.offer(&Event::Go, &mut context).is_none());
        *context.count += 10;
        motor.stop(&mut context);
        assert_eq!(out, ["unknown", "go", "begin"]);
        assert_eq!(count, 11);
    }
}

/// A machine that borrows, with a bound, a `where` clause and a lifetime that the block leaves out.
mod led {
    use quintet::chart::prelude::*;

    pub trait Pin {
        fn set(&mut self, high: bool);
    }

    impl Pin for Vec<bool> {
        fn set(&mut self, high: bool) {
            self.push(high);
        }
    }

    pub enum Event<'a> {
        Blink(&'a [u8]),
        Off,
    }

    pub struct Led<'a, P: Pin> {
        pub pin: &'a mut P,
    }

    #[quintet::state_machine(initial = State::off(), state(derive(Debug)))]
    impl<P: Pin> Led<'_, P>
    where
        P: core::fmt::Debug,
    {
        #[state(entry_action = dark)]
        fn off(&mut self, event: &Event<'_>) -> Outcome<State> {
            match event {
                Event::Blink(times) => {
                    let count = times.len();
                    Transition(State::blinks(count), move |this| {
                        for _ in 0..count {
                            this.pin.set(true);
                        }
                    })
                }
                Event::Off => Super,
            }
        }

        #[state]
        fn blinks(left: &mut usize, event: &Event<'_>) -> Outcome<State> {
            match event {
                Event::Off if *left > 1 => {
                    *left -= 1;
                    Handled
                }
                Event::Off => Transition(State::off()),
                Event::Blink(_) => Super,
            }
        }

        #[action]
        fn dark(&mut self) {
            self.pin.set(false);
        }
    }

    #[test]
    fn it_gives_its_pin_back() {
        let mut pin = Vec::new();
        {
            let mut led = Led { pin: &mut pin }.machine();
            let times = [1, 2];
            led.dispatch(&Event::Blink(&times));
            assert_eq!(format!("{:?}", led.state()), "Blinks { left: 2 }");
            led.dispatch(&Event::Off);
            led.dispatch(&Event::Off);
            assert!(led.is_in(Within::Off));
        }
        assert_eq!(pin, [false, true, true, false]);
    }
}

/// States have the parameters that their variables mention, and no others.
mod storage {
    use quintet::chart::prelude::*;

    pub enum Event<T> {
        Go(T),
        Stop,
        Back,
    }

    pub struct Store<T, F, const N: usize> {
        pub last: Option<[T; N]>,
        pub make: F,
    }

    #[quintet::state_machine(initial = State::inside(), deferred = 2)]
    impl<T: Copy + PartialEq, F: FnMut(T) -> T, const N: usize> Store<T, F, N> {
        #[superstate(initial = State::idle())]
        fn inside(&mut self, event: &Event<T>) -> Outcome<State<T, N>> {
            match event {
                Event::Go(value) => Transition(State::full([*value; N], *value)),
                Event::Stop | Event::Back => Super,
            }
        }

        #[state(superstate = inside)]
        fn idle(event: &Event<T>) -> Outcome<State<T, N>> {
            Super
        }

        #[state(exit_action = leave)]
        fn full(
            &mut self,
            values: &mut [T; N],
            first: &mut T,
            event: &Event<T>,
        ) -> Outcome<State<T, N>> {
            match event {
                Event::Go(value) if value == first => Handled,
                Event::Go(value) => {
                    let made = (self.make)(*value);
                    Transition(State::full([made; N], made), |this| this.last = None)
                }
                Event::Stop => Transition(State::idle()),
                Event::Back => History(State::inside()),
            }
        }

        #[action]
        fn leave(&mut self, values: &mut [T; N]) {
            self.last = Some(*values);
        }
    }

    impl<T: Clone> Clone for Event<T> {
        fn clone(&self) -> Self {
            match self {
                Self::Go(value) => Self::Go(value.clone()),
                Self::Stop => Self::Stop,
                Self::Back => Self::Back,
            }
        }
    }

    #[test]
    fn values_of_any_type_are_kept() {
        let mut store = Store::<_, _, 2> { last: None, make: |value: u8| value + 1 }.machine();
        store.dispatch(&Event::Go(3)).unwrap();
        store.dispatch(&Event::Go(7)).unwrap();
        assert!(matches!(store.state(), State::Full { values: [8, 8], first: 8 }));
        store.dispatch(&Event::Back).unwrap();
        assert!(store.is_in(Within::Idle) && store.last == Some([8, 8]));
        store.dispatch(&Event::Go(1)).unwrap();
        store.dispatch(&Event::Stop).unwrap();
        assert_eq!(store.last, Some([1, 1]));
    }
}

/// With `async` functions, a context that borrows, and events by value.
mod waiting {
    use quintet::chart::prelude::*;

    pub struct Message<'a>(pub &'a str);

    pub struct Printer<W> {
        pub written: W,
    }

    #[quintet::state_machine(initial = State::only())]
    impl<W: Extend<char>> Printer<W> {
        #[superstate]
        async fn all(&mut self, event: Message<'_>, context: &mut Vec<&mut u32>) -> Outcome<State> {
            self.written.extend(event.0.chars());
            for one in context.iter_mut() {
                **one += 1;
            }
            Handled
        }

        #[state(superstate = all)]
        async fn only(event: Message<'_>) -> Outcome<State> {
            if event.0.is_empty() { Transition(State::only()) } else { Super }
        }
    }

    #[test]
    fn it_writes_for_a_context_twice() {
        use std::pin::pin;
        use std::task::{Context, Poll, Waker};
        let (mut count, mut printer) = (0, Printer { written: String::new() }.machine());
        let mut context = vec![&mut count];
        for text in ["ab", "", "c"] {
            let text = text.to_owned();
            let mut future = pin!(printer.dispatch(Message(&text), &mut context));
            let polled = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert_eq!(polled, Poll::Ready(()));
        }
        assert_eq!((printer.written.as_str(), count), ("abc", 2));
    }
}

#[test]
fn a_test_drives_a_machine_that_borrows() {
    let mut pin = Vec::new();
    let mut test = Test::new(led::Led { pin: &mut pin }.machine());
    test.send(&led::Event::Blink(&[0]));
    test.send(&led::Event::Off);
    drop(test);
    assert_eq!(pin, [false, true, false]);
}
