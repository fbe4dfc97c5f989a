//! Sums and their like in the fixed order: four lanes a thread, then a tree over the workgroup in shared memory.

use super::kernel::KernelWriter;
use super::library::Library;
use super::syntax::{Tree, Width, Word};
use crate::ir::{Accumulator, Combine, Op, Scope};
use crate::layout::{Role, WORKGROUP_SIZE};

/// An accumulator with what it is called.
struct Placed {
    accumulator: Accumulator,
    /// The variable of a thread.
    name: String,
    /// Its array in shared memory: `tree[1]`.
    place: String,
}

impl Placed {
    fn combine(&self) -> Combine {
        self.accumulator.combine
    }

    fn word(&self) -> Word {
        tree(self.combine()).word()
    }
}

/// Which shared array an accumulator is reduced in.
pub(super) fn tree(combine: Combine) -> Tree {
    match combine {
        Combine::Sum | Combine::SumOfSquares | Combine::ScaledSumOfSquares | Combine::Min | Combine::Max => Tree::Real,
        Combine::Count => Tree::Count,
    }
}

impl KernelWriter<'_> {
    fn accumulators(&self) -> Vec<Placed> {
        let mut next = [0, 0];
        let names = self.names.accumulators().iter();
        let placed = self.kernel.accumulators.iter().zip(names).map(|(&accumulator, name)| {
            let tree = tree(accumulator.combine);
            let place = &mut next[usize::from(tree == Tree::Count)];
            *place += 1;
            Placed { accumulator, name: name.clone(), place: format!("{}[{}]", tree.name(), *place - 1) }
        });
        placed.collect()
    }

    /// Declares the accumulators, at their identities. ±∞ is no literal on every target: the table holds its bits.
    pub fn begin_accumulators(&mut self, width: Width) {
        for placed in self.accumulators() {
            let word = placed.word();
            let identity = match placed.combine() {
                Combine::Sum | Combine::SumOfSquares | Combine::ScaledSumOfSquares => "0.0f".to_owned(),
                Combine::Min => self.syntax.real_of_bits("header.z"),
                Combine::Max => self.syntax.real_of_bits("header.w"),
                Combine::Count => "0u".to_owned(),
            };
            let value = if width == Width::Four { self.syntax.splat(word, &identity) } else { identity };
            self.text.line(self.syntax.variable(word, width, &placed.name, &value));
        }
    }

    /// Takes in the quad's elements, as far as they are inside the chunk.
    pub fn accumulate(&mut self) {
        for placed in self.accumulators() {
            if let Op::Reduce(_, _, element) = self.program.graph.op(placed.accumulator.reduction) {
                let x = self.expressions.spread(element);
                let line = self.take_in(placed.combine(), &placed.name, &x);
                self.text.line(line);
            }
        }
    }

    /// Adding 0 for what lies outside changes no sum: one that starts at +0 is never -0.
    fn take_in(&mut self, combine: Combine, a: &str, x: &str) -> String {
        let both = self.syntax.logic(Width::Four).0;
        let masked = |this: &Self, word, value: &str, zero| {
            this.syntax.select(("inside", Width::Four), value, &this.syntax.splat(word, zero))
        };
        let mut squared = |function: Library| {
            self.expressions.used.insert(function);
            format!("{}({x})", function.name())
        };
        match combine {
            Combine::Sum => format!("{a} += {};", masked(self, Word::F32, x, "0.0f")),
            Combine::SumOfSquares => {
                let square = squared(Library::Square);
                format!("{a} += {};", masked(self, Word::F32, &square, "0.0f"))
            }
            Combine::ScaledSumOfSquares => {
                let square = squared(Library::ScaledSquare);
                format!("{a} += {};", masked(self, Word::F32, &square, "0.0f"))
            }
            Combine::Min => {
                let least = self.syntax.select((&format!("inside {both} ({x} < {a})"), Width::Four), x, a);
                format!("{a} = {least};")
            }
            Combine::Max => {
                let greatest = self.syntax.select((&format!("inside {both} ({a} < {x})"), Width::Four), x, a);
                format!("{a} = {greatest};")
            }
            Combine::Count => {
                let [one, zero] = ["1u", "0u"].map(|literal| self.syntax.splat(Word::U32, literal));
                let counted = self.syntax.select((&format!("inside {both} {x}"), Width::Four), &one, &zero);
                format!("{a} += {counted};")
            }
        }
    }

    /// The accumulators of a thread's four lanes as one.
    fn across_lanes(&mut self, combine: Combine, a: &str) -> String {
        match combine {
            Combine::Sum | Combine::SumOfSquares | Combine::ScaledSumOfSquares => {
                self.expressions.used.insert(Library::SumOfLanes);
                format!("{}({a})", Library::SumOfLanes.name())
            }
            Combine::Count => format!("({a}.x + {a}.y) + ({a}.z + {a}.w)"),
            Combine::Min | Combine::Max => {
                self.extremum(combine);
                let function = if combine == Combine::Min { Library::SmallestLane } else { Library::LargestLane };
                self.expressions.used.insert(function);
                format!("{}({a})", function.name())
            }
        }
    }

    fn extremum(&mut self, combine: Combine) -> &'static str {
        let function = if combine == Combine::Min { Library::Smaller } else { Library::Larger };
        self.expressions.used.insert(function(Width::One));
        function(Width::One).name()
    }

    /// An accumulator takes in another: a line.
    fn meet(&mut self, combine: Combine, a: &str, b: &str) -> String {
        match combine {
            Combine::Sum | Combine::SumOfSquares | Combine::ScaledSumOfSquares | Combine::Count => {
                format!("{a} += {b};")
            }
            Combine::Min | Combine::Max => format!("{a} = {}({a}, {b});", self.extremum(combine)),
        }
    }

    /// After a pass: the four lanes of each thread, the tree, and the chunk's partial record.
    pub fn store_partials(&mut self) {
        let accumulators = self.accumulators();
        if accumulators.is_empty() {
            return;
        }
        self.text.gap();
        for placed in &accumulators {
            let value = self.across_lanes(placed.combine(), &placed.name);
            self.text.line(format!("{}[invocation] = {value};", placed.place));
        }
        self.reduce_tree(&accumulators);
        self.text.open("if (invocation == 0u) {");
        self.index("partial", &scaled(self.program.partial_words, "chunk.z"));
        let partials = self.buffer(Role::Partials);
        for placed in &accumulators {
            let total = format!("{}[0]", placed.place);
            let bits = if placed.word() == Word::F32 { self.syntax.bits_of_real(&total, Width::One) } else { total };
            self.text.line(format!("{partials}[{}] = {bits};", offset("partial", placed.accumulator.partial)));
        }
        self.text.close("}");
    }

    /// In a finish: for `count` places takes in the word that `word_of` names, then the tree. `base` is a name and value
    /// that the words are told by.
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
        for placed in &accumulators {
            let bits = word_of(self, placed.accumulator);
            let value = if placed.word() == Word::F32 { self.syntax.real_of_bits(&bits) } else { bits };
            let line = self.meet(placed.combine(), &placed.name, &value);
            self.text.line(line);
        }
        self.text.close("}");
        self.text.gap();
        for Placed { name, place, .. } in &accumulators {
            self.text.line(format!("{place}[invocation] = {name};"));
        }
        self.reduce_tree(&accumulators);
    }

    fn reduce_tree(&mut self, accumulators: &[Placed]) {
        let half = format!("{}u", WORKGROUP_SIZE / 2);
        let first = self.syntax.variable(Word::U32, Width::One, "stride", &half);
        self.text.open(format!("for ({first} stride > 0u; stride /= 2u) {{"));
        self.text.line(self.syntax.barrier());
        self.text.open("if (invocation < stride) {");
        for placed in accumulators {
            let [own, other] = ["invocation", "invocation + stride"].map(|lane| format!("{}[{lane}]", placed.place));
            let line = self.meet(placed.combine(), &own, &other);
            self.text.line(line);
        }
        self.text.close("}");
        self.text.close("}");
    }

    /// Names the totals of the reductions over `scope`: what the first thread finds in the shared arrays.
    pub fn define_totals(&mut self, scope: Scope) {
        let accumulators = self.accumulators();
        for placed in &accumulators {
            let node = placed.accumulator.reduction;
            let is_own = matches!(self.program.graph.op(node), Op::Reduce(_, own, _) if own == scope);
            let Some(name) = self.names.get(node).filter(|_| is_own) else { continue };
            let scaled =
                |other: &&Placed| other.accumulator.reduction == node && other.combine() == Combine::ScaledSumOfSquares;
            let value = match (placed.combine(), accumulators.iter().find(scaled)) {
                // The second half of a norm, which its first half has defined.
                (Combine::ScaledSumOfSquares, _) => continue,
                (Combine::SumOfSquares, Some(scaled)) => {
                    self.expressions.used.insert(Library::NormOf);
                    format!("{}({}[0], {}[0])", Library::NormOf.name(), placed.place, scaled.place)
                }
                _ => format!("{}[0]", placed.place),
            };
            self.constant(placed.word(), Width::One, name, &value);
        }
    }

    /// Writes the tensor's totals of reductions over all tensors, for the finish over all.
    pub fn write_tensor_totals(&mut self) {
        for placed in self.accumulators() {
            if let Some(slot) = placed.accumulator.tensor_total {
                self.write_scalar(slot, placed.word(), &format!("{}[0]", placed.place));
            }
        }
    }
}

/// `base + 2u`, or `base`.
pub(super) fn offset(base: &str, words: u32) -> String {
    if words == 0 { base.to_owned() } else { format!("{base} + {words}u") }
}

/// `4u * place`, or `place`.
pub(super) fn scaled(words: u32, place: &str) -> String {
    if words == 1 { place.to_owned() } else { format!("{words}u * {place}") }
}
