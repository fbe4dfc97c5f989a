//! Schedules through given points.

use super::{Schedule, ascending, value};
use crate::GpuOptimError;

impl Schedule {
    /// `v(t)` is the value of the last point at t or before, and `initial` before the first: `(step, value)`.
    ///
    /// # Errors
    /// [`GpuOptimError::OutOfRange`] unless every value is finite; [`GpuOptimError::Requirement`] unless each step is later
    /// than the one before.
    pub fn piecewise_constant(
        initial: f32,
        points: impl IntoIterator<Item = (u64, f32)>,
    ) -> Result<Schedule, GpuOptimError> {
        let initial = value("initial", initial)?;
        let points = checked(points)?;
        Ok(Schedule::new("piecewise_constant", move |step| {
            let passed = points.partition_point(|(at, _)| *at <= step);
            passed.checked_sub(1).and_then(|latest| points.get(latest)).map_or(initial, |(_, value)| *value)
        }))
    }

    /// Straight lines through these points, `(step, value)`; constant before the first and after the last.
    ///
    /// # Errors
    /// As [`Schedule::piecewise_constant`], and [`GpuOptimError::Requirement`] where there is no point.
    pub fn piecewise_linear(points: impl IntoIterator<Item = (u64, f32)>) -> Result<Schedule, GpuOptimError> {
        let points = checked(points)?;
        let Some(&(_, last)) = points.last() else {
            return Err(GpuOptimError::Requirement("a piecewise linear schedule needs a point at least".to_owned()));
        };
        Ok(Schedule::new("piecewise_linear", move |step| {
            let passed = points.partition_point(|(at, _)| *at <= step);
            let before = passed.checked_sub(1).and_then(|place| points.get(place));
            match (before, points.get(passed)) {
                (Some((begin, from)), Some((end, to))) => {
                    from + (to - from) * ((step - begin) as f64 / (end - begin) as f64)
                }
                (None, Some((_, first))) => *first,
                (_, None) => last,
            }
        }))
    }
}

fn checked(points: impl IntoIterator<Item = (u64, f32)>) -> Result<Vec<(u64, f64)>, GpuOptimError> {
    let points = points.into_iter().map(|(step, given)| Ok((step, value("value", given)?)));
    let points = points.collect::<Result<Vec<_>, GpuOptimError>>()?;
    ascending("the steps of points", points.iter().map(|(step, _)| *step))?;
    Ok(points)
}
