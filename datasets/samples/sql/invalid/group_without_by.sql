SELECT country, count(*)
FROM visitors
WHERE seen_on > date '2024-01-01'
GROUP country
ORDER BY count(*) DESC;
