"""Recordings of models' answers: written once, replayed without the model.

``recording_file.py`` has the format, ``fingerprint.py`` the parts of a request that count, ``exchange_recorder.py`` and ``recorder.py``
write, and
``bug_report.py`` makes a report. The embedded server's engine ``recorded`` replays (``server/replay/recorded_engine.py``).
"""
