SELECT eco, opening,
       count(*) AS games,
       count(*) FILTER (WHERE result = '1-0') AS white_wins,
       count(*) FILTER (WHERE result = '0-1') AS black_wins,
       count(*) FILTER (WHERE result NOT IN ('1-0', '0-1')) AS draws
FROM games
WHERE white_elo > 2400 AND black_elo > 2400
GROUP BY eco, opening
ORDER BY games DESC, eco;
