SELECT o.iata AS origin, d.iata AS destination, count(*) AS flights,
       round(avg(f.arrival_delay), 1) AS mean_delay
FROM flights f
INNER JOIN airports o ON f.origin_id = o.id
INNER JOIN airports d ON f.destination_id = d.id
WHERE f.departed_at BETWEEN timestamp '2024-06-01 00:00' AND timestamp '2024-06-30 23:59:59'
GROUP BY o.iata, d.iata
HAVING count(*) >= 25
ORDER BY mean_delay DESC NULLS LAST, flights DESC
LIMIT 50;
