-- Up Migration
-- Gives up a claim: another runner may take the run if it says so. False: the claim is outdated.
CREATE FUNCTION vitrine.give_up_run(p_id text, p_token bigint, p_reason text) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE vitrine.runs AS r
    SET status = CASE WHEN r.status = 'stopping' THEN 'stopped' WHEN again.allowed THEN 'pending' ELSE 'failed' END,
        error = CASE WHEN again.allowed THEN NULL ELSE p_reason END,
        completed_at = CASE WHEN again.allowed THEN NULL ELSE clock_timestamp() END,
        -- The next runner begins a session of its own; what this one recorded stays.
        session_id = CASE WHEN again.allowed AND r.type = 'start_session'
          THEN 'ses_' || substr(replace(gen_random_uuid()::text, '-', ''), 1, 12) ELSE r.session_id END,
        token = NULL, instance = NULL
    FROM (
      SELECT a.run_id, a.retry AND a.attempts < 5 AND a.status <> 'stopping' AS allowed
      FROM vitrine.runs AS a WHERE a.run_id = p_id FOR UPDATE
    ) AS again
    WHERE r.run_id = again.run_id AND r.token = p_token AND r.status IN ('claimed', 'running', 'stopping');
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  DELETE FROM vitrine.requests AS q WHERE q.run_id = p_id;
  PERFORM vitrine.hint('run', p_id);
  RETURN true;
END
$$;

CREATE OR REPLACE FUNCTION vitrine.give_up(p_instance text, p_reason text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM vitrine.give_up_run(r.run_id, r.token, p_reason) FROM vitrine.runs AS r
    WHERE r.instance = p_instance AND r.status IN ('claimed', 'running', 'stopping');
END
$$;

-- A runner that could not say in time that it is alive has stopped a run that another one may take.
CREATE FUNCTION vitrine.return_run(p_id text, p_token bigint, p_reason text) RETURNS SETOF vitrine.runs
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM vitrine.require_member();
  IF NOT EXISTS (SELECT FROM vitrine.runs AS r WHERE r.run_id = p_id AND r.executed_by = session_user)
    OR NOT vitrine.give_up_run(p_id, p_token, p_reason) THEN
    RAISE EXCEPTION 'Run % has ended, or another runner has it', p_id USING ERRCODE = 'VT005';
  END IF;
  RETURN QUERY SELECT r.* FROM vitrine.runs AS r WHERE r.run_id = p_id;
END
$$;

CREATE OR REPLACE FUNCTION vitrine.sweep() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  lost text;
BEGIN
  PERFORM vitrine.require_member();
  IF NOT pg_try_advisory_xact_lock(5021700102) THEN
    RETURN;
  END IF;
  FOR lost IN
    DELETE FROM vitrine.runners AS r
      WHERE clock_timestamp() - greatest(r.heartbeat_at, pg_postmaster_start_time()) > interval '20 seconds'
      RETURNING r.instance
  LOOP
    PERFORM vitrine.give_up(lost, 'The runner stopped responding.');
  END LOOP;
  -- A claim that was made while its runner left.
  FOR lost IN
    SELECT DISTINCT r.instance FROM vitrine.runs AS r
      WHERE r.status IN ('claimed', 'running', 'stopping') AND r.claimed_at < clock_timestamp() - interval '20 seconds'
        AND NOT EXISTS (SELECT FROM vitrine.runners AS me WHERE me.instance = r.instance)
  LOOP
    PERFORM vitrine.give_up(lost, 'The runner stopped responding.');
  END LOOP;
  FOR lost IN
    UPDATE vitrine.runs AS r SET status = 'failed', completed_at = clock_timestamp(),
      error = 'No runner that meets its demands took this run in time.'
    WHERE r.status = 'pending' AND r.timeout_at < clock_timestamp() AND NOT EXISTS (
      SELECT FROM vitrine.runners AS me WHERE r.executor_type = me.executor_type
        AND (r.demand_hostname IS NULL OR r.demand_hostname = me.hostname)
        AND (r.demand_project_dir IS NULL OR r.demand_project_dir = me.project_dir)
        AND r.demand_tags <@ me.tags
    )
    RETURNING r.run_id
  LOOP
    PERFORM vitrine.hint('run', lost);
  END LOOP;
  DELETE FROM vitrine.runs AS r
    WHERE r.completed_at < clock_timestamp() - interval '90 days' AND r.status IN ('completed', 'failed', 'stopped');
END
$$;

DO $$
BEGIN
  EXECUTE format('GRANT EXECUTE ON FUNCTION vitrine.return_run(text, bigint, text) TO %I', 'vitrine_member_' || current_database());
END
$$;

-- Down Migration
CREATE OR REPLACE FUNCTION vitrine.sweep() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  lost text;
BEGIN
  PERFORM vitrine.require_member();
  IF NOT pg_try_advisory_xact_lock(5021700102) THEN
    RETURN;
  END IF;
  FOR lost IN
    DELETE FROM vitrine.runners AS r
      WHERE clock_timestamp() - greatest(r.heartbeat_at, pg_postmaster_start_time()) > interval '20 seconds'
      RETURNING r.instance
  LOOP
    PERFORM vitrine.give_up(lost, 'The runner stopped responding.');
  END LOOP;
  FOR lost IN
    UPDATE vitrine.runs AS r SET status = 'failed', completed_at = clock_timestamp(),
      error = 'No runner that meets its demands took this run in time.'
    WHERE r.status = 'pending' AND r.timeout_at < clock_timestamp() AND NOT EXISTS (
      SELECT FROM vitrine.runners AS me WHERE r.executor_type = me.executor_type
        AND (r.demand_hostname IS NULL OR r.demand_hostname = me.hostname)
        AND (r.demand_project_dir IS NULL OR r.demand_project_dir = me.project_dir)
        AND r.demand_tags <@ me.tags
    )
    RETURNING r.run_id
  LOOP
    PERFORM vitrine.hint('run', lost);
  END LOOP;
  DELETE FROM vitrine.runs AS r
    WHERE r.completed_at < clock_timestamp() - interval '90 days' AND r.status IN ('completed', 'failed', 'stopped');
END
$$;
DROP FUNCTION vitrine.return_run(text, bigint, text);
CREATE OR REPLACE FUNCTION vitrine.give_up(p_instance text, p_reason text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  lost text;
BEGIN
  FOR lost IN
    UPDATE vitrine.runs AS r
      SET status = CASE WHEN r.status = 'stopping' THEN 'stopped' WHEN r.retry AND r.attempts < 5 THEN 'pending' ELSE 'failed' END,
          error = CASE WHEN r.retry AND r.attempts < 5 AND r.status <> 'stopping' THEN NULL ELSE p_reason END,
          completed_at = CASE WHEN r.retry AND r.attempts < 5 AND r.status <> 'stopping' THEN NULL ELSE clock_timestamp() END,
          -- The next runner begins a session of its own; what this one recorded stays.
          session_id = CASE WHEN r.retry AND r.attempts < 5 AND r.status <> 'stopping' AND r.type = 'start_session'
            THEN 'ses_' || substr(replace(gen_random_uuid()::text, '-', ''), 1, 12) ELSE r.session_id END,
          token = NULL, instance = NULL
      WHERE r.instance = p_instance AND r.status IN ('claimed', 'running', 'stopping')
      RETURNING r.run_id
  LOOP
    DELETE FROM vitrine.requests AS q WHERE q.run_id = lost;
    PERFORM vitrine.hint('run', lost);
  END LOOP;
END
$$;
DROP FUNCTION vitrine.give_up_run(text, bigint, text);
