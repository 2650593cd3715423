-- Up Migration
-- What budgets compare themselves with: the sums of vitrine.spending per day and month, so that a claim reads one row per
-- budget, however long the team has existed.
CREATE TABLE vitrine.totals (
  scope text NOT NULL,
  key text NOT NULL,
  period text NOT NULL,
  -- First day of the period (UTC).
  start date NOT NULL,
  usd numeric NOT NULL,
  PRIMARY KEY (scope, key, period, start)
);
ALTER TABLE vitrine.totals ENABLE ROW LEVEL SECURITY;
CREATE POLICY read_totals ON vitrine.totals FOR SELECT USING ((SELECT vitrine.role_of_login()) IS NOT NULL);

-- Always the team first, so that two of these wait for each other instead of blocking each other.
CREATE FUNCTION vitrine.add_to_totals(p vitrine.spending, p_usd numeric) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO vitrine.totals AS t (scope, key, period, start, usd)
    SELECT s.scope, s.key, s.period, date_trunc(s.period, p.day::timestamp)::date, p_usd
    FROM (VALUES ('team', '', 'day'), ('team', '', 'month'), ('member', p.member, 'day'), ('member', p.member, 'month'),
      ('agent', p.agent, 'day'), ('agent', p.agent, 'month'), ('project', p.project, 'day'), ('project', p.project, 'month')
    ) AS s (scope, key, period)
    WHERE s.scope = 'team' OR s.key <> ''
    ON CONFLICT (scope, key, period, start) DO UPDATE SET usd = t.usd + excluded.usd
$$;

CREATE FUNCTION vitrine.keep_totals() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP <> 'INSERT' THEN
    PERFORM vitrine.add_to_totals(OLD, -OLD.usd);
  END IF;
  IF TG_OP <> 'DELETE' THEN
    PERFORM vitrine.add_to_totals(NEW, NEW.usd);
  ELSE
    -- Names of members and folders go with what they spent.
    DELETE FROM vitrine.totals AS t
      WHERE t.usd = 0 AND (t.scope, t.key) IN (('member', OLD.member), ('agent', OLD.agent), ('project', OLD.project));
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER keep_totals AFTER INSERT OR UPDATE OR DELETE ON vitrine.spending
  FOR EACH ROW EXECUTE FUNCTION vitrine.keep_totals();

INSERT INTO vitrine.totals (scope, key, period, start, usd)
  SELECT each.scope, each.key, p.period, date_trunc(p.period, s.day::timestamp)::date, sum(s.usd)
  FROM vitrine.spending AS s
    CROSS JOIN LATERAL (VALUES ('team', ''), ('member', s.member), ('agent', s.agent), ('project', s.project)) AS each (scope, key)
    CROSS JOIN (VALUES ('day'), ('month')) AS p (period)
  WHERE each.scope = 'team' OR each.key <> ''
  GROUP BY 1, 2, 3, 4;

-- Budgets of which nothing is left. What members spent before they left counts as well.
CREATE INDEX tombstones_by_day ON vitrine.tombstones (day) WHERE session_id IS NULL;
CREATE VIEW vitrine.used_up WITH (security_invoker = true) AS
  SELECT b.scope, b.key, b.period
  FROM vitrine.budgets AS b
    CROSS JOIN LATERAL (SELECT date_trunc(b.period, clock_timestamp() AT TIME ZONE 'UTC')::date AS start) AS now
  WHERE b.limit_usd <= coalesce((
      SELECT t.usd FROM vitrine.totals AS t
      WHERE t.scope = b.scope AND t.key = b.key AND t.period = b.period AND t.start = now.start
    ), 0) + CASE b.scope
      WHEN 'team' THEN coalesce((
        SELECT sum(t.usd) FROM vitrine.tombstones AS t WHERE t.session_id IS NULL AND t.day >= now.start
      ), 0)
      WHEN 'member' THEN coalesce((
        SELECT sum(t.usd) FROM vitrine.tombstones AS t
        WHERE t.session_id IS NULL AND t.owner = b.key AND t.day >= now.start
      ), 0)
      ELSE 0
    END;

CREATE OR REPLACE FUNCTION vitrine.exhausted() RETURNS TABLE (scope text, key text, period text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT u.scope, u.key, u.period FROM vitrine.used_up AS u
$$;

-- As before, with the sums.
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

-- The time of a statement can be compared by an index; the clock, which runs on during it, cannot.
DO $$
BEGIN
  EXECUTE replace(pg_get_functiondef('vitrine.sweep()'::regprocedure),
    'clock_timestamp() - interval ''90 days''', 'statement_timestamp() - interval ''90 days''');
END
$$;

-- What happened in a period is found without reading what happened before.
CREATE INDEX audit_by_time ON vitrine.audit (at, id);
-- The same rights. Of CASE, the planner expects half of the rows instead of very few, and so reads in the order of the index.
ALTER POLICY read_audit ON vitrine.audit USING (
  CASE (SELECT vitrine.role_of_login())
    WHEN 'owner' THEN true
    WHEN 'auditor' THEN true
    WHEN 'member' THEN who = session_user
    ELSE false
  END
);

DO $$
DECLARE
  member text := quote_ident('vitrine_member_' || current_database());
  auditor text := quote_ident('vitrine_auditor_' || current_database());
BEGIN
  EXECUTE format('GRANT SELECT ON vitrine.totals, vitrine.used_up TO %s, %s', member, auditor);
END
$$;

-- Down Migration
ALTER POLICY read_audit ON vitrine.audit USING (
  (SELECT vitrine.role_of_login()) IN ('owner', 'auditor')
  OR ((SELECT vitrine.role_of_login()) = 'member' AND who = session_user)
);
DROP INDEX vitrine.audit_by_time;
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
      WITH used_up AS MATERIALIZED (
        SELECT b.scope, b.key FROM vitrine.budgets AS b
        WHERE b.limit_usd <= (
          SELECT coalesce(sum(s.usd), 0) FROM vitrine.spent AS s
          WHERE s.day >= date_trunc(b.period, clock_timestamp() AT TIME ZONE 'UTC')::date
            AND b.key = CASE b.scope WHEN 'team' THEN '' WHEN 'member' THEN s.member WHEN 'agent' THEN s.agent ELSE s.project END
        )
      )
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
CREATE OR REPLACE FUNCTION vitrine.exhausted() RETURNS TABLE (scope text, key text, period text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT b.scope, b.key, b.period FROM vitrine.budgets AS b
  WHERE b.limit_usd <= (
    SELECT coalesce(sum(s.usd), 0) FROM vitrine.spent AS s
    WHERE s.day >= date_trunc(b.period, clock_timestamp() AT TIME ZONE 'UTC')::date
      AND b.key = CASE b.scope WHEN 'team' THEN '' WHEN 'member' THEN s.member WHEN 'agent' THEN s.agent ELSE s.project END
  )
$$;
DROP VIEW vitrine.used_up;
DROP INDEX vitrine.tombstones_by_day;
DROP TRIGGER keep_totals ON vitrine.spending;
DROP FUNCTION vitrine.keep_totals();
DROP FUNCTION vitrine.add_to_totals(vitrine.spending, numeric);
DROP TABLE vitrine.totals;
