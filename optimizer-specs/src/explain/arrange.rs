//! Gives the boxes of a picture places: no two overlap, and each stands near to what it is tied to.

use super::layers::{Layers, Place, mean};
use super::picture::Picture;

/// Sizes in pixels.
pub(super) const CHARACTER: f64 = 6.7;
pub(super) const LINE: f64 = 15.0;
const PADDING: f64 = 9.0;
const BETWEEN: f64 = 14.0;
const LAYER_GAP: f64 = 30.0;
/// Characters of a line of a formula.
const WRAP: usize = 30;
/// Rounds of moving; a few more change nothing.
const ROUNDS: usize = 16;

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
    let widths: Vec<f64> = boxes.iter().map(|placed| placed.width).collect();
    let mut layers = Layers::new(&widths, &links, &leaving, &last);
    spread(&mut layers);
    place(&layers, boxes, links.len(), &leaving)
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

/// Moves all places towards what they are tied to, from above and from below in turn.
fn spread(layers: &mut Layers) {
    let order = layers.order();
    for (places, indices) in layers.places.iter_mut().zip(&order) {
        let mut x = 0.0;
        for &index in indices {
            let place = &mut places[index];
            place.centre = x + place.width / 2.0;
            x += place.width + BETWEEN;
        }
    }
    for round in 0..ROUNDS {
        let down = round % 2 == 0;
        let sequence: Vec<usize> = if down { (0..order.len()).collect() } else { (0..order.len()).rev().collect() };
        for layer in sequence {
            pull(&mut layers.places, layer, &order[layer], down);
        }
    }
}

/// Moves the places of a layer as near to their ties as order and distance allow (least squares: places that
/// would overlap are pooled and share one shift).
fn pull(layers: &mut [Vec<Place>], layer: usize, order: &[usize], down: bool) {
    let neighbour = if down { layer.checked_sub(1) } else { Some(layer + 1).filter(|&n| n < layers.len()) };
    let Some(neighbour) = neighbour else { return };
    let mut pools: Vec<(f64, usize)> = Vec::new();
    let mut offsets = Vec::new();
    let mut offset = 0.0;
    for (at, &index) in order.iter().enumerate() {
        let place = &layers[layer][index];
        if let Some(&before) = at.checked_sub(1).and_then(|before| order.get(before)) {
            offset += (layers[layer][before].width + place.width) / 2.0 + BETWEEN;
        }
        offsets.push(offset);
        let ties = if down { &place.above } else { &place.below };
        let wished = mean(ties.iter().map(|&tie| layers[neighbour][tie].centre)).unwrap_or(place.centre);
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
        layers[layer][index].centre = shift + offset;
    }
}

/// The coordinates of boxes and arrows.
fn place(layers: &Layers, mut boxes: Vec<Placed>, links: usize, leaving: &[usize]) -> Arranged {
    let places = || layers.places.iter().flatten();
    let left = places().map(|place| place.centre - place.width / 2.0).fold(f64::INFINITY, f64::min);
    let right = places().map(|place| place.centre + place.width / 2.0).fold(f64::NEG_INFINITY, f64::max);
    let (mut top, mut bands) = (0.0, Vec::new());
    for layer in &layers.places {
        let heights = layer.iter().filter_map(|place| place.item).map(|item| boxes[item].height);
        let height = heights.fold(0.0, f64::max);
        bands.push((top, top + height));
        for place in layer {
            if let Some(item) = place.item {
                let placed = &mut boxes[item];
                placed.centre = place.centre - left;
                placed.top = top + (height - placed.height) / 2.0;
            }
        }
        top += height + LAYER_GAP;
    }
    let path = |chain: &Vec<(usize, usize)>| {
        let points = chain.iter().flat_map(|&(layer, index)| {
            let place = &layers.places[layer][index];
            let (top, bottom) = match place.item {
                Some(item) => (boxes[item].top, boxes[item].top + boxes[item].height),
                None => bands[layer],
            };
            [(place.centre - left, top), (place.centre - left, bottom)]
        });
        // Neither the top of the first nor the bottom of the last.
        let points: Vec<_> = points.collect();
        points[1..points.len() - 1].to_vec()
    };
    let paths = layers.chains[..links].iter().map(path).collect();
    let exits = leaving.iter().copied().zip(layers.chains[links..].iter().map(path)).collect();
    let height = bands.last().map_or(0.0, |band| band.0);
    Arranged { width: (right - left).max(0.0), height, paths, exits, boxes }
}
