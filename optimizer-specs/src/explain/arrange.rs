//! Gives the boxes of a picture places: layers from top to bottom within each column, few crossings, short arrows.
//!
//! An arrow over several layers goes through a narrow gap in each layer between, so that no arrow runs behind a box.

use super::picture::Picture;

/// Sizes in pixels.
pub(super) const CHARACTER: f64 = 6.7;
pub(super) const LINE: f64 = 15.0;
const PADDING: f64 = 9.0;
const BETWEEN: f64 = 14.0;
const LAYER_GAP: f64 = 30.0;
const GAP_WIDTH: f64 = 8.0;
/// Characters of a line of a formula.
const WRAP: usize = 30;
/// Rounds of improvement; a few more change nothing.
const ROUNDS: usize = 8;

/// A box with its place, relative to its column.
#[derive(Clone, Debug, Default)]
pub(super) struct Placed {
    pub lines: Vec<String>,
    pub centre: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
}

/// A column with its boxes in place.
#[derive(Clone, Debug, Default)]
pub(super) struct Arranged {
    pub boxes: Vec<Placed>,
    pub width: f64,
    pub height: f64,
    /// Arrows within the column, as points through the gaps: from, then to each layer's top and bottom.
    pub paths: Vec<Vec<(f64, f64)>>,
    /// For boxes that something leaves for a later column: its way to the bottom, by box.
    pub exits: Vec<(usize, Vec<(f64, f64)>)>,
}

/// A place in a layer: a box, or a gap for an arrow.
#[derive(Clone, Debug)]
struct Place {
    item: Option<usize>,
    width: f64,
    centre: f64,
    /// Index in the layer above and below of what it is tied to.
    above: Vec<usize>,
    below: Vec<usize>,
}

/// Arranges one column.
pub(super) fn arrange(picture: &Picture, column: usize) -> Arranged {
    let range = picture.columns[column].items.clone();
    let boxes: Vec<Placed> = range.clone().map(|item| measure(picture, item)).collect();
    let links: Vec<(usize, usize)> = picture
        .links
        .iter()
        .filter(|(from, _)| range.contains(from))
        .map(|(from, to)| (from - range.start, to - range.start))
        .collect();
    let mut leaving: Vec<usize> =
        picture.wires.iter().map(|wire| wire.0).filter(|item| range.contains(item)).map(|i| i - range.start).collect();
    leaving.sort_unstable();
    leaving.dedup();
    let last: Vec<bool> = range.map(|item| picture.items[item].last).collect();
    Layout::new(boxes, &links, &leaving, &last).finish(&links, &leaving)
}

fn measure(picture: &Picture, item: usize) -> Placed {
    let item = &picture.items[item];
    let lines = wrap(&item.formula);
    let longest = lines.iter().map(|line| line.chars().count()).chain([item.title.chars().count() + 1]).max();
    let count = lines.len() + usize::from(!item.title.is_empty());
    Placed {
        width: longest.unwrap_or(0) as f64 * CHARACTER + 2.0 * PADDING,
        height: count as f64 * LINE + PADDING,
        lines,
        ..Placed::default()
    }
}

/// Breaks a formula between words.
fn wrap(formula: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in formula.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.chars().count() + word.chars().count() < WRAP => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

struct Layout {
    boxes: Vec<Placed>,
    layers: Vec<Vec<Place>>,
    /// Chains of (layer, index) that each arrow goes through, links first, then exits.
    chains: Vec<Vec<(usize, usize)>>,
}

impl Layout {
    fn new(boxes: Vec<Placed>, links: &[(usize, usize)], leaving: &[usize], last: &[bool]) -> Self {
        let layer_of = layers(boxes.len(), links, last);
        let depth = layer_of.iter().map(|layer| layer + 1).max().unwrap_or(0);
        let mut layout = Self { layers: vec![Vec::new(); depth + 1], chains: Vec::new(), boxes };
        let mut index_of = vec![0; layout.boxes.len()];
        for (item, &layer) in layer_of.iter().enumerate() {
            index_of[item] = layout.layers[layer].len();
            layout.add(layer, Some(item), layout.boxes[item].width);
        }
        let ends = links.iter().map(|&(from, to)| (from, Some(to)));
        for (from, to) in ends.chain(leaving.iter().map(|&from| (from, None))).collect::<Vec<_>>() {
            let end = to.map_or(depth, |to| layer_of[to]);
            let mut chain = vec![(layer_of[from], index_of[from])];
            for layer in layer_of[from] + 1..end {
                chain.push((layer, layout.layers[layer].len()));
                layout.add(layer, None, GAP_WIDTH);
            }
            match to {
                Some(to) => chain.push((end, index_of[to])),
                None => {
                    chain.push((end, layout.layers[end].len()));
                    layout.add(end, None, GAP_WIDTH);
                }
            }
            for pair in chain.windows(2) {
                let [(upper, a), (lower, b)] = [pair[0], pair[1]];
                layout.layers[upper][a].below.push(b);
                layout.layers[lower][b].above.push(a);
            }
            layout.chains.push(chain);
        }
        layout
    }

    fn add(&mut self, layer: usize, item: Option<usize>, width: f64) {
        self.layers[layer].push(Place { item, width, centre: 0.0, above: vec![], below: vec![] });
    }

    /// Orders the layers so that few arrows cross, then moves boxes towards what they are tied to.
    fn finish(mut self, links: &[(usize, usize)], leaving: &[usize]) -> Arranged {
        let mut order: Vec<Vec<usize>> = self.layers.iter().map(|layer| (0..layer.len()).collect()).collect();
        let mut best = (self.crossings(&order), order.clone());
        for round in 0..ROUNDS {
            self.sweep(&mut order, round % 2 == 0);
            let crossings = self.crossings(&order);
            if crossings < best.0 {
                best = (crossings, order.clone());
            }
        }
        let order = best.1;
        for layer in 0..order.len() {
            let mut x = 0.0;
            for &index in &order[layer] {
                let place = &mut self.layers[layer][index];
                place.centre = x + place.width / 2.0;
                x += place.width + BETWEEN;
            }
        }
        for round in 0..2 * ROUNDS {
            let down = round % 2 == 0;
            let sequence: Vec<usize> = if down { (0..order.len()).collect() } else { (0..order.len()).rev().collect() };
            for layer in sequence {
                self.pull(layer, &order[layer], down);
            }
        }
        self.place(links.len(), leaving)
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
                let place = &self.layers[layer][index];
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
            let ties = |&index: &usize| self.layers[layer][index].below.iter().map(|&below| position[below]);
            let ends: Vec<Vec<usize>> = upper.iter().map(|index| ties(index).collect()).collect();
            for (at, lefts) in ends.iter().enumerate() {
                let rights = ends[at + 1..].iter().flatten();
                count += rights.map(|right| lefts.iter().filter(|left| *left > right).count()).sum::<usize>();
            }
        }
        count
    }

    /// Moves the places of a layer as near to their ties as order and distance allow (least squares: places that
    /// would overlap are pooled and share one shift).
    fn pull(&mut self, layer: usize, order: &[usize], down: bool) {
        let neighbour = if down { layer.checked_sub(1) } else { Some(layer + 1).filter(|&n| n < self.layers.len()) };
        let Some(neighbour) = neighbour else { return };
        let mut pools: Vec<(f64, usize)> = Vec::new();
        let mut offsets = Vec::new();
        let mut offset = 0.0;
        for (at, &index) in order.iter().enumerate() {
            let place = &self.layers[layer][index];
            if let Some(&before) = at.checked_sub(1).and_then(|before| order.get(before)) {
                offset += (self.layers[layer][before].width + place.width) / 2.0 + BETWEEN;
            }
            offsets.push(offset);
            let ties = if down { &place.above } else { &place.below };
            let wished = mean(ties.iter().map(|&tie| self.layers[neighbour][tie].centre)).unwrap_or(place.centre);
            pools.push((wished - offset, 1));
            while let [.., (left, left_count), (right, right_count)] = pools[..] {
                if left <= right {
                    break;
                }
                let count = left_count + right_count;
                let shift = (left * left_count as f64 + right * right_count as f64) / count as f64;
                pools.truncate(pools.len() - 2);
                pools.push((shift, count));
            }
        }
        let shifts = pools.iter().flat_map(|&(shift, count)| std::iter::repeat_n(shift, count));
        for ((&index, offset), shift) in order.iter().zip(offsets).zip(shifts) {
            self.layers[layer][index].centre = shift + offset;
        }
    }

    fn place(mut self, links: usize, leaving: &[usize]) -> Arranged {
        let places = || self.layers.iter().flatten();
        let left = places().map(|place| place.centre - place.width / 2.0).fold(f64::INFINITY, f64::min);
        let right = places().map(|place| place.centre + place.width / 2.0).fold(f64::NEG_INFINITY, f64::max);
        let (mut top, mut bands) = (0.0, Vec::new());
        for layer in &self.layers {
            let heights = layer.iter().filter_map(|place| place.item).map(|item| self.boxes[item].height);
            let height = heights.fold(0.0, f64::max);
            bands.push((top, top + height));
            for place in layer {
                if let Some(item) = place.item {
                    let placed = &mut self.boxes[item];
                    placed.centre = place.centre - left;
                    placed.top = top + (height - placed.height) / 2.0;
                }
            }
            top += height + LAYER_GAP;
        }
        let path = |chain: &Vec<(usize, usize)>| {
            let points = chain.iter().flat_map(|&(layer, index)| {
                let place = &self.layers[layer][index];
                let (top, bottom) = match place.item {
                    Some(item) => (self.boxes[item].top, self.boxes[item].top + self.boxes[item].height),
                    None => bands[layer],
                };
                [(place.centre - left, top), (place.centre - left, bottom)]
            });
            // Neither the top of the first nor the bottom of the last.
            let points: Vec<_> = points.collect();
            points[1..points.len() - 1].to_vec()
        };
        let paths = self.chains[..links].iter().map(path).collect();
        let exits = leaving.iter().copied().zip(self.chains[links..].iter().map(path)).collect();
        let height = bands.last().map_or(0.0, |band| band.0);
        Arranged { width: (right - left).max(0.0), height, paths, exits, boxes: self.boxes }
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

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0), |(sum, count), value| (sum + value, count + 1));
    if count == 0 { None } else { Some(sum / f64::from(count)) }
}
