SELECT account_id,
       booked_on,
       amount,
       sum(amount) OVER (
           PARTITION BY account_id
           ORDER BY booked_on, id
           ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
       ) AS balance
FROM transactions
WHERE account_id = $1
ORDER BY booked_on, id;
