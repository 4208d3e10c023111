SELECT status, method, path, count(*) AS hits, max(at) AS latest
FROM requests
WHERE status >= 500 AND status < 600
  AND path NOT LIKE '/health%'
  AND at > now() - interval '1 hour'
GROUP BY GROUPING SETS ((status, method, path), (status, method), (status), ())
ORDER BY status NULLS FIRST, hits DESC;
