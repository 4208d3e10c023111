SELECT coalesce(department, 'all departments') AS department,
       coalesce(category, 'all categories') AS category,
       sum(amount) AS total,
       grouping(department, category) AS level
FROM expenses
WHERE spent_on >= date_trunc('year', now())
GROUP BY ROLLUP (department, category)
ORDER BY grouping(department), department, grouping(category), category;
