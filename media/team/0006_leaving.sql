-- Up Migration
-- If a member leaves and deletes everything, a tombstone without a session keeps what they spent per day. So leaving and
-- joining again gives no new budget.
ALTER TABLE vitrine.tombstones DROP CONSTRAINT tombstones_pkey;
ALTER TABLE vitrine.tombstones DROP CONSTRAINT tombstones_reason_check;
ALTER TABLE vitrine.tombstones ALTER COLUMN session_id DROP NOT NULL;
ALTER TABLE vitrine.tombstones
  ADD COLUMN day date,
  ADD COLUMN usd numeric,
  -- Budgets that the owner of the team had set for the member, as an array.
  ADD COLUMN budgets json,
  ADD CONSTRAINT tombstones_session UNIQUE (session_id),
  ADD CONSTRAINT tombstones_day UNIQUE (owner, day),
  ADD CONSTRAINT tombstones_reason_check CHECK (
    CASE WHEN session_id IS NULL THEN reason = 'left' AND day IS NOT NULL AND usd IS NOT NULL
      ELSE reason IN ('withdrawn', 'deleted', 'retention') AND day IS NULL END
  );

CREATE VIEW vitrine.spent WITH (security_invoker = true) AS
  SELECT day, member, agent, project, usd FROM vitrine.spending
  UNION ALL SELECT day, owner, '', '', usd FROM vitrine.tombstones WHERE session_id IS NULL;

CREATE OR REPLACE FUNCTION vitrine.exhausted() RETURNS TABLE (scope text, key text, period text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT b.scope, b.key, b.period FROM vitrine.budgets AS b
  WHERE b.limit_usd <= (
    SELECT coalesce(sum(s.usd), 0) FROM vitrine.spent AS s
    WHERE s.day >= date_trunc(b.period, clock_timestamp() AT TIME ZONE 'UTC')::date
      AND b.key = CASE b.scope WHEN 'team' THEN '' WHEN 'member' THEN s.member WHEN 'agent' THEN s.agent ELSE s.project END
  )
$$;

-- Whoever left has to join again, on each of their machines. The lock lets leaving wait for what still runs; the check
-- comes after it and must see what leaving did, so this function is not stable.
CREATE OR REPLACE FUNCTION vitrine.require_member() RETURNS void
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF coalesce(vitrine.role_of_login(), '') NOT IN ('owner', 'member') THEN
    RAISE EXCEPTION '% is not a member of this team', session_user USING ERRCODE = 'insufficient_privilege';
  END IF;
  PERFORM pg_advisory_xact_lock_shared(5021703, hashtext(session_user));
  IF NOT EXISTS (SELECT FROM vitrine.members AS m WHERE m.name = session_user) THEN
    RAISE EXCEPTION '% has not joined this team', session_user USING ERRCODE = 'insufficient_privilege';
  END IF;
END
$$;

CREATE OR REPLACE FUNCTION vitrine.join_team() RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  found text := vitrine.role_of_login();
BEGIN
  IF found IS NULL THEN
    RAISE EXCEPTION '% is not a member of this team', session_user USING ERRCODE = 'insufficient_privilege';
  END IF;
  INSERT INTO vitrine.members (name, kind) VALUES (session_user, found)
  ON CONFLICT (name) DO UPDATE SET kind = found, seen_at = clock_timestamp();
  INSERT INTO vitrine.budgets (scope, key, period, limit_usd, set_by)
    SELECT 'member', session_user, each ->> 'period', (each ->> 'limit_usd')::numeric, each ->> 'set_by'
    FROM vitrine.tombstones AS t, json_array_elements(t.budgets) AS each
    WHERE t.owner = session_user AND t.budgets IS NOT NULL ORDER BY t.at DESC
    ON CONFLICT DO NOTHING;
  UPDATE vitrine.tombstones AS t SET budgets = NULL WHERE t.owner = session_user AND t.budgets IS NOT NULL;
  RETURN found;
END
$$;

-- Deletes everything of a member but tombstones. Returns how many sessions there were.
CREATE FUNCTION vitrine.delete_member(p_name text) RETURNS bigint
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  today date := (clock_timestamp() AT TIME ZONE 'UTC')::date;
  deleted bigint;
  gone_sessions text[];
  gone_runs text[];
  folders text[];
  lost text;
BEGIN
  folders := ARRAY(SELECT DISTINCT vitrine.text_of(s.summary, 'project_dir') FROM vitrine.sessions AS s WHERE s.owner = p_name);
  -- Also what other machines recorded for the member, because it contains their prompts.
  WITH gone AS (
    DELETE FROM vitrine.sessions AS s WHERE p_name IN (s.owner, s.requested_by) RETURNING s.session_id, s.owner
  ), kept AS (
    INSERT INTO vitrine.tombstones (session_id, owner, reason) SELECT session_id, owner, 'deleted' FROM gone
      ON CONFLICT DO NOTHING
  )
  SELECT coalesce(array_agg(session_id), '{}') INTO gone_sessions FROM gone;
  deleted := cardinality(gone_sessions);
  gone_sessions := gone_sessions || ARRAY(SELECT t.session_id FROM vitrine.tombstones AS t WHERE t.owner = p_name);

  WITH gone AS (
    DELETE FROM vitrine.runs AS r
      WHERE r.requested_by = p_name OR (r.executed_by = p_name AND r.status IN ('completed', 'failed', 'stopped')
        -- Whoever asked for a run that just failed because of this has to learn of it.
        AND r.completed_at < transaction_timestamp())
      RETURNING r.run_id, r.session_id
  )
  SELECT coalesce(array_agg(run_id), '{}'), gone_sessions || coalesce(array_agg(session_id), '{}')
    INTO gone_runs, gone_sessions FROM gone;
  UPDATE vitrine.runs AS r SET executed_by = NULL, runner_id = NULL WHERE r.executed_by = p_name;
  FOREACH lost IN ARRAY gone_runs LOOP
    PERFORM vitrine.hint('run', lost);
  END LOOP;

  DELETE FROM vitrine.counted AS c WHERE c.session_id = ANY (gone_sessions);
  DELETE FROM vitrine.audit AS a
    WHERE a.who = p_name OR a.session_id = ANY (gone_sessions) OR a.run_id = ANY (gone_runs);
  UPDATE vitrine.audit AS a
    SET detail = (SELECT json_object_agg(each.key, each.value) FROM json_each(a.detail) AS each
      WHERE each.key <> 'runner_id' AND each.value::text <> to_json(p_name)::text)
    WHERE json_typeof(a.detail) = 'object'
      AND EXISTS (SELECT FROM json_each(a.detail) AS each WHERE each.value::text = to_json(p_name)::text);

  INSERT INTO vitrine.tombstones AS t (owner, reason, day, usd)
    SELECT p_name, 'left', s.day, sum(s.usd) FROM vitrine.spending AS s WHERE s.member = p_name GROUP BY s.day
    UNION ALL SELECT p_name, 'left', today, 0
      WHERE NOT EXISTS (SELECT FROM vitrine.spending AS s WHERE s.member = p_name AND s.day = today)
    ON CONFLICT (owner, day) DO UPDATE SET usd = t.usd + excluded.usd, at = excluded.at;
  DELETE FROM vitrine.spending AS s WHERE s.member = p_name;
  -- What the member's machines did for others counts for them, but no longer names folders that only the member has.
  folders := ARRAY(
    SELECT unnest(folders) EXCEPT SELECT b.key FROM vitrine.budgets AS b
    EXCEPT SELECT vitrine.text_of(s.summary, 'project_dir') FROM vitrine.sessions AS s
  );
  WITH gone AS (DELETE FROM vitrine.spending AS s WHERE s.project = ANY (folders) AND s.project <> '' RETURNING s.*)
  INSERT INTO vitrine.spending AS s (day, member, agent, project, usd)
    SELECT day, member, agent, '', sum(usd) FROM gone GROUP BY day, member, agent
    ON CONFLICT (day, member, agent, project) DO UPDATE SET usd = s.usd + excluded.usd;
  WITH gone AS (
    DELETE FROM vitrine.budgets AS b WHERE b.scope = 'member' AND b.key = p_name RETURNING b.*
  )
  UPDATE vitrine.tombstones AS t SET budgets = (
    SELECT json_agg(json_build_object('period', period, 'limit_usd', limit_usd,
      'set_by', CASE WHEN set_by = p_name THEN '' ELSE set_by END)) FROM gone
  ) WHERE t.owner = p_name AND t.day = today AND EXISTS (SELECT FROM gone);
  UPDATE vitrine.budgets AS b SET set_by = '' WHERE b.set_by = p_name;
  RETURN deleted;
END
$$;

-- Ends the membership, and what the caller's runners still do. With p_delete, only tombstones remain of the caller. Returns
-- how many sessions were deleted.
CREATE OR REPLACE FUNCTION vitrine.leave_team(p_delete boolean) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  deleted bigint := 0;
  lost text;
BEGIN
  PERFORM pg_advisory_xact_lock(5021703, hashtext(session_user));
  DELETE FROM vitrine.members AS m WHERE m.name = session_user;
  FOR lost IN DELETE FROM vitrine.runners AS r WHERE r.owner = session_user RETURNING r.instance LOOP
    PERFORM vitrine.give_up(lost, 'The runner left the team during this run.');
  END LOOP;
  IF p_delete THEN
    deleted := vitrine.delete_member(session_user);
    PERFORM vitrine.hint('withdrawn', '');
  END IF;
  RETURN deleted;
END
$$;

DO $$
DECLARE
  member text := quote_ident('vitrine_member_' || current_database());
  auditor text := quote_ident('vitrine_auditor_' || current_database());
BEGIN
  EXECUTE format('GRANT SELECT ON vitrine.spent TO %s, %s', member, auditor);
END
$$;

-- Down Migration
CREATE OR REPLACE FUNCTION vitrine.leave_team(p_delete boolean) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  deleted bigint := 0;
BEGIN
  IF p_delete THEN
    WITH gone AS (DELETE FROM vitrine.sessions AS s WHERE s.owner = session_user RETURNING s.session_id)
    INSERT INTO vitrine.tombstones (session_id, owner, reason) SELECT session_id, session_user, 'deleted' FROM gone;
    GET DIAGNOSTICS deleted = ROW_COUNT;
    PERFORM vitrine.hint('withdrawn', '');
  END IF;
  DELETE FROM vitrine.members AS m WHERE m.name = session_user;
  RETURN deleted;
END
$$;
DROP FUNCTION vitrine.delete_member(text);
CREATE OR REPLACE FUNCTION vitrine.join_team() RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  found text := vitrine.role_of_login();
BEGIN
  IF found IS NULL THEN
    RAISE EXCEPTION '% is not a member of this team', session_user USING ERRCODE = 'insufficient_privilege';
  END IF;
  INSERT INTO vitrine.members (name, kind) VALUES (session_user, found)
  ON CONFLICT (name) DO UPDATE SET kind = found, seen_at = clock_timestamp();
  RETURN found;
END
$$;
CREATE OR REPLACE FUNCTION vitrine.require_member() RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF coalesce(vitrine.role_of_login(), '') NOT IN ('owner', 'member') THEN
    RAISE EXCEPTION '% is not a member of this team', session_user USING ERRCODE = 'insufficient_privilege';
  END IF;
END
$$;
CREATE OR REPLACE FUNCTION vitrine.exhausted() RETURNS TABLE (scope text, key text, period text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT b.scope, b.key, b.period FROM vitrine.budgets AS b
  WHERE b.limit_usd <= (
    SELECT coalesce(sum(s.usd), 0) FROM vitrine.spending AS s
    WHERE s.day >= date_trunc(b.period, clock_timestamp() AT TIME ZONE 'UTC')::date
      AND b.key = CASE b.scope WHEN 'team' THEN '' WHEN 'member' THEN s.member WHEN 'agent' THEN s.agent ELSE s.project END
  )
$$;
DROP VIEW vitrine.spent;
-- What was spent counts further, under the name of the member.
INSERT INTO vitrine.spending AS s (day, member, agent, project, usd)
  SELECT day, owner, '', '', usd FROM vitrine.tombstones WHERE session_id IS NULL AND usd > 0
  ON CONFLICT (day, member, agent, project) DO UPDATE SET usd = s.usd + excluded.usd;
DELETE FROM vitrine.tombstones WHERE session_id IS NULL;
ALTER TABLE vitrine.tombstones
  DROP CONSTRAINT tombstones_reason_check,
  DROP CONSTRAINT tombstones_day,
  DROP CONSTRAINT tombstones_session,
  DROP COLUMN budgets,
  DROP COLUMN usd,
  DROP COLUMN day,
  ADD CONSTRAINT tombstones_reason_check CHECK (reason IN ('withdrawn', 'deleted', 'retention')),
  ADD PRIMARY KEY (session_id);
