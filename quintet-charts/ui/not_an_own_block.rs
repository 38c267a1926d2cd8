#[state_machine(initial = State::idle())]
impl Gate for Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
