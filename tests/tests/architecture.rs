//! What the layout promises: the direction between the crates, the size of things, and a clone that works anywhere.

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::Value;
use syn::{spanned::Spanned, visit::Visit};

type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// Each crate and those of ours that it may use, in its own tests too. `tests` may use everything.
const LAYERS: &[(&str, &[&str])] = &[
    ("decode", &[]),
    ("calibration", &["decode"]),
    ("chat", &[]),
    ("nn", &["decode"]),
    ("gemma4", &["nn", "decode"]),
    ("drafters", &["nn", "decode"]),
    ("training", &["chat", "decode", "drafters", "gemma4", "nn"]),
    ("engine", &["calibration", "chat", "decode", "drafters", "gemma4", "nn", "training"]),
    ("demo", &[]),
    ("hub", &[]),
    ("store", &[]),
    ("app", &["calibration", "demo", "engine", "hub", "store"]),
    ("cli", &["app"]),
    ("desktop", &["app"]),
    ("xtask", &[]),
];

/// Crates with a program that is not part of them, `examples/`; it may use anything, as the tests may.
const WITH_PROGRAMS: &[&str] = &["demo"];

/// Each heavy dependency, with its companions (`tauri-build`, `minijinja-contrib`), and the only crates that name it.
const OWNERS: &[(&str, &[&str])] = &[
    ("mlx-rs", &["nn", "gemma4", "drafters", "training", "engine", "tests"]),
    ("mlx-sys", &["nn"]),
    ("tokenizers", &["chat"]),
    ("minijinja", &["chat"]),
    ("sqlx", &["store"]),
    ("tauri", &["desktop"]),
    ("clap", &["cli"]),
    ("reqwest", &["hub"]),
    ("hf-hub", &["hub"]),
];

/// The most lines of a file, by its extension.
const FILE_BUDGET: &[(&str, usize)] = &[("rs", 400), ("svelte", 250), ("ts", 300)];

/// The most lines of a Rust function, from its signature to its closing brace.
const FUNCTION_BUDGET: usize = 60;

/// Written by a program, so nobody reads them for pleasure.
const GENERATED: &[&str] = &["ui/src/lib/bindings.ts"];

/// Files that may be larger than the budget. It starts empty, and each entry needs a reason beside it.
const EXCEPTIONS: &[&str] = &[];

#[test]
fn every_crate_uses_only_the_crates_below_it_and_heavy_dependencies_have_owners() -> Outcome {
    let packages = packages()?;
    let mut broken = Vec::new();
    for package in &packages {
        for dependency in &package.dependencies {
            let ours = packages.iter().any(|other| other.name == *dependency);
            if ours && !may_use(&package.name, dependency) {
                broken.push(format!("{} may not use {dependency}: see LAYERS", package.name));
            }
            if let Some(owners) = owners(dependency).filter(|owners| !owners.contains(&package.name.as_str())) {
                broken.push(format!("{} may not name {dependency}, only {owners:?} may", package.name));
            }
        }
        if package.name != "tests" && allowed(&package.name).is_none() {
            broken.push(format!("{} is not in LAYERS: give it a row", package.name));
        }
    }
    check(&broken)
}

#[test]
fn files_and_functions_fit_their_budget() -> Outcome {
    let root = root()?;
    let mut broken = Vec::new();
    for file in files(&root)? {
        if GENERATED.contains(&file.as_str()) || EXCEPTIONS.contains(&file.as_str()) || is_fixture(&file) {
            continue;
        }
        let extension = Path::new(&file).extension().and_then(|extension| extension.to_str());
        let Some((_, budget)) = FILE_BUDGET.iter().find(|(kind, _)| Some(*kind) == extension) else { continue };
        let text = fs::read_to_string(root.join(&file))?;
        let lines = text.lines().count();
        if lines > *budget {
            broken.push(format!("{file} has {lines} lines, {budget} are allowed: split it by what its parts are for"));
        }
        if extension == Some("rs") {
            let source = syn::parse_file(&text).map_err(|reason| format!("{file} does not parse: {reason}"))?;
            broken.extend(long_functions(&source).iter().map(|function| format!("{file}: {function}")));
        }
    }
    check(&broken)
}

#[test]
fn no_file_names_a_path_of_one_machine() -> Outcome {
    let root = root()?;
    let mut broken = Vec::new();
    for file in files(&root)? {
        if is_fixture(&file) || is_lock(&file) {
            continue;
        }
        let bytes = fs::read(root.join(&file))?;
        let Ok(text) = String::from_utf8(bytes) else { continue };
        for (number, line) in text.lines().enumerate().filter(|(_, line)| names_a_machine(line)) {
            broken.push(format!("{file}:{}: {}", number + 1, line.trim()));
        }
    }
    check(&broken)
}

#[test]
fn a_machine_is_recognised_by_its_absolute_folders() {
    let [scratch, admin, person] = ["tmp", "root", "home"].map(|folder| format!("/{folder}/"));
    assert!(names_a_machine(&format!("open(\"{scratch}x\")")));
    assert!(names_a_machine(&format!("file://{admin}x")));
    assert!(names_a_machine(&format!("cd {person}ada")));
    assert!(!names_a_machine(&format!("target{scratch}x and $HOME{person}ada")));
    assert!(!names_a_machine(&format!("{person}<name>")));
}

/// Fails with one line for each broken promise.
fn check(broken: &[String]) -> Outcome {
    if broken.is_empty() { Ok(()) } else { Err(format!("\n{}\n", broken.join("\n")).into()) }
}

/// A member of the workspace and all that its manifest names.
struct Package {
    name: String,
    dependencies: Vec<String>,
}

fn packages() -> Outcome<Vec<Package>> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let question = ["metadata", "--no-deps", "--format-version", "1", "--offline"];
    let metadata: Value = serde_json::from_slice(&output(Command::new(cargo).args(question).current_dir(root()?))?)?;
    let list = metadata["packages"].as_array().ok_or("`cargo metadata` names no packages")?;
    let packages: Option<_> = list.iter().map(package).collect();
    packages.ok_or_else(|| "`cargo metadata` describes a package in an unknown way".into())
}

fn package(metadata: &Value) -> Option<Package> {
    let name = |value: &Value| value["name"].as_str().map(str::to_owned);
    let with_program = WITH_PROGRAMS.contains(&metadata["name"].as_str()?);
    let dependencies = metadata["dependencies"].as_array()?.iter();
    let its_own = dependencies.filter(|dependency| !(with_program && dependency["kind"] == "dev"));
    Some(Package { name: name(metadata)?, dependencies: its_own.map(name).collect::<Option<_>>()? })
}

fn allowed(package: &str) -> Option<&'static [&'static str]> {
    LAYERS.iter().find(|(name, _)| *name == package).map(|(_, allowed)| *allowed)
}

fn may_use(package: &str, other: &str) -> bool {
    package == "tests" || allowed(package).is_some_and(|allowed| allowed.contains(&other))
}

fn owners(dependency: &str) -> Option<&'static [&'static str]> {
    let is_companion = |heavy: &str| dependency.strip_prefix(heavy).is_some_and(|rest| rest.starts_with('-'));
    let found = OWNERS.iter().find(|(heavy, _)| dependency == *heavy || is_companion(heavy));
    found.map(|(_, owners)| *owners)
}

/// The functions of a file that are longer than the budget, each with its place.
fn long_functions(source: &syn::File) -> Vec<String> {
    let mut ruler = Ruler { long: Vec::new() };
    ruler.visit_file(source);
    ruler.long
}

struct Ruler {
    long: Vec<String>,
}

impl Ruler {
    fn measure(&mut self, signature: &syn::Signature, body: &syn::Block) {
        let first = signature.span().start().line;
        let lines = body.span().end().line - first + 1;
        if lines > FUNCTION_BUDGET {
            self.long.push(format!("line {first}: {} has {lines} lines of {FUNCTION_BUDGET}", signature.ident));
        }
    }
}

impl Visit<'_> for Ruler {
    fn visit_item_fn(&mut self, function: &syn::ItemFn) {
        self.measure(&function.sig, &function.block);
        syn::visit::visit_item_fn(self, function);
    }

    fn visit_impl_item_fn(&mut self, function: &syn::ImplItemFn) {
        self.measure(&function.sig, &function.block);
        syn::visit::visit_impl_item_fn(self, function);
    }

    fn visit_trait_item_fn(&mut self, function: &syn::TraitItemFn) {
        if let Some(body) = &function.default {
            self.measure(&function.sig, body);
        }
        syn::visit::visit_trait_item_fn(self, function);
    }
}

/// Whether a line holds an absolute path into a folder whose content differs from machine to machine.
fn names_a_machine(line: &str) -> bool {
    // Put together here, for this file is checked too.
    ["tmp", "root", "work", "home", "Users"].iter().any(|folder| {
        let folder = format!("/{folder}/");
        line.match_indices(&folder).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let after = line[at + folder.len()..].chars().next();
            let starts_here = !before.is_some_and(|before| before.is_alphanumeric() || "._-~})".contains(before));
            starts_here && after.is_some_and(|after| after.is_alphanumeric() || "._-$".contains(after))
        })
    })
}

/// All files that git tracks or would track, by their path from the root.
fn files(root: &Path) -> Outcome<Vec<String>> {
    let question = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
    let listed = String::from_utf8(output(Command::new("git").args(question).current_dir(root))?)?;
    // A file may be deleted and not yet forgotten.
    Ok(listed.split_terminator('\0').filter(|file| root.join(file).is_file()).map(str::to_owned).collect())
}

fn is_fixture(file: &str) -> bool {
    file.split('/').any(|folder| folder == "fixtures")
}

fn is_lock(file: &str) -> bool {
    file.ends_with("Cargo.lock") || file.ends_with("package-lock.json")
}

/// The folder of the workspace, as cargo says it: at compile time another clone may have been meant.
fn root() -> Outcome<PathBuf> {
    let tests = env::var_os("CARGO_MANIFEST_DIR").ok_or("start this with `cargo test`")?;
    let root = Path::new(&tests).parent().ok_or("the tests lie outside of a workspace")?;
    Ok(root.to_owned())
}

fn output(command: &mut Command) -> Outcome<Vec<u8>> {
    let output = command.output().map_err(|reason| format!("cannot start {command:?}: {reason}"))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    Err(format!("{command:?} failed: {}", String::from_utf8_lossy(&output.stderr)).into())
}
