SELECT name
FROM stations
WHERE line_id IN (SELECT id FROM lines WHERE color = 'red'
ORDER BY name
;
