//! Refused: the name of the event as an argument.
#[state_machine(initial = State::idle(), event_identifier(input))]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
