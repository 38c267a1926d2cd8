//! Refused: a state with two completions.
#[state_machine(initial = State::idle())]
impl Door {
    #[superstate(on_completion = next)]
    fn works(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    #[state(completes = works, on_completion = next)]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    fn next(&mut self) -> Outcome<State> {
        Handled
    }
}
