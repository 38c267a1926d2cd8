//! Refused: variable that an action lacks.
#[state_machine(initial = State::idle())]
impl Door {
    #[state(entry_action = begin)]
    fn idle(event: &Event) -> Outcome<State> {
        Transition(State::turning(3))
    }

    #[superstate(exit_action = end)]
    fn works(event: &Event) -> Outcome<State> {
        Transition(State::resting())
    }

    #[state(superstate = works)]
    fn turning(left: &mut u8, event: &Event) -> Outcome<State> {
        Super
    }

    #[state(superstate = works)]
    fn resting(event: &Event) -> Outcome<State> {
        Super
    }

    #[action]
    fn begin(left: &mut u8) {}

    #[action]
    fn end(left: &mut u8) {}
}
