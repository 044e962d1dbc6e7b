"""Columns of polars' frames, in strings and in expressions. Each snippet is run, too: polars says the same of it."""

from __future__ import annotations

import polars as pl
import pytest

from spark_jupyter.reality import check

MISSING = r"""
df["prise"]
df[["price", "prise"]]
df.get_column("prise")
df.select("prise")
df.select(["price", "prise"])
df.select(pl.col("prise"))
df.select(pl.col("price", "prise"))
df.select(pl.col.prise)
df.select(total=pl.col("prise") * 2)
df.select(pl.sum("prise"))
df.select(2 * pl.col("price") - pl.col("prise"))
df.with_columns(pl.col("citty").str.to_uppercase())
df.with_columns(pl.when(pl.col("price") > 1).then("big").otherwise(pl.lit("small")).alias("size"))
df.with_columns(pl.col("price").mean().over("citty"))
df.with_columns(pl.col("price").fill_null(pl.col("prise")))
df.with_columns(pl.concat_str("city", "citty", separator="-").alias("both"))
df.filter(pl.col("prise") > 1)
df.filter((pl.col("price") > 1) & (pl.col("citty") == "a"))
df.filter(~pl.col("citty").is_in(["a"]))
df.sort("prise", descending=True)
df.sort(by=["price", "prise"])
df.sort(pl.col("prise").abs())
df.unique(subset=["citty"])
df.drop("prise")
df.drop_nulls("prise")
df.rename({"prise": "cost"})
df.group_by("citty").agg(pl.len())
df.group_by("city").agg(pl.col("prise").sum())
df.group_by("city", "qty").agg(most=pl.max("prise"))
df.group_by(pl.col("citty").str.to_uppercase()).len()
df.join(shops, on="shop")
df.join(shops, left_on="city", right_on="town")
df.join(shops.select("city", pl.col("price")), on="city")
df.unpivot(on="prise", index="city")
df.lazy().filter(pl.col("prise") > 1).collect()
df.lazy().group_by("city").agg(pl.col("prise").sum()).collect()
x = df.select("city")\nx.select("price")
x = df.select(pl.col("price").alias("cost"))\nx["price"]
x = df.rename({"price": "cost"})\nx.filter(pl.col("price") > 1)
x = df.group_by("city").agg(pl.col("price").sum().alias("total"))\nx.sort("price")
x = df.group_by("city").agg(n=pl.len())\nx["count"]
x = df.with_columns(total=pl.col("price") * pl.col("qty"))\nx.sort("totals")
x = df.with_columns(pl.col("price") * 2, (pl.col("qty") + 1).alias("more"))\nx["mores"]
x = df.join(shops, on="city")\nx.sort("open")
x = df.join(shops, on="city", how="semi")\nx["opened"]
x = df.drop("qty")\nx.select("qty")
x = df.with_row_index("row")\nx["index"]
x = df.unpivot(on=["price", "qty"], index="city")\nx["price"]
x = pl.DataFrame({"a": [1], "b": [2]})\nx.filter(pl.col("c") > 1)
x = pl.DataFrame([[1, 2]], schema=["a"])\nx["b"]
x = pl.concat([df, df])\nx["prise"]
x = df.lazy().select("city").collect()\nx["price"]
def top(t):\n    return t.sort("prise")\ntop(df)
df.with_columns(pl.col("city").str.upper())
df.groupby("city")
df.lazy().group_bye("city")
df.group_by("city").aggregate(pl.len())
pl.col("price").where(pl.col("qty") > 1)
pl.read_cvs("x.csv")
"""

THERE = r"""
df["price"], df[["price", "qty"]], df[0, "price"], df[:1]
df.select("price", pl.col("qty"), pl.col.city, total=pl.col("price") * pl.col("qty"))
df.select(pl.all())["price"]
df.select(pl.all().exclude("qty")).sort("price")
df.select(pl.exclude("qty"))["city"]
df.select("*").sort("qty")
df.select("^p.*$")["price"]
df.select(pl.col("^p.*$"))["price"]
df.select(pl.col(pl.Int64))["price"]
df.select(pl.col(pl.Int64, pl.String))["city"]
df.select(cs.numeric())["qty"]
df.select(cs.by_name("price") * 2)["price"]
df.select(pl.col("price").name.suffix("_x"))["price_x"]
df.select(pl.col("price", "qty").name.prefix("p_"))["p_qty"]
df.select(pl.len())["len"]
df.select(pl.lit(1))["literal"]
df.select(pl.struct("price", "qty").alias("both")).unnest("both")["qty"]
df.select(pl.struct("price", "qty"))["price"]
df.select(2 * pl.col("price"))
df.select(1 - pl.col("price")).columns
df.select(1 - pl.col("price"))["literal"]
df.select(pl.first())["price"]
df.select(pl.last().alias("end"), pl.first())[["end", "price"]]
df.select(pl.col("price") > 1)["price"]
df.select(pl.sum("price"), pl.mean("qty"))["qty"]
df.select(pl.concat_str(pl.col("city"), pl.lit("x"), separator=" ").alias("s"))["s"]
df.select(pl.col("city").str.split("").list.eval(pl.element().str.to_uppercase()))
df.select(pl.when(pl.col("price") > 1).then(pl.col("qty")).otherwise(0))["qty"]
df.with_columns(pl.when(pl.col("price") > 1).then(pl.lit("big")).otherwise(pl.lit("small")).alias("size"))["size"]
df.with_columns(total=pl.col("price") * 2).with_columns(pl.col("total") + 1).sort("total")
df.with_columns([pl.col("price").alias("a"), pl.col("qty").alias("b")]).select("a", "b", "city")
df.with_columns(**{"odd name": pl.col("price")})["odd name"]
df.with_columns(pl.Series("new", [1, 2]))["new"]
df.with_columns(pl.col("price").map_elements(lambda v: hash(v), return_dtype=pl.Int64))
df.with_columns(pl.col("price").sum().over("city").alias("share"))["share"]
df.with_row_index()["index"]
df.filter(city="a")
df.filter(pl.col("price") > df["price"].mean())
df.filter(pl.col("city").is_in(shops.filter(pl.col("opened") > 1)["city"].to_list()))
df.group_by("city").agg(pl.col("price").sum(), n=pl.len()).sort("n")["price"]
df.group_by("city", maintain_order=True).agg(pl.all().sum())["qty"]
df.group_by(town="city").len()["town"]
df.group_by("city").len()["len"]
df.group_by("city").len(name="n")["n"]
df.group_by("city").mean()["price"]
df.group_by(pl.col("price") > 1).agg(pl.len())["price"]
df.group_by("city").agg(pl.col("price").sort_by("qty").first())["price"]
df.group_by("city").agg(pl.struct("price", "qty"))
for (city,), part in df.group_by("city"):\n    part["price"]
df.join(shops, on="city")["opened"]
df.join(shops, left_on="city", right_on="city", how="left").sort("opened")
df.join(df, on="city", suffix="_2")["price_2"]
df.join(df, on="city")["qty_right"]
df.join(shops.rename({"city": "town"}), left_on="city", right_on="town")["opened"]
df.join(shops, on=pl.col("city").str.to_lowercase())
df.drop("nothing", strict=False)
df.drop(pl.col("qty"))["price"]
df.drop(["qty"])["price"]
df.rename({"price": "cost"})["cost"]
df.rename(str.upper)["PRICE"]
df.rename({"nothing": "x"}, strict=False)
df.unpivot(on=["price", "qty"], index="city")["variable"]
df.unpivot(index="city", variable_name="what", value_name="much")["much"]
df.pivot("city", index="qty", values="price")["a"]
df.transpose()["column_0"]
df.describe()["statistic"]
df.insert_column(0, pl.Series("first", [1, 2]))["first"]
x = df.clone()\nx.columns = ["a", "b", "c"]\nx["a"]
x = df.hstack([pl.Series("more", [1, 2])])\nx["more"]
x = pl.col("price") * 2\ndf.select(x.alias("double"))["double"]
x = [pl.col("price").alias("a")]\ndf.select(x)["a"]
x = [pl.col(c).alias(c + "_x") for c in ["price"]]\ndf.select(x)["price_x"]
df.select([pl.col(c).alias(c + "_x") for c in ["price"]])["price_x"]
df.select(pl.col(c).alias(c.upper()) for c in df.columns)["PRICE"]
df.lazy().with_columns(a=pl.col("price")).filter(pl.col("a") > 0).collect()["a"]
df.lazy().select(pl.col("price")).collect_schema()
df.lazy().join(shops.lazy(), on="city").select("opened").collect()
df.sql("SELECT price AS p FROM self")["p"]
pl.concat([df, shops], how="diagonal")["opened"]
pl.concat([df.select("city"), shops.select("opened")], how="horizontal")["opened"]
pl.DataFrame({"a": [1]}).with_columns(b=pl.col("a"))["b"]
pl.DataFrame([{"a": 1}])["a"]
pl.DataFrame({"a": [1]}, schema={"a": pl.Int8})["a"]
def double(t):\n    return t.with_columns(twice=pl.col("price") * 2)\ndf.pipe(double)["twice"]
col("price").alias("x")
df.select(col("price"))["price"]
df.with_columns(price=pl.col("price").cast(pl.Float64)).partition_by("city")[0]["price"]
df.top_k(1, by="price")["qty"]
df.select(pl.col("price").rolling_mean(2), pl.col("city").replace({"a": "b"}))["city"]
df.sort(pl.col("price").rank())
df.with_columns(pl.selectors.string().str.to_uppercase())["city"]
if len(df) == 1:\n    e = pl.col("prise")\nelse:\n    e = pl.col("price")\ndf.select(e)
try:\n    e = pl.col("prise")\n    int("x")\nexcept ValueError:\n    e = pl.col("price")\ndf.select(e)
match len(df):\n    case 1:\n        e = pl.col("prise")\n    case _:\n        e = pl.col("price")\ndf.select(e)
"""


@pytest.fixture
def namespace() -> dict[str, object]:
    return {
        "pl": pl,
        "cs": pl.selectors,
        "col": pl.col,
        "df": pl.DataFrame({"price": [1, 2], "city": ["a", "b"], "qty": [3, 4]}),
        "shops": pl.DataFrame({"city": ["a", "b"], "opened": [2001, 2002]}),
    }


def sources(text: str) -> list[str]:
    return [line.replace("\\n", "\n") for line in text.strip().splitlines()]


@pytest.mark.parametrize("source", sources(MISSING))
def test_what_a_frame_does_not_have_is_found(namespace: dict[str, object], source: str) -> None:
    assert len(check(source, namespace)) == 1
    with pytest.raises((pl.exceptions.PolarsError, AttributeError, ValueError)):
        exec(source, dict(namespace))


@pytest.mark.parametrize("source", sources(THERE))
def test_what_a_frame_may_have_is_not_reported(namespace: dict[str, object], source: str) -> None:
    assert check(source, namespace) == []
    exec(source, dict(namespace))
