"""Distances on a sphere."""

from math import asin, cos, radians, sin, sqrt

EARTH = 6371.0


def haversine(start, end, radius=EARTH):
    (lat1, lon1), (lat2, lon2) = start, end
    dlat = radians(lat2 - lat1)
    dlon = radians(lon2 - lon1)
    a = sin(dlat / 2) ** 2 + cos(radians(lat1)) * cos(radians(lat2)) * sin(dlon / 2) ** 2
    distance = 2 * radius * asin(sqrt(min(1.0, a))
    return distance


CITIES = {
    "Berlin": (52.52, 13.405),
    "Lisbon": (38.7223, -9.1393),
}

if __name__ == "__main__":
    print(f"{haversine(*CITIES.values()):.0f} km")
