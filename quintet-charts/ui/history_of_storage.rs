#[state_machine(initial = State::idle())]
impl Door {
    #[state]
    fn idle(&mut self, event: &Event) -> Outcome<State> {
        History(State::works())
    }

    #[superstate(initial = State::open(1))]
    fn works(&mut self, event: &Event) -> Outcome<State> {
        Super
    }

    #[state(superstate = works)]
    fn open(left: &mut u8, event: &Event) -> Outcome<State> {
        Transition(State::idle())
    }
}
