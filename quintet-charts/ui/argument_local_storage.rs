//! Refused: variables of a state as an argument.
#[state_machine(initial = State::idle(3))]
impl Door {
    #[state(local_storage("left: u8 = 3"))]
    fn idle(&mut self, left: &mut u8, event: &Event) -> Outcome<State> {
        Super
    }
}
