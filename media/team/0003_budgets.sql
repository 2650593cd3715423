-- Up Migration
CREATE TABLE vitrine.budgets (
  scope text NOT NULL CHECK (scope IN ('team', 'member', 'agent', 'project')),
  -- Name of the member or agent, or the folder; empty for the team.
  key text NOT NULL CHECK ((scope = 'team') = (key = '')),
  period text NOT NULL CHECK (period IN ('day', 'month')),
  limit_usd numeric NOT NULL CHECK (limit_usd >= 0),
  set_by text NOT NULL,
  set_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (scope, key, period)
);

-- What shared sessions and runs of the team cost, per day (UTC). Empty: unknown.
CREATE TABLE vitrine.spending (
  day date NOT NULL,
  member text NOT NULL,
  agent text NOT NULL,
  project text NOT NULL,
  usd numeric NOT NULL,
  PRIMARY KEY (day, member, agent, project)
);

-- Who did what. No content of sessions, and no rights for members to write.
CREATE TABLE vitrine.audit (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz NOT NULL DEFAULT clock_timestamp(),
  who text NOT NULL DEFAULT session_user,
  what text NOT NULL,
  session_id text,
  run_id text,
  detail json
);

ALTER TABLE vitrine.budgets ENABLE ROW LEVEL SECURITY;
ALTER TABLE vitrine.spending ENABLE ROW LEVEL SECURITY;
ALTER TABLE vitrine.audit ENABLE ROW LEVEL SECURITY;
CREATE POLICY read_budgets ON vitrine.budgets FOR SELECT USING ((SELECT vitrine.role_of_login()) IS NOT NULL);
CREATE POLICY read_spending ON vitrine.spending FOR SELECT USING ((SELECT vitrine.role_of_login()) IS NOT NULL);
-- Members see what they did themselves; owner and auditors see everything.
CREATE POLICY read_audit ON vitrine.audit FOR SELECT USING (
  (SELECT vitrine.role_of_login()) IN ('owner', 'auditor')
  OR ((SELECT vitrine.role_of_login()) = 'member' AND who = session_user)
);

-- What of each session was counted: a session that is withdrawn and shared again does not count twice.
CREATE TABLE vitrine.counted (session_id text PRIMARY KEY, usd numeric NOT NULL);
ALTER TABLE vitrine.counted ENABLE ROW LEVEL SECURITY;

-- The part of a summary that counts. A summary that its owner wrote by hand costs nothing.
CREATE FUNCTION vitrine.cost_of(summary json) RETURNS numeric
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN greatest(0, coalesce((summary #>> '{total_cost,usd}')::numeric, 0));
EXCEPTION WHEN OTHERS THEN
  RETURN 0;
END
$$;

CREATE FUNCTION vitrine.text_of(summary json, name text) RETURNS text
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RETURN left(coalesce(summary ->> name, ''), 1000);
EXCEPTION WHEN OTHERS THEN
  RETURN '';
END
$$;

-- A cost that gets lower was counted already.
CREATE FUNCTION vitrine.count_cost() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  cost numeric := vitrine.cost_of(NEW.summary);
  before numeric := coalesce((SELECT c.usd FROM vitrine.counted AS c WHERE c.session_id = NEW.session_id), 0);
BEGIN
  IF cost > before THEN
    INSERT INTO vitrine.counted AS c (session_id, usd) VALUES (NEW.session_id, cost)
      ON CONFLICT (session_id) DO UPDATE SET usd = cost;
    INSERT INTO vitrine.spending AS s (day, member, agent, project, usd)
    VALUES ((clock_timestamp() AT TIME ZONE 'UTC')::date, coalesce(NEW.requested_by, NEW.owner),
      vitrine.text_of(NEW.summary, 'agent_name'), vitrine.text_of(NEW.summary, 'project_dir'), cost - before)
    ON CONFLICT (day, member, agent, project) DO UPDATE SET usd = s.usd + cost - before;
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER count_cost AFTER INSERT OR UPDATE OF summary ON vitrine.sessions
  FOR EACH ROW EXECUTE FUNCTION vitrine.count_cost();

-- Budgets of which nothing is left.
CREATE FUNCTION vitrine.exhausted() RETURNS TABLE (scope text, key text, period text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT b.scope, b.key, b.period FROM vitrine.budgets AS b
  WHERE b.limit_usd <= (
    SELECT coalesce(sum(s.usd), 0) FROM vitrine.spending AS s
    WHERE s.day >= date_trunc(b.period, clock_timestamp() AT TIME ZONE 'UTC')::date
      AND b.key = CASE b.scope WHEN 'team' THEN '' WHEN 'member' THEN s.member WHEN 'agent' THEN s.agent ELSE s.project END
  )
$$;

CREATE OR REPLACE FUNCTION vitrine.claim_run(p_instance text, p_has text[]) RETURNS SETOF vitrine.runs
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH me AS (
    SELECT * FROM vitrine.runners WHERE instance = p_instance AND owner = session_user
  ), own AS (
    SELECT count(*) AS n,
           min(r.run_id) FILTER (WHERE r.status = 'claimed' AND r.run_id <> ALL (p_has)) AS unanswered
    FROM vitrine.runs AS r WHERE r.instance = p_instance AND r.status IN ('claimed', 'running', 'stopping')
  ), spent AS MATERIALIZED (
    SELECT * FROM vitrine.exhausted()
  ), next AS (
    SELECT r.run_id FROM vitrine.runs AS r, me, own
    WHERE own.unanswered IS NULL AND own.n < me.run_limit
      AND r.status = 'pending' AND r.executor_type = me.executor_type
      AND (r.demand_hostname IS NULL OR r.demand_hostname = me.hostname)
      AND (r.demand_project_dir IS NULL OR r.demand_project_dir = me.project_dir)
      AND r.demand_tags <@ me.tags
      AND (me.within IS NULL OR r.project_dir IS NULL
        OR EXISTS (SELECT FROM unnest(me.within) AS w WHERE r.project_dir = w OR starts_with(r.project_dir, w || '/')))
      AND NOT EXISTS (
        SELECT FROM spent WHERE spent.key = CASE spent.scope WHEN 'team' THEN '' WHEN 'member' THEN r.requested_by
          WHEN 'agent' THEN r.agent_name ELSE coalesce(r.project_dir, me.project_dir) END
      )
      -- A session has one run at a time, and its runs keep their order.
      AND NOT EXISTS (
        SELECT FROM vitrine.runs AS other
        WHERE other.session_id = r.session_id AND other.run_id <> r.run_id
          AND (other.status IN ('claimed', 'running', 'stopping') OR (other.status = 'pending' AND other.position < r.position))
      )
    ORDER BY r.position LIMIT 1 FOR UPDATE OF r SKIP LOCKED
  )
  UPDATE vitrine.runs AS r
    SET status = 'claimed', runner_id = me.runner_id, instance = p_instance, executed_by = session_user,
        token = nextval('vitrine.fencing'), attempts = r.attempts + 1,
        claimed_at = clock_timestamp(), started_at = NULL
    FROM me, own
    WHERE r.run_id = coalesce(own.unanswered, (SELECT next.run_id FROM next))
      AND (r.status = 'pending' OR r.instance = p_instance)
    RETURNING r.*
$$;

-- Sets or, without a limit, removes a budget. Only the owner of the team can: members cannot raise any budget, not even their own.
CREATE FUNCTION vitrine.set_budget(p_scope text, p_key text, p_period text, p_limit numeric) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF vitrine.role_of_login() IS DISTINCT FROM 'owner' THEN
    RAISE EXCEPTION 'Only the owner of the team sets budgets' USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF p_limit IS NULL THEN
    DELETE FROM vitrine.budgets AS b WHERE b.scope = p_scope AND b.key = p_key AND b.period = p_period;
  ELSE
    INSERT INTO vitrine.budgets AS b (scope, key, period, limit_usd, set_by)
    VALUES (p_scope, p_key, p_period, p_limit, session_user)
    ON CONFLICT (scope, key, period) DO UPDATE SET limit_usd = p_limit, set_by = session_user, set_at = clock_timestamp();
  END IF;
  INSERT INTO vitrine.audit (what, detail)
  VALUES ('budget', json_build_object('scope', p_scope, 'key', p_key, 'period', p_period, 'limit_usd', p_limit));
  -- What waited for it may start now.
  PERFORM vitrine.hint('budget', p_scope);
END
$$;

CREATE FUNCTION vitrine.audit_run() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO vitrine.audit (what, session_id, run_id, detail)
    VALUES ('run_queued', NEW.session_id, NEW.run_id, json_build_object('executor_type', NEW.executor_type, 'agent_name', NEW.agent_name));
  ELSIF NEW.status <> OLD.status THEN
    INSERT INTO vitrine.audit (what, session_id, run_id, detail)
    VALUES ('run_' || NEW.status, NEW.session_id, NEW.run_id, json_build_object('runner_id', NEW.runner_id,
      'requested_by', NEW.requested_by, 'executed_by', NEW.executed_by, 'token', NEW.token));
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER audit_run AFTER INSERT OR UPDATE OF status ON vitrine.runs
  FOR EACH ROW EXECUTE FUNCTION vitrine.audit_run();

CREATE FUNCTION vitrine.audit_session() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    INSERT INTO vitrine.audit (what, session_id) VALUES ('session_removed', OLD.session_id);
  ELSIF TG_OP = 'INSERT' OR NEW.share <> OLD.share THEN
    INSERT INTO vitrine.audit (what, session_id, detail)
    VALUES ('session_shared', NEW.session_id, json_build_object('share', NEW.share, 'requested_by', NEW.requested_by));
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER audit_session AFTER INSERT OR DELETE OR UPDATE OF share ON vitrine.sessions
  FOR EACH ROW EXECUTE FUNCTION vitrine.audit_session();

CREATE FUNCTION vitrine.audit_answer() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO vitrine.audit (what, session_id, run_id, detail)
  VALUES ('request_answered', NEW.session_id, NEW.run_id, json_build_object('request_id', NEW.request_id, 'answer', vitrine.text_of(NEW.answer, 'kind')));
  RETURN NULL;
END
$$;
CREATE TRIGGER audit_answer AFTER UPDATE OF answer ON vitrine.requests
  FOR EACH ROW EXECUTE FUNCTION vitrine.audit_answer();

DO $$
DECLARE
  member text := quote_ident('vitrine_member_' || current_database());
  auditor text := quote_ident('vitrine_auditor_' || current_database());
BEGIN
  EXECUTE format('GRANT SELECT ON vitrine.budgets, vitrine.spending, vitrine.audit TO %s, %s', member, auditor);
  EXECUTE format('GRANT EXECUTE ON FUNCTION vitrine.exhausted() TO %s, %s', member, auditor);
END
$$;

-- Down Migration
DROP TRIGGER audit_answer ON vitrine.requests;
DROP FUNCTION vitrine.audit_answer();
DROP TRIGGER audit_session ON vitrine.sessions;
DROP FUNCTION vitrine.audit_session();
DROP TRIGGER audit_run ON vitrine.runs;
DROP FUNCTION vitrine.audit_run();
DROP FUNCTION vitrine.set_budget(text, text, text, numeric);
CREATE OR REPLACE FUNCTION vitrine.claim_run(p_instance text, p_has text[]) RETURNS SETOF vitrine.runs
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  SELECT * FROM vitrine.runs WHERE false
$$;
DROP FUNCTION vitrine.exhausted();
DROP TRIGGER count_cost ON vitrine.sessions;
DROP FUNCTION vitrine.count_cost();
DROP FUNCTION vitrine.text_of(json, text);
DROP FUNCTION vitrine.cost_of(json);
DROP TABLE vitrine.counted, vitrine.audit, vitrine.spending, vitrine.budgets;
