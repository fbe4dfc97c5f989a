//! Which loops a program's text has.
//!
//! Guarantees: [`all_end`] is true only of a text whose loops are those of generated kernels, line by line, with the
//! counters and the limits that they are generated with. A text written by hand with other loops is not known to end.

/// Every line of a generated kernel that begins a loop, or gives a value to what one depends on.
const KNOWN: [&str; 9] = [
    "for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {",
    "for (var place = invocation; place < header.y; place += 256u) {",
    "for (var place = invocation; place < range.y; place += 256u) {",
    "for (var stride = 128u; stride > 0u; stride /= 2u) {",
    "for (var lane = 0u; lane < 4u; lane += 1u) {",
    "for (var bits = u32(abs(exponent)); bits != 0u; bits /= 2u) {",
    "let header = chunks[0];",
    "let chunk = chunks[chunk_index + 1u];",
    "let range = chunks[tensor_index + 1u];",
];

/// What loops count, and what they are limited by.
const COUNTED: [&str; 8] = ["quad", "place", "stride", "lane", "bits", "header", "chunk", "range"];

/// Whether every loop of this text ends, with tables that the planner made.
///
/// Three count down to 0 or up to 4. The others count by 256 up to a limit, and would go on for ever only if that were
/// within 1024 of 2³², where the counter wraps: a chunk has at most 8192 elements, and a table of 2³² − 1024 tensors or
/// chunks, at 32 bytes each, is more than a buffer can hold.
pub(super) fn all_end(wgsl: &str) -> bool {
    wgsl.lines().map(|line| line.split("//").next().unwrap_or_default().trim()).all(|line| {
        let begins = words(line).any(|word| ["for", "while", "loop"].contains(&word));
        let sets = COUNTED.iter().any(|name| sets(line, name));
        !(begins || sets) || KNOWN.contains(&line)
    })
}

/// The words of a line.
fn words(line: &str) -> impl Iterator<Item = &str> {
    line.split(|letter: char| !is_of_a_name(letter)).filter(|word| !word.is_empty())
}

fn is_of_a_name(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Whether a line gives `name` a value, or takes its address, by which another could.
fn sets(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        if before.ends_with(is_of_a_name) || before.ends_with('.') || after.starts_with(is_of_a_name) {
            return false;
        }
        let (before, after) = (before.trim_end(), after.trim_start());
        let assigned = ["=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "++", "--", ":"];
        let compared = after.starts_with("==");
        let addressed = before.ends_with('&') && !before.ends_with("&&");
        addressed || !compared && assigned.iter().any(|with| after.starts_with(with))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::programs::{Accumulate, Average, Distance, Guard};
    use crate::rule::Rule;
    use crate::rules::{Adagrad, Adam, AdamW, Lamb, Rmsprop, Sgd};

    const LOOP: &str = "let chunk = chunks[chunk_index + 1u]; // length, tensor, partial
        for (var quad = invocation; 4u * quad < chunk.x; quad += 256u) {
            let inside = lanes < vec4u(chunk.x - 4u * quad);
            // while quad == 0 loop
            if (quad == 0u && chunk.x <= 4u * quad) { continue; }
            params[starts.x + quad] = select(param, chunk_new, inside);
        }";

    #[test]
    fn generated_loops_end() {
        assert!(all_end(LOOP));
        assert!(all_end(""));
    }

    #[test]
    fn a_loop_that_was_changed_is_not_known_to_end() {
        let changes = [
            ("quad += 256u", "quad += 0u"),
            ("chunk.x; quad", "chunk.y; quad"),
            ("for (var quad = invocation; 4u * quad < chunk.x; quad += 256u)", "while (true)"),
            ("for (var quad = invocation; 4u * quad < chunk.x; quad += 256u)", "loop"),
            ("continue;", "quad = 0u;"),
            ("continue;", "quad -= 256u;"),
            ("continue;", "quad--;"),
            ("continue;", "back(&quad);"),
            ("continue;", "back(& quad);"),
            ("let chunk = chunks[chunk_index + 1u]", "let chunk = vec4u(0xffffffffu)"),
            ("let chunk = chunks[chunk_index + 1u]", "let chunk: vec4u = vec4u(0xffffffffu)"),
        ];
        for (from, to) in changes {
            let changed = LOOP.replace(from, to);
            assert_ne!(changed, LOOP, "{from}");
            assert!(!all_end(&changed), "{from} → {to}");
        }
    }

    fn check<R: Rule>() {
        for program in R::VARIANTS.iter().flat_map(|variant| variant.programs) {
            assert!(
                all_end(program.wgsl),
                "`{}` of {} keeps a check of loops that it needs not",
                program.name,
                R::NAME
            );
        }
    }

    #[test]
    fn the_loops_of_the_standard_rules_are_known_to_end() {
        check::<Sgd>();
        check::<Adam>();
        check::<AdamW>();
        check::<Rmsprop>();
        check::<Adagrad>();
        check::<Lamb>();
        check::<Accumulate>();
        check::<Average>();
        check::<Distance>();
        check::<Guard>();
    }
}
