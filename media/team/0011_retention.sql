-- Up Migration
-- As before, but what runs stays, and other machines learn that sessions are gone.
CREATE OR REPLACE FUNCTION vitrine.delete_before(p_before timestamptz) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  deleted bigint;
BEGIN
  WITH gone AS (
    DELETE FROM vitrine.sessions AS s
    WHERE s.updated_at < p_before
      -- A machine that was lost never reports the end of its sessions.
      AND (s.updated_at < clock_timestamp() - interval '7 days'
        OR vitrine.text_of(s.summary, 'status') NOT IN ('pending', 'running', 'stopping'))
    RETURNING s.session_id, s.owner
  )
  INSERT INTO vitrine.tombstones (session_id, owner, reason) SELECT session_id, owner, 'retention' FROM gone;
  GET DIAGNOSTICS deleted = ROW_COUNT;
  PERFORM vitrine.hint('withdrawn', '');
  RETURN deleted;
END
$$;

-- Down Migration
CREATE OR REPLACE FUNCTION vitrine.delete_before(p_before timestamptz) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  deleted bigint;
BEGIN
  WITH gone AS (DELETE FROM vitrine.sessions AS s WHERE s.updated_at < p_before RETURNING s.session_id, s.owner)
  INSERT INTO vitrine.tombstones (session_id, owner, reason) SELECT session_id, owner, 'retention' FROM gone;
  GET DIAGNOSTICS deleted = ROW_COUNT;
  RETURN deleted;
END
$$;
