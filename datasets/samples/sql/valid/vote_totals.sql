WITH ballots (voter, first, second) AS (
    VALUES ('ann', 'red', 'blue'), ('bob', 'blue', NULL), ('eve', 'green', 'red')
)
SELECT choice, count(*) AS votes
FROM ballots, LATERAL unnest(ARRAY[first, second]) WITH ORDINALITY AS c (choice, preference)
WHERE choice IS NOT NULL AND preference <= 2
GROUP BY choice
ORDER BY votes DESC;
