//! Hyper-parameters as names and values, for what does not know the rule: checkpoints.

use core::fmt;

/// The value of a field. Its text gives it back to the bit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    /// `f32`
    Real(f32),
    /// `u32`
    Whole(u32),
    /// `bool`
    Flag(bool),
    /// `Option<f32>`
    OptionalReal(Option<f32>),
    /// `Option<u32>`
    OptionalWhole(Option<u32>),
    /// The name of an enum's variant.
    Choice(&'a str),
}

/// How an absent value is written.
const NONE: &str = "none";

impl<'a> Value<'a> {
    /// Reads a value of the same type as this one.
    pub fn parse_like<'b>(&self, text: &'b str) -> Option<Value<'b>> {
        match self {
            Value::Real(_) => text.parse().ok().map(Value::Real),
            Value::Whole(_) => text.parse().ok().map(Value::Whole),
            Value::Flag(_) => text.parse().ok().map(Value::Flag),
            Value::OptionalReal(_) if text == NONE => Some(Value::OptionalReal(None)),
            Value::OptionalReal(_) => text.parse().ok().map(|value| Value::OptionalReal(Some(value))),
            Value::OptionalWhole(_) if text == NONE => Some(Value::OptionalWhole(None)),
            Value::OptionalWhole(_) => text.parse().ok().map(|value| Value::OptionalWhole(Some(value))),
            Value::Choice(_) => Some(Value::Choice(text)),
        }
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // The shortest decimal that is this number and no other.
            Value::Real(value) | Value::OptionalReal(Some(value)) => write!(formatter, "{value:?}"),
            Value::Whole(value) | Value::OptionalWhole(Some(value)) => write!(formatter, "{value}"),
            Value::Flag(value) => write!(formatter, "{value}"),
            Value::OptionalReal(None) | Value::OptionalWhole(None) => formatter.write_str(NONE),
            Value::Choice(name) => formatter.write_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_gives_the_value_back() {
        for value in [
            Value::Real(0.1),
            Value::Real(-0.0),
            Value::Real(f32::MIN_POSITIVE / 3.0),
            Value::Real(f32::MAX),
            Value::Whole(u32::MAX),
            Value::Flag(true),
            Value::OptionalReal(None),
            Value::OptionalReal(Some(1e-5)),
            Value::OptionalWhole(None),
            Value::OptionalWhole(Some(7)),
            Value::Choice("Fast"),
        ] {
            let text = value.to_string();
            let read = value.parse_like(&text);
            assert_eq!(read, Some(value));
            // 0 equals -0; their texts differ.
            assert_eq!(read.map(|value| value.to_string()), Some(text));
        }
    }

    #[test]
    fn what_is_no_value_of_the_type_is_refused() {
        for (like, text) in [
            (Value::Real(0.0), "none"),
            (Value::Real(0.0), ""),
            (Value::Whole(0), "-1"),
            (Value::Whole(0), "1.0"),
            (Value::Flag(false), "1"),
            (Value::OptionalReal(None), "some"),
            (Value::OptionalWhole(None), "4294967296"),
        ] {
            assert_eq!(like.parse_like(text), None, "{like:?} from {text}");
        }
    }
}
