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


def energy(path: Path) -> None:
    """Readings of three sites each half hour, with decimal commas, gaps, and a site without a master record."""
    rng = random.Random(11)
    rows: list[list[object]] = []
    for step in range(48 * 45):
        at = datetime(2024, 1, 8) + timedelta(minutes=30 * step)
        for site, base in (("A", 12.0), ("B", 30.0), ("C", 5.0), ("X", 1.0)):
            if rng.random() > 0.01:
                load = base * (1.6 if 7 <= at.hour < 19 and at.weekday() < 5 else 1.0) + rng.gauss(0, base / 20)
                rows.append([f"{at:%d.%m.%Y %H:%M}", site, f"{load:.2f}".replace(".", ",")])
    _write(path, ["timestamp", "site", "kwh"], rows, delimiter=";")


def sites(path: Path) -> None:
    """Master records of sites; B stands there twice, X not at all."""
    rows: list[list[object]] = [
        ["A", "Harbour", "north", 1200],
        ["B", "Mill", "south", 3100],
        ["B", "Mill (new part)", "south", 900],
        ["C", "Kiosk", "north", 80],
    ]
    _write(path, ["site", "name", "region", "area_m2"], rows)


def weather(path: Path) -> None:
    """Temperatures each hour, as parquet."""
    import polars as pl

    rng = random.Random(12)
    hours = [datetime(2024, 1, 8) + timedelta(hours=hour) for hour in range(24 * 45)]
    pl.DataFrame({"time": hours, "temp_c": [round(rng.gauss(4, 5), 1) for _ in hours]}).write_parquet(path)


def reviews(path: Path) -> None:
    """Reviews with text, a rating, two forms of dates, and votes as words."""
    rng = random.Random(13)
    good, bad = ["great", "solid", "love it", "works well", "fast"], ["broke", "slow", "refund", "noisy", "poor"]
    rows: list[list[object]] = []
    for number in range(700):
        happy = rng.random() < 0.6
        words = rng.choices(good if happy else bad, k=3) + rng.choices(good + bad, k=2)
        day = date(2024, 1, 1) + timedelta(days=rng.randrange(300))
        posted = f"{day:%d/%m/%Y}" if number % 5 == 0 else day.isoformat()
        stars = rng.choice([4, 5] if happy else [1, 2, 3])
        total = rng.randrange(1, 9)
        text = "" if rng.random() < 0.03 else ", ".join(words)
        channel = rng.choice(["web", "app", "shop"])
        rows.append(
            [number, rng.choice(["kettle", "lamp", "fan"]), channel, stars, text, posted, f"{total // 2} of {total}"]
        )
    _write(path, ["review_id", "product", "channel", "stars", "text", "posted", "helpful"], rows)


def sales(path: Path) -> None:
    """A workbook as people write it: a title, an empty row, headers with blanks, a row of totals, and a second sheet."""
    import openpyxl

    rng = random.Random(14)
    book = openpyxl.Workbook()
    sheet = book.worksheets[0]
    sheet.title = "Sales 2024"
    sheet.append(["Sales by branch, in thousand €"])
    sheet.append([])
    sheet.append(["Branch ", "Cust. No", "Invoice date", "Net amount", "Remark"])
    total = 0.0
    for number in range(240):
        amount = round(rng.uniform(0.2, 9), 2)
        total += amount
        day = datetime(2024, 1, 1) + timedelta(days=rng.randrange(360))
        sheet.append(
            [rng.choice(["Bonn", "Köln", "Ulm"]), 100 + number % 60, day, amount, "n/a" if number % 7 else None]
        )
    sheet.append(["Total", None, None, round(total, 2), None])
    codes = book.create_sheet("Customers")
    codes.append(["customer", "segment", "lat", "lon"])
    for number in [*range(45), 3, 4]:
        codes.append(
            [100 + number, rng.choice(["retail", "trade"]), round(50 + rng.random(), 4), round(7 + rng.random(), 4)]
        )
    book.save(path)


def _write(path: Path, head: list[str], rows: list[list[object]], *, delimiter: str = ",") -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([head, *rows])


MAKERS: dict[str, Callable[[Path], None]] = {
    "rentals.csv": rentals,
    "stations.csv": stations,
    "patients.csv": patients,
    "meters.csv": meters,
    "library.db": library,
    "events.jsonl": events,
    "energy.csv": energy,
    "sites.csv": sites,
    "weather.parquet": weather,
    "reviews.csv": reviews,
    "sales.xlsx": sales,
}
