SELECT h.name, n.night,
       count(b.id) AS booked,
       h.rooms - count(b.id) AS free
FROM hotels h
CROSS JOIN generate_series(current_date, current_date + 13, '1 day') AS n (night)
LEFT OUTER JOIN bookings b
    ON b.hotel_id = h.id
   AND n.night >= b.arrival
   AND n.night < b.departure
   AND b.state = ANY ('{confirmed,paid}'::text[])
GROUP BY h.id, h.name, h.rooms, n.night
ORDER BY h.name, n.night;
