SELECT T1.title, T2.last_name, COUNT(*)
FROM Course AS T1
JOIN Teacher AS T2 ON T1.teacher_id = T2.id
JOIN Enrolment AS T3 ON T3.course_id = T1.id
WHERE T1.semester = 'fall' AND T2.department != 'History'
GROUP BY T1.title, T2.last_name
HAVING COUNT(*) > 30
