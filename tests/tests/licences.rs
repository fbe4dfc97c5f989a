//! The licences of everything that `Cargo.lock` names: `docs/licences.md` lists them, and `deny.toml` says which may be
//! relied on.
//!
//! After a change of dependencies: `UPDATE_EXPECT=1 cargo test -p optirs-gpu-tests --test licences`, then read the diff.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use expect_test::expect_file;
use serde_json::Value;

/// Crates by licence.
type Licences = BTreeMap<String, BTreeSet<String>>;

/// What is published; everything that these need is needed by their users.
const PUBLISHED: [&str; 3] = ["optimizer-specs", "optirs-gpu", "optirs-gpu-macros"];

const HEAD: &str = "\
# Licences

The project is under [Apache-2.0](../LICENSE). This is what it depends on, as `Cargo.lock` has it, for all systems and with
all features, by the licences that `cargo metadata` reads from the crates. `deny.toml` lists the licences of which one
must be enough for each crate. A test compares this page with the dependencies, and writes it:

```sh
UPDATE_EXPECT=1 cargo test -p optirs-gpu-tests --test licences
```

Whether a dependency has a known vulnerability is not among the tests: it is asked for with `cargo deny check advisories`,
which fetches the RustSec database.
";

fn metadata() -> Value {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version", "1", "--locked", "--all-features"]).current_dir(root);
    let output = cargo.output().expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo writes JSON")
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap_or_default()
}

fn items<'a>(value: &'a Value, field: &str) -> impl Iterator<Item = &'a Value> {
    value[field].as_array().into_iter().flatten()
}

/// Ids of all packages that users of the published crates build.
fn needed(metadata: &Value) -> BTreeSet<&str> {
    let nodes: BTreeMap<&str, &Value> =
        items(&metadata["resolve"], "nodes").map(|node| (text(node, "id"), node)).collect();
    let published = items(metadata, "packages").filter(|package| PUBLISHED.contains(&text(package, "name")));
    let mut open: Vec<&str> = published.map(|package| text(package, "id")).collect();
    assert_eq!(open.len(), PUBLISHED.len());
    let mut needed = BTreeSet::new();
    while let Some(id) = open.pop() {
        if needed.insert(id) {
            let dependencies = items(nodes[id], "deps");
            let built =
                dependencies.filter(|dependency| items(dependency, "dep_kinds").any(|kind| kind["kind"] != "dev"));
            open.extend(built.map(|dependency| text(dependency, "pkg")));
        }
    }
    needed
}

/// One spelling for each set of alternatives: the order does not matter, and old manifests write `/`.
fn spelled(licence: &str) -> String {
    if licence.contains(" AND ") {
        return licence.to_owned();
    }
    let mut alternatives: Vec<&str> = licence.split("/").flat_map(|part| part.split(" OR ")).map(str::trim).collect();
    alternatives.sort_unstable();
    alternatives.join(" OR ")
}

/// Licences of what users build, and of what only tests and examples need. The workspace's own crates are left out.
fn licences(metadata: &Value) -> [Licences; 2] {
    let needed = needed(metadata);
    let mut licences = [Licences::new(), Licences::new()];
    for package in items(metadata, "packages").filter(|package| !package["source"].is_null()) {
        let part = usize::from(!needed.contains(text(package, "id")));
        let crates = licences[part].entry(spelled(text(package, "license"))).or_default();
        crates.insert(text(package, "name").to_owned());
    }
    licences
}

/// Paragraphs of names, in lines of the documents' width.
fn page(licences: &[Licences; 2]) -> String {
    let mut page = HEAD.to_owned();
    for (title, licences) in
        ["What the library and `optspec` need", "What only tests and examples need"].iter().zip(licences)
    {
        page.push_str(&format!("\n## {title}\n"));
        for (licence, crates) in licences {
            page.push_str(&format!("\n**{licence}**"));
            let mut width = licence.len() + 4;
            for (place, name) in crates.iter().enumerate() {
                let separator = if place == 0 { ":" } else { "," };
                let breaks = width + name.len() + 3 > 120;
                page.push_str(&format!("{separator}{}{name}", if breaks { "\n" } else { " " }));
                width = name.len() + if breaks { 0 } else { width + 2 };
            }
            page.push('\n');
        }
    }
    page
}

#[test]
fn the_page_names_every_crate_under_its_licence() {
    expect_file!["../../docs/licences.md"].assert_eq(&page(&licences(&metadata())));
}

#[test]
fn one_of_the_allowed_licences_is_enough_for_each_crate() {
    let rules: toml::Table = include_str!("../../deny.toml").parse().expect("TOML");
    let allowed: Vec<&str> =
        rules["licenses"]["allow"].as_array().into_iter().flatten().filter_map(|it| it.as_str()).collect();
    assert!(!allowed.is_empty());
    for (licence, crates) in licences(&metadata()).iter().flatten() {
        let expression = spdx::Expression::parse(licence).unwrap_or_else(|error| panic!("{crates:?}: {error}"));
        let enough = expression.evaluate(|requirement| allowed.contains(&requirement.to_string().as_str()));
        assert!(enough, "{licence}, the licence of {crates:?}, asks for more than deny.toml allows");
    }
}
