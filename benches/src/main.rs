//! The command line of the benchmarks.

use std::process::ExitCode;

use clap::Parser;
use optirs_gpu_benches::allocations::Counting;
use optirs_gpu_benches::commands::compare::Compare;
use optirs_gpu_benches::commands::cpu::OnCpu;
use optirs_gpu_benches::commands::memory::Memory;
use optirs_gpu_benches::commands::roofline::Roofline;
use optirs_gpu_benches::commands::shards::Shards;
use optirs_gpu_benches::commands::startup::Startup;
use optirs_gpu_benches::commands::table::Table;
use optirs_gpu_benches::commands::transfer::Transfer;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Measures the optimizers.
#[derive(Parser)]
enum Command {
    /// Every rule over every set, beside the copy of as many bytes on the same GPU.
    Roofline(Roofline),
    /// The CPU back end on one thread and on all, beside a copy by as many threads.
    Cpu(OnCpu),
    /// Two files of rows, side by side.
    Compare(Compare),
    /// Records as tables for a document.
    Table(Table),
    /// `step_gpu` on arrays of the host, beside the copying of the same bytes up and down.
    Transfer(Transfer),
    /// The first step of an optimizer on an open device.
    Startup(Startup),
    /// What an optimizer holds, and what a step allocates.
    Memory(Memory),
    /// One tensor that is larger than a buffer: its speed, and what it is at the ends of each.
    Shards(Shards),
}

fn main() -> ExitCode {
    let outcome = match Command::parse() {
        Command::Roofline(roofline) => roofline.run(),
        Command::Cpu(cpu) => cpu.run(),
        Command::Compare(compare) => compare.run(),
        Command::Table(table) => table.run(),
        Command::Transfer(transfer) => transfer.run(),
        Command::Startup(startup) => startup.run(),
        Command::Memory(memory) => memory.run(),
        Command::Shards(shards) => shards.run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
