//! Refused: a state that is named as the macro names what it writes.
#[state_machine(initial = State::__first())]
impl Door {
    #[state]
    fn __first(&mut self, event: &Event) -> Outcome<State> {
        Handled
    }
}
