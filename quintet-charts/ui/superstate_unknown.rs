#[state_machine(initial = State::idle())]
impl Door {
    #[state(superstate = work)]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    #[superstate]
    fn works(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
