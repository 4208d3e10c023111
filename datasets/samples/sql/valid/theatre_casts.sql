SELECT player.first_name, player.last_name
FROM player
NATURAL JOIN cast_list
WHERE play_id IN (
    SELECT play_id FROM play WHERE title = 'The Salt Road'
)
UNION
SELECT 'total', count(*)::text FROM cast_list
ORDER BY 2, 1;
