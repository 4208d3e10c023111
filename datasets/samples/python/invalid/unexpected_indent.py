import csv
import pathlib


def read_table(path, *, delimiter=","):
    """Read a table as a list of dictionaries."""
    path = pathlib.Path(path)
    with path.open(newline="") as stream:
        reader = csv.DictReader(stream, delimiter=delimiter)
        rows = list(reader)
            rows.sort(key=lambda row: row["name"])
    return rows


def column(rows, name, convert=str):
    return [convert(row[name]) for row in rows if row.get(name)]


def main():
    rows = read_table("people.csv")
    ages = column(rows, "age", int)
    print("mean age", sum(ages) / len(ages))


main()
