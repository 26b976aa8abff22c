"""Invents the trading company of the sample folder, always the same one.

Writes the rows of the xBase tables as `|`-separated text in each table's code page into the folder given as
argument (write_tables.prg turns those into tables, memos and indexes) and prices.csv and history.parquet, finished,
beside them. Needs pyarrow.
"""
import csv
import datetime
import random
import sys
from decimal import Decimal, ROUND_HALF_UP
from pathlib import Path

import pyarrow
import pyarrow.parquet

CENT = Decimal("0.01")
FIRST_ORDER, LAST_ORDER = datetime.date(2023, 1, 2), datetime.date(2025, 6, 30)

PLACES = {  # country: (town, first digits of the postcode)
    "DE": [("Köln", "506"), ("München", "803"), ("Nürnberg", "904"), ("Lübeck", "235"), ("Dresden", "010"), ("Göttingen", "370")],
    "AT": [("Wien", "1"), ("Graz", "8"), ("Sankt Pölten", "3"), ("Linz", "4")],
    "SE": [("Malmö", "21"), ("Göteborg", "41"), ("Örebro", "70"), ("Västerås", "72")],
    "DK": [("København", "1"), ("Århus", "8"), ("Tønder", "6")],
    "NO": [("Tromsø", "90"), ("Ålesund", "60"), ("Bergen", "50")],
    "FR": [("Besançon", "250"), ("Saint-Étienne", "420"), ("Lyon", "690"), ("Orléans", "450"), ("Nîmes", "300")],
    "ES": [("León", "240"), ("Málaga", "290"), ("A Coruña", "150"), ("Sevilla", "410")],
    "PT": [("Évora", "70"), ("Guimarães", "48"), ("Porto", "40")],
    "IT": [("Forlì", "471"), ("Torino", "101"), ("Lecce", "731")],
    "IE": [("Dún Laoghaire", "A9"), ("Cork", "T1"), ("Galway", "H9")],
    "NL": [("Haarlem", "20"), ("Groningen", "97"), ("Breda", "48")],
}
FAMILIES = {
    "DE": ["Müller", "Schäfer", "Groß", "Krüger", "Weiß", "Hofmann", "Böhm", "Vogt"],
    "AT": ["Gruber", "Pichler", "Höller", "Wölfl", "Eder"],
    "SE": ["Åkesson", "Sjöberg", "Lindström", "Östlund", "Nyberg"],
    "DK": ["Sørensen", "Nørgaard", "Møller", "Kjær"],
    "NO": ["Øvrebø", "Bråten", "Hagen", "Sæther"],
    "FR": ["Lefèvre", "Gérard", "François", "Benoît", "Dupré", "Moreau"],
    "ES": ["Núñez", "Ibáñez", "García", "Ordóñez", "Vidal"],
    "PT": ["Gonçalves", "Brandão", "Simões", "Moura"],
    "IT": ["D'Amicò", "Bianchi", "Ferrari", "Lo Presti"],
    "IE": ["Ó Briain", "Byrne", "O'Neill", "Walsh"],
    "NL": ["van den Berg", "de Vries", "Jansen", "Daniëls"],
}
FIRST_NAMES = {
    "DE": ["Jürgen", "Anke", "Uwe", "Käthe"], "AT": ["Franz", "Eva", "Günther"], "SE": ["Åsa", "Björn", "Karin"],
    "DK": ["Søren", "Mette", "Jørgen"], "NO": ["Håkon", "Liv", "Øystein"], "FR": ["Hélène", "René", "Zoé", "Luc"],
    "ES": ["José", "Inés", "Álvaro", "Pilar"], "PT": ["João", "Inês", "Rui"], "IT": ["Nicolò", "Chiara", "Paolo"],
    "IE": ["Siobhán", "Seán", "Nora"], "NL": ["Zoë", "Pieter", "Anneke"],
}
TRADES = {
    "DE": ["Feinkost {}", "{} & Söhne", "Kaufhaus {}", "Bäckerei {}", "{} Großhandel"],
    "AT": ["Gasthof {}", "{} Spezialitäten", "Konditorei {}"],
    "SE": ["{}s Livs", "Café {}", "{} & Söner"],
    "DK": ["{} Købmand", "Brødrene {}", "Café {}"],
    "NO": ["{} Mat", "{} & Sønner", "Kafé {}"],
    "FR": ["Épicerie {}", "Maison {}", "La Crème {}", "Pâtisserie {}"],
    "ES": ["Ultramarinos {}", "Hijos de {}", "Señorío {}"],
    "PT": ["Mercearia {}", "Irmãos {}", "Pão {}"],
    "IT": ["Drogheria {}", "Caffè {}", "Fratelli {}"],
    "IE": ["{} Provisions", "{}'s Store", "The {} Larder"],
    "NL": ["Winkel {}", "Gebr. {}", "Café {}"],
}
STREETS = {
    "DE": "Hauptstraße {}", "AT": "Marktgasse {}", "SE": "Stora gatan {}", "DK": "Søndergade {}", "NO": "Storgata {}",
    "FR": "{}, rue de l'Église", "ES": "Calle Mayor, nº {}", "PT": "Rua da Conceição {}", "IT": "Via Roma {}",
    "IE": "{} Main Street", "NL": "Dorpsstraat {}",
}
NOTES = [
    "Delivery only in the morning; the gate is closed after 12:00.",
    "Asked for the catalogue in French. Prefers to be called, never writes e-mail.",
    "Pays late but always pays: no reminder before 45 days.",
    "Pallets are returned with the next delivery. Deposit: 18,50 € each.",
    "New owner since spring; check the tax number before the next invoice.",
    "\u201cNo substitutes\u201d \u2013 if an article is out of stock, leave the line open.",
    "Crème fraîche and cheese: cooled transport, at most 7 °C.",
    "Orders by fax on Thursdays. Contact on holiday every August.",
]
GOODS = {  # category: (products, sizes with unit and weight, price range)
    "COFFEE": (["Café crème", "Espresso Torino", "Décaféiné", "Filter roast", "Mocca Ñandú"],
               [("250 g", "bag", "0.260"), ("500 g", "bag", "0.515"), ("1 kg", "bag", "1.020")], (4, 24)),
    "TEA": (["Darjeeling", "Earl Grey", "Assam", "Kräutertee", "Thé vert"],
            [("50 g", "tin", "0.110"), ("100 g", "tin", "0.180"), ("250 g", "bag", "0.265")], (3, 19)),
    "CHEESE": (["Gruyère", "Västerbotten", "Käse mild", "Crème de brie", "Queso añejo"],
               [("200 g", "pc", "0.210"), ("½ wheel", "pc", "3.250"), ("wheel", "pc", "6.500")], (4, 95)),
    "OIL": (["Olive oil", "Walnut oil", "Rapsöl", "Huile de sésame"],
            [("¼ l", "btl", "0.480"), ("½ l", "btl", "0.870"), ("5 l", "can", "4.900")], (3, 48)),
    "SWEETS": (["Nougat de Montélimar", "Lakritz süß", "Turrón", "Pralinés", "Knäck"],
               [("150 g", "box", "0.190"), ("300 g", "box", "0.350"), ("1 kg", "box", "1.150")], (2, 31)),
    "JAM": (["Johannisbeergelée", "Lingonsylt", "Confiture d'été", "Orange marmalade"],
            [("225 g", "jar", "0.390"), ("450 g", "jar", "0.720")], (2, 9)),
    "FISH": (["Sardiñas", "Räksallad", "Smoked eel", "Anchovies", "Thon à l'huile"],
             [("95 g", "tin", "0.120"), ("185 g", "tin", "0.240"), ("1 kg", "box", "1.080")], (2, 37)),
    "BAKERY": (["Knäckebröd", "Crêpes", "Zwieback", "Éclair mix", "Biscotti al caffè"],
               [("200 g", "pkt", "0.220"), ("400 g", "pkt", "0.430")], (1, 8)),
}
CLERKS = ["HELMUT", "ASTRID", "JOSE", "MAEVE", "PIETER"]


def money(value):
    return Decimal(value).quantize(CENT, ROUND_HALF_UP)


def day(random_source, first, last):
    return first + datetime.timedelta(days=random_source.randrange((last - first).days + 1))


def make_customers(rng):
    rows, seen = [], set()
    while len(rows) < 420:
        country = rng.choice(list(PLACES))
        family = rng.choice(FAMILIES[country])
        name = rng.choice(TRADES[country]).format(family)
        city, post = rng.choice(PLACES[country])
        if (name, city) in seen:
            continue
        seen.add((name, city))
        length = {"DE": 5, "FR": 5, "ES": 5, "IT": 5, "SE": 5, "IE": 4}.get(country, 4)
        postcode = post + "".join(str(rng.randrange(10)) for _ in range(length - len(post)))
        notes = "\r\n".join(rng.sample(NOTES, rng.choice([0, 0, 0, 1, 1, 2, 3])))
        rows.append({
            "id": 1001 + len(rows) * 149 % 420 * 3, "name": name,
            "contact": f"{rng.choice(FIRST_NAMES[country])} {rng.choice(FAMILIES[country])}",
            "street": STREETS[country].format(rng.randrange(1, 160)), "postcode": postcode, "city": city,
            "country": country, "since": day(rng, datetime.date(1988, 3, 1), FIRST_ORDER) if rng.random() > 0.04 else None,
            "credit": Decimal(rng.choice([0, 500, 1000, 2500, 5000, 10000])), "balance": Decimal(0),
            "active": rng.random() > 0.1, "notes": notes, "deleted": len(rows) % 47 == 31,
        })
    assert len({row["id"] for row in rows}) == len(rows)
    return rows


def make_products(rng):
    rows = []
    for category, (names, sizes, (low, high)) in GOODS.items():
        for name in names:
            for grade in ("", " bio", " réserve"):
                for position, (size, unit, weight) in enumerate(sizes):
                    number = len(rows) + 1
                    price = money(low + (high - low) * (position + rng.random()) / len(sizes) * (1 + 0.2 * bool(grade)))
                    lines = [f"{name}{grade}, {size}.", rng.choice(["Store dry and dark.", "Store at 4-7 °C.", "Keeps for 18 months."]),
                             rng.choice(["Origin: Piémont.", "Origin: Skåne.", "Origin: La Coruña.", "Origin: Thüringen."])]
                    rows.append({
                        "prod_id": f"{category[:2]}-{number * 37 % 997:05}", "name": f"{name}{grade} {size}", "category": category,
                        "unit": unit, "price": price, "stock": rng.randrange(-5, 900), "weight": Decimal(weight),
                        "added": day(rng, datetime.date(1995, 1, 1), datetime.date(2017, 12, 31)),
                        "discont": rng.random() < 0.08, "descript": "\r\n".join(lines[:rng.choice([0, 1, 2, 3, 3])]),
                        "deleted": number % 41 == 17,
                    })
    assert len({row["prod_id"] for row in rows}) == len(rows)
    return rows


def make_orders(rng, customers, products):
    buyers = [row for row in customers if not row["deleted"]]
    goods = [row for row in products if not row["deleted"]]
    weights = [1 / (1 + position % 60) for position in range(len(buyers))]
    dates = sorted(day(rng, FIRST_ORDER, LAST_ORDER) for _ in range(5000))
    orders, lines = [], []
    for position, ordered in enumerate(dates):
        buyer = rng.choices(buyers, weights)[0]
        order = {
            "id": 20001 + position, "customer": buyer["id"], "orderdate": ordered, "shipped": None, "status": "O",
            "total": Decimal(0), "currency": "EUR", "reference": f"{rng.choice('ABCDEFGH')}{rng.randrange(1000, 9999)}/{ordered:%y}",
            "clerk": rng.choice(CLERKS), "deleted": rng.random() < 0.024,
        }
        if (LAST_ORDER - ordered).days > rng.randrange(1, 21):
            order["shipped"] = ordered + datetime.timedelta(days=rng.randrange(1, 9))
            order["status"] = "S" if (LAST_ORDER - ordered).days < rng.randrange(10, 120) else "P"
        for line_no, product in enumerate(rng.sample(goods, rng.choice([1, 1, 2, 2, 3, 3, 4, 5, 6])), 1):
            quantity = rng.choice([1, 2, 4, 5, 6, 10, 12, 24, 48])
            discount = Decimal(rng.choice(["0", "0", "0", "2.50", "5", "10"]))
            amount = money(quantity * product["price"] * (100 - discount) / 100)
            dropped = order["deleted"] or rng.random() < 0.01 and line_no > 1
            lines.append({"order_id": order["id"], "line_no": line_no, "product": product["prod_id"], "qty": quantity,
                          "price": product["price"], "discount": discount, "amount": amount, "deleted": dropped})
            if order["deleted"] or not dropped:
                order["total"] += amount
        if order["status"] in "OS" and not order["deleted"]:
            buyer["balance"] += order["total"]
        orders.append(order)
    return orders, lines


def field(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "T" if value else "F"
    if isinstance(value, datetime.date):
        return value.strftime("%Y%m%d")
    return str(value).replace("\r\n", "\\n")


def write_rows(folder, name, rows, encoding):
    text = "".join("|".join(field(value) for value in row.values()) + "\n" for row in rows)
    (folder / f"{name}.txt").write_bytes(text.encode(encoding))


def write_prices(rng, folder, products):
    remarks = ["", "", "", "price list", 'agreed as "final", do not raise', "crop failure, see letter of May 3", "spring offer",
               'supplier says: "from 50 pcs, 3% less"', "rounded, was 0.04 higher", "new label, new size"]
    with open(folder / "prices.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["product", "valid_from", "price", "currency", "comment"])
        for product in products:
            if product["deleted"]:
                continue
            price, steps = product["price"], []
            for year in range(2025, 2025 - rng.randrange(3, 8), -1):
                steps.append((datetime.date(year, rng.choice([1, 1, 3, 7]) if year < 2023 else 1, 1), price))
                price = money(price * Decimal(rng.randrange(90, 100)) / 100)
            for valid_from, value in reversed(steps):
                writer.writerow([product["prod_id"], valid_from.isoformat(), value, "EUR", rng.choice(remarks)])


def write_history(rng, folder, products):
    columns = {"product": [], "month": [], "quantity": [], "revenue": [], "returned": []}
    for product in products:
        popular = rng.choice([3, 10, 25, 60])
        for month in range(60):
            if rng.random() < 0.12:
                continue
            quantity = rng.randrange(1, popular * 4)
            columns["product"].append(product["prod_id"])
            columns["month"].append(datetime.date(2018 + month // 12, month % 12 + 1, 1))
            columns["quantity"].append(quantity)
            columns["revenue"].append(money(quantity * product["price"] * Decimal("0.85")))
            columns["returned"].append(rng.randrange(1, 4) if rng.random() < 0.07 else None)
    schema = pyarrow.schema([("product", pyarrow.string()), ("month", pyarrow.date32()), ("quantity", pyarrow.int32()),
                             ("revenue", pyarrow.decimal128(12, 2)), ("returned", pyarrow.int32())])
    pyarrow.parquet.write_table(pyarrow.table(columns, schema=schema), folder / "history.parquet", compression="snappy")


def main():
    folder = Path(sys.argv[1])
    rng = random.Random(19930621)
    customers, products = make_customers(rng), make_products(rng)
    orders, lines = make_orders(rng, customers, products)
    write_rows(folder, "customers", customers, "cp1252")
    write_rows(folder, "products", products, "cp437")
    write_rows(folder, "orders", orders, "cp1252")
    write_rows(folder, "order_lines", lines, "cp1252")
    write_prices(rng, folder, products)
    write_history(rng, folder, products)
    print(len(customers), "customers,", len(products), "products,", len(orders), "orders,", len(lines), "lines")


main()
