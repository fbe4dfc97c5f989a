//! The data-flow picture as SVG: kernels as columns, boxes for cells and values, arrows for what flows.

use crate::ir::{Names, Program, Variant};

use super::arrange::{Arranged, CHARACTER, LINE, Placed, arrange};
use super::labels::Labels;
use super::path::{curve, rounded};
use super::picture::{Flow, Item, Look, Picture};
use super::sections::plural;

const MARGIN: f64 = 24.0;
const TITLE: f64 = 56.0;
const HEADER: f64 = 34.0;
const INSET: f64 = 16.0;
const LANE: f64 = 9.0;
const GUTTER: f64 = 26.0;

/// Draws one program of a variant.
pub fn svg(title: &str, names: &Names, variant: &Variant, program: &Program) -> String {
    let labels = Labels::new(&program.graph, names);
    let picture = Picture::new(variant, program, names, &labels);
    let columns: Vec<Arranged> = (0..picture.columns.len()).map(|column| arrange(&picture, column)).collect();
    let passes = picture.columns.iter().filter(|column| column.title.starts_with("pass")).count();
    let heading = format!("{title} · {}", program.graph.name);
    let subheading = format!("{} bytes per element in {}", program.bytes_per_element, plural(passes, "pass"));
    let fields: Vec<String> = program
        .row
        .iter()
        .map(|field| match labels.formula(field.node) {
            formula if formula == field.name => formula,
            formula => format!("{} = {formula}", field.name),
        })
        .collect();
    Sheet::new(&picture, &columns, &fields).draw(&heading, &subheading)
}

/// Where a column stands.
struct Frame {
    left: f64,
    /// Top of its first layer.
    top: f64,
    width: f64,
}

struct Sheet<'a> {
    picture: &'a Picture,
    columns: &'a [Arranged],
    fields: &'a [String],
    frames: Vec<Frame>,
    panel_width: f64,
    /// Bottom of all columns.
    bottom: f64,
    out: String,
}

impl<'a> Sheet<'a> {
    fn new(picture: &'a Picture, columns: &'a [Arranged], fields: &'a [String]) -> Self {
        let longest = fields.iter().map(|field| field.chars().count()).chain([22]).max().unwrap_or(0);
        let panel_width = longest as f64 * CHARACTER + 2.0 * INSET;
        let mut left = MARGIN + panel_width;
        let mut frames: Vec<Frame> = Vec::new();
        for (index, (column, arranged)) in picture.columns.iter().zip(columns).enumerate() {
            let incoming = picture.wires.iter().filter(|wire| column.items.contains(&wire.1)).count() as f64;
            left += if index == 0 { GUTTER } else { GUTTER + incoming * LANE };
            let width = arranged.width.max(column.title.chars().count() as f64 * 7.5) + 2.0 * INSET;
            frames.push(Frame { left, top: TITLE + HEADER + incoming * LANE, width });
            left += width;
        }
        let bottoms = frames.iter().zip(columns).map(|(frame, arranged)| frame.top + arranged.height);
        let panel = TITLE + HEADER + fields.len() as f64 * LINE;
        let bottom = bottoms.fold(panel, f64::max) + INSET;
        Self { picture, columns, fields, frames, panel_width, bottom, out: String::new() }
    }

    fn draw(mut self, heading: &str, subheading: &str) -> String {
        let right = self.frames.last().map_or(MARGIN + self.panel_width, |frame| frame.left + frame.width);
        let legend = self.bottom + (self.picture.wires.len() as f64 + 2.0) * LANE + 10.0;
        let (width, height) = ((right + MARGIN).max(760.0), legend + 40.0);
        self.out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"Helvetica, Arial, sans-serif\">\n<defs>\n"
        );
        for (name, colour) in [("flow", FLOW), ("partial", PARTIAL), ("scalar", SCALAR), ("memory", MEMORY)] {
            self.out += &format!(
                "<marker id=\"{name}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" \
                 orient=\"auto\"><path d=\"M0 0.5 L8 4 L0 7.5 z\" fill=\"{colour}\"/></marker>\n"
            );
        }
        self.out += &format!("</defs>\n<rect width=\"{width:.0}\" height=\"{height:.0}\" fill=\"white\"/>\n");
        self.text(MARGIN, 32.0, heading, "font-size=\"19\" font-weight=\"bold\" fill=\"#263238\"");
        let offset = MARGIN + heading.chars().count() as f64 * 10.2 + 16.0;
        self.text(offset, 32.0, subheading, "font-size=\"14\" fill=\"#546e7a\"");
        self.panel();
        self.frames();
        self.wires();
        for column in 0..self.columns.len() {
            self.column(column);
        }
        self.legend(legend);
        self.out += "</svg>\n";
        self.out
    }

    fn text(&mut self, x: f64, y: f64, text: &str, style: &str) {
        self.out += &format!("<text x=\"{x:.1}\" y=\"{y:.1}\" {style}>{}</text>\n", escape(text));
    }

    /// What the host computes.
    fn panel(&mut self) {
        self.frame(MARGIN, self.panel_width, "row · on the host, in f64", "#fffdf5");
        for (index, field) in self.fields.iter().enumerate() {
            let y = TITLE + HEADER + (index as f64 + 0.7) * LINE;
            self.text(MARGIN + INSET, y, field, MONOSPACE);
        }
    }

    fn frame(&mut self, left: f64, width: f64, title: &str, fill: &str) {
        let height = self.bottom - TITLE;
        self.out += &format!(
            "<rect x=\"{left:.1}\" y=\"{TITLE:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"8\" \
             fill=\"{fill}\" stroke=\"#cfd8dc\"/>\n"
        );
        self.text(left + INSET, TITLE + 21.0, title, "font-size=\"13\" font-weight=\"bold\" fill=\"#455a64\"");
    }

    fn frames(&mut self) {
        for index in 0..self.frames.len() {
            let (left, width) = (self.frames[index].left, self.frames[index].width);
            let title = self.picture.columns[index].title.clone();
            let fill = if title.starts_with("pass") { "#f7f9fa" } else { "#fdf9fe" };
            self.frame(left, width, &title, fill);
        }
    }

    /// The left and top of a column's boxes.
    fn origin(&self, column: usize) -> (f64, f64) {
        let frame = &self.frames[column];
        (frame.left + (frame.width - self.columns[column].width) / 2.0, frame.top)
    }

    fn column(&mut self, column: usize) {
        let (left, top) = self.origin(column);
        let arranged = &self.columns[column];
        for path in &arranged.paths {
            let points: Vec<_> = path.iter().map(|(x, y)| (x + left, y + top)).collect();
            self.out += &format!(
                "<path d=\"{}\" fill=\"none\" stroke=\"{FLOW}\" stroke-width=\"1.2\" marker-end=\"url(#flow)\"/>\n",
                curve(&points)
            );
        }
        let items = self.picture.columns[column].items.clone();
        for (item, placed) in items.zip(&arranged.boxes) {
            self.item(&self.picture.items[item], placed, left, top);
        }
    }

    fn item(&mut self, item: &Item, placed: &Placed, left: f64, top: f64) {
        let (fill, stroke) = match item.look {
            Look::Load => ("#e3f2fd", MEMORY),
            Look::Value => ("#ffffff", "#90a4ae"),
            Look::Reduction => ("#fff3e0", PARTIAL),
            Look::Scalar => ("#f3e5f5", SCALAR),
            Look::Store => ("#e8f5e9", "#2e7d32"),
        };
        // Memory is round.
        let round = if matches!(item.look, Look::Load | Look::Store) { 11.0 } else { 3.0 };
        let (x, y) = (left + placed.centre - placed.width / 2.0, top + placed.top);
        self.out += &format!(
            "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{round}\" fill=\"{fill}\" \
             stroke=\"{stroke}\"/>\n",
            placed.width, placed.height
        );
        let mut baseline = y + LINE + 1.0;
        let centre = left + placed.centre;
        if !item.title.is_empty() {
            let style = "font-size=\"12\" font-weight=\"bold\" text-anchor=\"middle\" fill=\"#263238\"";
            self.text(centre, baseline, &item.title, style);
            baseline += LINE;
        }
        for line in &placed.lines {
            self.text(centre, baseline, line, &format!("{MONOSPACE} text-anchor=\"middle\""));
            baseline += LINE;
        }
    }

    /// Arrows between columns: down, along below all columns, up left of the target, into its box from above.
    fn wires(&mut self) {
        let column_of = |item: usize| self.picture.columns.iter().position(|column| column.items.contains(&item));
        let mut incoming = vec![0.0; self.frames.len()];
        let mut lines = String::new();
        for (number, &(from, to, flow)) in self.picture.wires.iter().enumerate() {
            let (Some(source), Some(target)) = (column_of(from), column_of(to)) else { continue };
            let (source_left, source_top) = self.origin(source);
            let (target_left, target_top) = self.origin(target);
            let from = from - self.picture.columns[source].items.start;
            let placed = &self.columns[target].boxes[to - self.picture.columns[target].items.start];
            let Some((_, exit)) = self.columns[source].exits.iter().find(|(item, _)| *item == from) else { continue };
            let exit: Vec<_> = exit.iter().map(|(x, y)| (x + source_left, y + source_top)).collect();
            let Some(&(exit_x, _)) = exit.last() else { continue };
            incoming[target] += 1.0;
            let along = self.bottom + (number as f64 + 1.5) * LANE;
            let up = self.frames[target].left - incoming[target] * LANE - 6.0;
            let over = TITLE + HEADER + (incoming[target] - 1.0) * LANE - 4.0;
            let x = target_left + placed.centre;
            let corners = [(exit_x, along), (up, along), (up, over), (x, over), (x, target_top + placed.top)];
            let (name, colour, dashes) = match flow {
                Flow::Partial => ("partial", PARTIAL, ""),
                Flow::Scalar => ("scalar", SCALAR, ""),
                Flow::Memory => ("memory", MEMORY, " stroke-dasharray=\"5 3\""),
            };
            lines += &format!(
                "<path d=\"{}{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.3\"{dashes} \
                 marker-end=\"url(#{name})\"/>\n",
                curve(&exit),
                rounded(exit_x, &corners)
            );
        }
        self.out += &lines;
    }

    fn legend(&mut self, y: f64) {
        let entries = [
            ("#e3f2fd", MEMORY, "read from memory"),
            ("#e8f5e9", "#2e7d32", "written to memory"),
            ("#ffffff", "#90a4ae", "value"),
            ("#fff3e0", PARTIAL, "reduction"),
            ("#f3e5f5", SCALAR, "scalar in a slot"),
        ];
        let mut x = MARGIN;
        for (fill, stroke, name) in entries {
            self.out += &format!(
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"16\" height=\"12\" rx=\"3\" fill=\"{fill}\" stroke=\"{stroke}\"/>\n"
            );
            self.text(x + 22.0, y + 10.5, name, "font-size=\"12\" fill=\"#455a64\"");
            x += 44.0 + name.chars().count() as f64 * 6.6;
        }
    }
}

const FLOW: &str = "#78909c";
const PARTIAL: &str = "#ef6c00";
const SCALAR: &str = "#8e24aa";
const MEMORY: &str = "#1e88e5";
const MONOSPACE: &str =
    "font-size=\"11\" font-family=\"DejaVu Sans Mono, Menlo, Consolas, monospace\" fill=\"#37474f\"";

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
