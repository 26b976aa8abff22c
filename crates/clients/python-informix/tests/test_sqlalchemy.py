"""The SQLAlchemy dialect, blocking and asynchronous."""

import asyncio
import datetime
import decimal

import pytest

sqlalchemy = pytest.importorskip("sqlalchemy")
from sqlalchemy import orm, types  # noqa: E402
from sqlalchemy.dialects import registry  # noqa: E402
from sqlalchemy.ext.asyncio import create_async_engine  # noqa: E402

from mainstay_informix.sqlalchemy import YEAR_MONTH  # noqa: E402
from mainstay_informix.types import YearMonth  # noqa: E402

registry.register("informix", "mainstay_informix.sqlalchemy", "InformixDialect")
registry.register("informix.mainstay", "mainstay_informix.sqlalchemy", "InformixDialect")
registry.register("informix.mainstay_async", "mainstay_informix.sqlalchemy_async", "AsyncInformixDialect")


def url(server, driver="informix"):
    return sqlalchemy.URL.create(
        driver, server["user"], server["password"], server["host"], server["port"], server["database"], {"server": "mainstay"}
    )


@pytest.fixture
def engine(server):
    engine = sqlalchemy.create_engine(url(server))
    yield engine
    engine.dispose()


class Base(orm.DeclarativeBase):
    pass


class Customer(Base):
    __tablename__ = "sa_customer"
    id = orm.mapped_column(types.Integer, primary_key=True)
    name = orm.mapped_column(types.String(40), nullable=False, unique=True)
    credit = orm.mapped_column(types.Numeric(10, 2))
    since = orm.mapped_column(types.DateTime)
    active = orm.mapped_column(types.Boolean, default=True)
    orders = orm.relationship("Order", back_populates="customer", order_by="Order.id")


class Order(Base):
    __tablename__ = "sa_order"
    id = orm.mapped_column(types.BigInteger, primary_key=True)
    customer_id = orm.mapped_column(sqlalchemy.ForeignKey("sa_customer.id", ondelete="CASCADE", name="fk_sa_order"))
    day = orm.mapped_column(types.Date, index=True)
    note = orm.mapped_column(types.Text)
    data = orm.mapped_column(types.LargeBinary)
    customer = orm.relationship(Customer, back_populates="orders")


@pytest.fixture
def tables(engine):
    Base.metadata.drop_all(engine)
    Base.metadata.create_all(engine)
    yield
    Base.metadata.drop_all(engine)


def test_objects_are_stored_and_found(engine, tables):
    moment = datetime.datetime(2024, 2, 29, 12, 30, 1, 250000)
    with orm.Session(engine) as session:
        one = Customer(name="Ludwig", credit=decimal.Decimal("10.50"), since=moment)
        one.orders = [Order(day=datetime.date(2024, 1, n), note="n" * n, data=bytes([n])) for n in range(1, 6)]
        session.add_all([one, Customer(name="Miller", active=False)])
        session.commit()
        assert one.id == 1 and [order.id for order in one.orders] == [1, 2, 3, 4, 5]
    with orm.Session(engine) as session:
        found = session.scalars(sqlalchemy.select(Customer).where(Customer.name == "Ludwig")).one()
        assert (found.credit, found.since, found.active) == (decimal.Decimal("10.50"), moment, True)
        assert found.orders[4].data == b"\5" and found.orders[2].note == "nnn"
        second = sqlalchemy.select(Order.id).order_by(Order.id).limit(2).offset(1)
        assert session.scalars(second).all() == [2, 3] and session.scalars(second.limit(1)).all() == [2]
        joined = sqlalchemy.select(Customer.name, sqlalchemy.func.count(Order.id)).outerjoin(Order).group_by(Customer.name).order_by(Customer.name)
        assert session.execute(joined).all() == [("Ludwig", 5), ("Miller", 0)]
        assert session.scalar(sqlalchemy.select(sqlalchemy.exists().where(Customer.active.is_(False)))) is True
        session.execute(sqlalchemy.update(Order).where(Order.id > 3).values(note=None))
        session.delete(found)
        session.rollback()
        with session.begin_nested():
            session.execute(sqlalchemy.delete(Order))
        session.rollback()
        assert session.scalar(sqlalchemy.select(sqlalchemy.func.count()).select_from(Order)) == 5
        with pytest.raises(sqlalchemy.exc.IntegrityError):
            session.add(Customer(name="Miller"))
            session.flush()


def test_tables_are_reflected(engine, tables):
    inspector = sqlalchemy.inspect(engine)
    assert {"sa_customer", "sa_order"} <= set(inspector.get_table_names())
    columns = {column["name"]: column for column in inspector.get_columns("sa_customer")}
    assert isinstance(columns["credit"]["type"], types.NUMERIC) and columns["credit"]["type"].scale == 2
    assert columns["id"]["autoincrement"] and not columns["name"]["nullable"] and columns["name"]["type"].length == 40
    assert inspector.get_pk_constraint("sa_customer")["constrained_columns"] == ["id"]
    assert [constraint["column_names"] for constraint in inspector.get_unique_constraints("sa_customer")] == [["name"]]
    (key,) = inspector.get_foreign_keys("sa_order")
    assert (key["name"], key["referred_table"], key["referred_columns"]) == ("fk_sa_order", "sa_customer", ["id"])
    assert key["options"] == {"ondelete": "CASCADE"} and key["constrained_columns"] == ["customer_id"]
    assert [index["name"] for index in inspector.get_indexes("sa_order")] == ["ix_sa_order_day"]
    with pytest.raises(sqlalchemy.exc.NoSuchTableError):
        inspector.get_columns("nosuch")
    reflected = sqlalchemy.MetaData()
    reflected.reflect(engine, only=["sa_order"])
    assert set(reflected.tables) == {"sa_order", "sa_customer"}


def test_types_of_informix(engine):
    table = sqlalchemy.Table(
        "sa_types", sqlalchemy.MetaData(),
        sqlalchemy.Column("id", types.Integer, primary_key=True, autoincrement=False),
        sqlalchemy.Column("day_span", types.Interval), sqlalchemy.Column("months", YEAR_MONTH()),
        sqlalchemy.Column("hour", types.Time), sqlalchemy.Column("Odd Name", types.String(300)),
    )
    table.drop(engine, checkfirst=True)
    table.create(engine)
    row = (1, datetime.timedelta(days=3, seconds=5), YearMonth(1, 2), datetime.time(1, 2, 3), "x")
    with engine.begin() as connection:
        connection.execute(table.insert().values(dict(zip(table.columns.keys(), row))))
        assert connection.execute(table.select()).one() == row
        assert connection.scalar(sqlalchemy.select(1)) == 1
        assert connection.scalar(sqlalchemy.select(table.c["Odd Name"]).where(sqlalchemy.true())) == "x"
    table.drop(engine)


def test_parameters_in_results_have_their_types(engine, tables):
    moment = datetime.datetime(2024, 2, 29, 12, 30)
    literals = [sqlalchemy.literal(value) for value in (5, "five", decimal.Decimal("1.5"), datetime.timedelta(days=1), moment)]
    window = sqlalchemy.func.max(Customer.id).over(order_by=Customer.id, rows=(0, 1))
    with engine.connect() as connection:
        row = connection.execute(sqlalchemy.select(*literals)).one()
        assert tuple(row) == (5, "five", decimal.Decimal("1.5"), datetime.timedelta(days=1), moment)
        assert connection.scalar(sqlalchemy.select(literals[4] - literals[3])) == datetime.datetime(2024, 2, 28, 12, 30)
        connection.execute(Customer.__table__.insert(), [{"id": number, "name": f"n{number}"} for number in (91, 92)])
        assert connection.execute(sqlalchemy.select(window).where(Customer.id > 90)).scalars().all() == [92, 92]
        numbers = sqlalchemy.select(sqlalchemy.literal(1).label("n")).cte("numbers", recursive=True)
        numbers = numbers.union_all(sqlalchemy.select(numbers.c.n + 1).where(numbers.c.n < 3))
        assert connection.execute(sqlalchemy.select(numbers.c.n).order_by(numbers.c.n)).scalars().all() == [1, 2, 3]
        connection.rollback()


def test_isolation_levels_and_server_version(engine):
    assert engine.connect().dialect.server_version_info >= (12,)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        assert connection.get_isolation_level() == "AUTOCOMMIT"
        connection.execute(sqlalchemy.text("SELECT 1 FROM systables WHERE tabid = :id"), {"id": 1})
        assert not connection.connection.dbapi_connection.in_transaction
    with engine.connect().execution_options(isolation_level="READ UNCOMMITTED") as connection:
        assert connection.get_isolation_level() == "READ UNCOMMITTED"


def test_the_asynchronous_dialect(server, engine, tables):
    async def work():
        other = create_async_engine(url(server, "informix+mainstay_async"))
        async with other.begin() as connection:
            await connection.execute(sqlalchemy.insert(Customer), [{"name": f"c{n}"} for n in range(10)])
        async with other.connect() as connection:
            result = await connection.execute(sqlalchemy.select(Customer.name).order_by(Customer.id))
            assert [row.name for row in result] == [f"c{n}" for n in range(10)]
            streamed = await connection.stream(sqlalchemy.select(Customer.id).order_by(Customer.id))
            assert len([row async for row in streamed]) == 10
            with pytest.raises(sqlalchemy.exc.ProgrammingError):
                await connection.execute(sqlalchemy.text("SELECT * FROM nosuch"))
        await other.dispose()

    asyncio.run(work())


def test_fields_of_dates_are_extracted(engine):
    moment = datetime.datetime(2024, 2, 29, 13, 14, 15)
    fields = ["year", "quarter", "month", "day", "dow", "doy", "hour", "minute", "second"]
    # 29 February 2024 was a Thursday, the 60th day of its year.
    with engine.connect() as connection:
        made = sqlalchemy.literal(moment, sqlalchemy.DateTime)
        row = connection.execute(sqlalchemy.select(*[sqlalchemy.extract(field, made) for field in fields])).one()
        assert tuple(row) == (2024, 1, 2, 29, 4, 60, 13, 14, 15)
        with pytest.raises(sqlalchemy.exc.CompileError, match="epoch"):
            connection.execute(sqlalchemy.select(sqlalchemy.extract("epoch", made)))


def test_a_schema_is_reflected_with_few_statements(engine):
    written = sqlalchemy.MetaData()
    for number in range(12):
        columns = [
            sqlalchemy.Column("id", sqlalchemy.Integer, primary_key=True),
            sqlalchemy.Column("v", sqlalchemy.String(20), nullable=False, unique=True),
            sqlalchemy.Column("other", sqlalchemy.ForeignKey(f"few{number - 1}.id") if number else sqlalchemy.Integer),
        ]
        sqlalchemy.Table(f"few{number}", written, *columns)
    written.create_all(engine)
    statements = []
    listen = lambda *arguments: statements.append(arguments[2])
    sqlalchemy.event.listen(engine, "before_cursor_execute", listen)
    try:
        found = sqlalchemy.MetaData()
        found.reflect(engine)
    finally:
        sqlalchemy.event.remove(engine, "before_cursor_execute", listen)
    for number in range(12):
        table = found.tables[f"few{number}"]
        assert [column.name for column in table.primary_key] == ["id"]
        targets = [key.target_fullname for key in table.foreign_keys]
        assert targets == ([f"few{number - 1}.id"] if number else []) and not table.c.v.nullable
    assert len(statements) < 40
    written.drop_all(engine)
