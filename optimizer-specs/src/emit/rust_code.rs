//! Rust expressions under construction.
//!
//! Parentheses stand where Rust's precedence needs them and nowhere else, so that the grouping of the rule is the grouping
//! of the output.

/// How tightly an expression binds; an operand that binds less than its place asks for stands in parentheses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    /// `if`
    Lowest,
    Or,
    And,
    Comparison,
    BitOr,
    BitAnd,
    Sum,
    Product,
    Cast,
    Unary,
    Atom,
}

/// An expression.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    text: String,
    level: Level,
}

impl Code {
    /// A name, a path, a call: what binds tightest.
    pub fn atom(text: impl Into<String>) -> Self {
        Self { text: text.into(), level: Level::Atom }
    }

    /// A number, which may be negative.
    pub fn number(digits: String) -> Self {
        let level = if digits.starts_with('-') { Level::Unary } else { Level::Atom };
        Self { text: digits, level }
    }

    /// `-a`, `!a`, `*a`
    pub fn prefix(operator: &str, a: Self) -> Self {
        Self { text: format!("{operator}{}", a.at(Level::Unary)), level: Level::Unary }
    }

    /// `a + b` and its like; all but comparisons group to the left.
    pub fn infix(a: Self, operator: &str, b: Self) -> Self {
        let (left, level, right) = match operator {
            "||" => (Level::Or, Level::Or, Level::And),
            "&&" => (Level::And, Level::And, Level::Comparison),
            "|" => (Level::BitOr, Level::BitOr, Level::BitAnd),
            "&" => (Level::BitAnd, Level::BitAnd, Level::Sum),
            "+" | "-" => (Level::Sum, Level::Sum, Level::Product),
            "*" | "/" | "%" => (Level::Product, Level::Product, Level::Cast),
            // After a type `<` would begin its arguments.
            "<" if a.ends_in_type() => (Level::Atom, Level::Comparison, Level::Sum),
            _ => (Level::Sum, Level::Comparison, Level::Sum),
        };
        Self { text: format!("{} {operator} {}", a.at(left), b.at(right)), level }
    }

    /// `a.method(arguments)`
    pub fn method(self, method: &str, arguments: impl IntoIterator<Item = Self>) -> Self {
        Self::atom(format!("{}.{method}({})", self.at(Level::Atom), list(arguments)))
    }

    /// `path(arguments)`
    pub fn call(path: &str, arguments: impl IntoIterator<Item = Self>) -> Self {
        Self::atom(format!("{path}({})", list(arguments)))
    }

    /// `a as ty`
    pub fn cast(self, ty: &str) -> Self {
        Self { text: format!("{} as {ty}", self.at(Level::Unary)), level: Level::Cast }
    }

    /// `if condition { then } else { otherwise }`
    pub fn select(condition: Self, then: Self, otherwise: Self) -> Self {
        let text = format!("if {} {{ {} }} else {{ {} }}", condition.text, then.text, otherwise.text);
        Self { text, level: Level::Lowest }
    }

    /// The text, where nothing stands beside it.
    pub fn into_text(self) -> String {
        self.text
    }

    fn ends_in_type(&self) -> bool {
        !self.text.ends_with(')') && self.text.rsplit(' ').nth(1) == Some("as")
    }

    fn at(self, least: Level) -> String {
        if self.level < least { format!("({})", self.text) } else { self.text }
    }
}

fn list(arguments: impl IntoIterator<Item = Code>) -> String {
    arguments.into_iter().map(Code::into_text).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(name: &str) -> Code {
        Code::atom(name)
    }

    #[test]
    fn grouping_to_the_left_needs_no_parentheses() {
        let left = Code::infix(Code::infix(name("a"), "*", name("b")), "*", name("c"));
        assert_eq!(left.into_text(), "a * b * c");
        let right = Code::infix(name("a"), "*", Code::infix(name("b"), "*", name("c")));
        assert_eq!(right.into_text(), "a * (b * c)");
        let quotient = Code::infix(name("a"), "-", Code::infix(name("b"), "/", name("c")));
        assert_eq!(quotient.into_text(), "a - b / c");
        let difference = Code::infix(name("a"), "-", Code::infix(name("b"), "-", name("c")));
        assert_eq!(difference.into_text(), "a - (b - c)");
    }

    #[test]
    fn what_binds_less_stands_in_parentheses() {
        let sum = || Code::infix(name("a"), "+", name("b"));
        assert_eq!(Code::prefix("-", sum()).into_text(), "-(a + b)");
        assert_eq!(sum().method("sqrt", []).into_text(), "(a + b).sqrt()");
        assert_eq!(Code::number("-1.0".to_owned()).method("abs", []).into_text(), "(-1.0).abs()");
        assert_eq!(Code::infix(name("c"), "*", sum().cast("f32")).into_text(), "c * (a + b) as f32");
        assert_eq!(Code::infix(sum().cast("f32"), ">", name("c")).into_text(), "(a + b) as f32 > c");
        assert_eq!(Code::infix(sum().cast("f32"), "<", name("c")).into_text(), "((a + b) as f32) < c");
        let product = Code::infix(name("a"), "*", name("b").cast("f32"));
        assert_eq!(Code::infix(product, "<", name("c")).into_text(), "(a * b as f32) < c");
        let both = Code::infix(Code::infix(name("a"), "||", name("b")), "&&", name("c"));
        assert_eq!(both.into_text(), "(a || b) && c");
        let bits = |a, b| Code::infix(Code::infix(name(a), "<", name(b)), "&", name("c"));
        assert_eq!(Code::infix(bits("a", "b"), "|", bits("d", "e")).into_text(), "(a < b) & c | (d < e) & c");
        let choice = Code::select(name("c"), sum(), name("b"));
        assert_eq!(Code::infix(choice, "*", name("d")).into_text(), "(if c { a + b } else { b }) * d");
    }
}
