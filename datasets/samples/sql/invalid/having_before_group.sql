SELECT city, avg(rent)
FROM flats
HAVING avg(rent) > 900
GROUP BY city;
