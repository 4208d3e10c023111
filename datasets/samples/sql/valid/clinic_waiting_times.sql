SELECT d.name AS doctor,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY v.waited_minutes) AS median_wait,
       percentile_cont(ARRAY[0.9, 0.99]) WITHIN GROUP (ORDER BY v.waited_minutes) AS tail,
       max(v.waited_minutes)
FROM visits v JOIN doctors d ON d.id = v.doctor_id
WHERE v.checked_in_at::date = '2024-05-02'
GROUP BY d.name;
