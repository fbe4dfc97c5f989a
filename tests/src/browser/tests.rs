use std::panic::{AssertUnwindSafe, catch_unwind};

use super::*;

/// Asks the browser; what a panic says otherwise.
fn asked(browser: &mut Browser, task: Value) -> Result<Vec<String>, String> {
    let answer = catch_unwind(AssertUnwindSafe(|| browser.ask(task, Vec::new())));
    answer.map(|(reports, _)| reports).map_err(|said| said.downcast_ref::<String>().expect("a text").clone())
}

#[test]
fn a_browser_that_fails_is_told_of_and_leaves_nothing() {
    let Some(mut browser) = Browser::open_or_skip() else { return };
    assert_eq!(asked(&mut browser, json!({ "source": "", "kernels": [] })), Ok(Vec::new()));

    let said = asked(&mut browser, json!({ "source": "" })).expect_err("a task without kernels");
    assert!(said.contains("TypeError"), "{said}");

    browser.running.end();
    let said = asked(&mut browser, json!({})).expect_err("a browser that has ended");
    assert!(said.contains("it ended: signal: 9"), "{said}");

    let folder = browser.running.folder().to_owned();
    assert!(folder.exists());
    drop(browser);
    assert!(!folder.exists());
}
