//! Functions that people know from elsewhere (PyTorch, NumPy, optax, Rust's f32 and Option) and look for in vain: why
//! they are not here, and what to write instead.

use crate::error::code;

const NO_MATRIX: &str = "a kernel sees one element at a time, and tensors of any shape";
const NO_AXIS: &str = "reductions go over a whole tensor (`sum(x)`) or over all of them (`all::sum(x)`)";
const NO_RANDOM: &str = "a step is a function of its inputs; pass noise as `#[input] noise: f32`";

const MATRIX: [&str; 14] = [
    "matmul",
    "mm",
    "bmm",
    "transpose",
    "t",
    "outer",
    "inverse",
    "inv",
    "svd",
    "qr",
    "eigh",
    "einsum",
    "newton_schulz",
    "orthogonalize",
];
const AXIS: [&str; 11] = [
    "sum_axis",
    "mean_axis",
    "norm_axis",
    "max_axis",
    "min_axis",
    "rows",
    "columns",
    "row",
    "column",
    "cumsum",
    "softmax",
];
const RANDOM: [&str; 8] = ["rand", "random", "randn", "normal", "uniform", "bernoulli", "dropout", "rand_like"];

/// Names, and what to write instead.
const INSTEAD: [(&[&str], &str); 36] = [
    (&["pow", "power"], "write `x.powi(n)` for a whole number, `x.powf(y)` for a real one"),
    (&["log", "log2", "log10", "ln_1p", "log1p"], "write `x.ln()`, divided by the logarithm of the base"),
    (&["exp2", "exp_m1", "expm1"], "write `x.exp()`"),
    (&["round", "trunc", "fract"], "on the host there are `x.floor()` and `x.ceil()`"),
    (&["rsqrt", "inverse_sqrt"], "write `x.sqrt().recip()`"),
    (&["reciprocal"], "write `x.recip()`"),
    (&["neg", "negative"], "write `-x`"),
    (&["add", "plus"], "write `a + b`"),
    (&["sub", "subtract", "minus"], "write `a - b`"),
    (&["mul", "multiply", "times"], "write `a * b`"),
    (&["div", "divide", "true_divide"], "write `a / b`"),
    (&["addcmul", "addcdiv"], "write `a + value * b * c`, or `a + value * b / c`"),
    (&["lt", "le", "gt", "ge", "eq", "ne", "cmp", "partial_cmp", "total_cmp"], "write `a < b`, `a == b`, …"),
    (&["square", "sqr", "squared"], "write `x * x`"),
    (&["hypot"], "write `(a * a + b * b).sqrt()`"),
    (&["clip", "clamp_min", "clamp_max", "clip_by_value"], "write `x.clamp(low, high)`, `x.max(low)` or `x.min(high)`"),
    (&["copysign", "is_sign_negative", "is_sign_positive"], "write `sign(x)`, or `x < 0.0`"),
    (&["relu"], "write `x.max(0.0)`"),
    (&["sigmoid", "softplus", "gelu", "erf"], "write it out with `exp`, `ln` and `tanh`"),
    (&["maximum", "fmax"], "write `a.max(b)`"),
    (&["minimum", "fmin"], "write `a.min(b)`"),
    (&["select", "cond", "where_", "iff", "ternary"], "write `if condition { a } else { b }`"),
    (
        &["zeros", "ones", "full", "zeros_like", "ones_like", "full_like", "empty_like"],
        "write the number itself: `0.0`",
    ),
    (
        &[
            "clone",
            "copy",
            "detach",
            "item",
            "data",
            "contiguous",
            "to_owned",
            "cloned",
            "copied",
            "borrow",
            "cpu",
            "cuda",
        ],
        "leave it out: a value of the language is a number",
    ),
    (
        &["into", "to", "float", "double", "astype", "cast", "from", "to_f32", "type_as"],
        "write `n as f32` for a whole number `n`; an f32 is one already",
    ),
    (&["is_none"], "write `!option.is_some()`"),
    (
        &[
            "unwrap",
            "expect",
            "unwrap_or_default",
            "unwrap_or_else",
            "map",
            "map_or",
            "and_then",
            "is_some_and",
            "as_ref",
            "ok_or",
            "filter",
            "get_or_insert",
        ],
        "write `option.unwrap_or(value)` or `if let Some(x) = option { … } else { … }`",
    ),
    (&["isfinite"], "write `x.is_finite()`"),
    (&["is_nan", "is_infinite", "isnan", "isinf"], "write `!x.is_finite()`, which is true of infinities and of NaN"),
    (
        &["saturating_sub", "saturating_add", "wrapping_sub", "wrapping_add", "checked_sub", "abs_diff"],
        "write `+` and `-`: whole numbers do not wrap",
    ),
    (
        &["sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh"],
        "the functions beyond algebra are cbrt, exp, ln, powf, powi and tanh",
    ),
    (&["numel", "size", "shape", "nelement"], "write `len()`, `ndim()` or `dim(0)`"),
    (
        &["iter", "iter_mut", "into_iter", "zip", "fold", "collect", "for_each", "mapv"],
        "a rule is written for one element",
    ),
    (&["print", "log_value", "debug"], "a rule prints nothing: mark a state `#[keep]`, and read it from outside"),
    (&["Some", "Ok"], "an option is made by a hyper-parameter; ask it with `option.is_some()`"),
    (&["step", "zero_grad", "backward"], "the optimizer calls the rule; `update` says what a step does to one element"),
];

/// Reductions that are none of the language, and how to write them with those that are.
const REDUCTIONS: [(&[&str], &str); 10] = [
    (&["variance", "var"], "with `let d = x - mean(x);` write `mean(d * d)`"),
    (&["std", "stddev", "standard_deviation"], "with `let d = x - mean(x);` write `mean(d * d).sqrt()`"),
    (&["rms", "root_mean_square"], "write `mean(x * x).sqrt()`"),
    (&["dot", "inner", "vdot", "inner_product"], "write `sum(a * b)`"),
    (&["l1", "l1_norm", "norm1"], "write `sum(x.abs())`"),
    (&["l2", "l2_norm", "norm2", "vector_norm", "global_norm"], "write `norm(x)`, or `all::norm(x)` over all tensors"),
    (&["amax", "amin", "absmax", "linf"], "write `max(x)`, `min(x)` or `max_abs(x)`"),
    (&["any"], "write `count(condition) > 0`"),
    (&["count_nonzero", "nonzero"], "write `count(x != 0.0)`"),
    (&["prod", "median", "argmax", "argmin", "sort", "quantile", "average"], ""),
];

const KNOWN_REDUCTIONS: &str = "the reductions are sum, mean, norm, min, max, max_abs and count";

/// The code, message and help for a function that the language leaves out.
pub(super) fn explain(name: &str) -> Option<(&'static str, String, String)> {
    let out_of_language = [
        (MATRIX.as_slice(), "matrix products and factorisations are", NO_MATRIX),
        (AXIS.as_slice(), "functions along an axis are", NO_AXIS),
        (RANDOM.as_slice(), "random numbers are", NO_RANDOM),
    ];
    if let Some((_, what, help)) = out_of_language.iter().find(|(names, ..)| names.contains(&name)) {
        return Some((code::OUT_OF_LANGUAGE, format!("{what} not part of the language"), (*help).to_owned()));
    }
    if name == "signum" {
        let message = "`signum` is 1 at 0 and not what optimizers mean".to_owned();
        return Some((code::UNKNOWN_FUNCTION, message, "write `sign(x)`: it is 0 at 0".to_owned()));
    }
    let message = format!("there is no `{name}` in the language");
    if let Some((_, help)) = REDUCTIONS.iter().find(|(names, _)| names.contains(&name)) {
        let help = if help.is_empty() { KNOWN_REDUCTIONS.to_owned() } else { format!("{help}; {KNOWN_REDUCTIONS}") };
        return Some((code::UNKNOWN_FUNCTION, message, help));
    }
    if let Some((_, help)) = INSTEAD.iter().find(|(names, _)| names.contains(&name)) {
        return Some((code::UNKNOWN_FUNCTION, message, (*help).to_owned()));
    }
    // PyTorch's names for what changes a tensor in place.
    let in_place = name.strip_suffix('_').is_some_and(|name| !name.is_empty());
    in_place.then(|| {
        let help = "write an assignment, such as `*param += x;` or `state.m = x;`";
        (code::UNKNOWN_FUNCTION, message, help.to_owned())
    })
}

/// The number that a constant of Rust or of Python's `math` stands for.
pub(super) fn number(name: &str) -> Option<f64> {
    use std::f64::consts;
    Some(match name {
        "PI" | "pi" => consts::PI,
        "TAU" | "tau" => consts::TAU,
        "E" => consts::E,
        "SQRT_2" => consts::SQRT_2,
        "FRAC_1_SQRT_2" => consts::FRAC_1_SQRT_2,
        "LN_2" => consts::LN_2,
        "LN_10" => consts::LN_10,
        _ => return None,
    })
}

/// How a function of the language is called.
pub(super) fn signature(name: &str) -> String {
    let text = match name {
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
        _ => return format!("write `x.{name}()`"),
    };
    text.to_owned()
}
