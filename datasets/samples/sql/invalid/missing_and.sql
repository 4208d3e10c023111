SELECT p.id, p.name
FROM players p
WHERE p.team_id = 7
  p.active IS TRUE
ORDER BY p.name;
