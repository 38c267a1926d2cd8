//! Refused: a state that names its superstate twice.
#[state_machine(initial = State::idle())]
impl Door {
    #[superstate(on_completion = next)]
    fn works(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    #[state(superstate = works, completes = works)]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    fn next(&mut self) -> Outcome<State> {
        Handled
    }
}
