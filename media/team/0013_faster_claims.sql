-- Up Migration
-- As before, with fewer and smaller statements: most of a claim's time goes into starting them.
CREATE OR REPLACE FUNCTION vitrine.claim_run(p_instance text, p_has text[]) RETURNS SETOF vitrine.runs
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
-- Reads what waits in its order and stops at the first that fits, however few the planner expects to fit.
SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  me record;
  -- Budgets of which nothing is left, as scope:key; null if there are no budgets.
  used_up text[];
BEGIN
  SELECT m.runner_id, m.executor_type, m.hostname, m.project_dir, m.tags, m.within, m.run_limit,
      own.active, own.unanswered, EXISTS (SELECT FROM vitrine.budgets) AS has_budgets INTO me
    FROM vitrine.runners AS m CROSS JOIN LATERAL (
      SELECT count(*) AS active, min(r.run_id) FILTER (WHERE r.status = 'claimed' AND r.run_id <> ALL (p_has)) AS unanswered
      FROM vitrine.runs AS r WHERE r.instance = p_instance AND r.status IN ('claimed', 'running', 'stopping')
    ) AS own
    WHERE m.instance = p_instance AND m.owner = session_user;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF me.unanswered IS NOT NULL THEN
    RETURN QUERY UPDATE vitrine.runs AS r
      SET token = nextval('vitrine.fencing'), attempts = r.attempts + 1, claimed_at = clock_timestamp(), started_at = NULL
      WHERE r.run_id = me.unanswered AND r.instance = p_instance AND r.status = 'claimed'
      RETURNING r.*;
    RETURN;
  END IF;
  IF me.active >= me.run_limit THEN
    RETURN;
  END IF;
  IF me.has_budgets THEN
    used_up := ARRAY(SELECT u.scope || ':' || u.key FROM vitrine.used_up AS u);
  END IF;
  RETURN QUERY UPDATE vitrine.runs AS r
    SET status = 'claimed', runner_id = me.runner_id, instance = p_instance, executed_by = session_user,
        token = nextval('vitrine.fencing'), attempts = r.attempts + 1, claimed_at = clock_timestamp(), started_at = NULL
    WHERE r.run_id = (
      SELECT next.run_id FROM vitrine.runs AS next
      WHERE next.status = 'pending' AND next.executor_type = me.executor_type
        AND (next.demand_hostname IS NULL OR next.demand_hostname = me.hostname)
        AND (next.demand_project_dir IS NULL OR next.demand_project_dir = me.project_dir)
        AND next.demand_tags <@ me.tags
        AND (me.within IS NULL OR next.project_dir IS NULL
          OR EXISTS (SELECT FROM unnest(me.within) AS w WHERE next.project_dir = w OR starts_with(next.project_dir, w || '/')))
        AND (used_up IS NULL OR NOT used_up && ARRAY[
          'team:', 'member:' || next.requested_by, 'agent:' || next.agent_name, 'project:' || coalesce(next.project_dir, me.project_dir)
        ])
        -- A session has one run at a time, and its runs keep their order.
        AND NOT EXISTS (
          SELECT FROM vitrine.runs AS other
          WHERE other.session_id = next.session_id AND other.run_id <> next.run_id
            AND other.status IN ('pending', 'claimed', 'running', 'stopping')
            AND (other.status <> 'pending' OR other.position < next.position)
        )
      ORDER BY next.position LIMIT 1 FOR UPDATE OF next SKIP LOCKED
    )
    RETURNING r.*;
END
$$;

-- As in 0010, for the function that 0012 replaced: the time of a statement can be compared by an index.
DO $$
BEGIN
  EXECUTE replace(pg_get_functiondef('vitrine.sweep()'::regprocedure),
    'clock_timestamp() - interval ''90 days''', 'statement_timestamp() - interval ''90 days''');
END
$$;

-- Down Migration
DO $$
BEGIN
  EXECUTE replace(pg_get_functiondef('vitrine.sweep()'::regprocedure),
    'statement_timestamp() - interval ''90 days''', 'clock_timestamp() - interval ''90 days''');
END
$$;
CREATE OR REPLACE FUNCTION vitrine.claim_run(p_instance text, p_has text[]) RETURNS SETOF vitrine.runs
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_generic_plan
-- Reads what waits in its order and stops at the first that fits, however few the planner expects to fit.
SET enable_sort = off SET enable_seqscan = off SET enable_bitmapscan = off AS $$
DECLARE
  me vitrine.runners;
  active bigint;
  unanswered text;
BEGIN
  SELECT * INTO me FROM vitrine.runners AS m WHERE m.instance = p_instance AND m.owner = session_user;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  SELECT count(*), min(r.run_id) FILTER (WHERE r.status = 'claimed' AND r.run_id <> ALL (p_has)) INTO active, unanswered
    FROM vitrine.runs AS r WHERE r.instance = p_instance AND r.status IN ('claimed', 'running', 'stopping');
  IF unanswered IS NOT NULL THEN
    RETURN QUERY UPDATE vitrine.runs AS r
      SET token = nextval('vitrine.fencing'), attempts = r.attempts + 1, claimed_at = clock_timestamp(), started_at = NULL
      WHERE r.run_id = unanswered AND r.instance = p_instance AND r.status = 'claimed'
      RETURNING r.*;
    RETURN;
  END IF;
  IF active >= me.run_limit THEN
    RETURN;
  END IF;
  RETURN QUERY UPDATE vitrine.runs AS r
    SET status = 'claimed', runner_id = me.runner_id, instance = p_instance, executed_by = session_user,
        token = nextval('vitrine.fencing'), attempts = r.attempts + 1, claimed_at = clock_timestamp(), started_at = NULL
    WHERE r.run_id = (
      WITH used_up AS MATERIALIZED (SELECT u.scope, u.key FROM vitrine.used_up AS u)
      SELECT next.run_id FROM vitrine.runs AS next
      WHERE next.status = 'pending' AND next.executor_type = me.executor_type
        AND (next.demand_hostname IS NULL OR next.demand_hostname = me.hostname)
        AND (next.demand_project_dir IS NULL OR next.demand_project_dir = me.project_dir)
        AND next.demand_tags <@ me.tags
        AND (me.within IS NULL OR next.project_dir IS NULL
          OR EXISTS (SELECT FROM unnest(me.within) AS w WHERE next.project_dir = w OR starts_with(next.project_dir, w || '/')))
        AND NOT EXISTS (
          SELECT FROM used_up WHERE used_up.key = CASE used_up.scope WHEN 'team' THEN '' WHEN 'member' THEN next.requested_by
            WHEN 'agent' THEN next.agent_name ELSE coalesce(next.project_dir, me.project_dir) END
        )
        -- A session has one run at a time, and its runs keep their order.
        AND NOT EXISTS (
          SELECT FROM vitrine.runs AS other
          WHERE other.session_id = next.session_id AND other.run_id <> next.run_id
            AND other.status IN ('pending', 'claimed', 'running', 'stopping')
            AND (other.status <> 'pending' OR other.position < next.position)
        )
      ORDER BY next.position LIMIT 1 FOR UPDATE OF next SKIP LOCKED
    )
    RETURNING r.*;
END
$$;
