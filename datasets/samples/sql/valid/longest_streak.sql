WITH days AS (
    SELECT DISTINCT player_id, played_at::date AS day FROM matches
), islands AS (
    SELECT player_id, day,
           day - (row_number() OVER (PARTITION BY player_id ORDER BY day))::int AS grp
    FROM days
)
SELECT player_id, min(day) AS first_day, max(day) AS last_day, count(*) AS length
FROM islands
GROUP BY player_id, grp
ORDER BY length DESC
LIMIT 5;
