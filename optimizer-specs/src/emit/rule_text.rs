//! Lays out a function of the rule language, which the syntax tree prints on one line.

use super::text::{LONGEST_LINE, Text};

/// A function, with what is too long for a line on several.
pub(super) fn write(function: &str, text: &mut Text) {
    let words: Vec<&str> = function.split(' ').collect();
    statement(&words, true, text);
}

/// The statements of a block. Each ends with a semicolon, or with a brace that nothing continues.
fn statements(words: &[&str], text: &mut Text) {
    let (mut first, mut depth) = (0, 0);
    for (place, word) in words.iter().enumerate() {
        depth += nesting(word);
        let next = words.get(place + 1);
        let ends = word.ends_with(';') || *word == "}" && next.is_some_and(|next| !CONTINUES.contains(next));
        if depth == 0 && ends || next.is_none() {
            statement(&words[first..=place], false, text);
            first = place + 1;
        }
    }
}

/// What may stand after the closing brace of an expression.
const CONTINUES: [&str; 15] = ["else", "+", "-", "*", "/", "%", "<", ">", "<=", ">=", "==", "!=", "&&", "||", "as"];

/// A statement: on one line if it fits and is not to be broken, else with each of its blocks on lines of their own.
fn statement(words: &[&str], breaks: bool, text: &mut Text) {
    let line = words.join(" ");
    if line.len() <= LONGEST_LINE && !breaks {
        return text.line(line);
    }
    let (mut first, mut depth, mut inside) = (0, 0, false);
    for (place, word) in words.iter().enumerate() {
        let outside = depth == 0;
        depth += nesting(word);
        if outside && depth == 1 {
            let head = words[first..=place].join(" ");
            if inside {
                text.turn(head)
            } else {
                text.open(head)
            }
            (first, inside) = (place + 1, true);
        } else if !outside && depth == 0 {
            statements(&words[first..place], text);
            first = place;
        }
    }
    let tail = words[first..].join(" ");
    if inside { text.close(tail) } else { text.line(tail) }
}

fn nesting(word: &str) -> i32 {
    i32::from(word.ends_with('{')) - i32::from(word.starts_with('}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(function: &str) -> String {
        let mut text = Text::default();
        write(function, &mut text);
        text.finish()
    }

    #[test]
    fn statements_stand_on_lines_of_their_own() {
        let function = "fn f(x: f32) -> f32 { let y = if x < 0.0 { -x } else { x }; if y > 1.0 { y } else { x } }";
        assert_eq!(
            laid_out(function),
            "fn f(x: f32) -> f32 {\n    let y = if x < 0.0 { -x } else { x };\n    if y > 1.0 { y } else { x }\n}\n"
        );
    }

    #[test]
    fn a_long_statement_is_broken_at_its_blocks() {
        let long = "a".repeat(100);
        let function = format!("fn f() {{ if c {{ x = 1.0; x = {long}; }} else {{ x = 2.0; }} *param = x; }}");
        let expected = format!(
            "fn f() {{\n    if c {{\n        x = 1.0;\n        x = {long};\n    }} else {{\n        x = 2.0;\n    }}\n    *param = x;\n}}\n"
        );
        assert_eq!(laid_out(&function), expected);
    }

    #[test]
    fn a_block_in_the_middle_of_a_formula_does_not_end_it() {
        let function =
            "fn f() { let t = rate * (if keep { u } else { 0.0 }) + 1.0; let y = if a { 1.0 } else { 2.0 } * t; }";
        assert_eq!(
            laid_out(function),
            "fn f() {\n    let t = rate * (if keep { u } else { 0.0 }) + 1.0;\n    let y = if a { 1.0 } else { 2.0 } * t;\n}\n"
        );
    }
}
