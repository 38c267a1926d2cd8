//! Refused: a state with the name of the function that the macro writes.
#[state_machine(initial = State::machine())]
impl Door {
    #[state]
    fn machine(&mut self, event: &Event) -> Outcome<State> {
        Handled
    }
}
