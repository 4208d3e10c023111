SELECT q.symbol, q.day, q.close,
       q.close / nullif(lag(q.close, 1) OVER s, 0) - 1 AS return,
       stddev_samp(q.close) OVER (s ROWS 19 PRECEDING) AS volatility,
       ntile(4) OVER (PARTITION BY q.day ORDER BY q.volume DESC) AS quartile
FROM quotes q
WHERE q.symbol IN ('ACME', 'GLOBEX', 'INITECH')
WINDOW s AS (PARTITION BY q.symbol ORDER BY q.day);
