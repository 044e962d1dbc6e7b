"""``spark-jupyter bench``: speed and answers of the user's own providers.

``measurement.py`` measures one of them, ``bench_command.py`` several, with the tasks of ``bench_tasks.py``.
"""
