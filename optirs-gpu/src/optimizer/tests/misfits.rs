//! Checkpoints that do not fit, or are damaged: the error names what is wrong, and nothing has changed.

use std::collections::HashMap;
use std::path::Path;

use safetensors::tensor::{Dtype, SafeTensors, TensorView};

use super::checkpoints::{TENSORS, seen, step, training};
use crate::{
    AdamParams, AdamWParams, Device, GpuAdam, GpuAdamW, GpuOptimError, GpuSgd, ParamSet, SgdParams, ndarray::arr1,
};

/// The text of the error that loading gives; nothing may have changed.
fn refused(training: &mut super::checkpoints::Training, path: &Path) -> String {
    let before = seen(training);
    let error = training.1.load(&mut training.0, path).unwrap_err();
    assert!(matches!(&error, GpuOptimError::Checkpoint { path: named, .. } if named == path), "{error}");
    assert!(seen(training) == before, "{error}: something has changed");
    error.to_string()
}

type Tensors = HashMap<String, (Dtype, Vec<usize>, Vec<u8>)>;

/// The file with a change.
fn changed(bytes: &[u8], change: impl FnOnce(&mut Tensors, &mut HashMap<String, String>)) -> Vec<u8> {
    let mut tensors: Tensors = SafeTensors::deserialize(bytes)
        .unwrap()
        .iter()
        .map(|(name, view)| (name.to_owned(), (view.dtype(), view.shape().to_vec(), view.data().to_vec())))
        .collect();
    let (_, metadata) = SafeTensors::read_metadata(bytes).unwrap();
    let mut notes = metadata.metadata().clone().unwrap();
    change(&mut tensors, &mut notes);
    let views = tensors
        .iter()
        .map(|(name, (dtype, shape, data))| (name, TensorView::new(*dtype, shape.clone(), data).unwrap()));
    safetensors::serialize(views, Some(notes)).unwrap()
}

#[test]
fn a_file_that_differs_in_anything_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("training.safetensors");
    let mut saved = training(&Device::cpu(), &TENSORS, 1);
    (0..2).for_each(|number| step(&mut saved, number));
    saved.1.save(&saved.0, &path).unwrap();
    let bytes = std::fs::read(&path).unwrap();

    type Change = fn(&mut Tensors, &mut HashMap<String, String>);
    fn set(notes: &mut HashMap<String, String>, key: &str, text: &str) {
        assert!(notes.insert(key.to_owned(), text.to_owned()).is_some(), "{key} is not in the file");
    }
    fn reshape(tensors: &mut Tensors, key: &str, shape: &[usize]) {
        let tensor = tensors.get_mut(key).unwrap();
        assert_eq!(tensor.1.iter().product::<usize>(), shape.iter().product::<usize>());
        tensor.1 = shape.to_vec();
    }
    let changes: &[(&str, Change)] = &[
        ("it has no `param/b`", |tensors, _| drop(tensors.remove("param/b"))),
        ("it has no `state/m/w`", |tensors, _| drop(tensors.remove("state/m/w"))),
        ("it has no `state/total/w`", |tensors, _| drop(tensors.remove("state/total/w"))),
        ("it has no `state/age/late`", |tensors, _| drop(tensors.remove("state/age/late"))),
        ("it has `state/", |tensors, _| drop(tensors.remove("steps/w"))),
        ("it has `param/x`, which nothing", |tensors, _| {
            tensors.insert("param/x".to_owned(), tensors["param/b"].clone());
        }),
        ("`param/b` is of shape [5, 1] and type F32 in it, not of [5] and F32", |tensors, _| {
            reshape(tensors, "param/b", &[5, 1]);
        }),
        ("`state/m/w` is of shape [90, 100]", |tensors, _| reshape(tensors, "state/m/w", &[90, 100])),
        ("`state/age/w` is of shape [] and type I64 in it", |tensors, _| {
            tensors.get_mut("state/age/w").unwrap().0 = Dtype::I64;
        }),
        ("no checkpoint of an optimizer", |_, notes| notes.clear()),
        ("layout is of version 7", |_, notes| set(notes, "optirs-gpu", "7")),
        ("it is of the rule `adam`, not `kinds`", |_, notes| set(notes, "rule", "adam")),
        ("`updates` in its metadata is `-1`", |_, notes| set(notes, "updates", "-1")),
        ("mode `sleep`", |_, notes| set(notes, "mode", "sleep")),
        ("`scalar/loss` in its metadata is `low`", |_, notes| set(notes, "scalar/loss", "low")),
        ("it has 3 parameter groups, the optimizer has 2", |_, notes| set(notes, "groups", "3")),
        ("`group/1/set/rate` in its metadata is `fast`, which is no value of `rate`", |_, notes| {
            set(notes, "group/1/set/rate", "fast");
        }),
        ("rate = -1 is out of range", |_, notes| set(notes, "group/0/in_force/rate", "-1")),
        ("its metadata have no `group/0/set/start`", |_, notes| drop(notes.remove("group/0/set/start"))),
        ("it has `group/0/set/speed`, which nothing", |_, notes| {
            notes.insert("group/0/set/speed".to_owned(), "1".to_owned());
        }),
        ("tensor `w` is in parameter group 1 in it, and in group 0", |_, notes| set(notes, "member/w", "1")),
    ];
    let other = folder.path().join("changed.safetensors");
    for steps in [0, 2] {
        let mut training = training(&Device::cpu(), &TENSORS, 2);
        (0..steps).for_each(|number| step(&mut training, 40 + number));
        for (text, change) in changes {
            std::fs::write(&other, changed(&bytes, change)).unwrap();
            let refused = refused(&mut training, &other);
            assert!(refused.contains(text), "{refused}, without: {text}");
        }
        // The file itself fits.
        training.1.load(&mut training.0, &path).unwrap();
    }
}

#[test]
fn a_set_that_differs_is_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("training.safetensors");
    let mut saved = training(&Device::cpu(), &TENSORS, 1);
    step(&mut saved, 0);
    saved.1.save(&saved.0, &path).unwrap();
    let cpu = Device::cpu();
    let mut smaller = training(&cpu, &TENSORS[..2], 1);
    assert!(refused(&mut smaller, &path).contains("late`, which nothing in the set"));
    let mut larger = training(&cpu, &[("w", 9000), ("b", 5), ("late", 70), ("more", 1)], 1);
    assert!(refused(&mut larger, &path).contains("it has no `param/more`"));
    let mut longer = training(&cpu, &[("w", 9001), ("b", 5), ("late", 70)], 1);
    assert!(refused(&mut longer, &path).contains("`param/w` is of shape [9000]"));
}

#[test]
fn a_damaged_file_is_refused_wherever_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("training.safetensors");
    let mut saved = training(&Device::cpu(), &TENSORS, 1);
    step(&mut saved, 0);
    saved.1.save(&saved.0, &path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let mut training = training(&Device::cpu(), &TENSORS, 2);
    for end in [0, 7, 8, 100, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&path, &bytes[..end]).unwrap();
        assert!(refused(&mut training, &path).contains("damaged"), "the first {end} bytes");
    }
    std::fs::write(&path, [&bytes[..], &[0]].concat()).unwrap();
    assert!(refused(&mut training, &path).contains("damaged"), "a byte too many");
    std::fs::write(&path, "{}").unwrap();
    assert!(refused(&mut training, &path).contains("damaged"));
    std::fs::remove_file(&path).unwrap();
    assert!(refused(&mut training, &path).contains("cannot be read"));
}

#[test]
fn whatever_a_byte_becomes_a_file_loads_whole_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("training.safetensors");
    let device = Device::cpu();
    let mut params = ParamSet::new(&device, [("w", arr1(&[1.0, 2.0])), ("b", arr1(&[3.0]))]).unwrap();
    params.write_grad("w", &arr1(&[0.5, -0.5])).unwrap();
    let mut optimizer = GpuAdam::on(&device, AdamParams::default()).unwrap();
    optimizer.add_group(&params, AdamParams::burn(), ["b"]).unwrap();
    optimizer.step(&mut params).unwrap();
    optimizer.save(&params, &path).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let whole = folder.path().join("whole");
    std::fs::write(&whole, &bytes).unwrap();
    let seen = |params: &ParamSet, optimizer: &GpuAdam| {
        let values = ["w", "b"].map(|name| params.read(name).unwrap().mapv(f32::to_bits));
        let moments = ["m", "v"].map(|state| optimizer.state(state, "w").unwrap().mapv(f32::to_bits));
        let counts = (optimizer.step_count(), optimizer.tensor_step_count("w").unwrap());
        format!("{values:?} {moments:?} {counts:?} {:?} {:?}", optimizer.params(), optimizer.mode())
    };
    let (mut refused, mut loaded) = (0, 0);
    for place in (0..bytes.len()).step_by(3) {
        let mut changed = bytes.clone();
        changed[place] ^= [0x01, 0x80][place % 2];
        std::fs::write(&path, changed).unwrap();
        let before = seen(&params, &optimizer);
        match optimizer.load(&mut params, &path) {
            Ok(()) => {
                loaded += 1;
                optimizer.load(&mut params, &whole).unwrap();
            }
            Err(error) => {
                refused += 1;
                assert!(matches!(error, GpuOptimError::Checkpoint { .. }), "byte {place}: {error}");
                assert_eq!(seen(&params, &optimizer), before, "byte {place}: {error}");
            }
        }
    }
    // A number of the values is another number; nearly everything else is noticed.
    assert!(refused > loaded, "{refused} refused, {loaded} loaded");
}

#[test]
fn another_rule_or_option_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("training.safetensors");
    let device = Device::cpu();
    let mut params = ParamSet::new(&device, [("w", arr1(&[1.0, 2.0]))]).unwrap();
    params.write_grad("w", &arr1(&[0.5, -0.5])).unwrap();
    let mut adam = GpuAdam::on(&device, AdamParams::default()).unwrap();
    adam.step(&mut params).unwrap();
    adam.save(&params, &path).unwrap();
    let mut adamw = GpuAdamW::on(&device, AdamWParams::default()).unwrap();
    let error = adamw.load(&mut params, &path).unwrap_err().to_string();
    assert!(error.ends_with("it is of the rule `adam`, not `adamw`"), "{error}");

    let momentum = SgdParams { momentum: 0.9, ..SgdParams::default() };
    let mut sgd = GpuSgd::on(&device, momentum).unwrap();
    sgd.step(&mut params).unwrap();
    sgd.save(&params, &path).unwrap();
    let before = params.read("w").unwrap();
    let mut plain = GpuSgd::on(&device, SgdParams::default()).unwrap();
    let error = plain.load(&mut params, &path).unwrap_err().to_string();
    assert!(error.contains("`momentum` is 0, not nonzero"), "{error}");
    assert_eq!((params.read("w").unwrap(), plain.step_count()), (before, 0));
    // Other values of the same options are the file's.
    let mut other = GpuSgd::on(&device, SgdParams { momentum: 0.5, ..SgdParams::default() }).unwrap();
    other.load(&mut params, &path).unwrap();
    assert_eq!((*other.params(), other.step_count()), (momentum, 1));
}
