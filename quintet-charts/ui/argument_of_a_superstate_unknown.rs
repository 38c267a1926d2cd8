#[state_machine(initial = State::idle())]
impl Door {
    #[state(superstate = works)]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    #[superstate(on_completion = next)]
    fn works(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
