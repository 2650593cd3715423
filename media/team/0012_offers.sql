-- Up Migration
-- As before, and a run that is given up says which executors the team offers.
CREATE OR REPLACE FUNCTION vitrine.sweep() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  lost text;
  offered text[];
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
  SELECT array_agg(DISTINCT me.executor_type ORDER BY me.executor_type) INTO offered FROM vitrine.runners AS me;
  FOR lost IN
    UPDATE vitrine.runs AS r SET status = 'failed', completed_at = clock_timestamp(),
      error = 'No runner that meets its demands took this run in time. ' || CASE
        WHEN offered IS NULL THEN 'No runner of the team is online.'
        WHEN r.executor_type = ANY (offered) THEN 'Runners of the team offer: ' || array_to_string(offered, ', ') || '.'
        ELSE 'None offers ' || r.executor_type || '. Runners of the team offer: ' || array_to_string(offered, ', ') || '.'
      END
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
