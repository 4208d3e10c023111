CREATE OR REPLACE VIEW current_prices (sku, net, gross) AS
SELECT p.sku, p.net, round(p.net * (1 + t.rate / 100), 2)
FROM prices p
JOIN tax_rates t ON t.code = p.tax_code
WHERE p.valid @> current_date;
