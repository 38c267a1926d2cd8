#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(self, event: &Event) -> Outcome<State> {
        Super
    }
}
