"""Data files of the recorded notebooks, the same each time."""

from __future__ import annotations

import csv
import json
import random
import sqlite3
from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path


def rentals(path: Path) -> None:
    """Rentals with two spellings of a station, gaps, amounts with a sign, and doubled rows."""
    rng = random.Random(5)
    rows = []
    for number in range(900):
        day = date(2024, 1, 1) + timedelta(days=rng.randrange(360))
        station = rng.choice(["North", "South", "East", "north "])
        minutes = "" if rng.random() < 0.04 else rng.randrange(3, 120)
        rows.append([7000 + number, day.isoformat(), station, rng.choice("AB"), minutes, f"€{rng.uniform(1, 30):.2f}"])
    rows += rows[:12]
    _write(path, ["Rental ID", "day", "Station ", "plan", "minutes", "amount"], rows)


def stations(path: Path) -> None:
    """Stations; one of them stands there twice."""
    rows = [["North", "Ada", 40], ["South", "Ben", 25], ["East", "Cem", 18], ["East", "Dee", 20]]
    _write(path, ["station", "manager", "docks"], rows)


def patients(path: Path) -> None:
    """Patients with an outcome that depends on some of their measurements."""
    rng = random.Random(9)
    rows = []
    for number in range(600):
        age, weight, smoker = rng.randrange(20, 90), rng.gauss(75, 12), rng.random() < 0.3
        risk = 0.03 * (age - 50) + 0.02 * (weight - 75) + smoker + rng.gauss(0, 0.7)
        rows.append([number, age, f"{weight:.1f}", "yes" if smoker else "no", int(risk > 0.3)])
    _write(path, ["id", "age", "weight", "smoker", "ill"], rows)


def meters(path: Path) -> None:
    """Hourly readings of three meters, with gaps and a marker for missing values."""
    rng = random.Random(3)
    rows = []
    for hour in range(24 * 60):
        at = datetime(2024, 3, 1) + timedelta(hours=hour)
        for meter in ("m1", "m2", "m3"):
            if rng.random() > 0.01:
                load = -99 if rng.random() < 0.01 else round(10 + 4 * (hour % 24 > 7) + rng.gauss(0, 1), 2)
                rows.append([at.isoformat(sep=" "), meter, load])
    _write(path, ["at", "meter", "load"], rows)


def library(path: Path) -> None:
    """A database of books and loans."""
    rng = random.Random(7)
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE books (id INTEGER PRIMARY KEY, title TEXT, author TEXT, year INTEGER)")
    connection.execute("CREATE TABLE loans (book_id INTEGER, reader TEXT, day TEXT, days INTEGER)")
    connection.executemany(
        "INSERT INTO books VALUES (?, ?, ?, ?)",
        [(n, f"Title {n}", rng.choice(["Le Guin", "Lem", "Butler"]), 1950 + n % 60) for n in range(120)],
    )
    connection.executemany(
        "INSERT INTO loans VALUES (?, ?, ?, ?)",
        [
            (rng.randrange(120), f"r{rng.randrange(40)}", f"2024-{rng.randrange(1, 13):02}-05", rng.randrange(1, 60))
            for _ in range(800)
        ],
    )
    connection.commit()
    connection.close()


def events(path: Path) -> None:
    """Events, one JSON object a line."""
    rng = random.Random(1)
    lines = [
        json.dumps(
            {"user": f"u{rng.randrange(30)}", "action": rng.choice(["open", "save", "share"]), "ms": rng.randrange(900)}
        )
        for _ in range(500)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _write(path: Path, head: list[str], rows: list[list[object]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head, *rows])


MAKERS: dict[str, Callable[[Path], None]] = {
    "rentals.csv": rentals,
    "stations.csv": stations,
    "patients.csv": patients,
    "meters.csv": meters,
    "library.db": library,
    "events.jsonl": events,
}
