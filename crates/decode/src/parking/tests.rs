use super::*;

/// A clock whose plain steps take 30 ms, and what was decided by it.
#[derive(Default)]
struct Trial {
    parking: Parking,
    drafted: usize,
    seconds: f64,
    tokens: usize,
    turns: Vec<(usize, Turn)>,
}

impl Trial {
    /// Rounds of `round(i)` tokens and seconds wherever drafts are made.
    fn of(rounds: usize, round: impl Fn(usize) -> (usize, f64)) -> Self {
        let mut trial = Self::default();
        for at in 0..rounds {
            let (tokens, seconds) = if trial.parking.drafts() { round(at) } else { (1, 0.030) };
            let turn = if trial.parking.drafts() {
                trial.drafted += 1;
                trial.parking.drafting_round(tokens, seconds)
            } else {
                trial.parking.plain_step(seconds)
            };
            trial.turns.extend(turn.map(|turn| (at, turn)));
            trial.seconds += seconds;
            trial.tokens += tokens;
        }
        trial
    }

    /// Against plain decoding of as many tokens.
    fn speed(&self) -> f64 {
        count(self.tokens) * 0.030 / self.seconds
    }
}

/// Repeats itself, but not soon, between 0 and 1.
fn noise(at: usize) -> f64 {
    f64::from(u32::try_from(at * 7919 % 101).unwrap_or(0)) / 100.0
}

#[test]
fn drafting_that_wins_goes_on_and_is_compared_now_and_then() {
    let run = Trial::of(1000, |_| (3, 0.045));
    assert_eq!(run.turns, []);
    assert_eq!(run.drafted, WARM + 32 + (1000 - WARM - ENOUGH - 32) * 32 / 33);
}

#[test]
fn a_slow_drafter_and_one_that_guesses_are_parked_within_32_rounds() {
    for (tokens, seconds) in [(1, 0.034), (1, 0.060), (2, 0.300), (4, 3.0)] {
        let run = Trial::of(32, |_| (tokens, seconds));
        assert!(run.parking.is_parked(), "{tokens} tokens in {seconds} s");
    }
}

#[test]
fn what_it_says_is_of_the_rounds_that_lost_and_not_of_those_that_won_before() {
    let run = Trial::of(600, |at| (if at < 400 { 3 } else { 1 }, 0.039));
    let Some((_, Turn::Parked { standing, .. })) = run.turns.first() else { unreachable!("never parked") };
    assert!(standing.tokens_per_round < 1.1 && standing.speed() < 0.8, "{standing:?}");
}

#[test]
fn it_says_why() {
    let run = Trial::of(32, |_| (1, 0.045));
    let standing = Standing { rounds: 8, tokens_per_round: 1.0, round_s: 0.045, plain_s: 0.030 };
    let [(17, Turn::Parked { standing: why, rest: 32 })] = run.turns[..] else { unreachable!("{:?}", run.turns) };
    assert_eq!((why.rounds, why.plain_s), (standing.rounds, standing.plain_s));
    assert!((why.round_s - standing.round_s).abs() < 1e-9);
}

/// How fast decoding is from turn number `from` on, with a drafter that guesses in vain for `seconds` a round.
fn speed_since(from: usize, rounds: usize, seconds: f64) -> f64 {
    let run = Trial::of(rounds, |_| (1, seconds));
    let Some((turn, _)) = run.turns.get(from) else { return 1.0 };
    let before = Trial::of(turn + 1, |_| (1, seconds));
    Trial { tokens: run.tokens - before.tokens, seconds: run.seconds - before.seconds, ..Trial::default() }.speed()
}

#[test]
fn what_probes_cost_once_parked_is_about_one_in_fifty_however_slow_the_drafter() {
    for seconds in [0.031, 0.034, 0.045, 0.060, 0.3, 1.0, 3.0, 30.0] {
        for rounds in [100, 1000, 100_000] {
            let (first, later) = (speed_since(0, rounds, seconds), speed_since(1, rounds, seconds));
            assert!(first > 0.85 && later > 0.975, "{seconds} s a round, {rounds} rounds: {first}, {later}");
        }
    }
}

#[test]
fn a_machine_that_is_busy_for_a_while_parks_nothing() {
    let mut parking = Parking::default();
    for round in 0..400 {
        let busy = if (100..160).contains(&round) { 5.0 } else { 1.0 };
        let turn =
            if parking.drafts() { parking.drafting_round(3, 0.045 * busy) } else { parking.plain_step(0.030 * busy) };
        assert_eq!(turn, None, "round {round}");
    }
}

#[test]
fn a_model_that_is_slow_until_it_is_warm_is_not_parked_for_that() {
    for cold in 1..=WARM {
        let run = Trial::of(400, |at| (3, if at < cold { 3.0 } else { 0.045 }));
        assert_eq!(run.turns, [], "{cold} slow rounds");
    }
}

#[test]
fn drafting_that_lost_while_it_began_is_tried_again_soon() {
    let run = Trial::of(1000, |at| if at < 20 { (2, 0.3) } else { (2, 0.030) });
    assert!(
        matches!(run.turns[..], [(_, Turn::Parked { rest: ..400, .. }), (_, Turn::Resumed { .. })]),
        "{:?}",
        run.turns
    );
}

#[test]
fn one_pause_of_the_machine_does_not_make_a_rest_endless() {
    let run = Trial::of(2000, |at| (1, if at == 11 { 60.0 } else { 0.040 }));
    assert!(matches!(run.turns[0], (_, Turn::Parked { rest: ..1000, .. })), "{:?}", run.turns);
}

#[test]
fn rests_double_with_each_probe_that_fails() {
    let run = Trial::of(2000, |_| (1, 0.031));
    let rests = run.turns.iter().map(|(_, turn)| match turn {
        Turn::Parked { rest, .. } => *rest,
        Turn::Resumed { .. } => 0,
    });
    assert_eq!(rests.collect::<Vec<_>>(), [32, 64, 128, 256, 512, 1024]);
}

#[test]
fn where_another_text_begins_a_quarter_of_the_rest_is_enough() {
    for (before, after) in [(0, 32), (7, 25), (8, 8), (23, 8), (31, 1)] {
        let mut parking = Trial::of(18, |_| (1, 0.045)).parking;
        assert!(parking.is_parked());
        for _ in 0..before {
            assert_eq!(parking.plain_step(0.030), None);
        }
        parking.begin_text();
        let steps = std::iter::repeat_with(|| parking.plain_step(0.030).is_none() && parking.is_parked()).take(32);
        assert_eq!(1 + steps.take_while(|&is_parked| is_parked).count(), after, "behind {before} of 32 steps");
    }
}

#[test]
fn a_drafter_that_has_become_better_is_found_out() {
    let run = Trial::of(400, |at| if at < 100 { (1, 0.040) } else { (3, 0.040) });
    assert!(matches!(run.turns[..], [.., (_, Turn::Parked { .. }), (_, Turn::Resumed { .. })]), "{:?}", run.turns);
    assert!(run.parking.drafts());
}

#[test]
fn a_passage_at_which_a_drafter_that_pays_fails_parks_nothing() {
    let run = Trial::of(1000, |at| (if at % 50 < 38 { 4 } else { 1 }, 0.060));
    assert_eq!(run.turns, []);
    assert!(run.speed() > 1.4);
}

#[test]
fn once_a_drafter_that_paid_fails_for_good_little_of_what_it_gained_is_lost() {
    let run = |rounds| Trial::of(rounds, |at| (if at < 100 { 4 } else { 1 }, 0.060));
    let gained = |run: &Trial| count(run.tokens) - run.seconds / 0.030;
    let (before, after) = (run(100), run(20_000));
    assert!(gained(&before) > 100.0 && gained(&after) > gained(&before) - 60.0);
}

#[test]
fn one_pause_of_the_machine_parks_nothing() {
    let run = Trial::of(400, |at| (2, if at % 50 == 20 { 2.0 } else { 0.040 }));
    assert_eq!(run.turns, []);
}

#[test]
fn rounds_of_uneven_worth_that_win_on_average_are_not_parked() {
    let run = Trial::of(3000, |at| (if noise(at) < 0.4 { 1 } else { 3 }, 0.050));
    assert_eq!(run.turns, []);
    assert!(run.speed() > 1.2);
}

#[test]
fn rounds_of_uneven_worth_that_lose_on_average_are_parked() {
    let run = Trial::of(2000, |at| (if noise(at) < 0.8 { 1 } else { 3 }, 0.050));
    assert!(run.drafted < 200 && run.speed() > 0.97, "{} drafted, {}", run.drafted, run.speed());
}
