//! Sums and their like in the fixed order: four lanes a thread, then a tree over the workgroup in shared memory.

use super::kernel::KernelWriter;
use super::library::{Library, NORM_DOWN};
use super::syntax::{Tree, Width, Word};
use crate::ir::{Accumulator, Combine, NodeId, Op, Scope};
use crate::layout::{Role, WORKGROUP_SIZE};

/// Which shared array an accumulator is reduced in.
pub(super) fn tree(combine: Combine) -> Tree {
    match combine {
        Combine::Sum | Combine::SumOfSquares | Combine::ScaledSumOfSquares | Combine::Min | Combine::Max => Tree::Real,
        Combine::Count => Tree::Count,
    }
}

impl KernelWriter<'_> {
    /// The accumulators with their names and their places in the shared arrays: `tree[1]`.
    fn accumulators(&self) -> Vec<(Accumulator, String, String)> {
        let mut next = [0, 0];
        let names = self.names.accumulators().iter();
        let placed = self.kernel.accumulators.iter().zip(names).map(|(&accumulator, name)| {
            let tree = tree(accumulator.combine);
            let place = &mut next[usize::from(tree == Tree::Count)];
            *place += 1;
            (accumulator, name.clone(), format!("{}[{}]", tree.name(), *place - 1))
        });
        placed.collect()
    }

    /// Declares the accumulators, at their identities. ±∞ is no literal on every target: the table holds its bits.
    pub fn begin_accumulators(&mut self, width: Width) {
        for (accumulator, name, _) in self.accumulators() {
            let word = tree(accumulator.combine).word();
            let identity = match accumulator.combine {
                Combine::Sum | Combine::SumOfSquares | Combine::ScaledSumOfSquares => "0.0f".to_owned(),
                Combine::Min => self.syntax.real_of_bits("header.z"),
                Combine::Max => self.syntax.real_of_bits("header.w"),
                Combine::Count => "0u".to_owned(),
            };
            let value = if width == Width::Four { self.syntax.splat(word, &identity) } else { identity };
            self.text.line(self.syntax.variable(word, width, &name, &value));
        }
    }

    /// Takes in the quad's elements, as far as they are inside the chunk.
    pub fn accumulate(&mut self) {
        for (accumulator, name, _) in self.accumulators() {
            if let Op::Reduce(_, _, element) = self.program.graph.op(accumulator.reduction) {
                let x = self.expressions.spread(element);
                let taken = self.take_in(accumulator.combine, &name, &x);
                self.text.line(format!("{name} = {taken};"));
            }
        }
    }

    fn take_in(&mut self, combine: Combine, a: &str, x: &str) -> String {
        let inside = ("inside", Width::Four);
        let both = self.syntax.logic(Width::Four).0;
        match combine {
            Combine::Sum => self.syntax.select(inside, &format!("{a} + {x}"), a),
            Combine::SumOfSquares | Combine::ScaledSumOfSquares => {
                self.expressions.used.insert(Library::Square);
                let scaled = if combine == Combine::SumOfSquares { x.to_owned() } else { format!("{NORM_DOWN} * {x}") };
                self.syntax.select(inside, &format!("{a} + square({scaled})"), a)
            }
            Combine::Min => self.syntax.select((&format!("inside {both} ({x} < {a})"), Width::Four), x, a),
            Combine::Max => self.syntax.select((&format!("inside {both} ({a} < {x})"), Width::Four), x, a),
            Combine::Count => {
                let [one, zero] = ["1u", "0u"].map(|literal| self.syntax.splat(Word::U32, literal));
                let counted = self.syntax.select((&format!("inside {both} {x}"), Width::Four), &one, &zero);
                format!("{a} + {counted}")
            }
        }
    }

    /// Two accumulators as one.
    fn meet(&mut self, combine: Combine, a: &str, b: &str) -> String {
        let mut call = |function: Library| {
            self.expressions.used.insert(function);
            format!("{}({a}, {b})", function.name())
        };
        match combine {
            Combine::Min => call(Library::Smaller(Width::One)),
            Combine::Max => call(Library::Larger(Width::One)),
            Combine::Sum | Combine::SumOfSquares | Combine::ScaledSumOfSquares | Combine::Count => format!("{a} + {b}"),
        }
    }

    /// After a pass: the four lanes of each thread, the tree, and the chunk's partial record.
    pub fn store_partials(&mut self) {
        let accumulators = self.accumulators();
        if accumulators.is_empty() {
            return;
        }
        self.text.gap();
        for (accumulator, name, place) in &accumulators {
            let [low, high] = [("x", "y"), ("z", "w")]
                .map(|(a, b)| self.meet(accumulator.combine, &format!("{name}.{a}"), &format!("{name}.{b}")));
            let is_sum = !matches!(accumulator.combine, Combine::Min | Combine::Max);
            let [low, high] = [low, high].map(|half| if is_sum { format!("({half})") } else { half });
            let value = self.meet(accumulator.combine, &low, &high);
            self.text.line(format!("{place}[invocation] = {value};"));
        }
        self.reduce_tree(&accumulators);
        self.text.open("if (invocation == 0u) {");
        self.index("partial", &format!("{}u * chunk.z", self.program.partial_words));
        let partials = self.buffer(Role::Partials);
        for (accumulator, _, place) in &accumulators {
            let bits = self.bits(accumulator.combine, &format!("{place}[0]"));
            self.text.line(format!("{partials}[{}] = {bits};", offset("partial", accumulator.partial)));
        }
        self.text.close("}");
    }

    /// In a finish: takes in the words that `word_of` names, then the tree. `head` is what the loop goes over.
    pub fn total(&mut self, count: &str, base: (&str, &str), word_of: impl Fn(&Self, Accumulator) -> String) {
        let accumulators = self.accumulators();
        if accumulators.is_empty() {
            return;
        }
        self.text.gap();
        self.begin_accumulators(Width::One);
        let first = self.syntax.variable(Word::U32, Width::One, "place", "invocation");
        self.text.open(format!("for ({first} place < {count}; place += {WORKGROUP_SIZE}u) {{"));
        self.index(base.0, base.1);
        for (accumulator, name, _) in &accumulators {
            let bits = word_of(self, *accumulator);
            let value = match tree(accumulator.combine) {
                Tree::Real => self.syntax.real_of_bits(&bits),
                Tree::Count => bits,
            };
            let met = self.meet(accumulator.combine, name, &value);
            self.text.line(format!("{name} = {met};"));
        }
        self.text.close("}");
        self.text.gap();
        for (_, name, place) in &accumulators {
            self.text.line(format!("{place}[invocation] = {name};"));
        }
        self.reduce_tree(&accumulators);
    }

    fn reduce_tree(&mut self, accumulators: &[(Accumulator, String, String)]) {
        let half = format!("{}u", WORKGROUP_SIZE / 2);
        let first = self.syntax.variable(Word::U32, Width::One, "stride", &half);
        self.text.open(format!("for ({first} stride > 0u; stride /= 2u) {{"));
        self.text.line(self.syntax.barrier());
        self.text.open("if (invocation < stride) {");
        for (accumulator, _, place) in accumulators {
            let (own, other) = (format!("{place}[invocation]"), format!("{place}[invocation + stride]"));
            let met = self.meet(accumulator.combine, &own, &other);
            self.text.line(format!("{own} = {met};"));
        }
        self.text.close("}");
        self.text.close("}");
    }

    /// Names the totals of the reductions over `scope`: what the first thread finds in the shared arrays.
    pub fn define_totals(&mut self, scope: Scope) {
        let accumulators = self.accumulators();
        let mut defined: Vec<NodeId> = Vec::new();
        for (accumulator, _, place) in &accumulators {
            let node = accumulator.reduction;
            let is_own = matches!(self.program.graph.op(node), Op::Reduce(_, own, _) if own == scope);
            let Some(name) = self.names.get(node) else { continue };
            if !is_own || defined.contains(&node) {
                continue;
            }
            defined.push(node);
            let scaled = accumulators
                .iter()
                .find(|(other, ..)| other.reduction == node && other.combine == Combine::ScaledSumOfSquares);
            let value = match scaled {
                Some((_, _, scaled)) => {
                    self.expressions.used.insert(Library::NormOf);
                    format!("norm_of({place}[0], {scaled}[0])")
                }
                None => format!("{place}[0]"),
            };
            self.constant(tree(accumulator.combine).word(), Width::One, name, &value);
        }
    }

    /// Writes the tensor's totals of reductions over all tensors, for the finish over all.
    pub fn write_tensor_totals(&mut self) {
        for (accumulator, _, place) in self.accumulators() {
            if let Some(slot) = accumulator.tensor_total {
                self.write_scalar(slot, tree(accumulator.combine).word(), &format!("{place}[0]"));
            }
        }
    }

    fn bits(&self, combine: Combine, value: &str) -> String {
        match tree(combine) {
            Tree::Real => self.syntax.bits_of_real(value),
            Tree::Count => value.to_owned(),
        }
    }
}

/// `base + 2u`, or `base`.
pub(super) fn offset(base: &str, words: u32) -> String {
    if words == 0 { base.to_owned() } else { format!("{base} + {words}u") }
}
