//! Barriers stand in uniform control flow, as WGSL demands and naga does not check: nothing that leads to one depends on
//! what differs between the invocations of a workgroup, or on memory that they write.

use std::collections::HashSet;

use naga::{
    AddressSpace, Binding, Block, BuiltIn, EntryPoint, Expression, Handle, LocalVariable, Module, Statement,
    StorageAccess,
};
use optimizer_specs::emit::wgsl;
use optirs_gpu_tests::compiled::rules;

/// What is known of one entry point. A variable is uniform until a store shows that it is not.
struct Uniformity<'a> {
    module: &'a Module,
    entry: &'a EntryPoint,
    varying: HashSet<Handle<LocalVariable>>,
    /// Barriers that stand in control flow that is not uniform.
    misplaced: usize,
}

impl Uniformity<'_> {
    fn is_uniform(&self, expression: Handle<Expression>) -> bool {
        let all = |operands: &[Handle<Expression>]| operands.iter().all(|&operand| self.is_uniform(operand));
        match self.entry.function.expressions[expression] {
            Expression::Literal(_) | Expression::Constant(_) | Expression::ZeroValue(_) => true,
            Expression::FunctionArgument(index) => matches!(
                self.entry.function.arguments[index as usize].binding,
                Some(Binding::BuiltIn(BuiltIn::WorkGroupId | BuiltIn::NumWorkGroups))
            ),
            Expression::GlobalVariable(variable) => match self.module.global_variables[variable].space {
                AddressSpace::Storage { access } => !access.contains(StorageAccess::STORE),
                _ => false,
            },
            Expression::LocalVariable(variable) => !self.varying.contains(&variable),
            Expression::Load { pointer } => self.is_uniform(pointer),
            Expression::Access { base, index } => all(&[base, index]),
            Expression::AccessIndex { base, .. } => self.is_uniform(base),
            Expression::Splat { value, .. } | Expression::As { expr: value, .. } => self.is_uniform(value),
            Expression::Unary { expr, .. } => self.is_uniform(expr),
            Expression::Swizzle { vector, .. } => self.is_uniform(vector),
            Expression::Binary { left, right, .. } => all(&[left, right]),
            Expression::Select { condition, accept, reject } => all(&[condition, accept, reject]),
            Expression::Compose { ref components, .. } => all(components),
            _ => false,
        }
    }

    /// Goes through a block that is entered uniformly or not; whether what follows it is reached uniformly.
    fn block(&mut self, block: &Block, uniform: bool) -> bool {
        block.iter().fold(uniform, |uniform, statement| self.statement(statement, uniform))
    }

    fn statement(&mut self, statement: &Statement, uniform: bool) -> bool {
        match statement {
            Statement::Block(block) => return self.block(block, uniform),
            Statement::If { condition, accept, reject } => {
                let inside = uniform && self.is_uniform(*condition);
                self.block(accept, inside);
                self.block(reject, inside);
                return inside || (uniform && !leaves(accept) && !leaves(reject));
            }
            Statement::Loop { body, continuing, .. } => {
                // Entered again by those who did not leave it, and left by all: what follows is as before.
                let inside = self.block(body, uniform);
                if inside != uniform {
                    self.block(body, false);
                }
                self.block(continuing, inside);
            }
            Statement::Store { pointer, value } => {
                let variable = match self.entry.function.expressions[*pointer] {
                    Expression::LocalVariable(variable) => Some(variable),
                    _ => None,
                };
                if !uniform || !self.is_uniform(*value) {
                    self.varying.extend(variable);
                }
            }
            Statement::ControlBarrier(_) => self.misplaced += usize::from(!uniform),
            _ => {}
        }
        uniform
    }
}

/// Whether a block may return from the kernel, or leave a loop around it.
fn leaves(block: &Block) -> bool {
    block.iter().any(|statement| match statement {
        Statement::Return { .. } | Statement::Break | Statement::Continue => true,
        Statement::Block(block) => leaves(block),
        Statement::If { accept, reject, .. } => leaves(accept) || leaves(reject),
        _ => false,
    })
}

/// Barriers of a module in control flow that is not uniform.
fn misplaced_barriers(source: &str) -> usize {
    let module = naga::front::wgsl::parse_str(source).unwrap();
    let misplaced = module.entry_points.iter().map(|entry| {
        let mut uniformity = Uniformity { module: &module, entry, varying: HashSet::new(), misplaced: 0 };
        // Until no more variable turns out to vary.
        loop {
            let known = uniformity.varying.len();
            uniformity.misplaced = 0;
            uniformity.block(&entry.function.body, true);
            if uniformity.varying.len() == known {
                return uniformity.misplaced;
            }
        }
    });
    misplaced.sum()
}

#[test]
fn barriers_are_reached_by_the_whole_workgroup() {
    let mut barriers = 0;
    for rule in &rules() {
        for case in rule.cases() {
            let source = wgsl::program(case.rule, case.variant, case.program);
            barriers += source.matches("workgroupBarrier").count();
            assert_eq!(misplaced_barriers(&source), 0, "{} {}", case.rule.name, case.label());
        }
    }
    assert!(barriers > 50, "only {barriers} barriers: are rules missing?");
}

#[test]
fn a_misplaced_barrier_is_noticed() {
    let rules = rules();
    let lamb = rules.iter().find(|rule| rule.name() == "lamb").unwrap();
    let case = lamb.cases().next().unwrap();
    let source = wgsl::program(case.rule, case.variant, case.program);
    for (from, to) in [
        // A return on memory that the kernel writes, or that differs between invocations.
        ("if (index >= header.y) {", "if (index >= header.y || scalars[0] != 0u) {"),
        ("let header = chunks[0];", "let header = chunks[invocation];"),
        ("stride = 128u", "stride = invocation"),
        ("workgroupBarrier();\n        if (invocation < stride) {", "if (invocation < stride) {\n workgroupBarrier();"),
    ] {
        assert!(source.contains(from), "{from}");
        assert_ne!(misplaced_barriers(&source.replace(from, to)), 0, "{to}");
    }
}
