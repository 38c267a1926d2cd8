//! Refused: a condition of the machine below the attribute.
#[state_machine(initial = State::idle())]
#[cfg(feature = "door")]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
