SELECT id, payload
FROM jobs
WHERE state = 'ready' AND run_after <= now()
ORDER BY priority DESC, id
LIMIT 1
FOR UPDATE SKIP LOCKED;
