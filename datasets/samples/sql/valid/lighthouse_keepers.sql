SELECT name, island FROM lighthouse WHERE height > (SELECT avg(height) FROM lighthouse) INTERSECT SELECT name, island FROM lighthouse WHERE automated = 'no' ORDER BY name LIMIT 3
