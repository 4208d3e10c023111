SELECT EXTRACT(HOUR FROM started_at) AS hour_of_day,
       EXTRACT(DOW FROM started_at) AS weekday,
       COUNT(*) AS rides,
       AVG(EXTRACT(EPOCH FROM ended_at - started_at) / 60)::numeric(6, 2) AS minutes
FROM rides
WHERE started_at >= DATE '2024-01-01'
GROUP BY 1, 2
ORDER BY rides DESC
FETCH FIRST 10 ROWS ONLY;
