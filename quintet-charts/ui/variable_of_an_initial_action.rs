//! Refused: variable of an initial action.
#[state_machine(initial = State::works(), initial_action = greet)]
impl Door {
    #[superstate(initial = State::turning(3), initial_action = begin)]
    fn works(event: &Event) -> Outcome<State> {
        Super
    }

    #[state(superstate = works)]
    fn turning(left: &mut u8, event: &Event) -> Outcome<State> {
        Super
    }

    #[action]
    fn greet(left: &mut u8) {}

    #[action]
    fn begin(left: &mut u8) {}
}
