SELECT m[1][2] AS corner, m[1:2][1:1] AS block, array_length(m, 1) AS height
FROM (VALUES (ARRAY[[1, 2], [3, 4]]), (ARRAY[[5, 6], [7, 8]]), ('{{9,10},{11,12}}'::int[][])) AS v (m)
WHERE 4 = ANY (m) OR m && ARRAY[[9]] OR cardinality(m) = 0;
