//! Puts the boxes of a column into layers, each below all that it is made of, and orders the layers.
//!
//! An arrow over several layers goes through a narrow gap in each layer between, so that no arrow runs behind a box.

/// Width of a gap in pixels.
const GAP_WIDTH: f64 = 8.0;
/// Rounds of sorting; a few more change nothing.
const ROUNDS: usize = 8;

/// A place in a layer: a box, or a gap for an arrow.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub item: Option<usize>,
    pub width: f64,
    pub centre: f64,
    /// Index in the layer above and below of what it is tied to.
    pub above: Vec<usize>,
    pub below: Vec<usize>,
}

/// The layers of a column.
pub(super) struct Layers {
    pub places: Vec<Vec<Place>>,
    /// Chains of (layer, index) that each arrow goes through, links first, then exits.
    pub chains: Vec<Vec<(usize, usize)>>,
}

impl Layers {
    /// Layers for boxes of these widths. Arrows go from box to box, or from a leaving box out at the bottom; boxes that
    /// belong last share the last layer.
    pub fn new(widths: &[f64], links: &[(usize, usize)], leaving: &[usize], last: &[bool]) -> Self {
        let layer_of = layers(widths.len(), links, last);
        let depth = layer_of.iter().map(|layer| layer + 1).max().unwrap_or(0);
        let mut layout = Self { places: vec![Vec::new(); depth + 1], chains: Vec::new() };
        let mut index_of = vec![0; widths.len()];
        for (item, &layer) in layer_of.iter().enumerate() {
            index_of[item] = layout.places[layer].len();
            layout.add(layer, Some(item), widths[item]);
        }
        let ends = links.iter().map(|&(from, to)| (from, Some(to)));
        for (from, to) in ends.chain(leaving.iter().map(|&from| (from, None))).collect::<Vec<_>>() {
            let end = to.map_or(depth, |to| layer_of[to]);
            let mut chain = vec![(layer_of[from], index_of[from])];
            for layer in layer_of[from] + 1..end {
                chain.push((layer, layout.places[layer].len()));
                layout.add(layer, None, GAP_WIDTH);
            }
            match to {
                Some(to) => chain.push((end, index_of[to])),
                None => {
                    chain.push((end, layout.places[end].len()));
                    layout.add(end, None, GAP_WIDTH);
                }
            }
            for pair in chain.windows(2) {
                let [(upper, a), (lower, b)] = [pair[0], pair[1]];
                layout.places[upper][a].below.push(b);
                layout.places[lower][b].above.push(a);
            }
            layout.chains.push(chain);
        }
        layout
    }

    fn add(&mut self, layer: usize, item: Option<usize>, width: f64) {
        self.places[layer].push(Place { item, width, centre: 0.0, above: vec![], below: vec![] });
    }

    /// The order of each layer, so that few arrows cross.
    pub fn order(&self) -> Vec<Vec<usize>> {
        let mut order: Vec<Vec<usize>> = self.places.iter().map(|layer| (0..layer.len()).collect()).collect();
        let mut best = (self.crossings(&order), order.clone());
        for round in 0..ROUNDS {
            self.sweep(&mut order, round % 2 == 0);
            let crossings = self.crossings(&order);
            if crossings < best.0 {
                best = (crossings, order.clone());
            }
        }
        best.1
    }

    /// Sorts each layer by the mean position of what its places are tied to in the layer before.
    fn sweep(&self, order: &mut [Vec<usize>], down: bool) {
        let count = order.len();
        for step in 1..count {
            let layer = if down { step } else { count - 1 - step };
            let neighbour = if down { layer - 1 } else { layer + 1 };
            let mut position = vec![0.0; order[neighbour].len()];
            for (at, &index) in order[neighbour].iter().enumerate() {
                position[index] = at as f64;
            }
            let mut keyed: Vec<(f64, usize)> = Vec::new();
            for (at, &index) in order[layer].iter().enumerate() {
                let place = &self.places[layer][index];
                let ties = if down { &place.above } else { &place.below };
                keyed.push((mean(ties.iter().map(|&tie| position[tie])).unwrap_or(at as f64), index));
            }
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            order[layer] = keyed.into_iter().map(|(_, index)| index).collect();
        }
    }

    fn crossings(&self, order: &[Vec<usize>]) -> usize {
        let mut count = 0;
        for (layer, upper) in order.iter().enumerate().take(order.len().saturating_sub(1)) {
            let mut position = vec![0; order[layer + 1].len()];
            for (at, &index) in order[layer + 1].iter().enumerate() {
                position[index] = at;
            }
            let ties = |&index: &usize| self.places[layer][index].below.iter().map(|&below| position[below]);
            let ends: Vec<Vec<usize>> = upper.iter().map(|index| ties(index).collect()).collect();
            for (at, lefts) in ends.iter().enumerate() {
                let rights = ends[at + 1..].iter().flatten();
                count += rights.map(|right| lefts.iter().filter(|left| *left > right).count()).sum::<usize>();
            }
        }
        count
    }
}

/// The layer of each box: below all that it is made of; those that belong last in the last one.
fn layers(count: usize, links: &[(usize, usize)], last: &[bool]) -> Vec<usize> {
    let mut layers = vec![0; count];
    // Boxes stand in order of their links.
    for item in 0..count {
        let above = links.iter().filter(|(_, to)| *to == item).map(|(from, _)| layers[*from] + 1);
        layers[item] = above.max().unwrap_or(0);
    }
    let deepest = layers.iter().copied().max().unwrap_or(0);
    for (layer, last) in layers.iter_mut().zip(last) {
        if *last {
            *layer = deepest;
        }
    }
    layers
}

/// The mean, if there is anything.
pub(super) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { None } else { Some(sum / f64::from(count)) }
}
