//! Refused: a superstate that no state completes.
#[state_machine(initial = State::idle())]
impl Door {
    #[superstate(on_completion = next)]
    fn works(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    #[state(superstate = works)]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    fn next(&mut self) -> Outcome<State> {
        Handled
    }
}
