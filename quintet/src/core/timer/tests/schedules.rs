//! Schedules of arming, cancelling and steps of expiries, random ones and all small ones.

use super::{Fixture, LATEST, Random};

/// Random schedules: after every step the structure is a heap of exactly the armed nodes, and no
/// node fires early, twice, or after it was cancelled.
#[test]
fn random_schedules_agree_with_a_sorted_reference() {
    let (schedules, length) = if cfg!(miri) { (3_u64, 150) } else { (400, 2000) };
    for seed in 1..=schedules {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let nodes = 1 + random.below(if seed % 4 == 0 { 127 } else { 9 });
        let spread = 1 << random.below(20);
        let mut fixture = Fixture::new(nodes as usize);
        // A third of them goes across the lower word's wrap.
        let mut now: u64 = if seed % 3 == 0 { (1 << 32) - spread } else { 0 };
        for _ in 0..length {
            let node = random.below(nodes) as usize;
            match random.below(9) {
                0..=2 if !fixture.reference.contains_key(&node) => {
                    // Some lie in the past, some at the end of time.
                    let deadline = match random.below(20) {
                        0 => u64::MAX,
                        1 => now.saturating_sub(random.below(spread)),
                        _ => now + random.below(spread),
                    };
                    fixture.arm(node, deadline);
                }
                3 => fixture.cancel(node),
                4 => now += random.below(spread),
                5 => _ = fixture.look(now, now + 1 + random.below(spread)),
                6 => _ = fixture.look(now, LATEST),
                7 => _ = fixture.plan(),
                _ => _ = fixture.carry_out(),
            }
            fixture.validate();
        }
        fixture.expire_all(u64::MAX - 1);
        assert!(fixture.reference.values().all(|deadline| *deadline == u64::MAX), "others fired");
        fixture.expire_all(u64::MAX);
        assert!(fixture.reference.is_empty());
    }
}

/// Tries every schedule of five steps over three nodes with three deadlines. A step arms one of
/// three nodes for one of three times, cancels one, takes a step of an expiry at one of three
/// times, or takes one of the two halves of a step of tidying.
#[test]
fn all_small_schedules_agree_with_the_reference() {
    const KINDS: usize = 9 + 3 + 3 + 1 + 1;
    let length: u32 = if cfg!(miri) { 2 } else { 5 };
    for schedule in 0..KINDS.pow(length) {
        let mut fixture = Fixture::new(3);
        let mut rest = schedule;
        for _ in 0..length {
            let kind = rest % KINDS;
            rest /= KINDS;
            match kind {
                0..=8 if !fixture.reference.contains_key(&(kind / 3)) => {
                    fixture.arm(kind / 3, 10 * (1 + kind as u64 % 3));
                }
                0..=8 => {}
                9..=11 => fixture.cancel(kind - 9),
                12..=14 => _ = fixture.look(10 * (kind as u64 - 11), LATEST),
                15 => _ = fixture.plan(),
                _ => _ = fixture.carry_out(),
            }
            fixture.validate();
        }
        fixture.expire_all(30);
        assert!(fixture.reference.is_empty());
    }
}

/// Counts the steps of an expiry: almost none if deadlines come in order.
#[test]
fn equal_periods_cost_three_steps() {
    for nodes in [1, 8, 64] {
        let mut fixture = Fixture::new(nodes);
        for node in 0..nodes {
            fixture.arm(node, 1000 + node as u64);
        }
        for turn in 1..=if cfg!(miri) { 2 } else { 100 } {
            for node in 0..nodes {
                let now = 1000 * turn + node as u64;
                let steps = fixture.expire_all(now);
                assert!(steps <= 3, "{nodes} in order: {steps} steps");
                assert_eq!(fixture.reference.len(), nodes - 1, "one fires at each time");
                fixture.arm(node, now + 1000);
            }
        }
    }
}

/// Takes one step, if a short delay is armed among long ones, again and again.
#[test]
fn a_short_delay_among_long_ones_costs_one_step() {
    for nodes in [1, 8, 64] {
        let mut random = Random(77);
        let mut fixture = Fixture::new(nodes);
        for node in 1..nodes {
            fixture.arm(node, 1_000_000 + random.below(1_000_000));
        }
        for now in 1..100 {
            fixture.arm(0, now);
            assert_eq!(fixture.expire_all(now), 1);
        }
    }
}

/// Takes a logarithm of steps on average, if periods come at random.
#[test]
fn random_periods_cost_a_logarithm_of_steps() {
    for (nodes, bound) in [(1, 1.0), (8, 8.0), (64, 16.0)] {
        let mut random = Random(77);
        let mut fixture = Fixture::new(nodes);
        for node in 0..nodes {
            fixture.arm(node, random.below(1 << 30));
        }
        let (mut steps, rounds) = (0, if cfg!(miri) { 20 } else { 200 * nodes });
        for _ in 0..rounds {
            let now = *fixture.reference.values().min().expect("some are armed");
            steps += fixture.expire_all(now);
            for node in 0..nodes {
                if !fixture.reference.contains_key(&node) {
                    fixture.arm(node, now + random.below(1 << 30));
                }
            }
        }
        let average = steps as f64 / rounds as f64;
        println!("{nodes} at random: {average:.1} steps for each");
        assert!(average <= bound || cfg!(miri), "{nodes} at random: {average} steps for each");
    }
}
