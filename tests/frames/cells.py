"""Cells of right code and cells with one planted fault each, for every library of lazy and distributed frames.

A line is a cell; ``\\n`` in it is a new line. Each runs, or fails, in the library itself, too (:mod:`tests.frames.judgement`).
"""

from __future__ import annotations

from typing import NamedTuple


class Cells(NamedTuple):
    """What runs before, the two kinds of cells, and cells that run and are seldom meant so."""

    before: str
    right: str
    faulty: str
    doubtful: str = ""


_DATA = """
import pandas as pd
sales = pd.DataFrame({"shop": list("aabbc"), "item": list("xyxyx"), "units": [3, 1, 4, 1, 5], "price": [2.0, 7.5, 1.25, 8.0, 3.5]})
shops = pd.DataFrame({"shop": list("abc"), "city": ["Rome", "Oslo", "Bern"], "area": [10, 20, 30]})
"""

POLARS = Cells(
    _DATA
    + """
import polars as pl
sales.to_csv("sales.csv", index=False)
df = pl.scan_csv("sales.csv")
towns = pl.from_pandas(shops).lazy()
nested = pl.LazyFrame({"k": [1], "geo": [{"lat": 1.0, "lon": 2.0}]})
""",
    r"""
df.filter(pl.col("price") > 2).collect()
df.select("shop", (pl.col("units") * pl.col("price")).alias("total")).sort("total").collect()
df.with_columns(total=pl.col("units") * pl.col("price")).filter(pl.col("total") > 5).collect()
df.group_by("shop").agg(pl.col("price").mean(), n=pl.len()).sort("n").collect()
df.join(towns, on="shop").group_by("city").agg(pl.sum("units")).collect()
df.collect_schema().names()
df.rename({"price": "cost"}).select("cost").collect()["cost"].sum()
df.drop("item").head(2).collect()
df.sort("price", descending=True).limit(3).collect()
df.unique(subset=["shop"]).collect()
df.with_row_index().filter(pl.col("index") > 1).collect()
df.select(pl.all().exclude("shop")).collect()["units"]
df.join(towns, on="shop", how="left").select("city", "price").collect()
df.filter(pl.col("shop").is_in(["a"])).explain()
top = df.sort("units").tail(2)\ntop.with_columns(pl.col("item").str.to_uppercase()).collect()
nested.select(pl.col("geo").struct.field("lat"), pl.col("geo").struct.field("lon").alias("x")).select("lat", "x").collect()
total = pl.col("units").sum().alias("total")\ndf.group_by("shop").agg(total).sort("total").collect()
price = pl.col("price")\nprice = price * 2\ndf.select(price).collect()
""",
    r"""
df.filter(pl.col("prise") > 2).collect()
df.select("shop", "unit").collect()
df.with_columns(total=pl.col("units") * pl.col("cost")).collect()
df.group_by("store").agg(pl.len()).collect()
df.group_by("shop").agg(pl.col("amount").sum()).collect()
df.join(towns, on="city").collect()
df.sort("prices").collect()
df.drop("itm").collect()
df.rename({"cost": "price"}).collect()
df.select("shop").filter(pl.col("price") > 1).collect()
df.groupby("shop").agg(pl.len()).collect()
df.head(2).to_dicts()
df.with_column(pl.col("price") * 2)
df.filter(pl.col("shop").str.upper() == "A").collect()
df.group_by("shop").agg(total=pl.col("units").sum()).sort("units").collect()
df.join(towns, on="shop", how="left").select("price", "town").collect()
df.join(towns, left_on="shop", right_on="name").collect()
large = pl.col("prise") > 2\ndf.filter(large).collect()
""",
)

DUCKDB = Cells(
    _DATA
    + """
import duckdb
sales.to_csv("sales.csv", index=False)
rel = duckdb.sql("select * from 'sales.csv'")
towns = duckdb.sql("select * from shops")
""",
    r"""
rel.filter("price > 2").df()
rel.project("shop, units * price as total").order("total desc").fetchall()
rel.aggregate("shop, sum(price) as total").filter("total > 1").df()["total"]
duckdb.sql("select shop, max(price) as top from rel group by shop order by top").df()["top"]
duckdb.sql("select r.shop, t.city from rel r join towns t on r.shop = t.shop where t.area > 10").fetchall()
rel.order("units desc").limit(2).df()
rel.columns
rel.distinct().filter("item = 'x' and units between 1 and 4").df()
rel.select("SHOP", "Price").fetchall()
duckdb.sql("select count(*) as n from 'sales.csv' where price > 1").fetchall()
duckdb.sql("with big as (select * from rel where units > 2) select shop from big").fetchall()
duckdb.sql("select city from shops where area > 10").df().city
rel.project("*, price * 2 as double").filter("double > 3").df()
duckdb.sql("select shop, rank() over (partition by shop order by price) as place from rel").df()["place"]
import duckdb as db\ncon = db.connect()\ncon.register("towns_", shops)\ncon.sql("select city from towns_").fetchall()
duckdb.sql("select * exclude (item) replace (price * 2 as price) from rel order by shop").df()["price"]
duckdb.sql("select cast('2026-01-01' as date) as date, replace(shop, 'a', 'b') as s from rel order by date").df()["date"]
""",
    r"""
rel.filter("prise > 2").df()
rel.project("shop, units * cost as total").fetchall()
rel.aggregate("store, sum(price) as total").df()
duckdb.sql("select shop, max(prices) as top from rel group by shop").df()
duckdb.sql("select r.shop, t.town from rel r join towns t on r.shop = t.shop").fetchall()
rel.order("unit desc").df()
rel.aggregate("shop, sum(price) as total").filter("amount > 1").df()
duckdb.sql("select cty from shops where area > 10").df()
rel.filter("item = 'x' and unitts > 1").df()
duckdb.sql("select price_total from 'sales.csv'").fetchone()
rel.project("shop").filter("price > 1").df()
rel.to_pandas_frame()
duckdb.sql("select city from shops").df()["town"]
rel.limit(2).df()["prise"]
rel.sort_values("price")
duckdb.sql("select * exclude (prise) from rel").df()
duckdb.sql("select * replace (prise * 2 as price) from rel").df()
duckdb.sql("select date_trunc('month', date) as month from rel").df()
""",
)

IBIS = Cells(
    _DATA
    + """
import ibis
from ibis import _
con = ibis.duckdb.connect()
t = con.create_table("sales", ibis.memtable(sales))
towns = con.create_table("shops", ibis.memtable(shops))
""",
    r"""
t.filter(t.price > 2).to_pandas()
t.filter(_.price > 2, _.units < 5).select("shop", "price").execute()
t.mutate(total=_.units * _.price).filter(_.total > 3).order_by(ibis.desc("total")).to_pandas()["total"]
t.group_by("shop").agg(total=_.price.sum(), n=_.count()).filter(_.n > 1).to_pandas()
t.join(towns, "shop").select("city", "units").to_pandas()
t.join(towns, t.shop == towns.shop).group_by("city").agg(units=_.units.sum()).to_pandas()
t["price"].mean().execute()
t[["shop", "price"]].distinct().to_pandas()
t.drop("item").head(2).to_pandas()
t.rename(cost="price").mutate(double=_.cost * 2).to_pandas()["double"]
t.order_by("shop", t.price.desc()).limit(3).execute()
t.aggregate(top=t.price.max()).to_pandas()
t.select(_.shop.upper().name("SHOP"), big=_.units > 2).filter(_.big).to_pandas()["SHOP"]
t.group_by(_.item).mutate(share=_.price / _.price.sum()).to_pandas()["share"]
cheap = t.price < 3\nt.filter(cheap).count().execute()
t.group_by("shop").order_by("price").mutate(before=_.price.lag()).to_pandas()["before"]
t.mutate(rank=ibis.row_number().over(ibis.window(group_by="shop", order_by=ibis.desc("price")))).to_pandas()["rank"]
t.pivot_wider(id_cols="shop", names_from="item", values_from="price", values_agg="sum").to_pandas()
t.filter(t.shop.upper().isin(["A"]) & t.price.round(1).notnull()).to_pandas()
""",
    r"""
t.filter(t.prise > 2).to_pandas()
t.filter(_.prise > 2).to_pandas()
t.select("shop", "cost").execute()
t.mutate(total=_.unit * _.price).to_pandas()
t.group_by("store").agg(n=_.count()).to_pandas()
t.group_by("shop").agg(total=_.amount.sum()).to_pandas()
t.group_by("shop").agg(total=_.price.sum()).order_by("price").to_pandas()
t.join(towns, "city").to_pandas()
t["cost"].mean().execute()
t[["shop", "prise"]].to_pandas()
t.drop("itm").to_pandas()
t.rename(cost="prise").to_pandas()
t.order_by(ibis.desc("totals")).to_pandas()
t.sort_values("price").to_pandas()
t.select("shop").filter(_.price > 1).to_pandas()
t.group_by("shop").order_by("prise").mutate(before=_.price.lag()).to_pandas()
t.mutate(rank=ibis.row_number().over(ibis.window(group_by="store", order_by=ibis.desc("price")))).to_pandas()
t.pivot_wider(id_cols="store", names_from="item", values_from="price", values_agg="sum").to_pandas()
t.filter(t.shop.is_in(["a"])).to_pandas()
""",
)

DASK = Cells(
    _DATA
    + """
import dask
import dask.dataframe as dd
dask.config.set(scheduler="synchronous")
ddf = dd.from_pandas(sales, npartitions=2)
towns = dd.from_pandas(shops, npartitions=1)
""",
    r"""
ddf[ddf.price > 2].compute()
ddf.groupby("shop").price.mean().compute()
ddf.groupby("shop")[["units", "price"]].sum().compute()
ddf.groupby(["shop", "item"]).agg({"price": "max", "units": "sum"}).compute()
ddf.merge(towns, on="shop").groupby("city").units.sum().compute()
ddf.assign(total=ddf.units * ddf.price).total.sum().compute()
ddf["total"] = ddf["units"] * ddf["price"]\nddf["total"].sum().compute()
ddf.sort_values("price").head(2)
ddf[["shop", "price"]].drop_duplicates(subset=["shop"]).compute()
ddf.drop(columns=["item"]).compute()
ddf.rename(columns={"price": "cost"}).cost.max().compute()
ddf.query("price > 2 and units < 5").compute()["shop"]
ddf.set_index("shop").loc["a"].compute()
ddf.map_partitions(lambda part: part.assign(double=part.price * 2)).double.sum().compute()
ddf.nlargest(2, "price").compute()\nddf.npartitions
ddf.groupby("shop").agg(total=("price", "sum")).reset_index().compute()[["shop", "total"]]
dd.concat([ddf, ddf.assign(extra=1)]).extra.sum().compute()
""",
    r"""
ddf[ddf.prise > 2].compute()
ddf.groupby("store").price.mean().compute()
ddf.groupby("shop").cost.mean().compute()
ddf.groupby("shop")[["units", "cost"]].sum().compute()
ddf.groupby("shop").agg({"amount": "max"}).compute()
ddf.merge(towns, on="city").compute()
ddf["total"].sum().compute()
ddf.sort_values("prices").head(2)
ddf[["shop", "prise"]].compute()
ddf.drop(columns=["itm"]).compute()
ddf.drop_duplicates(subset=["store"]).compute()
ddf.compute()["cost"]
ddf.rename(columns={"price": "cost"}).price.max().compute()
ddf.nlargest(2, "prise").compute()
ddf.sortvalues("price")
ddf.groupby("shop").agg(total=("price", "sum")).compute()["totl"]
dd.concat([ddf, ddf]).drop_duplicates(subset=["store"]).compute()
""",
)

SPARK = Cells(
    """
from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F
from pyspark.sql.functions import col
spark = (
    SparkSession.builder.master("local[1]")
    .config("spark.ui.enabled", "false").config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
    .config("spark.sql.shuffle.partitions", "1").getOrCreate()
)
rows = [("a", "x", 3, 2.0), ("a", "y", 1, 7.5), ("b", "x", 4, 1.25)]
df = spark.createDataFrame(rows, ["shop", "item", "units", "price"])
towns = spark.createDataFrame([("a", "Rome", 10), ("b", "Oslo", 20)], ["shop", "city", "area"])
narrow = df.select("shop", "units")
codes = spark.createDataFrame([(1, 2)], ["shop", "code"])
nested = spark.createDataFrame([(1, (1.0, 2.0))], "k int, geo struct<lat:double,lon:double>")
towns.createOrReplaceTempView("towns_before")
""",
    r"""
df.filter(F.col("price") > 2).collect()
df.where("price > 2 and item rlike 'x'").orderBy("price").collect()
df.select("shop", (col("units") * col("price")).alias("total")).orderBy(F.desc("total")).collect()
df.withColumn("total", F.col("units") * F.col("price")).filter("total > 3").count()
df.groupBy("shop").agg(F.sum("price").alias("total"), F.count("*").alias("n")).filter("n > 1").collect()
df.groupBy("shop").sum("price").withColumnRenamed("sum(price)", "total").select("total").collect()
df.join(towns, "shop").groupBy("city").agg(F.avg("units")).collect()
df.join(towns.union(towns.select("shop", "city", "area")), df.shop == towns.shop, "left").select(df["shop"], "city").collect()
df.select("shop").filter(F.col("price") > 2).collect()
narrow.unionByName(df.select("units", "shop")).orderBy("units").collect()
df.withColumn("place", F.row_number().over(Window.partitionBy("shop").orderBy(F.desc("price")))).filter("place = 1").collect()
def clean(frame):\n    return frame.withColumn("k", F.trim("shop")).drop("nothing")\ndf.transform(clean).dropDuplicates(["shop"]).collect()
df.selectExpr("shop", "units * 2 as twice").filter("twice > 2").collect()
df.createOrReplaceTempView("sales")\nspark.sql("select shop, max(price) as top from sales group by shop").filter("top > 1").collect()
df.select(F.date_format(F.lit("2024-01-01"), "yyyy").alias("year"), F.when(F.col("units") > 1, "many").otherwise("few")).collect()
nested.select("k", "geo.lat", F.col("geo.lon")).filter("lat > 0 and lon > 0").collect()
nested.select(F.col("geo.*")).select("lat").collect()
df.selectExpr("stack(2, 'units', units, 'more', units + 1) as (name, number)").filter("name = 'units'").select("number").collect()
df.select(F.posexplode(F.array("shop", "item")).alias("place", "text")).select("text").collect()
w = Window.partitionBy("shop")\nw = w.orderBy("price")\ndf.withColumn("place", F.row_number().over(w)).select("place").collect()
df.groupBy("shop").pivot("item").agg(F.sum("price")).select("shop", "x", "y").collect()
spark.sql("select city, max(area) as top from towns_before group by city").select("top").collect()
""",
    r"""
df.filter(F.col("prise") > 2).collect()
df.where("prise > 2").collect()
df.select("shop", "cost").collect()
df.withColumn("total", F.col("unit") * F.col("price")).count()
df.groupBy("store").count().collect()
df.groupBy("shop").agg(F.sum("amount").alias("total")).collect()
df.groupBy("shop").agg(F.sum("price").alias("total")).filter("amount > 1").collect()
df.join(towns, "city").collect()
df.orderBy(F.desc("totals")).collect()
df.prise
df.group_by("shop")
df.select(F.summ("price")).collect()
df.withColumn("place", F.row_number().over(Window.partitionBy("store").orderBy("price"))).collect()
df.selectExpr("shop", "unit * 2 as twice").collect()
df.createOrReplaceTempView("sales")\nspark.sql("select shop, max(prise) as top from sales group by shop").collect()
w = Window.partitionBy("store").orderBy("price")\ndf.withColumn("place", F.row_number().over(w)).collect()
df.groupBy("shop").pivot("kind").agg(F.sum("price")).collect()
df.groupBy("shop").pivot("item").sum("prise").collect()
spark.sql("select town from towns_before").collect()
df.groupBy("shop").agg(F.expr("percentile(prise, 0.5)").alias("middle")).collect()
""",
    r"""
narrow.union(df.select("units", "shop")).count()
df.select("units", "shop").filter("units > 1").unionAll(narrow).count()
df.limit(0).join(codes, "shop").count()
df.limit(0).join(codes, on=["shop"], how="left").count()
""",
)


def _without(cells: str, *starts: str) -> str:
    return "\n".join(line for line in cells.strip().splitlines() if not line.startswith(starts))


CONNECT = Cells(
    f"""
import os
os.environ["SPARK_TESTING"] = "1"  # any free port
{SPARK.before.replace('builder.master("local[1]")', 'builder.remote("local[1]")')}
for frame in (df, towns, narrow, codes, nested):
    frame.schema  # then the client has it
""",
    _without(SPARK.right, "df.join(towns.union", 'df.select("shop").filter('),  # a server refuses them
    # In a filter and an order columns count that were left out before, which only the server knows; so are its views.
    _without(
        SPARK.faulty,
        "df.filter",
        "df.where",
        "df.orderBy",
        'df.groupBy("shop").agg(F.sum("price")',
        "spark.sql",
        "df.prise",
    )
    + """
df.select("itm").collect()
df.select("shop", "units").selectExpr("prise * 2").collect()
""",
    _without(SPARK.doubtful, "narrow.union", 'df.select("units"'),  # a server refuses them, too
)

RAY = Cells(
    _DATA
    + """
import ray
import ray.data
from ray.data.expressions import col
for _ in range(6):  # Ray gives its own processes 30 s to start, which a busy machine may not
    try:
        ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        break
    except Exception:
        ray.shutdown()
ray.data.DataContext.get_current().enable_progress_bars = False
ds = ray.data.from_pandas(sales)
""",
    r"""
ds.take(1)
ds.filter(lambda row: row["price"] > 2)
ds.select_columns(["shop", "price"]).sort("price").schema()
ds.groupby("shop").sum("price")
ds.groupby(["shop", "item"]).count()
ds.drop_columns(["item"]).limit(2)
ds.sort(["shop", "price"], descending=True)
ds.sum("units")
ds.mean(["units", "price"])
ds.with_column("total", col("units") * col("price")).sort("total")
ds.rename_columns({"price": "cost"}).sort("cost")
ds.map_batches(lambda batch: {**batch, "double": batch["price"] * 2}).sort("double")
ds.to_pandas()["price"].sum()
ds.add_column("twice", lambda batch: batch["units"] * 2).select_columns(["twice"]).schema()
ds.unique("shop")\nds.count()
""",
    r"""
ds.select_columns(["shop", "cost"]).take(1)
ds.select_columns("prise").take(1)
ds.sort("prise").take(1)
ds.sort(["shop", "cost"]).take(1)
ds.groupby("store").count().take(1)
ds.groupby("shop").sum("cost").take(1)
ds.drop_columns(["itm"]).take(1)
ds.sum("unit")
ds.mean(["units", "cost"])
ds.unique("store")
ds.with_column("total", col("unit") * col("price")).take(1)
ds.select_columns(["shop"]).sort("price").take(1)
ds.to_pandas()["cost"]
ds.order_by("price")
ds.filter(expr=col("prise") > 2).take(1)
""",
)

LIBRARIES = {
    "polars": POLARS,
    "duckdb": DUCKDB,
    "ibis": IBIS,
    "dask": DASK,
    "pyspark": SPARK,
    "connect": CONNECT,
    "ray": RAY,
}
