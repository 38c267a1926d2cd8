//! Refused: code in quotation marks that is too long to be read.
#[state_machine(initial = "State::open(((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((((1")]
impl Door {
    #[state]
    fn open(&mut self, event: &Event) -> Outcome<State> {
        Handled
    }
}
