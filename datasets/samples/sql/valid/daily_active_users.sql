SELECT day::date, count(DISTINCT e.user_id) AS users
FROM generate_series('2024-03-01'::timestamp, '2024-03-31', interval '1 day') AS day
LEFT JOIN events e
  ON e.created_at >= day AND e.created_at < day + interval '1' day
GROUP BY day
ORDER BY day;
