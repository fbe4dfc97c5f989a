//! Functions that people know from elsewhere and look for in vain: why they are not here, and what to write instead.

use crate::error::code;

const NO_MATRIX: &str = "a kernel sees one element at a time, and tensors of any shape";
const NO_AXIS: &str = "reductions go over a whole tensor (`sum(x)`) or over all of them (`all::sum(x)`)";
const NO_RANDOM: &str = "a step is a function of its inputs; pass noise as `#[input] noise: f32`";

/// The code, message and help for a function that the language leaves out.
pub(super) fn explain(name: &str) -> Option<(&'static str, String, String)> {
    let (code, what, help) = match name {
        "matmul" | "dot" | "transpose" | "t" | "outer" | "inverse" | "svd" | "qr" | "eigh" | "newton_schulz" => {
            (code::OUT_OF_LANGUAGE, "matrix products and factorisations are", NO_MATRIX)
        }
        "sum_axis" | "mean_axis" | "norm_axis" | "max_axis" | "min_axis" | "rows" | "columns" | "row" | "column" => {
            (code::OUT_OF_LANGUAGE, "reductions along an axis are", NO_AXIS)
        }
        "rand" | "random" | "randn" | "normal" | "uniform" | "bernoulli" => {
            (code::OUT_OF_LANGUAGE, "random numbers are", NO_RANDOM)
        }
        _ => {
            let (message, help) = element(name)?;
            return Some((code::UNKNOWN_FUNCTION, message, help.to_owned()));
        }
    };
    Some((code, format!("{what} not part of the language"), help.to_owned()))
}

fn element(name: &str) -> Option<(String, &'static str)> {
    let help = match name {
        "signum" => {
            return Some((
                "`signum` is 1 at 0 and not what optimizers mean".to_owned(),
                "write `sign(x)`: it is 0 at 0",
            ));
        }
        "pow" => "write `x.powi(n)` for a whole number, `x.powf(y)` for a real one",
        "log" | "log2" | "log10" | "ln_1p" => "write `x.ln()`, divided by the logarithm of the base",
        "exp2" | "exp_m1" => "write `x.exp()`",
        "round" | "trunc" => "on the host there are `x.floor()` and `x.ceil()`",
        "rsqrt" => "write `x.sqrt().recip()`",
        "is_none" => "write `!option.is_some()`",
        "unwrap" | "expect" | "unwrap_or_default" | "unwrap_or_else" | "map" | "map_or" => {
            "write `option.unwrap_or(value)` or `if let Some(x) = option { … } else { … }`"
        }
        "is_nan" | "is_finite" | "is_infinite" => "write a comparison, such as `x.abs() > f32::MAX`",
        "square" => "write `x * x`",
        "select" => "write `if condition { a } else { b }`",
        "saturating_sub" | "saturating_add" | "wrapping_sub" | "wrapping_add" | "checked_sub" | "abs_diff" => {
            "write `+` and `-`: whole numbers do not wrap"
        }
        "sin" | "cos" | "tan" | "atan" | "sinh" | "cosh" => {
            "the functions beyond algebra are cbrt, exp, ln, powf, powi and tanh"
        }
        _ => return None,
    };
    Some((format!("there is no `{name}` in the language"), help))
}

/// How a function of the language is called.
pub(super) fn signature(name: &str) -> String {
    let text = match name {
        "abs" | "sqrt" | "recip" | "floor" | "ceil" | "exp" | "ln" | "cbrt" | "tanh" => {
            return format!("write `x.{name}()`");
        }
        "min" | "max" => {
            return format!("write `a.{name}(b)` for two numbers, `{name}(x)` for the reduction over the tensor");
        }
        "sum" | "mean" | "norm" | "max_abs" => return format!("write `{name}(x)`"),
        "all::len" => "write `all::len()`, the number of elements of all tensors",
        "all::count" => "write `all::count(condition)`",
        _ if name.starts_with("all::") => return format!("write `{name}(x)`"),
        "is_some" => "write `option.is_some()`",
        "unwrap_or" => "write `option.unwrap_or(value)`",
        "powi" => "write `x.powi(n)`",
        "powf" => "write `x.powf(y)`",
        "clamp" => "write `x.clamp(low, high)`",
        "mul_add" => "write `a.mul_add(b, c)` for a * b + c, rounded once",
        "count" => "write `count(condition)`",
        "sign" => "write `sign(x)`",
        "lerp" => "write `lerp(a, b, w)` for a + w * (b - a)",
        "len" => "write `len()`, the number of elements",
        "ndim" => "write `ndim()`, the number of dimensions",
        "dim" => "write `dim(0)`, the length of the first dimension",
        _ => "pass one value for each argument of the function",
    };
    text.to_owned()
}
