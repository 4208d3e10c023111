SELECT e.name, e.salary, d.name
FROM employees e
JOIN departments d ON d.id = e.department_id
WHERE e.salary > ALL (
    SELECT avg(salary) FROM employees WHERE department_id <> e.department_id GROUP BY department_id
)
ORDER BY e.salary DESC;
