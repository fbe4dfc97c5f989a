"""Writes tests/states/torch.json: what torch's optimizers hold after three steps, and where the fourth leads.

pip install torch
python tests/states/write_torch.py > tests/states/torch.json
"""

import json

import torch

O = torch.optim
CASES = {
    "SGD": lambda p: O.SGD(p, lr=0.1, momentum=0.9, dampening=0.1, weight_decay=0.01),
    "Adam": lambda p: O.Adam(p, lr=0.1, weight_decay=0.01),
    "AdamW": lambda p: O.AdamW(p, lr=0.1),
    "Adam.amsgrad": lambda p: O.Adam(p, lr=0.1, amsgrad=True),
    "NAdam": lambda p: O.NAdam(p, lr=0.1),
    "RAdam": lambda p: O.RAdam(p, lr=0.1),
    "Adamax": lambda p: O.Adamax(p, lr=0.1),
    "RMSprop": lambda p: O.RMSprop(p, lr=0.01, momentum=0.9, centered=True),
    "Adagrad": lambda p: O.Adagrad(p, lr=0.1, lr_decay=0.01),
    "Adadelta": lambda p: O.Adadelta(p),
    "Rprop": lambda p: O.Rprop(p),
    "ASGD": lambda p: O.ASGD(p, t0=1),
}
GRADIENTS = [[0.5, -1.0, 2.0], [0.25, 2.0, -1.0], [-0.75, 0.5, -0.5], [1.0, -0.5, 0.25]]

written = {"torch": torch.__version__.split("+")[0]}
for name, make in CASES.items():
    p = torch.nn.Parameter(torch.tensor([1.0, -2.0, 0.5]))
    optimizer = make([p])
    for gradient in GRADIENTS:
        state = {
            key: torch.as_tensor(value).tolist()
            for key, value in optimizer.state_dict()["state"].get(0, {}).items()
        }
        before = p.tolist()
        p.grad = torch.tensor(gradient)
        optimizer.step()
    written[name] = {"before": before, "state": state, "gradient": GRADIENTS[-1], "after": p.tolist()}
print(json.dumps(written, indent=1))
