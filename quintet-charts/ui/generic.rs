#[state_machine(initial = State::idle())]
impl<T> Door<T> {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
