SELECT p.common_name, p.sow_from, p.sow_to
FROM plants AS p
WHERE (p.sow_from, p.sow_to) OVERLAPS (DATE '2024-03-01', DATE '2024-04-15')
  AND NOT EXISTS (
      SELECT 1
      FROM beds AS b
      WHERE b.plant_id = p.id AND b.season = 2024
  )
  AND p.hardiness SIMILAR TO 'H[3-7]%';
