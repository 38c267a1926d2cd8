//! Refused: a function with the name of the one that the macro writes.
#[state_machine(initial = State::open())]
impl Door {
    #[state]
    fn open(&mut self, event: &Event) -> Outcome<State> {
        Handled
    }

    fn machine(&self) -> u8 {
        3
    }
}
