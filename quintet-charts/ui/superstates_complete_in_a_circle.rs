//! Refused: a completion of a superstate that leads back to its end.
#[state_machine(initial = State::idle())]
impl Door {
    #[superstate(on_completion = next)]
    fn works(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    #[state(completes = works)]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    fn next(&mut self) -> Outcome<State> {
        Transition(State::idle())
    }
}
