//! Refused: states whose type would be `Self`.
#[state_machine(initial = State::open(), state(name = "Self"))]
impl Door {
    #[state]
    fn open(&mut self, event: &Event) -> Outcome<State> {
        Handled
    }
}
