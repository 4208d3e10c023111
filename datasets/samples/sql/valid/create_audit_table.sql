CREATE TABLE IF NOT EXISTS audit.entries (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    happened_at timestamp with time zone NOT NULL DEFAULT now(),
    actor       varchar(80) COLLATE "C" NOT NULL,
    action      text NOT NULL CHECK (action IN ('insert', 'update', 'delete')),
    old_row     jsonb,
    new_row     jsonb,
    tags        text[] DEFAULT '{}',
    CONSTRAINT something_changed CHECK (old_row IS DISTINCT FROM new_row)
);
