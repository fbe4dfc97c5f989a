//! Suggestions for misspelt names.

/// The candidate that is closest to `name`, if any is close enough to be what was meant.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let limit = length.div_ceil(3);
    let starts = |candidate: &str| length >= 3 && candidate.starts_with(name);
    candidates
        .into_iter()
        .filter(|candidate| length > 1 && *candidate != name)
        .map(|candidate| (if starts(candidate) { 1 } else { distance(name, candidate) }, candidate))
        .filter(|(distance, _)| *distance <= limit)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// The only candidate that `name` is short for, such as `lr` for `learning_rate`.
pub(crate) fn spelt_out<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let mut long = candidates.into_iter().filter(|candidate| name.len() > 1 && abbreviates(name, candidate));
    long.next().filter(|_| long.next().is_none())
}

/// Whether the name is the candidate with letters left out, such as `lr` of `learning_rate`.
fn abbreviates(name: &str, candidate: &str) -> bool {
    let mut letters = candidate.chars();
    name.chars().next() == candidate.chars().next() && name.chars().all(|letter| letters.any(|other| other == letter))
}

/// A help line: the closest candidate, or else what there is.
pub(crate) fn did_you_mean<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>, otherwise: &str) -> String {
    match nearest(name, candidates) {
        Some(candidate) => format!("did you mean `{candidate}`?"),
        None => otherwise.to_owned(),
    }
}

/// How many letters have to be inserted, removed, replaced or swapped with their neighbour.
fn distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.to_lowercase().chars().collect();
    let to: Vec<char> = to.to_lowercase().chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let mut best = (above[j] + usize::from(a != b)).min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == to[j - 1] && from[i - 1] == *b {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut above, row);
    }
    above[to.len()]
}

#[cfg(test)]
mod tests {
    use super::{distance, nearest, spelt_out};

    #[test]
    fn distances() {
        assert_eq!(distance("beta1", "beta1"), 0);
        assert_eq!(distance("beta1", "beta2"), 1);
        assert_eq!(distance("grda", "grad"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("epsilon", "eps"), 4);
    }

    #[test]
    fn the_closest_is_suggested_and_nothing_far() {
        assert_eq!(nearest("momentm", ["m", "momentum", "dampening"]), Some("momentum"));
        assert_eq!(nearest("Plane", ["Plain"]), Some("Plain"));
        assert_eq!(nearest("eps", ["beta", "epsilon"]), Some("epsilon"));
        assert_eq!(nearest("mm", ["m", "v"]), Some("m"));
        assert_eq!(nearest("c", ["a", "b"]), None);
    }

    #[test]
    fn what_is_short_for_one_candidate_alone_is_spelt_out() {
        assert_eq!(spelt_out("lr", ["learning_rate", "beta1"]), Some("learning_rate"));
        assert_eq!(spelt_out("wd", ["learning_rate", "weight_decay"]), Some("weight_decay"));
        assert_eq!(spelt_out("be", ["beta1", "beta2"]), None);
        assert_eq!(spelt_out("x", ["xx"]), None);
        assert_eq!(nearest("beta", ["learning_rate"]), None);
    }
}
