SELECT o.id,
       o.total,
       o.currency,
       round(o.total * coalesce(r.rate, 1), 2) AS total_in_euro
FROM orders o
LEFT JOIN exchange_rates r
       ON r.currency = o.currency
      AND r.valid_on = (
          SELECT max(valid_on)
          FROM exchange_rates
          WHERE currency = o.currency AND valid_on <= o.created_at::date
      )
WHERE o.status <> 'void';
