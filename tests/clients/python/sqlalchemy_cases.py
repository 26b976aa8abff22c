"""SQLAlchemy over pymssql and over pyodbc: tables made, filled, read back and reflected. For whole servers only."""

import datetime
import decimal
import glob
import urllib.parse

import cases
import sqlalchemy as sa

port, user, password = cases.arguments()
run = cases.Cases(f"SQLAlchemy {sa.__version__}")
driver = next(iter(glob.glob("/usr/lib/*/odbc/libtdsodbc.so")), None)


def engines():
    name = urllib.parse.quote(user), urllib.parse.quote(password)
    yield "pymssql", sa.create_engine(f"mssql+pymssql://{name[0]}:{name[1]}@127.0.0.1:{port}/")
    if driver:
        target = f"DRIVER={driver};SERVER=127.0.0.1;PORT={port};UID={user};PWD={password};TDS_Version=7.4;ClientCharset=UTF-8"
        yield "pyodbc", sa.create_engine("mssql+pyodbc:///?odbc_connect=" + urllib.parse.quote(target))


def tables():
    metadata = sa.MetaData()
    customers = sa.Table(
        "client_customers",
        metadata,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Unicode(40), nullable=False, index=True),
        sa.Column("city", sa.String(30)),
    )
    sa.Table(
        "client_orders",
        metadata,
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("customer", sa.ForeignKey("client_customers.id"), nullable=False),
        sa.Column("amount", sa.Numeric(12, 2)),
        sa.Column("placed", sa.DateTime),
        sa.UniqueConstraint("customer", "placed", name="client_orders_once"),
    )
    return metadata, customers


def round_trip(engine):
    metadata, customers = tables()
    metadata.drop_all(engine)
    metadata.create_all(engine)
    orders = metadata.tables["client_orders"]
    try:
        with engine.begin() as connection:
            made = connection.execute(customers.insert().values(name="Åsa 日本", city="Malmö"))
            number = made.inserted_primary_key[0]
            row = {"customer": number, "amount": decimal.Decimal("12.30"), "placed": datetime.datetime(2024, 2, 29, 13, 14)}
            connection.execute(orders.insert(), [row, {**row, "placed": datetime.datetime(2024, 3, 1)}])
        with engine.connect() as connection:
            joined = sa.select(customers.c.name, sa.func.sum(orders.c.amount)).join_from(customers, orders)
            rows = connection.execute(joined.group_by(customers.c.name)).all()
            cases.check([tuple(row) for row in rows] == [("Åsa 日本", decimal.Decimal("24.60"))], rows)
            page = connection.execute(sa.select(orders.c.id).order_by(orders.c.id).limit(1).offset(1)).all()
            cases.check(len(page) == 1, page)
        reflected(engine)
    finally:
        metadata.drop_all(engine)


def reflected(engine):
    inspector = sa.inspect(engine)
    cases.check({"client_customers", "client_orders"} <= set(inspector.get_table_names()), "the tables' names")
    columns = {column["name"]: column for column in inspector.get_columns("client_orders")}
    cases.check(list(columns) == ["id", "customer", "amount", "placed"], list(columns))
    cases.check(not columns["customer"]["nullable"] and columns["amount"]["nullable"], "what may be NULL")
    cases.check(columns["amount"]["type"].precision == 12 and columns["amount"]["type"].scale == 2, columns["amount"])
    cases.check(inspector.get_pk_constraint("client_orders")["constrained_columns"] == ["id"], "the primary key")
    keys = inspector.get_foreign_keys("client_orders")
    cases.check([key["referred_table"] for key in keys] == ["client_customers"], keys)
    names = {index["name"] for index in inspector.get_indexes("client_customers")}
    cases.check("ix_client_customers_name" in names, names)


for name, engine in engines():
    run.run(f"tables and reflection over {name}", lambda engine=engine: round_trip(engine))
run.end()
