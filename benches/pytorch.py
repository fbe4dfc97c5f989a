#!/usr/bin/env python3
"""PyTorch's optimizers over the sets of `sets.rs`, written as the rows of `row.rs`: what `compare` reads.

    python3 benches/pytorch.py --json torch.json            # on the first CUDA device
    python3 benches/pytorch.py --cpu 1 --json torch-1.json  # on the CPU, with so many threads

Times are medians behind a warm-up, over normal deviates. What PyTorch does not have (a fused RMSprop, say) is named and left
out. `bytes` is the floor, not what PyTorch moves: a load and a store of the parameter and of each state, a load of the gradient.
"""

import argparse
import datetime
import json
import math
import statistics
import time
from pathlib import Path

import torch

BATCH = (50.0, 10, 100)
"""Steps behind one wait: as many as take so many milliseconds, within these bounds, as in `clock.rs`."""
WARM_UP = 5
MOST_COPIED = 1 << 30
"""Bytes: a copy of more is no faster."""


def gpt2_small():
    """The 148 tensors of GPT-2 small: `sets.rs` says where they come from."""
    width = 768

    def linear(inputs, outputs):
        return [(inputs, outputs), (outputs,)]

    norm = [(width,), (width,)]
    layer = norm + linear(width, 3 * width) + linear(width, width)
    layer += norm + linear(width, 4 * width) + linear(4 * width, width)
    return [(50257, width), (1024, width)] + 12 * layer + norm


def shapes(name, elements):
    return {
        "one": lambda: [(elements,)],
        "gpt2": gpt2_small,
        "small": lambda: 1000 * [(1000,)],
        "many": lambda: 10_000 * [(64,)],
        "single": lambda: [(65536,)],
    }[name]()


class Lamb:
    """LAMB as `lamb.rs` has it, of foreach operations: what there is for those who want it in PyTorch without a CUDA
    compiler. One instance steps one list of tensors, none of whose values leaves the device."""

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-6, weight_decay=0.0, foreach=True):
        del foreach
        self.params = list(params)
        self.first = [torch.zeros_like(param) for param in self.params]
        self.second = [torch.zeros_like(param) for param in self.params]
        self.count = torch.zeros((), device=self.params[0].device)
        self.lr, self.betas, self.eps, self.weight_decay = lr, betas, eps, weight_decay
        self.state = {param: {"m": m, "v": v} for param, m, v in zip(self.params, self.first, self.second)}

    @torch.no_grad()
    def step(self):
        beta1, beta2 = self.betas
        grads = [param.grad for param in self.params]
        self.count += 1
        bias1, bias2 = 1 - beta1**self.count, 1 - beta2**self.count
        torch._foreach_lerp_(self.first, grads, 1 - beta1)
        torch._foreach_mul_(self.second, beta2)
        torch._foreach_addcmul_(self.second, grads, grads, 1 - beta2)
        denominators = torch._foreach_div(self.second, bias2)
        torch._foreach_sqrt_(denominators)
        torch._foreach_add_(denominators, self.eps)
        updates = torch._foreach_div(self.first, bias1)
        torch._foreach_div_(updates, denominators)
        if self.weight_decay != 0:
            torch._foreach_add_(updates, self.params, alpha=self.weight_decay)
        norms = torch.stack(torch._foreach_norm(self.params))
        update_norms = torch.stack(torch._foreach_norm(updates))
        ratios = torch.where((norms > 0) & (update_norms > 0), norms / update_norms, 1.0)
        torch._foreach_mul_(updates, list(ratios.unbind()))
        torch._foreach_add_(self.params, updates, alpha=-self.lr)


RULES = {
    "adamw": (torch.optim.AdamW, {}),
    "lamb": (Lamb, {}),
    "sgd": (torch.optim.SGD, {"lr": 1e-2}),
    "sgd_momentum": (torch.optim.SGD, {"lr": 1e-2, "momentum": 0.9}),
    "adagrad": (torch.optim.Adagrad, {}),
    "rmsprop": (torch.optim.RMSprop, {}),
    "adam": (torch.optim.Adam, {}),
    "amsgrad": (torch.optim.Adam, {"amsgrad": True}),
    "adadelta": (torch.optim.Adadelta, {}),
    "adamax": (torch.optim.Adamax, {}),
    "nadam": (torch.optim.NAdam, {}),
    "radam": (torch.optim.RAdam, {}),
    "rprop": (torch.optim.Rprop, {}),
    "asgd": (torch.optim.ASGD, {}),
}
MAIN = ["adamw", "lamb", "sgd", "sgd_momentum", "adagrad", "rmsprop"]


def build(rule, implementation, params):
    """The optimizer and the call that steps it; an error where PyTorch does not have it."""
    kind, options = RULES[rule]
    if implementation == "fused":
        optimizer = kind(params, fused=True, **options)
    else:
        optimizer = kind(params, foreach=True, **options)
    return optimizer, torch.compile(optimizer.step) if implementation == "compiled" else optimizer.step


class Device:
    """Where it runs, and how time is taken there."""

    def __init__(self, threads):
        self.threads = threads
        if threads is None:
            self.torch, self.name = torch.device("cuda"), torch.cuda.get_device_name()
            self.driver = f"CUDA {torch.version.cuda}"
        else:
            torch.set_num_threads(threads)
            self.torch, self.name, self.driver = torch.device("cpu"), processor(), ""
        self.copies = {}

    def wait(self):
        if self.threads is None:
            torch.cuda.synchronize()

    def on_device(self, runs, work):
        """Milliseconds of each run by the device's clock; none on a CPU."""
        if self.threads is not None:
            return None
        events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(runs)]
        for start, end in events:
            start.record()
            work()
            end.record()
        self.wait()
        return statistics.median(start.elapsed_time(end) for start, end in events)

    def alone(self, runs, work):
        """Milliseconds until a run's end is known, and microseconds that its call keeps the host."""
        walls, hosts = [], []
        for _ in range(runs):
            start = time.perf_counter()
            work()
            called = time.perf_counter()
            self.wait()
            walls.append(1e3 * (time.perf_counter() - start))
            hosts.append(1e6 * (called - start))
        return statistics.median(walls), statistics.median(hosts)

    def amortised(self, runs, work, alone):
        """Milliseconds of a run among many, with one wait at the end; `alone` is what one takes by itself."""
        long, least, most = BATCH
        batch = int(min(max(long / alone, least), most))
        figures = []
        for _ in range(runs):
            start = time.perf_counter()
            for _ in range(batch):
                work()
            self.wait()
            figures.append(1e3 * (time.perf_counter() - start) / batch)
        return statistics.median(figures)

    def copy(self, count, runs):
        """Gigabytes a second of a copy that reads half of so many bytes and writes half."""
        elements = max(1, min(count // 2, MOST_COPIED) // 4)
        if elements not in self.copies:
            origin, copied = (torch.randn(elements, device=self.torch) for _ in range(2))
            for _ in range(WARM_UP):
                copied.copy_(origin)
            taken = self.on_device(runs, lambda: copied.copy_(origin))
            if not taken:
                alone, _ = self.alone(runs, lambda: copied.copy_(origin))
                taken = self.amortised(runs, lambda: copied.copy_(origin), alone)
            self.copies[elements] = 8 * elements / taken / 1e6
        return self.copies[elements]


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "CPU"


def measure(device, name, rule, implementation, elements, runs):
    torch.manual_seed(1)
    params = [torch.nn.Parameter(0.02 * torch.randn(shape, device=device.torch)) for shape in shapes(name, elements)]
    for param in params:
        param.grad = 0.01 * torch.randn_like(param)
    before = params[0].detach().flatten()[:1].clone()
    optimizer, step = build(rule, implementation, params)
    for _ in range(WARM_UP):
        step()
    device.wait()
    ms_wall, host_us = device.alone(runs, step)
    ms_amortised = device.amortised(runs, step, ms_wall)
    ms_device = device.on_device(runs, step)
    after = params[0].detach().flatten()[:1]
    assert math.isfinite(after.item()) and after.item() != before.item(), f"`{rule}` has made {after} of {before}"

    held = optimizer.state[params[0]].values()
    states = sum(1 for state in held if torch.is_tensor(state) and state.shape == params[0].shape)
    total = sum(param.numel() for param in params)
    moved = 4 * (3 + 2 * states) * total
    taken = ms_device or ms_amortised
    copied = device.copy(moved, runs)
    return {
        "device": device.name,
        "driver": device.driver,
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "implementation": f"torch {torch.__version__.split('+')[0]} {implementation}",
        "set": name,
        "rule": rule,
        "tensors": len(params),
        "elements": total,
        "threads": device.threads,
        "runs": runs,
        "ms_device": ms_device,
        "ms_wall": ms_wall,
        "ms_amortised": ms_amortised,
        "host_us": host_us,
        "bytes": moved,
        "clock": "device" if ms_device else "wall",
        "gb_per_s": moved / taken / 1e6,
        "copy_gb_per_s": copied,
        "of_copy": moved / taken / 1e6 / copied,
        "ms_predicted": moved / copied / 1e6,
    }


def line(row):
    taken = f"{row['ms_device']:10.4f}" if row["ms_device"] else " no stamps"
    return (
        f"{row['set']:8}{row['rule']:14}{row['implementation']:24}{taken} ms  wall {row['ms_wall']:10.4f}  "
        f"amortised {row['ms_amortised']:10.4f}  host {row['host_us']:8.1f} µs  {row['gb_per_s']:7.1f} GB/s  "
        f"{row['of_copy']:.3f} of copy"
    )


def words(text):
    return text.split(",")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", type=words, default=MAIN, help=f"of {','.join(RULES)}")
    parser.add_argument("--sets", type=words, default=None, help="of one,gpt2,small,many,single; many only if asked for")
    parser.add_argument("--implementations", type=words, default=None, help="of fused,foreach,compiled")
    parser.add_argument("--elements", type=int, default=None, help="of the large tensor: 2^28, on a CPU 2^24")
    parser.add_argument("--runs", type=int, default=30, help="that each figure is the median of")
    parser.add_argument("--cpu", type=int, default=None, metavar="THREADS", help="on the CPU, with so many threads")
    parser.add_argument("--json", type=Path, default=None, help="where to write the rows")
    asked = parser.parse_args()
    if asked.cpu is None and not torch.cuda.is_available():
        parser.error("there is no CUDA device; --cpu THREADS measures the CPU")
    on_cpu = asked.cpu is not None
    asked.elements = asked.elements or (1 << 24 if on_cpu else 1 << 28)
    asked.sets = asked.sets or (["one", "small"] if on_cpu else ["one", "gpt2", "small", "single"])
    asked.implementations = asked.implementations or ["fused", "foreach"] + ([] if on_cpu else ["compiled"])
    for given, known in [
        (asked.rules, RULES),
        (asked.sets, ["one", "gpt2", "small", "many", "single"]),
        (asked.implementations, ["fused", "foreach", "compiled"]),
    ]:
        for word in given:
            if word not in known:
                parser.error(f"there is no `{word}`; there are {', '.join(known)}")
    return asked


def main():
    asked = arguments()
    device = Device(asked.cpu)
    # Compiled once for each rule and set: dynamo gives up on a function that it has compiled more often than this.
    torch._dynamo.config.recompile_limit = 1000
    rows = []
    for name in asked.sets:
        for rule in asked.rules:
            for implementation in asked.implementations:
                if implementation == "fused" and RULES[rule][0] is Lamb:
                    continue
                try:
                    row = measure(device, name, rule, implementation, asked.elements, asked.runs)
                except (TypeError, RuntimeError) as error:
                    print(f"{name:8}{rule:14}{implementation}: {str(error).splitlines()[0]}", flush=True)
                    continue
                print(line(row), flush=True)
                rows.append(row)
                if asked.json:
                    asked.json.write_text(json.dumps(rows, indent=2) + "\n")
                torch.compiler.reset()


if __name__ == "__main__":
    main()
