//! What a checked rule holds: statements as text, compound assignments spelled out, types, arguments, constants.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail so")]

use expect_test::{Expect, expect};
use optimizer_specs::checked::{Block, Expr, ExprKind, HyperValue, Init, Rule, Statement, StatementKind};
use optimizer_specs::{check, parse};

fn checked(source: &str) -> Rule {
    let mut rules = parse::parse_file(source).unwrap();
    let (attribute, item) = rules.remove(0);
    let parsed = parse::parse(attribute, item).unwrap();
    check::check(&parsed).accepted().unwrap_or_else(|errors| panic!("{errors:#?}")).0
}

/// The texts of statements, those of arms further in.
fn texts(block: &Block, depth: usize, lines: &mut String) {
    for Statement { kind, text, .. } in &block.statements {
        lines.push_str(&format!("{}{text}\n", "    ".repeat(depth)));
        if let StatementKind::Expr(value) = kind {
            arms(value, depth + 1, lines);
        }
    }
}

fn arms(value: &Expr, depth: usize, lines: &mut String) {
    match &value.kind {
        ExprKind::If(_, then, otherwise) | ExprKind::IfSome(_, _, then, otherwise) => {
            texts(then, depth, lines);
            texts(otherwise, depth - 1, lines);
        }
        ExprKind::Match(_, blocks) => blocks.iter().for_each(|block| texts(block, depth, lines)),
        ExprKind::Block(block) => texts(block, depth, lines),
        _ => {}
    }
}

fn assert_texts(source: &str, expected: Expect) {
    let mut lines = String::new();
    texts(&checked(source).entries[0].body.block, 0, &mut lines);
    expected.assert_eq(&lines);
}

#[test]
fn statements_are_printed_on_one_line_in_rustfmts_spacing() {
    assert_texts(
        "
        #[gpu_optimizer]
        mod rule {
            pub enum Mode { Plain, Fancy }
            pub struct RuleParams {
                #[hyper(default = Mode::Plain)] pub mode: Mode,
                #[hyper(default = None)] pub clip: Option<f32>,
                #[hyper(default = 1e-8)] pub epsilon: f32,
            }
            pub struct State { m: f32 }
            fn pair(x : f32) -> (f32,f32) { (x,x) }
            fn update(param:&mut f32,grad:f32,state:&mut State,hyper:&RuleParams,step:u32) {
                let mut g=grad*1.0f32; // a comment
                let (a,_):(f32,f32)=pair( - g );
                g+=1e-8*a . max( 0.5 ) . mul_add(2.,3.0);
                if let Some(c)=hyper.clip { g=g.clamp(-c,c); } else if !(g>0.0&&a<1_000.0) { g*=2.0; } else { g/=3.0 }
                match hyper.mode { Mode::Plain=>state.m=g, Mode::Fancy=>{ state.m=if g>0.0 {g} else {0.0}; } }
                let b=match hyper.mode { Mode::Plain|Mode::Fancy=>1.0 }+{ let c=2.0; c };
                let _=step;
                *param-=(step as f32)*b*norm(state.m)/all::sum(g)+f32::EPSILON
            }
        }",
        expect![[r#"
            let mut g = grad * 1.0f32;
            let (a, _): (f32, f32) = pair(-g);
            g += 1e-8 * a.max(0.5).mul_add(2., 3.0);
            if let Some(c) = hyper.clip {
                g = g.clamp(-c, c);
            else if !(g > 0.0 && a < 1_000.0) {
                g *= 2.0;
            g /= 3.0;
            match hyper.mode {
                state.m = g;
                state.m = if g > 0.0 { g } else { 0.0 };
            let b = match hyper.mode { Mode::Plain | Mode::Fancy => 1.0 } + { let c = 2.0; c };
            let _ = step;
            *param -= (step as f32) * b * norm(state.m) / all::sum(g) + f32::EPSILON;
        "#]],
    );
}

const CONSTANTS: &str = "
    #[gpu_optimizer]
    mod rule {
        const THIRD: f32 = 1.0 / HALF / 6.0;
        const HALF: f32 = 0.5;
        const COUNT: u32 = 2 * 3 + 1;
        pub struct RuleParams {
            #[hyper(default = -THIRD, range = -1.0..=-HALF * 0.5)] pub rate: f32,
            #[hyper(default = Some(COUNT), range = COUNT - 1..)] pub every: Option<u32>,
            #[hyper(default = 0.999, range = ..1.0, shared)] pub beta: f32,
        }
        pub struct State {
            #[init(HALF + 0.25)] a: f32,
            #[init(beta)] b: f32,
            #[init(param)] c: f32,
            d: f32,
        }
        fn update(param: &mut f32, grad: f32, state: &mut State, hyper: &RuleParams) {
            state.d = hyper.rate + hyper.beta + hyper.every.unwrap_or(1) as f32;
            *param -= grad * state.a * state.b * state.c * state.d;
        }
    }";

#[test]
fn constants_fold_in_f64() {
    let rule = checked(CONSTANTS);
    let third = 1.0_f64 / 0.5 / 6.0;
    let defaults: Vec<_> = rule.hypers.iter().map(|hyper| hyper.default.clone()).collect();
    assert_eq!(defaults, [HyperValue::F32(-third), HyperValue::SomeU32(7), HyperValue::F32(0.999)]);
    let inits: Vec<_> = rule.states.iter().map(|state| state.init).collect();
    assert_eq!(inits, [Init::Number(0.75), Init::Hyper(2), Init::Param, Init::Number(0.0)]);
}

#[test]
fn ranges_keep_their_bounds_and_text() {
    let rule = checked(CONSTANTS);
    let ranges: Vec<_> = rule.hypers.iter().filter_map(|hyper| hyper.range.as_ref()).collect();
    assert_eq!((ranges[0].start, ranges[0].end, ranges[0].end_included), (Some(-1.0), Some(-0.25), true));
    assert_eq!((ranges[1].start, ranges[1].end), (Some(6.0), None));
    let texts: Vec<_> = ranges.iter().map(|range| range.text.as_str()).collect();
    assert_eq!(texts, ["-1.0..=-0.25", "6..", "..1.0"]);
    assert!(rule.hypers[2].shared && !rule.hypers[0].shared);
    assert!(ranges[2].contains(0.999) && !ranges[2].contains(1.0) && ranges[0].contains(-0.25));
}

#[test]
fn update_comes_first_and_inputs_are_numbered_from_it() {
    let rule = checked(
        "
        #[gpu_optimizer(crate = my::gpu)]
        pub(crate) mod rule {
            pub struct RuleParams {}
            #[entry(mode = train)]
            fn train(param: &mut f32, #[input] noise: f32) { *param += noise; }
            #[entry(mode = eval)]
            fn eval(param: &mut f32, #[scalar] loss: f32) { *param += loss; }
            fn helper(hyper: &RuleParams, x: f32, y: f32) -> f32 { x + y }
            fn update(param: &mut f32, #[input] hessian: f32, grad: f32, #[input] noise: f32, hyper: &RuleParams) {
                *param -= helper(hyper, grad, noise) * hessian;
            }
        }",
    );
    let names: Vec<_> = rule.entries.iter().map(|entry| (entry.name.to_string(), entry.takes_grad)).collect();
    assert_eq!(names, [("update".into(), true), ("train".into(), false), ("eval".into(), false)]);
    assert_eq!(rule.inputs, ["hessian", "noise"]);
    assert_eq!(rule.scalars, ["loss"]);
    assert_eq!(rule.crate_path.to_string(), "my :: gpu");
    assert_eq!(rule.visibility.to_string(), "pub (crate)");
    assert_eq!((rule.base_name.as_str(), rule.params_name.to_string().as_str()), ("Rule", "RuleParams"));
    // Of the helper's arguments only values count.
    assert_eq!(rule.functions[0].arguments.len(), 2);
}

#[test]
fn of_the_attributes_above_the_macro_only_cfg_is_gone() {
    let rules = parse::parse_file(
        "
        /// Documentation.
        #[cfg(test)]
        #[gpu_optimizer]
        #[require(true, \"always\")]
        mod rule {}
        mod other {}
        #[optirs_gpu::gpu_optimizer(crate = x)]
        mod second {}",
    )
    .unwrap();
    let texts: Vec<_> = rules.iter().map(|(attribute, item)| (attribute.to_string(), item.to_string())).collect();
    assert_eq!(
        texts,
        [
            (String::new(), "#[doc = \" Documentation.\"] #[require (true , \"always\")] mod rule { }".to_owned()),
            ("crate = x".to_owned(), "mod second { }".to_owned()),
        ]
        .map(|(attribute, item)| (attribute, item.replace("#[", "# [")))
    );
}
