SELECT name, country, song_name FROM singer WHERE age > (SELECT avg(age) FROM singer) INTERSECT SELECT name, country, song_name FROM singer WHERE is_male = 'F' ORDER BY name LIMIT 3
