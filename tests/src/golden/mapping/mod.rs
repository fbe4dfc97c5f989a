//! The table from a file's names to a rule. A file of the same kind goes through it unchanged.

mod optax;
mod pytorch_optimizer;
mod torch;

use super::run::Runner;
use super::trajectory::Hyper;

/// What the table says of a file: a runner; `None` where an option of the file has no rule; an error where the file
/// lacks what the rule needs.
pub type Mapped = Result<Option<Runner>, String>;

/// One row: a library's name of an optimizer, and the rule with its hyper-parameters.
type Row = (&'static str, fn(&Hyper) -> Mapped);

/// A runner, if the options that the rule does not have are off.
macro_rules! rule {
    ($hyper:ident, $optimizer:ty, $params:expr $(, where $($key:literal = $value:expr),+)? $(, ignore $keys:expr)?) => {{
        $( $hyper.ignore($keys)?; )?
        $( $( if !$hyper.is($key, $value)? { return Ok(None); } )+ )?
        let maximize = $hyper.bool("maximize").unwrap_or(false);
        Ok(Some($crate::golden::run::Case::<$optimizer>::new($params, maximize)))
    }};
}
use rule;

/// By library.
const LIBRARIES: &[(&str, &[Row])] =
    &[("torch", torch::ROWS), ("optax", optax::ROWS), ("pytorch_optimizer", pytorch_optimizer::ROWS)];

/// The rule of a library's optimizer, with a file's hyper-parameters.
pub fn runner(library: &str, optimizer: &str, hyper: &Hyper) -> Mapped {
    let rows = LIBRARIES.iter().filter(|(name, _)| *name == library).flat_map(|(_, rows)| *rows);
    match rows.into_iter().find(|(name, _)| *name == optimizer) {
        Some((_, map)) => map(hyper),
        None => Ok(None),
    }
}

/// Files that hold a known bug of their library: the file's stem, why, and by how much our rule must differ.
pub const KNOWN_DIFFERENCES: &[(&str, &str, f64)] = &[(
    "optax-adan-default",
    "optax 0.2.8 weighs differences of gradients by 1 − β₂, where the paper and its authors' code have β₂",
    1e-3,
)];

/// Files that no rule can be written for: the file's stem, and why.
pub const WITHOUT_RULE: &[(&str, &str)] = &[(
    "pytorch_optimizer-adamp-default",
    "AdamP projects along the channels of a tensor: the language has no reductions along an axis",
)];
