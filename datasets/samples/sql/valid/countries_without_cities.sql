SELECT name FROM country WHERE code NOT IN (SELECT country_code FROM city)
