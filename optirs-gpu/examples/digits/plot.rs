//! The loss curve as a picture.

use std::error::Error;
use std::path::Path;

use plotters::prelude::*;

/// Draws the loss of every step, on a logarithmic scale.
pub fn loss(path: &Path, losses: &[f32]) -> Result<(), Box<dyn Error>> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let floor = losses.iter().copied().fold(f32::INFINITY, f32::min).max(1e-6);
    let top = losses.iter().copied().fold(floor, f32::max) * 1.2;
    let area = SVGBackend::new(path, (900, 480)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption("Cross-entropy on handwritten digits", ("sans-serif", 24))
        .margin(16)
        .x_label_area_size(40)
        .y_label_area_size(64)
        .build_cartesian_2d(0..losses.len(), (floor..top).log_scale())?;
    chart.configure_mesh().x_desc("step").y_desc("loss").light_line_style(WHITE.mix(0.0)).draw()?;
    let points = losses.iter().enumerate().map(|(step, &loss)| (step, loss.max(floor)));
    chart.draw_series(LineSeries::new(points, BLUE.stroke_width(1)))?;
    area.present()?;
    Ok(())
}
