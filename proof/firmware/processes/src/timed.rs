//! Drivers and limits that need time.

mod alarms {
    // begin: alarm
    use quintet::process::alarm::Alarm;

    /// One of the `drivers` of `processes!`. The clock of the application does the rest.
    static ALARM: Alarm<4> = Alarm::new();
    // end: alarm

    static _LISTED: quintet::process::Entry = quintet::process::Entry::of(&ALARM, 0);
}

mod restarts {
    use quintet::process::System;

    // begin: restarts
    use quintet::process::{RestartLimit, Restarts};
    use quintet::time::Duration;

    /// 5 restarts in 10 s; 100 in a minute for the application `sensor`.
    static RESTARTS: Restarts<4> = Restarts::new(RestartLimit::new(5, Duration::from_secs(10)))
        .named(&[("sensor", RestartLimit::new(100, Duration::from_secs(60)))]);

    /// Call this before `PROCESSES.start`.
    fn limit(processes: &'static System) {
        processes.limit_restarts(&RESTARTS);
    }
    // end: restarts
}

mod restart_limit {
    // begin: restart_limit
    use quintet::process::RestartLimit;
    use quintet::time::Duration;

    /// 3 restarts in a second: after 2, 4 and 5 ms.
    const LIMIT: RestartLimit = RestartLimit::new(3, Duration::from_secs(1))
        .after(Duration::from_millis(2))
        .doubling_to(Duration::from_millis(5));
    // end: restart_limit
}

mod watchdog {
    use quintet::process::System;

    // begin: watchdog
    use quintet::process::watchdog::Watchdog;
    use quintet::time::Duration;

    /// A process may take the processor for 200 ms without a wait, and for half of 5 s.
    static WATCHDOG: Watchdog = Watchdog::new(Duration::from_millis(10))
        .longest(Duration::from_millis(200))
        .share(50, Duration::from_secs(5));

    /// Call this before `PROCESSES.start`: after that, `main` runs only while no process does.
    fn watch(processes: &'static System) {
        WATCHDOG.start(processes);
    }
    // end: watchdog
}
