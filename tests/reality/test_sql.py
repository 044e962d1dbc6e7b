"""Columns that DuckDB's SQL names on DataFrames of the kernel. Each snippet is run, too, and DuckDB says the same of it."""

from __future__ import annotations

import duckdb
import pandas as pd
import pytest

from spark_jupyter.reality import check


def namespace():
    return {
        "duckdb": duckdb,
        "pd": pd,
        "con": duckdb.connect(),
        "sales": pd.DataFrame(
            {
                "store": ["A", "B"],
                "price": [1.5, 2.5],
                "Units": [3, 4],
                "date": pd.to_datetime(["2024-01-01", "2024-02-01"]),
            }
        ),
        "stores": pd.DataFrame({"store": ["A", "B"], "city": ["Ulm", "Bonn"]}),
    }


MISSING = r"""
cost | duckdb.sql("select cost from sales").df()
cost | duckdb.sql("select store, sum(cost) as total from sales group by store").df()
shop | duckdb.sql("select store from sales where shop = 'A'").df()
area | duckdb.sql("select count(*) as n from sales group by area").df()
rank | duckdb.sql("select store from sales order by rank desc limit 1").df()
day | duckdb.sql("select date_trunc('month', s.day) as month, sum(s.price) from sales as s group by all").df()
town | duckdb.sql("select b.town from sales a join stores b on a.store = b.store").df()
shop | duckdb.sql("select b.city from sales as a left join stores as b on a.shop = b.store").df()
Cost | duckdb.query('select "Cost" from sales').df()
cost | con.execute("select max(cost) as m from sales where price > ?", [1]).df()
total | duckdb.sql("select store, sum(price) as revenue from sales group by all").df()["total"]
units | duckdb.sql("select * from stores").df()["units"]
rows | duckdb.sql("select * from sales").rows()
cost | def f(df):\n    return duckdb.sql("select cost from df").df()\nf(sales)
total | def f(df):\n    return duckdb.sql("select store as s from df").df()\nf(sales).groupby("total").size()
cost | duckdb.sql('''\nselect store,\n  cost\nfrom sales\n''').df()
cost | duckdb.sql("with t as (select cost from sales) select * from t").df()
price | duckdb.sql("with t as (select store, price * 2 as twice from sales) select price from t").df()
store | duckdb.sql("with t as (select price p from sales), u as (select p + 1 as q from t) select store from u").df()
price | duckdb.sql("select price from (select store, price * 2 as twice from sales) d").df()
cost | duckdb.sql("select store from (select store, cost from sales)").df()
city | duckdb.sql("select d.city from stores s join (select store, max(price) m from sales group by store) d on s.store = d.store").df()
cost | duckdb.sql("select store from stores union all select cost from sales").df()
cost | duckdb.sql("select store from stores where store in (select cost from sales)").df()
cost | duckdb.sql("select store, (select max(cost) from sales) as top from stores").df()
shop | duckdb.sql("select city from stores s where exists (select 1 from sales x where shop = s.store)").df()
top | duckdb.sql("with t as (select store, max(price) as most from sales group by store) select * from t").df()["top"]
cost | duckdb.sql("select sum(cost) over w as s from sales window w as (partition by store)").df()
cost | duckdb.sql("from sales select cost").df()
cost | duckdb.sql("select list_sum([1, 2]) as l, store from sales using sample 1 order by cost").df()
shop | duckdb.sql("select (select city from stores x where x.store = s.shop) as c from sales s").df()
cost | duckdb.sql("select store, sum(price) as s from sales group by rollup(cost)").df()
top | duckdb.sql("select p from (select price from sales) t(p)").df()["top"]
city | duckdb.sql("select store as place from stores union select store from sales").df()["city"]
"""
VALID = r"""
duckdb.sql("select store, sum(price * units) as total from sales group by store order by total desc").df()["total"]
duckdb.sql("SELECT UNITS, Price p FROM sales WHERE date > DATE '2024-01-01'").df()["p"]
duckdb.sql("select a.store, b.city as town from sales a join stores b using (store) where b.city like 'U%'").df()[["store", "town"]]
duckdb.sql("select *, price * 2 as twice from sales").df()[["store", "price", "twice"]]
duckdb.sql("select s.* from sales s").df()["Units"]
duckdb.sql("select extract(year from date) as y, cast(price as integer) as i, price::double d from sales").df()["y"]
duckdb.sql("select date_trunc('month', date) as m from sales").df()["m"]
duckdb.sql("select case when price > 2 then 'dear' else 'cheap' end as kind, count(*) n from sales group by kind").df()["kind"]
duckdb.sql("select store, row_number() over (partition by store order by price desc) as rn from sales qualify rn = 1").df()["rn"]
duckdb.sql("with t as (select price as cost from sales) select cost from t").df()["cost"]
duckdb.sql("select cost from (select price as cost from sales)").df()["cost"]
duckdb.sql("with t as (select price c, store from sales), u as (select store s, c + 1 d from t) select d, s from u").df()["d"]
duckdb.sql("select city from stores s where exists (select 1 from sales x where x.store = s.store and units > 1)").df()["city"]
duckdb.sql("select (select max(price) from sales a where a.store = b.store) top from stores b where city in ('Ulm')").df()["top"]
duckdb.sql("select store as place, price from sales union all select city, 0 from stores order by place limit 3").df()["place"]
duckdb.sql("(select store from sales) union by name (select store, city from stores)").df()[["store", "city"]]
duckdb.sql("with recursive n(i) as (select 1 union all select i + 1 from n where i < 3) select i from n").df()["i"]
duckdb.sql("with t(a, b) as (select store, price from sales) select a, b from t").df()["a"]
duckdb.sql("with t as materialized (select store from sales) select store from t").df()["store"]
duckdb.sql("select a.store, d.n from sales a, (select store, count(*) as n from sales group by store) d where a.store = d.store").df()["n"]
duckdb.sql("with t as (select * from (values (1, 2)) v(x, y)) select x from t").df()["x"]
duckdb.sql("select store from sales except select store from stores").df()["store"]
duckdb.sql("with t as (select price p, avg(price) over (partition by store) m from sales) select * from t where p >= m").df()["m"]
duckdb.sql("select store, price from sales where price > (select avg(price) from sales) and store in ('A', 'B')").df()["price"]
duckdb.sql("select sum(price) from sales").df()
duckdb.sql("select user, exists(from stores) as e from sales").df()["e"]
duckdb.sql("select sum(price) over w as s from sales window w as (partition by store order by date)").df()["s"]
duckdb.sql("from sales select store").df()["store"]
duckdb.sql("select * rename (price as cost) from sales").df()["cost"]
duckdb.sql("pivot sales on store using sum(price)").df()["A"]
duckdb.sql("select s.store, l.x from sales s, lateral (select s.price + 1 as x) l").df()["x"]
duckdb.sql("select d.a from (select {'a': price} as d from sales)").df()["a"]
duckdb.sql("select k from (unpivot (select price, units::double as units from sales) on price, units into name k value v)").df()["k"]
duckdb.sql("select store, list(price) as l, [x for x in list(price)] as m from sales group by store").df()["l"]
duckdb.sql("select list_transform(list(price), lambda x: x + 1) as l from sales").df()["l"]
duckdb.sql("select store as s from sales where s = 'A' /* cost */").df()["s"]
duckdb.sql("select 1 as one, 'cost' as word").df()["one"]
duckdb.sql("select price + interval 3 day as d from (select date as price from sales)").df()["d"]
duckdb.sql("select quantile_cont(price, 0.5) filter (where price > 1) as q from sales").df()["q"]
duckdb.sql("select struct_pack(a := price, b := store) as s from sales").df()["s"]
sales["cost"] = 1\nduckdb.sql("select cost from sales").df()["cost"]
duckdb.sql("select store, cost from sales s cross join (select 3 as cost)").df()["cost"]
con.execute("create or replace table made as select 1 as cost")\ncon.sql("select cost from made").df()["cost"]
con.register("shown", sales)\ncon.execute("select price from shown").df()["price"]
rel = duckdb.sql("select store, price from sales")\nrel.price\nrel.filter("price > 2").order("store").limit(1).df()["store"]
"""


def snippets(text):
    return [line.replace("\\n", "\n") for line in text.strip().splitlines()]


@pytest.mark.parametrize("line", snippets(MISSING), ids=lambda line: line.partition(" | ")[2][:60])
def test_a_column_that_no_table_has_is_reported(line):
    name, _, source = line.partition(" | ")
    with pytest.raises(Exception, match=f"(?i){name}"):
        exec(source, namespace())
    messages = [finding.message for finding in check(source, namespace())]
    assert any(name in message for message in messages), messages


@pytest.mark.parametrize("source", snippets(VALID))
def test_what_duckdb_runs_is_not_reported(source):
    exec(source, namespace())
    assert check(source, namespace()) == []


def test_the_line_in_a_text_of_several_is_the_one_that_names_the_column():
    found = check('duckdb.sql("""\nselect store,\n  cost\nfrom sales\n""").df()', namespace())
    assert [finding.line for finding in found] == [3]


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A working folder with tables in files."""
    monkeypatch.chdir(tmp_path)
    sales = namespace()["sales"]
    sales.to_csv("sales.csv", index=False)
    sales.to_csv("odd.csv", index=False, sep=";")
    sales.to_parquet("sales.parquet")
    sales[["store"]].to_csv("texts.csv", index=False)


MISSING_IN_FILES = r"""
cost | duckdb.sql("select cost from 'sales.csv'").df()
cost | duckdb.sql("select s.cost from 'sales.parquet' as s where s.price > 1").df()
cost | con.execute("select price from read_csv('odd.csv') where cost > 1").df()
cost | duckdb.sql("select city, cost from stores join read_parquet('sales.parquet') p on stores.store = p.store").df()
cost | duckdb.sql("with t as (select * from 'sales.csv') select cost from t").df()
cost | duckdb.sql("select price from 'sales.csv'").df()["cost"]
"""
VALID_IN_FILES = r"""
duckdb.sql("select PRICE, sales.units from 'sales.csv'").df()["Units"]
duckdb.sql("select filename from read_csv('odd.csv')").df()
duckdb.sql("select price from 'sales.parquet' where store = 'A'").df()
duckdb.sql("copy (select 1 as cost) to 'sales.csv'")\nduckdb.sql("select cost from 'sales.csv'").df()
pd.DataFrame({"cost": [1]}).to_csv("sales.csv", index=False)\nduckdb.sql("select cost from 'sales.csv'").df()
duckdb.sql("select column0 from read_csv('texts.csv', header=false)").df()
duckdb.sql("select * from 'sales*.csv'").df()
"""


@pytest.mark.parametrize("line", MISSING_IN_FILES.strip().splitlines())
def test_a_column_that_a_file_lacks_is_found(files, line):
    name, _, snippet = line.partition(" | ")
    findings = check(snippet, namespace())
    assert [name in finding.message for finding in findings] == [True], findings
    with pytest.raises((duckdb.Error, KeyError)):
        exec(snippet, namespace())


@pytest.mark.parametrize("snippet", VALID_IN_FILES.strip().splitlines())
def test_right_queries_of_files_pass(files, snippet):
    snippet = snippet.replace("\\n", "\n")
    assert check(snippet, namespace()) == []
    exec(snippet, namespace())


@pytest.mark.parametrize(
    "text",
    [
        "from sales" + " join sales" * 30,
        "select " + "f( limit " * 30,
        "select a" + "[1]" * 900,
        "select " + "not " * 950 + "a from sales",
        "select ( map from sales",
        "from sales $1 at",
    ],
)
def test_a_text_that_would_take_long_to_read_or_is_no_sql_is_not_judged(text):
    assert check(f"duckdb.sql({text!r})", namespace()) == []
