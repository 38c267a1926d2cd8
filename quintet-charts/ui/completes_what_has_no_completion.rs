//! Refused: a superstate whose completion says nothing.
#[state_machine(initial = State::idle())]
impl Door {
    #[superstate]
    fn works(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    #[state(completes = works)]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
