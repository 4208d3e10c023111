SELECT buoy, at, wave_height,
       first_value(wave_height) OVER hours AS at_first,
       max(wave_height) OVER (hours RANGE BETWEEN '3 hours' PRECEDING AND '3 hours' FOLLOWING EXCLUDE CURRENT ROW) AS around
FROM readings
WINDOW hours AS (PARTITION BY buoy ORDER BY at)
ORDER BY buoy, at;
