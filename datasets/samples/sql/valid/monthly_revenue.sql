SELECT to_char(month, 'YYYY-MM') AS month, revenue,
       revenue - lag(revenue) OVER (ORDER BY month) AS change,
       avg(revenue) OVER (ORDER BY month ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS moving_average
FROM (
    SELECT date_trunc('month', paid_at) AS month, sum(amount) AS revenue
    FROM payments
    WHERE state = 'settled'
    GROUP BY 1
) AS m
ORDER BY month;
