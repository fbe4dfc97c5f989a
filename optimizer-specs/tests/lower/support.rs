//! Rules as text, lowered.

use optimizer_specs::checked::Rule;
use optimizer_specs::error::Diagnostic;
use optimizer_specs::ir::names::Names;
use optimizer_specs::ir::print;
use optimizer_specs::ir::{Graph, Node};
use optimizer_specs::lower::{LoweredVariant, lower};
use optimizer_specs::{check, parse};

/// A rule and its variants.
pub struct Lowered {
    pub rule: Rule,
    pub variants: Vec<LoweredVariant>,
    pub warnings: Vec<Diagnostic>,
}

/// Lowers the rule of a source text, or says what is wrong with it.
pub fn try_lower(source: &str) -> Result<Lowered, Vec<Diagnostic>> {
    let (attribute, item) = parse::parse_file(source)?.remove(0);
    let (rule, _) = check::check(&parse::parse(attribute, item)?).accepted()?;
    let (variants, warnings) = lower(&rule)?;
    Ok(Lowered { rule, variants, warnings })
}

/// Lowers the rule of a source text.
pub fn lowered(source: &str) -> Lowered {
    try_lower(source).map_err(|errors| report(&errors)).expect("the rule is right")
}

/// What lowering says against a rule.
pub fn errors(source: &str) -> String {
    report(&try_lower(source).err().expect("the rule is wrong"))
}

/// Diagnostics as text: code, the token they point at, message, help.
pub fn report(diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for Diagnostic { code, span, message, help } in diagnostics {
        let token = span.source_text().unwrap_or_default();
        text += &format!("{code} at `{token}`: {message}\n");
        if let Some(help) = help {
            text += &format!("  help: {help}\n");
        }
    }
    text
}

/// A rule with a few hyper-parameters and no options.
pub fn plain(state: &str, body: &str) -> String {
    with_options("", state, body)
}

/// A rule with the hyper-parameters of [`plain`] and further ones.
pub fn with_options(fields: &str, state: &str, body: &str) -> String {
    format!(
        "#[gpu_optimizer]
        pub mod small {{
            pub enum Kind {{ First, Second }}
            pub struct SmallParams {{
                #[hyper(default = 0.1, range = 0.0..)]
                pub rate: f32,
                #[hyper(default = 0.5, range = 0.0..1.0, shared)]
                pub decay: f32,
                #[hyper(default = 3, range = 1..)]
                pub period: u32,
                {fields}
            }}
            pub struct State {{ {state} }}
            fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &SmallParams, step: u32, run: u32) {{
                {body}
            }}
        }}"
    )
}

impl Lowered {
    /// The variant with these options, in field order.
    pub fn variant(&self, options: &[(&str, &str)]) -> &LoweredVariant {
        let same = |variant: &&LoweredVariant| {
            variant.options.iter().map(|(name, value)| (name.as_str(), value.as_str())).eq(options.iter().copied())
        };
        self.variants.iter().find(same).expect("the combination exists")
    }

    /// The first entry of the only variant, as text.
    pub fn text(&self) -> String {
        assert_eq!(self.variants.len(), 1, "the rule has options");
        self.graph_text(&self.variants[0].graphs[0])
    }

    pub fn graph_text(&self, graph: &Graph) -> String {
        print::graph(graph, &Names::of(&self.rule))
    }

    /// The names of the states that a variant has, all kinds.
    pub fn states(&self, variant: &LoweredVariant) -> Vec<String> {
        let kinds = [&variant.element_states, &variant.tensor_states, &variant.all_states, &variant.host_states];
        kinds.into_iter().flatten().map(|state| self.rule.states[*state as usize].name.to_string()).collect()
    }
}

/// The last node of that name.
pub fn named<'g>(graph: &'g Graph, name: &str) -> &'g Node {
    graph.nodes.iter().rfind(|node| node.name.as_deref() == Some(name)).expect("a value of that name")
}
