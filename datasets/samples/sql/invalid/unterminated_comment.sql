SELECT count(*)
FROM visits
/* only this year
WHERE visited_on >= '2024-01-01';
