//! What a rule expands to, by what it does: parameters, options, requirements, rows.

mod generated {
    mod params;
    mod requirements;
    mod rows;
    mod shapes;
    mod whole_numbers;
}
