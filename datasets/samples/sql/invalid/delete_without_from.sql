-- Forget old sessions.
DELETE
WHERE expires_at < now()
   OR user_id IS NULL;
