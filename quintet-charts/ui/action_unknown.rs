#[state_machine(initial = State::idle())]
impl Door {
    #[state(entry_action = begn)]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    #[action]
    fn begin(&mut self) {}
}
