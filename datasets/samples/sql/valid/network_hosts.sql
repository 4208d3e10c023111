/* Hosts of the office network that
   have not been seen for a month */
SELECT host(address) AS address, mac, last_seen
FROM hosts
WHERE address << inet '10.20.0.0/16'
  AND last_seen < now() - '1 month'::interval
  AND mac IS NOT NULL
ORDER BY address;
