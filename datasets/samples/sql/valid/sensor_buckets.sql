SELECT date_bin('15 minutes', at, TIMESTAMP '2024-01-01') AS bucket,
       sensor,
       min(value), max(value), avg(value)::real,
       (array_agg(value ORDER BY at DESC))[1] AS latest
FROM measurements
WHERE at >= now() - interval '1' day AND value <> 'NaN'
GROUP BY bucket, sensor;
