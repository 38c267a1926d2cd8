#[state_machine()]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
