//! Refused: variable before it is made.
#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(event: &Event) -> Outcome<State> {
        match event {
            Event::Go => Transition(State::works()),
            Event::Deep => Transition(State::turning(3)),
        }
    }

    #[superstate(initial = State::turning(9), entry_action = begin)]
    fn works(event: &Event) -> Outcome<State> {
        Transition(State::idle())
    }

    #[state(superstate = works)]
    fn turning(left: &mut u8, event: &Event) -> Outcome<State> {
        Super
    }

    #[action]
    fn begin(left: &mut u8) {}
}
