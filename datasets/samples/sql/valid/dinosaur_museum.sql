SELECT name, period, length_m
FROM dinosaurs
WHERE period ILIKE '%cretaceous%'
  AND diet = 'carnivore'
  AND length_m > (SELECT avg(length_m) FROM dinosaurs)
ORDER BY length_m DESC
