//! How the names of a rule follow from each other: `AdamParams` makes `Adam` and `GpuAdam`.

/// `Adam` for `AdamParams`; empty where no name stands before `Params` (`Self` is a word of Rust), or it does not end so.
pub(crate) fn base_name(params: &str) -> String {
    params.strip_suffix("Params").filter(|base| is_name(base)).unwrap_or_default().to_owned()
}

/// Whether a text can name a type.
pub(crate) fn is_name(text: &str) -> bool {
    syn::parse_str::<syn::Ident>(text).is_ok()
}

/// The base name that a module's name suggests: `ScheduleFree` for `schedule_free`.
pub(crate) fn camel_case(module: &str) -> String {
    let capitalised = |word: &str| {
        let mut letters = word.chars();
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect::<String>()
    };
    module.trim_start_matches("r#").split('_').map(capitalised).collect()
}

#[cfg(test)]
mod tests {
    use super::{base_name, camel_case};

    #[test]
    fn names_follow_from_each_other() {
        assert_eq!(base_name("AdamParams"), "Adam");
        assert_eq!(base_name("Params"), "");
        assert_eq!(base_name("SelfParams"), "");
        assert_eq!(base_name("ParamsOfAdam"), "");
        assert_eq!(camel_case("schedule_free_adamw"), "ScheduleFreeAdamw");
        assert_eq!(camel_case("r#loop"), "Loop");
        assert_eq!(camel_case("_"), "");
    }
}
