"""Spoken prompts: how many of forty become the prompt that was meant.

Two voices of flite speak them, in quiet and with white noise at 26 dB below the speech. Run it with ``python -m benchmarks.voice``; it
needs the extra ``voice`` and Debian's flite. *By meaning*: articles, plurals and which word of one slot was said ("draw", "plot") make no
difference. What is printed besides is what was heard with another meaning.
"""

from __future__ import annotations

import time

from spark_jupyter.voice.phrases import SAME
from spark_jupyter.voice.recogniser import Recogniser
from spark_jupyter.voice.spoken_names import spoken_names, written
from tests.voice.speech import RATE, speak

COLUMNS = ("order_date", "Customer ID", "region", "Product Name", "quantity", "unit_price", "discount", "ship_mode")
TABLES = ("orders", "customers")
PROMPTS = (
    "show me the first twenty rows of orders",
    "what is the average unit price in each region",
    "plot the total revenue per month as a line",
    "remove the rows where the discount is missing",
    "how many orders came from each customer",
    "sort orders by quantity from highest to lowest",
    "rename unit price to price",
    "only two thousand twenty four",
    "no horizontal",
    "undo that",
    "run it",
    "stop",
    "which five products sold the most",
    "draw a histogram of the quantity",
    "add a column revenue that is quantity times unit price",
    "join orders with customers on customer id",
    "what share of revenue comes from each region",
    "fill the missing discounts with zero",
    "show the orders with a quantity over ten",
    "count the orders per ship mode",
    "make a scatter plot of quantity and unit price",
    "convert order date to a date",
    "what is the median discount by region",
    "drop the column discount",
    "show the last ten orders",
    "group by product name and sum the quantity",
    "plot the number of orders per week",
    "with a title please",
    "make it a pie chart",
    "sort it the other way",
    "show only the orders from the north region",
    "how many missing values are in each column",
    "what is the correlation between quantity and discount",
    "save orders as a csv file",
    "train a linear regression to predict unit price",
    "describe the orders table",
    "which customer spent the most in two thousand twenty three",
    "pivot the revenue by region and month",
    "remove duplicate rows from customers",
    "compare the average quantity of weekdays and weekends",
)


def meaning(prompt: str) -> list[str]:
    """The words of a prompt that make a difference."""
    words = (word for word in prompt.lower().split() if word not in ("a", "an", "the", "please", "me"))
    return [SAME.get(word, "have" if word == "has" else word.removesuffix("s")) for word in words]


def main() -> None:
    """Print the counts, and the speed beside the speech's."""
    recogniser = Recogniser([*COLUMNS, "revenue"], TABLES)
    names = spoken_names([*TABLES, *COLUMNS, "revenue"])
    for voice in ("rms", "slt"):
        for noise in (0.0, 0.05):
            right, alike, took, lasted = 0, 0, 0.0, 0.0
            for prompt in PROMPTS:
                sound = speak(prompt, voice=voice, noise=noise)
                started = time.process_time()
                found = [*recogniser.hear(sound), *recogniser.end()]
                took += time.process_time() - started
                lasted += len(sound) / 2 / RATE
                heard, meant = " ".join(one.text for one in found if one.final), written(prompt, names)
                right += heard == meant
                alike += meaning(heard) == meaning(meant)
                if meaning(heard) != meaning(meant):
                    print(f"  {meant} | {heard}")
            print(
                f"{voice}, noise {noise:.2f}: of {len(PROMPTS)} {alike} by meaning, {right} to the letter, "
                f"{took / lasted:.2f} of real time"
            )


if __name__ == "__main__":
    main()
