//! Draws rows as bars against the roof: a panel for each set, a bar for each rule, and a line where a copy stands.

use std::path::Path;

use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::Failure;
use crate::row::Row;

const PANEL_HEIGHT: u32 = 300;
const BAR_WIDTH: u32 = 26;
/// Room for the rules' names, which stand upright.
const NAMES: u32 = 140;
const FONT: &str = "sans-serif";

/// Draws rows into an SVG file, in the order in which they come.
///
/// # Errors
/// Where the file cannot be written.
pub fn draw(file: &Path, rows: &[Row]) -> Result<(), Failure> {
    let panels: Vec<&[Row]> = rows.chunk_by(|one, next| one.set == next.set).collect();
    let most = panels.iter().map(|panel| panel.len()).max().unwrap_or(0) as u32;
    let size = (100 + BAR_WIDTH * most.max(16), PANEL_HEIGHT * panels.len().max(1) as u32);
    let root = SVGBackend::new(file, size).into_drawing_area();
    root.fill(&WHITE)?;
    for (area, panel) in root.split_evenly((panels.len().max(1), 1)).iter().zip(panels) {
        draw_panel(area, panel)?;
    }
    root.present()?;
    Ok(())
}

fn draw_panel(area: &DrawingArea<SVGBackend<'_>, plotters::coord::Shift>, rows: &[Row]) -> Result<(), Failure> {
    let Some(first) = rows.first() else { return Ok(()) };
    let highest = rows.iter().map(|row| row.of_copy).fold(1.0, f64::max) * 1.1;
    let fastest = rows.iter().map(|row| row.copy_gb_per_s).fold(0.0, f64::max);
    let title = format!(
        "{}: {} elements in {}. {}, {}. Copy: {fastest:.0} GB/s",
        first.set,
        first.elements,
        if first.tensors == 1 { "one tensor".to_owned() } else { format!("{} tensors", first.tensors) },
        first.device,
        first.date
    );
    let count = rows.len() as f64;
    let mut chart = ChartBuilder::on(area)
        .caption(title, (FONT, 14))
        .margin(8)
        .x_label_area_size(NAMES)
        .y_label_area_size(44)
        .build_cartesian_2d(0.0..count, 0.0..highest)?;
    chart.configure_mesh().disable_x_mesh().disable_x_axis().y_desc("share of the copy").draw()?;
    chart.draw_series(rows.iter().enumerate().map(|(place, row)| {
        let (left, right) = (place as f64 + 0.15, place as f64 + 0.85);
        Rectangle::new([(left, 0.0), (right, row.of_copy)], RGBColor(70, 110, 170).filled())
    }))?;
    chart.draw_series([PathElement::new([(0.0, 1.0), (count, 1.0)], RED.stroke_width(2))])?;
    let upright =
        (FONT, 12).into_text_style(area).transform(FontTransform::Rotate270).pos(Pos::new(HPos::Right, VPos::Center));
    for (place, row) in rows.iter().enumerate() {
        let (x, y) = chart.backend_coord(&(place as f64 + 0.5, 0.0));
        let (left, top) = area.get_base_pixel();
        area.draw_text(&row.rule, &upright, (x - left, y - top + 6))?;
    }
    Ok(())
}
