//! The other commands as a person calls them, over few elements.

mod binary;

use std::process::Command;

use binary::run;
use optirs_gpu_benches::row::read;

#[test]
fn rows_of_the_cpu_are_compared_with_themselves() {
    let folder = tempfile::tempdir().expect("a folder");
    let json = folder.path().join("rows.json");
    let file = json.display().to_string();
    run(&["cpu", "--sets", "one", "--elements", "4096", "--runs", "2", "--threads", "1,2", "--json", &file]);
    let rows = read(&json).expect("rows");
    let threads: Vec<_> = rows.iter().map(|row| row.threads).collect();
    assert_eq!(threads, [[Some(1); 5], [Some(2); 5]].concat());
    assert!(rows.iter().all(|row| row.ms_device.is_none() && row.ms_wall > 0.0 && row.of_copy > 0.0), "{rows:?}");

    let printed = run(&["compare", &file, &file]).expect("no GPU is needed");
    let times: Vec<&str> = printed.lines().skip(1).filter_map(|line| line.split_whitespace().last()).collect();
    assert_eq!(times, ["1.00"; 10], "{printed}");
}

#[test]
fn a_tensor_in_several_buffers_is_right_at_their_ends_and_one_in_one_is_refused() {
    let several = ["shards", "--elements", "50000", "--buffer-bytes", "65536", "--rules", "adamw", "--runs", "2"];
    let Some(printed) = run(&several) else { return };
    assert!(printed.contains("50000 parameters in 4 buffers"), "{printed}");
    assert!(printed.contains("adamw: the first and the last 256 of each buffer are the CPU's"), "{printed}");

    let mut command = Command::new(env!("CARGO_BIN_EXE_optirs-gpu-benches"));
    let refused = command.args(["shards", "--elements", "5000"]).output().expect("the binary runs");
    let error = String::from_utf8_lossy(&refused.stderr);
    assert!(!refused.status.success() && error.ends_with("holds them all: ask for more --elements\n"), "{error}");
}

#[test]
fn no_rule_holds_more_than_it_may_or_allocates_in_a_step() {
    let Some(printed) = run(&["memory", "--sets", "single,small", "--rules", "sgd,adamw,lamb,sophia"]) else { return };
    assert_eq!(printed.lines().filter(|line| line.starts_with("single") || line.starts_with("small")).count(), 8);
}

#[test]
fn transfers_and_first_steps_are_measured() {
    let Some(printed) = run(&["startup", "--rules", "adamw,sophia"]) else { return };
    assert!(printed.contains("\nadamw ") && printed.contains("\nsophia "), "{printed}");
    let Some(printed) = run(&["transfer", "--elements", "4096", "--runs", "2"]) else { return };
    assert!(printed.contains("\nstep_gpu "), "{printed}");
}
