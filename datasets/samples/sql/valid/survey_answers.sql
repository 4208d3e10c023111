SELECT question, answer, n, round(n * 100.0 / total, 1) || ' %' AS percent
FROM (
    SELECT question, answer, count(*) AS n, sum(count(*)) OVER (PARTITION BY question) AS total
    FROM answers
    GROUP BY question, answer
) counted
WHERE answer IS NOT NULL AND n >= 5
ORDER BY question, n DESC;
