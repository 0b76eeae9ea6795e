//! Who is measured when: all ways of doing something one behind the other, prompt by prompt.

/// The order in which a prompt of this number is answered in all of these ways: another one is the first each time, and
/// none always follows the same, so that whatever else the machine does slows all of them alike.
#[must_use]
pub fn in_turn<T: Clone>(all: &[T], number: usize) -> Vec<T> {
    let count = all.len();
    let at = |step| if number.is_multiple_of(2) { number + step } else { number + count - step };
    (0..count).map(|step| all[at(step) % count].clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_the_first_in_its_turn_and_none_always_follows_the_same() {
        let orders = (0..4).map(|number| in_turn(&[0, 1, 2], number)).collect::<Vec<_>>();
        assert_eq!(orders, [[0, 1, 2], [1, 0, 2], [2, 0, 1], [0, 2, 1]]);
    }
}
