"""Writes optirs-gpu/src/schedule/tests/expected.rs: what torch and optax give for the schedules of their names.

pip install torch optax
python tests/golden/schedules.py > optirs-gpu/src/schedule/tests/expected.rs
"""

import jax
import optax
import torch
from torch.optim import lr_scheduler as S

jax.config.update("jax_enable_x64", True)

STEPS = [0, 1, 2, 3, 5, 7, 9, 10, 11, 14, 15, 19, 20, 29, 30, 31, 40, 59, 60, 69, 70, 99]


def t(make):
    """The rate of each step of a loop that begins at 0.1."""
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.1)
    scheduler = make(optimizer)
    rates = []
    for _ in range(STEPS[-1] + 1):
        rates.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        if len(rates) <= STEPS[-1]:
            scheduler.step()
    return [rates[step] for step in STEPS]


def o(schedule):
    return [float(schedule(jax.numpy.asarray(step))) for step in STEPS]


cases = {
    "torch.ConstantLR": t(lambda q: S.ConstantLR(q, factor=1.0)),
    "torch.LinearLR": t(lambda q: S.LinearLR(q, start_factor=0.25, end_factor=1.0, total_iters=20)),
    "torch.StepLR": t(lambda q: S.StepLR(q, step_size=10, gamma=0.5)),
    "torch.MultiStepLR": t(lambda q: S.MultiStepLR(q, milestones=[10, 30, 60], gamma=0.1)),
    "torch.ExponentialLR": t(lambda q: S.ExponentialLR(q, gamma=0.95)),
    "torch.CosineAnnealingLR": t(lambda q: S.CosineAnnealingLR(q, T_max=99, eta_min=0.001)),
    "torch.CosineAnnealingWarmRestarts.1": t(
        lambda q: S.CosineAnnealingWarmRestarts(q, T_0=10, T_mult=1, eta_min=0.001)
    ),
    "torch.CosineAnnealingWarmRestarts.2": t(lambda q: S.CosineAnnealingWarmRestarts(q, T_0=10, T_mult=2)),
    "torch.PolynomialLR": t(lambda q: S.PolynomialLR(q, total_iters=60, power=2.0)),
    "torch.OneCycleLR": t(lambda q: S.OneCycleLR(q, max_lr=0.1, total_steps=100)),
    "torch.OneCycleLR.linear": t(
        lambda q: S.OneCycleLR(
            q,
            max_lr=0.1,
            total_steps=100,
            pct_start=0.2,
            anneal_strategy="linear",
            div_factor=10,
            final_div_factor=100,
        )
    ),
    "torch.OneCycleLR.three_phase": t(
        lambda q: S.OneCycleLR(q, max_lr=0.1, total_steps=100, three_phase=True)
    ),
    "torch.SequentialLR": t(
        lambda q: S.SequentialLR(
            q,
            [S.LinearLR(q, start_factor=0.1, total_iters=10), S.ExponentialLR(q, gamma=0.9)],
            milestones=[10],
        )
    ),
    "torch.LambdaLR": t(lambda q: S.LambdaLR(q, lambda i: 1 / (1 + i) ** 0.5)),
    "optax.linear_schedule": o(optax.linear_schedule(0.0, 0.1, 20)),
    "optax.cosine_decay_schedule": o(optax.cosine_decay_schedule(0.1, 60, alpha=0.01)),
    "optax.exponential_decay": o(optax.exponential_decay(0.1, 10, 0.5)),
    "optax.exponential_decay.staircase": o(optax.exponential_decay(0.1, 10, 0.5, staircase=True)),
    "optax.polynomial_schedule": o(optax.polynomial_schedule(0.1, 0.01, 1.5, 60)),
    "optax.piecewise_constant_schedule": o(optax.piecewise_constant_schedule(0.1, {10: 0.5, 30: 0.1})),
    "optax.piecewise_interpolate_schedule": o(
        optax.piecewise_interpolate_schedule("linear", 0.1, {10: 0.5, 30: 0.1})
    ),
    "optax.warmup_cosine_decay_schedule": o(optax.warmup_cosine_decay_schedule(0.0, 0.1, 10, 70, 0.001)),
    "optax.join_schedules": o(
        optax.join_schedules(
            [
                optax.linear_schedule(0.0, 0.1, 10),
                optax.constant_schedule(0.05),
                optax.exponential_decay(0.05, 1, 0.9),
            ],
            [10, 30],
        )
    ),
}

print(
    f"""//! Written by tests/golden/schedules.py, with torch {torch.__version__.split("+")[0]} and optax {optax.__version__}.

/// The steps of the values.
pub const STEPS: [u64; {len(STEPS)}] = {STEPS};

/// Values by the name of the schedule.
#[rustfmt::skip]
pub const EXPECTED: [(&str, [f64; {len(STEPS)}]); {len(cases)}] = ["""
)
for name, values in cases.items():
    numbers = [f"{value:.9g}" for value in values]
    numbers = [number if "." in number or "e" in number else number + ".0" for number in numbers]
    print(f'    ("{name}", [')
    print("        " + ", ".join(numbers[:11]) + ",")
    print("        " + ", ".join(numbers[11:]) + ",")
    print("    ]),")
print("];")
