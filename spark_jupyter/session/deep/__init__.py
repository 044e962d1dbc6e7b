"""Deep work: long work in the background, which plans, writes, runs in a copy of the kernel and mends until it may be proposed. Pure.

``phases.py`` is what can happen, as a table; ``work.py`` what that means for one work; ``steps.py`` how its steps are written, tried and
kept; ``plan.py`` reads plans, ``bench.py`` is the notebook as the work has it so far; ``desk.py`` has the works of a session;
``handing.py`` says when a fast answer is offered to the deep gear.
"""
