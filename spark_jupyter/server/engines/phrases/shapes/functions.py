"""Functions that everybody writes while learning: what they do is known by name. Pure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from spark_jupyter.server.engines.phrases.emit import UnknownError
from spark_jupyter.server.engines.phrases.shapes.shape import Said, Shape
from spark_jupyter.server.engines.rewrite import quoted

if TYPE_CHECKING:
    from collections.abc import Callable

_KNOWN: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        'def is_palindrome(word):\n    letters = [one for one in word.lower() if one.isalnum()]\n    return letters == letters[::-1]',
        ("if {w:x} is palindrome", "if {w:x} (reads|is) same (backwards|backward|both ways|forwards and backwards)", "for palindromes"),
    ),
    (
        "def is_prime(n):\n    return n > 1 and all(n % i for i in range(2, int(n**0.5) + 1))",
        ("if {w:x} is prime [number]", "if {w:x} is prime or not", "for primes"),
    ),
    ("def is_even(n):\n    return n % 2 == 0", ("if {w:x} is even", "if {w:x} is even or odd")),
    (
        "def is_leap_year(year):\n    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)",
        ("if {w:x} is leap year",),
    ),
    (
        "def is_anagram(one, other):\n    return sorted(one.lower()) == sorted(other.lower())",
        ("if two (words|strings) are anagrams [of each other]", "if {w:x} is anagram of another [one|word]"),
    ),
    (
        "def factorial(n):\n    result = 1\n    for number in range(2, n + 1):\n        result *= number\n    return result",
        ("factorial [of {w:x}]",),
    ),
    (
        ("def fibonacci(n):\n    numbers = [0, 1]\n    while len(numbers) < n:\n        "
         "numbers.append(numbers[-1] + numbers[-2])\n    return numbers[:n]"),
        ("first n fibonacci numbers", "first {w:x} fibonacci numbers", "fibonacci numbers"),
    ),
    ("def reverse(text):\n    return text[::-1]", ("{w:x} (reversed|backwards)",)),
    ('def count_vowels(text):\n    return sum(letter in "aeiou" for letter in text.lower())', ("[number of] vowels (in|of) {w:x}",)),
    ("def count_words(text):\n    return len(text.split())", ("[number of] words (in|of) {w:x}",)),
    (
        "def to_fahrenheit(celsius):\n    return celsius * 9 / 5 + 32",
        ("celsius to fahrenheit", "celsius in fahrenheit", "celsius into fahrenheit"),
    ),
    (
        "def to_celsius(fahrenheit):\n    return (fahrenheit - 32) * 5 / 9",
        ("fahrenheit to celsius", "fahrenheit in celsius", "fahrenheit into celsius"),
    ),
    (
        "def bmi(weight_kg, height_m):\n    return weight_kg / height_m**2",
        ("bmi", "bmi (from|of|for|with) weight and height", "body mass index [from weight and height]"),
    ),
    (
        ("def letter_counts(text):\n    counts = {}\n    for letter in text.lower():\n        if letter.isalpha():\n"
        "            counts[letter] = counts.get(letter, 0) + 1\n    return counts"),
        ("number of [times] (each|every|per) letter [occurs|appears] [in {w:x}]", "letters (of|in) {w:x}"),
    ),
    (
        "def largest(numbers):\n    return max(numbers)",
        ("(largest|biggest|highest|maximum) [number|value|element] (of|in|from) [list|{w:x}]",),
    ),
    (
        "def mean(numbers):\n    return sum(numbers) / len(numbers)",
        ("(mean|average) (of|in|from) [list|{w:x}] [of numbers]", "takes list and returns (mean|average)", "mean", "average"),
    ),
    (
        ("def median(numbers):\n    ordered = sorted(numbers)\n    middle = len(ordered) // 2\n"
        "    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2"),
        ("median [of [list|{w:x}]] [of numbers]", "takes list [of numbers] and returns median"),
    ),
    (
        "def count_letter(letter, word):\n    return word.lower().count(letter.lower())",
        ("number of [times] letter (occurs|appears|is|comes up) in {w:x}", "number of times letter (occurs|appears|is) [in {w:x}]"),
    ),
    (
        "def total(numbers):\n    result = 0\n    for number in numbers:\n        result += number\n    return result",
        ("sum of [all] [numbers|elements|values] (in|of) [list|{w:x}] [of numbers]", "takes list [of numbers] and returns (sum|total)"),
    ),
    ("def area_of_circle(radius):\n    return 3.141592653589793 * radius**2", ("area of circle [from|given|with] [radius]",)),
    ("def area(width, height):\n    return width * height", ("area of rectangle [from width and height]",)),
    (
        "def unique(values):\n    return list(dict.fromkeys(values))",
        ("(removes|drops|deletes) duplicates [from|of|in] [list|{w:x}] [but keeps order|and keeps order|keeping order]",
         "list without duplicates"),
    ),
    (
        "def digit_sum(number):\n    return sum(int(digit) for digit in str(abs(number)))",
        ("(sum of digits|digit sum) [of {w:x}]", "sum of digits of [{w:x}]"),
    ),
    (
        "def gcd(a, b):\n    while b:\n        a, b = b, a % b\n    return a",
        ("(greatest common divisor|gcd|largest common divisor) [of two numbers]",),
    ),
    (
        "def to_miles(kilometres):\n    return kilometres / 1.609344",
        ("(km|kilometers|kilometres) (to|in|into) miles",),
    ),
    ("def to_kilometres(miles):\n    return miles * 1.609344", ("miles (to|in|into) (km|kilometers|kilometres)",)),
    (
        "def initials(name):\n    return \"\".join(part[0].upper() for part in name.split())",
        ("initials (of|from) [{w:x}|full name]",),
    ),
    (
        "def second_largest(numbers):\n    return sorted(set(numbers))[-2]",
        ("second (largest|biggest|highest) (number|value|element) [of|in|from] [list|{w:x}]",),
    ),
    (
        "def flatten(lists):\n    return [one for some in lists for one in some]",
        ("list of lists", "nested list [by one level]"),
    ),
)  # fmt: skip
"""The source of each, and how it is asked for behind a verb."""
_TESTS = "(tells|checks|check|tests|says|tell|finds out|returns|test|find out|decides|returns true) [me|us]"
_VERBS = (
    "(returns|gives|calculates|computes|counts|return|calculate|compute|count|finds|find|converts|"
    "convert|makes|prints|gets|flattens|flatten)"
)
_FIRST = "[write|make|define|create|code|give] [simple|small|python|short] (function|func|def|method)"


_TRIED = "[and] [(try|test|call|show|use|run|apply) [it] (with|on|for|to) {rest:tried}]"


def _writes(source: str) -> Callable[[Said], str]:
    """The function, and calls of it with each of the values that the prompt tells."""

    def make(said: Said) -> str:
        if not said.has("tried"):
            return source
        taken = [one for one in said.found["tried"].split() if one not in ("and", "&", "values")]
        if not all(re.fullmatch(r"⟨[nq]\d+⟩", one) for one in taken) or not taken:
            raise UnknownError
        values = [said.marked.value(one) if one[1] == "n" else quoted(said.marked.value(one)) for one in taken]
        name, parameters = re.match(r"def (\w+)\((.*?)\)", source).groups()  # type: ignore[union-attr]  # each is a def
        if "," in parameters:
            raise UnknownError
        return f"{source}\n\n\nfor value in [{', '.join(values)}]:\n    print(value, {name}(value))"

    return make


def _templates(said: tuple[str, ...]) -> tuple[str, ...]:
    found = []
    for one in said:
        if one.startswith(("if ", "for ")):
            way = f"(if|whether) {one.removeprefix('if ')}" if one.startswith("if ") else one
            found += [f"{_FIRST} [(that|which)] {_TESTS} {way}", f"{_FIRST} to (check|test|see|find out|tell) {way}"]
            continue
        found += [f"{_FIRST} (that|which|to) {_VERBS} {one}", f"{_FIRST} for {one}", f"{_FIRST} (that|which) {one}"]
    return tuple(found)


SHAPES = tuple(
    Shape(tuple(f"{one} {_TRIED}" for one in _templates(said)), _writes(source), "loose") for source, said in _KNOWN
)
"""Functions to be written."""
