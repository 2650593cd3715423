-- Up Migration
CREATE TABLE vitrine.runners (
  runner_id text PRIMARY KEY CHECK (runner_id ~ '^lnch_[0-9a-f]{12}$'),
  -- Of the process: tells one that comes back from one that takes its place.
  instance text NOT NULL UNIQUE,
  owner text NOT NULL,
  hostname text NOT NULL,
  project_dir text NOT NULL,
  executor_type text NOT NULL,
  tags text[] NOT NULL,
  run_limit integer NOT NULL CHECK (run_limit BETWEEN 1 AND 64),
  -- Takes only runs in these folders; null: any.
  within text[],
  registered_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  heartbeat_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- Numbers only grow: a claim's number outdates those of all claims before it.
CREATE SEQUENCE vitrine.fencing;

CREATE TABLE vitrine.runs (
  run_id text PRIMARY KEY CHECK (run_id ~ '^run_[0-9a-f]{12}$'),
  position bigint GENERATED ALWAYS AS IDENTITY,
  session_id text NOT NULL CHECK (session_id ~ '^ses_[0-9a-f]{12}$'),
  type text NOT NULL CHECK (type IN ('start_session', 'resume_session')),
  requested_by text NOT NULL,
  -- What the runner has to know, with the run as it was created. The columns say what became of it.
  job json NOT NULL CHECK (length(job::text) <= 2097152),
  executor_type text NOT NULL,
  agent_name text,
  project_dir text,
  demand_hostname text,
  demand_project_dir text,
  demand_tags text[] NOT NULL DEFAULT '{}',
  -- If its runner is lost, another one may take it.
  retry boolean NOT NULL DEFAULT false,
  attempts integer NOT NULL DEFAULT 0,
  status text NOT NULL DEFAULT 'pending'
    CHECK (status IN ('pending', 'claimed', 'running', 'stopping', 'completed', 'failed', 'stopped')),
  runner_id text,
  instance text,
  executed_by text,
  token bigint,
  error text CHECK (length(error) <= 20000),
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  claimed_at timestamptz,
  started_at timestamptz,
  completed_at timestamptz,
  timeout_at timestamptz
);
CREATE INDEX runs_waiting ON vitrine.runs (executor_type, position) WHERE status = 'pending';
CREATE INDEX runs_of_session ON vitrine.runs (session_id, position) WHERE status IN ('pending', 'claimed', 'running', 'stopping');
CREATE INDEX runs_of_instance ON vitrine.runs (instance) WHERE status IN ('claimed', 'running', 'stopping');
CREATE INDEX runs_by_position ON vitrine.runs (position DESC);
CREATE INDEX runs_by_executor ON vitrine.runs (session_id, executed_by);

CREATE TABLE vitrine.requests (
  session_id text NOT NULL,
  request_id text NOT NULL CHECK (length(request_id) <= 300),
  run_id text NOT NULL REFERENCES vitrine.runs ON DELETE CASCADE,
  request json NOT NULL CHECK (length(request::text) <= 2097152),
  asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  answer json,
  answered_by text,
  answered_at timestamptz,
  PRIMARY KEY (session_id, request_id)
);

ALTER TABLE vitrine.runners ENABLE ROW LEVEL SECURITY;
ALTER TABLE vitrine.runs ENABLE ROW LEVEL SECURITY;
ALTER TABLE vitrine.requests ENABLE ROW LEVEL SECURITY;
CREATE POLICY read_runners ON vitrine.runners FOR SELECT USING ((SELECT vitrine.role_of_login()) IS NOT NULL);
-- Whoever may execute a run may read it.
CREATE POLICY read_runs ON vitrine.runs FOR SELECT USING ((SELECT vitrine.role_of_login()) IS NOT NULL);
CREATE POLICY read_requests ON vitrine.requests FOR SELECT USING (
  EXISTS (SELECT FROM vitrine.runs AS r WHERE r.run_id = requests.run_id AND session_user IN (r.requested_by, r.executed_by))
);

CREATE FUNCTION vitrine.create_run(
  p_id text, p_session text, p_type text, p_job json, p_executor text, p_agent text, p_dir text,
  p_hostname text, p_demand_dir text, p_tags text[], p_retry boolean, p_timeout_ms bigint
) RETURNS SETOF vitrine.runs
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM vitrine.require_member();
  IF (SELECT count(*) FROM vitrine.runs AS r WHERE r.status = 'pending' AND r.requested_by = session_user) >= 20000 THEN
    RAISE EXCEPTION 'The queue of the team is full' USING ERRCODE = 'VT004';
  END IF;
  RETURN QUERY INSERT INTO vitrine.runs AS r (run_id, session_id, type, requested_by, job, executor_type, agent_name, project_dir,
      demand_hostname, demand_project_dir, demand_tags, retry, timeout_at)
    VALUES (p_id, p_session, p_type, session_user, p_job, p_executor, p_agent, p_dir,
      p_hostname, p_demand_dir, p_tags, p_retry, clock_timestamp() + p_timeout_ms * interval '1 millisecond')
    RETURNING r.*;
  PERFORM vitrine.hint('run', p_id);
END
$$;

-- Registers a process as a runner under the first of these ids that no other living process has.
CREATE FUNCTION vitrine.register_runner(
  p_ids text[], p_instance text, p_hostname text, p_dir text, p_executor text, p_tags text[], p_limit integer, p_within text[]
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  id text;
BEGIN
  PERFORM vitrine.require_member();
  SELECT r.runner_id INTO id FROM vitrine.runners AS r WHERE r.instance = p_instance AND r.owner = session_user;
  IF id IS NOT NULL THEN
    UPDATE vitrine.runners AS r SET heartbeat_at = clock_timestamp() WHERE r.runner_id = id;
    RETURN id;
  END IF;
  FOREACH id IN ARRAY p_ids LOOP
    INSERT INTO vitrine.runners AS r (runner_id, instance, owner, hostname, project_dir, executor_type, tags, run_limit, within)
      VALUES (id, p_instance, session_user, p_hostname, p_dir, p_executor, p_tags, p_limit, p_within)
      ON CONFLICT (runner_id) DO NOTHING;
    IF FOUND THEN
      PERFORM vitrine.hint('runner', id);
      RETURN id;
    END IF;
  END LOOP;
  RAISE EXCEPTION 'Too many runners of this folder and executor' USING ERRCODE = 'VT004';
END
$$;

-- Says that the process is alive. Returns its runs with their numbers: what is missing is no longer its own.
CREATE FUNCTION vitrine.heartbeat(p_instance text) RETURNS TABLE (run_id text, token bigint, status text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE vitrine.runners AS r SET heartbeat_at = clock_timestamp() WHERE r.instance = p_instance AND r.owner = session_user;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'The runner is not registered' USING ERRCODE = 'VT006';
  END IF;
  RETURN QUERY SELECT r.run_id, r.token, r.status FROM vitrine.runs AS r
    WHERE r.instance = p_instance AND r.status IN ('claimed', 'running', 'stopping');
END
$$;

-- The one statement that gives a run to a runner. p_has: the runs that the runner knows it has; one that it was given and
-- does not name never reached it, and is given again.
CREATE FUNCTION vitrine.claim_run(p_instance text, p_has text[]) RETURNS SETOF vitrine.runs
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  WITH me AS (
    SELECT * FROM vitrine.runners WHERE instance = p_instance AND owner = session_user
  ), own AS (
    SELECT count(*) AS n,
           min(r.run_id) FILTER (WHERE r.status = 'claimed' AND r.run_id <> ALL (p_has)) AS unanswered
    FROM vitrine.runs AS r WHERE r.instance = p_instance AND r.status IN ('claimed', 'running', 'stopping')
  ), next AS (
    SELECT r.run_id FROM vitrine.runs AS r, me, own
    WHERE own.unanswered IS NULL AND own.n < me.run_limit
      AND r.status = 'pending' AND r.executor_type = me.executor_type
      AND (r.demand_hostname IS NULL OR r.demand_hostname = me.hostname)
      AND (r.demand_project_dir IS NULL OR r.demand_project_dir = me.project_dir)
      AND r.demand_tags <@ me.tags
      AND (me.within IS NULL OR r.project_dir IS NULL
        OR EXISTS (SELECT FROM unnest(me.within) AS w WHERE r.project_dir = w OR starts_with(r.project_dir, w || '/')))
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

-- What became of a run. p_token is the number of the claim: an outdated one is refused, whatever its clock says.
CREATE FUNCTION vitrine.report_run(p_id text, p_token bigint, p_status text, p_error text) RETURNS SETOF vitrine.runs
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF p_status NOT IN ('running', 'completed', 'failed', 'stopped') THEN
    RAISE EXCEPTION 'Not a status: %', p_status USING ERRCODE = 'VT004';
  END IF;
  RETURN QUERY UPDATE vitrine.runs AS r
    SET status = CASE WHEN p_status = 'running' AND r.status = 'stopping' THEN r.status ELSE p_status END,
        error = coalesce(p_error, r.error),
        started_at = coalesce(r.started_at, CASE WHEN p_status IN ('running', 'completed') THEN clock_timestamp() END),
        completed_at = CASE WHEN p_status <> 'running' THEN clock_timestamp() END
    WHERE r.run_id = p_id AND r.token = p_token AND r.executed_by = session_user
      AND r.status IN ('claimed', 'running', 'stopping')
    RETURNING r.*;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'Run % has ended, or another runner has it', p_id USING ERRCODE = 'VT005';
  END IF;
  IF p_status <> 'running' THEN
    DELETE FROM vitrine.requests AS q WHERE q.run_id = p_id;
  END IF;
  PERFORM vitrine.hint('run', p_id);
END
$$;

-- Stops a waiting run at once, and asks the runner of an active run to stop it.
CREATE FUNCTION vitrine.stop_run(p_id text) RETURNS SETOF vitrine.runs
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM vitrine.require_member();
  UPDATE vitrine.runs AS r
    SET status = CASE r.status WHEN 'pending' THEN 'stopped' ELSE 'stopping' END,
        completed_at = CASE r.status WHEN 'pending' THEN clock_timestamp() END
    WHERE r.run_id = p_id AND r.status IN ('pending', 'claimed', 'running');
  IF FOUND THEN
    PERFORM vitrine.hint('run', p_id);
  END IF;
  RETURN QUERY SELECT r.* FROM vitrine.runs AS r WHERE r.run_id = p_id;
END
$$;

-- The process ends in order, or is known to be gone: what it still has is given up.
CREATE FUNCTION vitrine.leave_runner(p_instance text, p_reason text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  DELETE FROM vitrine.runners AS r WHERE r.instance = p_instance AND r.owner = session_user;
  IF FOUND THEN
    PERFORM vitrine.give_up(p_instance, p_reason);
  END IF;
END
$$;

CREATE FUNCTION vitrine.give_up(p_instance text, p_reason text) RETURNS void
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

-- Gives up what no runner can take and runners that no one has heard of. Any member calls it every few seconds. Time in which
-- the server was down counts for no one.
CREATE FUNCTION vitrine.sweep() RETURNS void
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

CREATE FUNCTION vitrine.put_request(p_run text, p_token bigint, p_request_id text, p_request json) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  session text;
BEGIN
  SELECT r.session_id INTO session FROM vitrine.runs AS r
    WHERE r.run_id = p_run AND r.token = p_token AND r.executed_by = session_user
      AND r.status IN ('claimed', 'running', 'stopping') FOR SHARE;
  IF session IS NULL THEN
    RAISE EXCEPTION 'Run % has ended, or another runner has it', p_run USING ERRCODE = 'VT005';
  END IF;
  INSERT INTO vitrine.requests (session_id, request_id, run_id, request) VALUES (session, p_request_id, p_run, p_request)
    ON CONFLICT (session_id, request_id) DO NOTHING;
  PERFORM vitrine.hint('request', session);
END
$$;

-- The agent no longer waits for an answer.
CREATE FUNCTION vitrine.close_request(p_run text, p_token bigint, p_request_id text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  session text;
BEGIN
  DELETE FROM vitrine.requests AS q USING vitrine.runs AS r
    WHERE q.run_id = p_run AND q.request_id = p_request_id AND r.run_id = p_run AND r.token = p_token
      AND r.executed_by = session_user
    RETURNING q.session_id INTO session;
  IF session IS NOT NULL THEN
    PERFORM vitrine.hint('request', session);
  END IF;
END
$$;

-- The first answer counts. Who asked for the run may answer, and who executes it.
CREATE FUNCTION vitrine.answer_request(p_session text, p_request_id text, p_answer json) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE vitrine.requests AS q
    SET answer = p_answer, answered_by = session_user, answered_at = clock_timestamp()
    FROM vitrine.runs AS r
    WHERE q.session_id = p_session AND q.request_id = p_request_id AND q.answer IS NULL AND r.run_id = q.run_id
      AND session_user IN (r.requested_by, r.executed_by);
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  PERFORM vitrine.hint('answer', p_session);
  RETURN true;
END
$$;

-- A session that the caller executed for another member is theirs to read.
CREATE FUNCTION vitrine.set_requester() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  NEW.requested_by := coalesce(NEW.requested_by, (
    SELECT r.requested_by FROM vitrine.runs AS r
    WHERE r.session_id = NEW.session_id AND r.executed_by = NEW.owner ORDER BY r.position DESC LIMIT 1
  ));
  RETURN NEW;
END
$$;
CREATE TRIGGER set_requester BEFORE INSERT OR UPDATE OF share ON vitrine.sessions
  FOR EACH ROW EXECUTE FUNCTION vitrine.set_requester();

DO $$
DECLARE
  member text := quote_ident('vitrine_member_' || current_database());
  auditor text := quote_ident('vitrine_auditor_' || current_database());
BEGIN
  EXECUTE format('GRANT SELECT ON vitrine.runners, vitrine.runs TO %s, %s', member, auditor);
  EXECUTE format('GRANT SELECT ON vitrine.requests TO %s', member);
  EXECUTE format('GRANT EXECUTE ON FUNCTION
    vitrine.create_run(text, text, text, json, text, text, text, text, text, text[], boolean, bigint),
    vitrine.register_runner(text[], text, text, text, text, text[], integer, text[]),
    vitrine.heartbeat(text), vitrine.claim_run(text, text[]), vitrine.report_run(text, bigint, text, text),
    vitrine.stop_run(text), vitrine.leave_runner(text, text), vitrine.sweep(),
    vitrine.put_request(text, bigint, text, json), vitrine.close_request(text, bigint, text),
    vitrine.answer_request(text, text, json) TO %s', member);
END
$$;

-- Down Migration
DROP TRIGGER set_requester ON vitrine.sessions;
DROP FUNCTION vitrine.set_requester();
DROP FUNCTION vitrine.answer_request(text, text, json);
DROP FUNCTION vitrine.close_request(text, bigint, text);
DROP FUNCTION vitrine.put_request(text, bigint, text, json);
DROP FUNCTION vitrine.sweep();
DROP FUNCTION vitrine.give_up(text, text);
DROP FUNCTION vitrine.leave_runner(text, text);
DROP FUNCTION vitrine.stop_run(text);
DROP FUNCTION vitrine.report_run(text, bigint, text, text);
DROP FUNCTION vitrine.claim_run(text, text[]);
DROP FUNCTION vitrine.heartbeat(text);
DROP FUNCTION vitrine.register_runner(text[], text, text, text, text, text[], integer, text[]);
DROP FUNCTION vitrine.create_run(text, text, text, json, text, text, text, text, text, text[], boolean, bigint);
DROP TABLE vitrine.requests, vitrine.runs, vitrine.runners;
DROP SEQUENCE vitrine.fencing;
