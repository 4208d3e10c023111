SELECT count(*) AS visited,
       count(*) FILTER (WHERE cart_at > visit_at) AS added,
       count(*) FILTER (WHERE paid_at > cart_at) AS paid
FROM (
    SELECT session_id,
           min(at) FILTER (WHERE kind = 'visit') AS visit_at,
           min(at) FILTER (WHERE kind = 'cart') AS cart_at,
           min(at) FILTER (WHERE kind = 'paid') AS paid_at
    FROM events
    WHERE at >= now() - INTERVAL '7 days'
    GROUP BY session_id
) AS steps;
