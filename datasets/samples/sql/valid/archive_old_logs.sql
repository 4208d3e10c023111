WITH moved AS (
    DELETE FROM access_log
    WHERE logged_at < now() - interval '90 days'
    RETURNING *
)
INSERT INTO access_log_archive
SELECT * FROM moved;
