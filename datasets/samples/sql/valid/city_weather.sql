SELECT c.name, w.observed_at, w.temperature,
       CASE
           WHEN w.temperature < 0 THEN 'frost'
           WHEN w.temperature BETWEEN 0 AND 15 THEN 'cool'
           WHEN w.temperature <= 25 THEN 'mild'
           ELSE 'hot'
       END AS feeling
FROM cities c
LEFT JOIN LATERAL (
    SELECT observed_at, temperature
    FROM observations
    WHERE city_id = c.id
    ORDER BY observed_at DESC
    LIMIT 1
) w ON true
ORDER BY c.name;
