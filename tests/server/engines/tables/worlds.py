"""Tables that the prompts of the tests are asked about."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd


def _words(text: str) -> list[str]:
    return text.split()


def bakery() -> dict[str, Any]:
    """Sales with a column of dates, gaps and flags; the shops that they belong to."""
    days = (
        "2024-01-03 2024-01-20 2024-02-02 2024-02-14 2024-02-29 2024-03-09 "
        "2024-03-10 2024-04-01 2024-05-17 2025-01-05 2025-01-06 2025-02-20"
    )
    notes = [
        "fresh",
        None,
        "Order by phone",
        "fresh",
        None,
        "for a party",
        "phone call",
        None,
        "fresh",
        "late",
        None,
        "party",
    ]
    sales = pd.DataFrame(
        {
            "sale_id": range(1, 13),
            "shop": _words("Mitte Nord Mitte West Nord Mitte West Nord Mitte West Nord Mitte"),
            "product": _words("bread roll cake bread bread roll cake roll bread bread cake roll"),
            "sold_at": pd.to_datetime(_words(days)),
            "unit_price": [3.2, 0.8, 18.5, 3.4, 3.2, 0.9, 21.0, 0.8, 3.6, 3.4, 19.0, 0.7],
            "quantity": [10, 40, 2, 5, 8, 35, 1, 60, 12, 4, 3, 50],
            "discount": [0.0, 0.1, np.nan, 0.0, 0.2, np.nan, 0.05, 0.0, 0.1, 0.0, np.nan, 0.25],
            "paid": [True, True, False, True, False, True, True, True, False, True, True, False],
            "note": notes,
        }
    )
    shops = pd.DataFrame(
        {
            "shop": ["Mitte", "Nord", "West", "Ost"],
            "district": ["Centre", "Wedding", "Charlottenburg", "Treptow"],
            "staff": [5, 3, 4, 2],
        }
    )
    return {"pd": pd, "sales": sales, "shops": shops}


def stations() -> dict[str, Any]:
    """One table whose dates and numbers are texts, day first and with units."""
    readings = pd.DataFrame(
        {
            "Station Name": ["Alm", "Alm", "See", "See", "Wald", "Wald"],
            "Read on": ["13.01.2024", "02.02.2024", "14.01.2024", "03.02.2024", "15.01.2024", "28.02.2024"],
            "Cost (EUR)": ["€1,200", "€950", "€2,000", "€40", "€75", "€1,310"],
            "temp_c": [-3.5, 1.0, 0.5, 4.0, -1.0, 6.5],
            "rain_mm": [0.0, 12.0, 3.5, 0.0, 8.0, 1.5],
            "checked": ["yes", "no", "yes", "yes", "no", "yes"],
        }
    )
    return {"readings": readings}


def people() -> dict[str, Any]:
    """One table about people, with ages, heights and answers from 1 to 5."""
    members = pd.DataFrame(
        {
            "name": ["Ada Berg", "Ben Roth", "Cleo Vogt", "Dan Lenz", "Eva Horn", "Finn Kurz", "Gro Lind", "Hal Bach"],
            "city": ["Bonn", "Kiel", "Bonn", "Ulm", "Kiel", "Bonn", "Ulm", "Kiel"],
            "team": ["red", "blue", "red", "red", "blue", "blue", "red", "blue"],
            "age": [34, 19, 51, 27, 44, 62, 38, 23],
            "height_cm": [170, 182, 165, 178, 169, 174, 181, 190],
            "weight_kg": [65.0, 80.5, 58.0, np.nan, 61.0, 77.0, 90.0, 85.5],
            "q1": [3, 4, 5, 2, 4, 1, 5, 3],
            "q2": [2, 4, 4, 3, 5, 2, 4, 3],
            "q3": [5, 3, 4, 99, 4, 2, 5, 99],
            "joined": pd.to_datetime(
                _words("2021-03-01 2022-07-15 2020-11-30 2023-01-09 2021-08-21 2019-05-05 2022-02-02 2023-06-18")
            ),
        }
    )
    return {"members": members}


def school() -> dict[str, Any]:
    """A student's table: one row for each of eight, marks with gaps, and whether they passed."""
    grades = pd.DataFrame(
        {
            "name": _words("Ada Ben Cem Dora Eli Fay Gus Hana"),
            "class": _words("7a 7a 7b 7b 7a 7c 7c 7b"),
            "math": [92.0, 75, 61, 88, np.nan, 70, 45, 97],
            "english": [81.0, np.nan, 77, 90, 68, np.nan, 59, 84],
            "passed": _words("yes yes yes yes no yes no yes"),
        }
    )
    return {"grades": grades}


def kiosk() -> dict[str, Any]:
    """Orders that are known by their numbers, with customers who come again."""
    till = pd.DataFrame(
        {
            "order_id": range(1001, 1009),
            "date": pd.to_datetime(
                _words("2026-01-05 2026-01-19 2026-02-02 2026-02-16 2026-03-02 2026-03-09 2026-03-23 2026-04-06")
            ),
            "customer": _words("Ada Ben Ada Cem Dora Ben Ada Eli"),
            "latitude": [50.0, 51.0, 50.0, 48.0, 49.0, 51.0, 50.0, 47.0],
            "revenue": [35.0, 12.0, 24.5, np.nan, 32.0, 7.0, 30.0, 4.2],
        }
    )
    return {"till": till}


def odd() -> dict[str, Any]:
    """Names that are hard: no identifiers, a column with the table's name, values in two columns, columns of one letter."""
    box = pd.DataFrame(
        {
            "box": ["b1", "b2", "b3", "b4"],
            "gross weight [kg]": [12.5, 8.0, 20.0, 3.5],
            "from": ["Rome", "Oslo", "Rome", "Bern"],
            "to": ["Oslo", "Rome", "Bern", "Oslo"],
            "class": ["A", "B", "A", "A"],
            "a": [1, 2, 3, 4],
            "b": [10, 20, 30, 40],
            2024: [5, 6, 7, 8],
        }
    )
    return {"box": box}


def empty() -> dict[str, Any]:
    """A table without rows."""
    return {"items": pd.DataFrame({"label": pd.Series([], dtype="str"), "price": pd.Series([], dtype="float64")})}


def scores() -> dict[str, Any]:
    """A table whose columns are called as what other columns have."""
    return {"scores": pd.DataFrame({"math": [1.0, 2, 4], "points": [5, 6, 8], "grade": ["A", "B", "A"]})}


WORLDS = {
    "bakery": bakery,
    "stations": stations,
    "people": people,
    "school": school,
    "scores": scores,
    "kiosk": kiosk,
    "odd": odd,
    "empty": empty,
}
