WITH firsts AS (
    SELECT customer_id, date_trunc('month', min(ordered_at)) AS cohort
    FROM orders
    GROUP BY customer_id
), activity AS (
    SELECT f.cohort,
           (extract(year FROM age(o.ordered_at, f.cohort)) * 12
              + extract(month FROM age(o.ordered_at, f.cohort)))::int AS month_no,
           o.customer_id
    FROM orders o
    JOIN firsts f USING (customer_id)
)
SELECT cohort, month_no, count(DISTINCT customer_id) AS customers
FROM activity
GROUP BY cohort, month_no
ORDER BY cohort, month_no;
