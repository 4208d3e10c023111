SELECT district,
       party,
       votes,
       round(100.0 * votes / sum(votes) OVER w, 2) AS share,
       rank() OVER (w ORDER BY votes DESC) AS place
FROM results
WHERE election_year = 2021
WINDOW w AS (PARTITION BY district)
ORDER BY district, place;
