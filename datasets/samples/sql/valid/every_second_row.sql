SELECT id, value FROM (SELECT id, value, row_number() OVER (ORDER BY id) AS n FROM samples) x WHERE n % 2 = 0
