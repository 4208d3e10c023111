SELECT v.plate,
       p.at AT TIME ZONE 'Europe/Athens' AS local_time,
       p.location <-> point '(37.98, 23.73)' AS distance
FROM vehicles v
JOIN positions p ON p.vehicle_id = v.id
WHERE p.location <@ box '((37.8,23.5),(38.2,24.0))'
ORDER BY distance
LIMIT :limit;
