//! Lines of a picture, as data of an SVG path.

/// Curves between layers, straight through them.
pub(super) fn curve(points: &[(f64, f64)]) -> String {
    let mut path = String::new();
    for (index, &(x, y)) in points.iter().enumerate() {
        match index.checked_sub(1).and_then(|before| points.get(before)) {
            None => path += &format!("M{x:.1} {y:.1}"),
            Some(_) if index % 2 == 0 => path += &format!(" L{x:.1} {y:.1}"),
            Some(&(from_x, from_y)) => {
                let middle = (from_y + y) / 2.0;
                path += &format!(" C{from_x:.1} {middle:.1} {x:.1} {middle:.1} {x:.1} {y:.1}");
            }
        }
    }
    path
}

/// Straight lines with round corners, from straight above the first corner.
pub(super) fn rounded(start_x: f64, corners: &[(f64, f64)]) -> String {
    const RADIUS: f64 = 5.0;
    let mut path = String::new();
    let mut before = (start_x, f64::NEG_INFINITY);
    for pair in corners.windows(2) {
        let [(x, y), after] = [pair[0], pair[1]];
        let towards = |from: f64, to: f64| {
            if to > from {
                RADIUS
            } else if to < from {
                -RADIUS
            } else {
                0.0
            }
        };
        let (in_x, in_y) = (x + towards(x, before.0), y + towards(y, before.1));
        let (out_x, out_y) = (x + towards(x, after.0), y + towards(y, after.1));
        path += &format!(" L{in_x:.1} {in_y:.1} Q{x:.1} {y:.1} {out_x:.1} {out_y:.1}");
        before = (x, y);
    }
    if let Some((x, y)) = corners.last() {
        path += &format!(" L{x:.1} {y:.1}");
    }
    path
}
