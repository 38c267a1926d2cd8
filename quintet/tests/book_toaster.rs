//! The state machine of the book, on the host.

#[path = "../../quintet-lab/tests/charts/toaster.rs"]
mod toaster;

use toaster::{Event, Heater, State, Toaster, Within};

#[test]
fn the_oven_does_what_its_picture_says() {
    // begin: told
    let (mut oven, mut heater) = (Toaster::new().machine(), Heater::default());
    let mut tell = |event: Event, state: State, power: u8| {
        assert!(oven.dispatch(&event, &mut heater).is_ok());
        assert_eq!((oven.state(), heater.power), (&state, power));
        assert_eq!(oven.is_in(Within::Heating), power > 0);
    };
    tell(Event::Close, State::Off, 0);
    tell(Event::Bake { level: 4 }, State::Baking, 4);
    tell(Event::Open, State::DoorOpen, 0);
    tell(Event::Close, State::Baking, 4);
    // end: told
    tell(Event::Toast, State::Toasting, 10);
    tell(Event::Open, State::DoorOpen, 0);
    // An open door puts it off until the oven heats again, which it leaves at once.
    tell(Event::Off, State::DoorOpen, 0);
    tell(Event::Close, State::Cooling { left: 3 }, 0);
    tell(Event::Tick, State::Cooling { left: 2 }, 0);
    tell(Event::Tick, State::Cooling { left: 1 }, 0);
    tell(Event::Tick, State::Off, 0);
}
