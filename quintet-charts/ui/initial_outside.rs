#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        Transition(State::works())
    }

    #[superstate(initial = State::idle())]
    fn works(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    #[state(superstate = works)]
    fn open(&mut self, event: &Event) -> Outcome<State> {
        Super
    }
}
