//! The pipeline: what becomes of a rule, stage by stage.

use proc_macro2::TokenStream;

use crate::checked::Rule;
use crate::error::Diagnostic;
use crate::ir::{Names, Variant};
use crate::{check, expand, lower, parse, plan};

/// A rule, compiled: all that the emitters print.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// What the author wrote.
    pub rule: Rule,
    /// One per combination of options, in the order of [`crate::options::combinations`].
    pub variants: Vec<Variant>,
    /// The combination that the default hyper-parameters choose, an index of `variants`.
    pub default_variant: usize,
    /// What is odd about the rule.
    pub warnings: Vec<Diagnostic>,
}

/// Compiles a rule: `attribute` is what stands in `#[gpu_optimizer(…)]`, `item` the module under it.
///
/// # Errors
///
/// All errors of the rule, each on its own span. Only a rule without any is planned: what planning finds depends on all
/// of it.
pub fn compile(attribute: TokenStream, item: TokenStream) -> Result<Compiled, Vec<Diagnostic>> {
    let source = parse::parse(attribute, item)?;
    let checked = check::check(&source);
    let requirements = checked.rule.as_ref().map(expand::requirement::errors).unwrap_or_default();
    let mut errors: Vec<_> = checked.errors.into_iter().chain(requirements).collect();
    let Some(rule) = checked.rule else { return Err(errors) };
    if !errors.is_empty() {
        errors.extend(lower::errors_beside(&rule));
        return Err(errors);
    }

    let mut warnings = checked.warnings;
    let (lowered, unused) = lower::lower(&rule)?;
    warnings.extend(unused);
    let default_variant = lowered.iter().position(|variant| variant.default).unwrap_or_default();

    let names = Names::of(&rule);
    let mut variants: Vec<_> = lowered.into_iter().map(|variant| plan::variant(variant, &names)).collect();
    if rule.is_header {
        variants.iter_mut().for_each(|variant| variant.header = 0);
    }
    let errors = plan::errors(&rule, &variants);
    if !errors.is_empty() {
        return Err(errors);
    }
    warnings.extend(plan::warnings(&rule, &variants));

    Ok(Compiled { rule, variants, default_variant, warnings })
}
