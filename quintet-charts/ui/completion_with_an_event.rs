//! Refused: a completion with an event.
#[state_machine(initial = State::idle())]
impl Door {
    #[state(on_completion = next)]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    fn next(&mut self, event: &Event) -> Outcome<State> {
        Handled
    }
}
