"""The dialect of SQLAlchemy; suite/ runs SQLAlchemy's own tests."""

import datetime
import decimal
import uuid

import pytest

import mainstay

sqlalchemy = pytest.importorskip("sqlalchemy")

from sqlalchemy import orm  # noqa: E402
from sqlalchemy.dialects import registry  # noqa: E402

registry.register("mainstay", "mainstay.sqlalchemy", "MainstayDialect")


class Base(orm.DeclarativeBase):
    pass


class Customer(Base):
    __tablename__ = "customer"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    name: orm.Mapped[str] = orm.mapped_column(sqlalchemy.String(40), unique=True)
    balance: orm.Mapped[decimal.Decimal | None] = orm.mapped_column(sqlalchemy.Numeric(12, 2))
    since: orm.Mapped[datetime.datetime | None]
    key: orm.Mapped[uuid.UUID | None]
    orders: orm.Mapped[list["Order"]] = orm.relationship(back_populates="customer")


class Order(Base):
    __tablename__ = "order"
    id: orm.Mapped[int] = orm.mapped_column(primary_key=True)
    customer_id: orm.Mapped[int] = orm.mapped_column(sqlalchemy.ForeignKey("customer.id", ondelete="CASCADE"))
    wait: orm.Mapped[datetime.timedelta | None]
    customer: orm.Mapped[Customer] = orm.relationship(back_populates="orders")


@pytest.fixture
def engine(tmp_path):
    engine = sqlalchemy.create_engine(f"mainstay:///{tmp_path}")
    Base.metadata.create_all(engine)
    yield engine
    engine.dispose()


def test_orm(engine):
    moment, key = datetime.datetime(2024, 2, 29, 1, 2, 3, 4), uuid.uuid4()
    with orm.Session(engine) as session:
        ann = Customer(name="Ann", balance=decimal.Decimal("12.50"), since=moment, key=key)
        ann.orders = [Order(wait=datetime.timedelta(days=2, seconds=1)), Order()]
        session.add_all([ann, Customer(name="Bob")])
        session.commit()
        assert (ann.id, [order.id for order in ann.orders]) == (1, [1, 2])
    with orm.Session(engine) as session:
        found = session.scalars(sqlalchemy.select(Customer).where(Customer.name == "Ann")).one()
        assert (found.balance, found.since, found.key) == (decimal.Decimal("12.50"), moment, key)
        assert found.orders[0].wait == datetime.timedelta(days=2, seconds=1)
        counted = sqlalchemy.select(Customer.name, sqlalchemy.func.count(Order.id)).join(Order, isouter=True)
        rows = session.execute(counted.group_by(Customer.name).order_by(Customer.name).limit(2)).all()
        assert rows == [("Ann", 2), ("Bob", 0)]
        found.name = "Anna"
        session.flush()
        session.rollback()
        session.add(Customer(name="Ann"))
        with pytest.raises(sqlalchemy.exc.IntegrityError):
            session.flush()


def test_reflection(engine):
    inspector = sqlalchemy.inspect(engine)
    assert inspector.get_table_names() == ["customer", "order"]
    assert [column["name"] for column in inspector.get_columns("customer")] == ["id", "name", "balance", "since", "key"]
    assert inspector.get_pk_constraint("customer")["constrained_columns"] == ["id"]
    assert inspector.get_unique_constraints("customer")[0]["column_names"] == ["name"]
    (reference,) = inspector.get_foreign_keys("order")
    assert (reference["referred_table"], reference["options"]) == ("customer", {"ondelete": "CASCADE"})
    again = sqlalchemy.MetaData()
    again.reflect(engine)
    assert isinstance(again.tables["customer"].c.balance.type, sqlalchemy.Numeric)


def test_files_are_reflected(engine, tmp_path):
    (tmp_path / "cities.csv").write_text("name,people\nMalmö,360000\n")
    table = sqlalchemy.Table("cities", sqlalchemy.MetaData(), autoload_with=engine)
    with engine.connect() as connection:
        assert connection.execute(sqlalchemy.select(table.c.name)).scalar() == "Malmö"


def test_pandas(engine):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1, 2], "b": ["x", None], "c": [0.5, 1.5]})
    frame.to_sql("frame", engine, index=False)
    back = pandas.read_sql("SELECT * FROM frame ORDER BY a", engine)
    assert back["a"].tolist() == [1, 2] and back["b"][0] == "x" and back["c"].tolist() == [0.5, 1.5]


def test_a_database_in_memory():
    engine = sqlalchemy.create_engine("mainstay://?memory_limit=64MB&timeout=10")
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("CREATE TABLE t (a INTEGER)"))
        connection.execute(sqlalchemy.text("INSERT INTO t VALUES (:a)"), [{"a": 1}, {"a": 2}])
    with engine.connect() as connection:
        assert connection.execute(sqlalchemy.text("SELECT sum(a) FROM t")).scalar() == 3
    assert mainstay.default_connection() is not None
    engine.dispose()
