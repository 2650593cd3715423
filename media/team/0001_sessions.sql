-- Up Migration
-- Members log in as themselves. These roles exist once per database, so that teams on one server stay apart.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['vitrine_member_', 'vitrine_auditor_'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name || current_database()) THEN
      EXECUTE format('CREATE ROLE %I NOLOGIN', name || current_database());
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA vitrine TO %I', name || current_database());
  END LOOP;
END
$$;

-- Every function of the schema starts without rights; the ones that members call are granted one by one.
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;

-- What the login may do: owner, member or auditor; null for everyone else.
CREATE FUNCTION vitrine.role_of_login() RETURNS text
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT CASE
    WHEN pg_has_role(session_user, (SELECT nspowner FROM pg_namespace WHERE nspname = 'vitrine'), 'MEMBER') THEN 'owner'
    WHEN pg_has_role(session_user, ('vitrine_member_' || current_database())::name, 'MEMBER') THEN 'member'
    WHEN pg_has_role(session_user, ('vitrine_auditor_' || current_database())::name, 'MEMBER') THEN 'auditor'
  END
$$;

CREATE FUNCTION vitrine.require_member() RETURNS void
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF coalesce(vitrine.role_of_login(), '') NOT IN ('owner', 'member') THEN
    RAISE EXCEPTION '% is not a member of this team', session_user USING ERRCODE = 'insufficient_privilege';
  END IF;
END
$$;

CREATE TABLE vitrine.members (
  name text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('owner', 'member', 'auditor')),
  joined_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE TABLE vitrine.sessions (
  session_id text PRIMARY KEY CHECK (session_id ~ '^ses_[0-9a-f]{12}$'),
  owner text NOT NULL,
  -- The member for whom the owner's machine ran it.
  requested_by text,
  share text NOT NULL CHECK (share IN ('nothing', 'metadata', 'records')),
  hostname text NOT NULL CHECK (length(hostname) <= 300),
  -- As the owner's machine lists it. Not jsonb, which refuses escaped NUL characters.
  summary json NOT NULL CHECK (length(summary::text) <= 1048576),
  updated_at timestamptz NOT NULL,
  shared_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Lines stored so far, and the SHA-256 of the last one.
  lines bigint NOT NULL DEFAULT 0,
  head text NOT NULL DEFAULT repeat('0', 64)
);
CREATE INDEX sessions_by_update ON vitrine.sessions (updated_at DESC);
CREATE INDEX sessions_by_owner ON vitrine.sessions (owner, updated_at DESC);

CREATE TABLE vitrine.lines (
  session_id text NOT NULL REFERENCES vitrine.sessions ON DELETE CASCADE,
  seq bigint NOT NULL,
  line text NOT NULL CHECK (octet_length(line) <= 67108864),
  hash text NOT NULL,
  PRIMARY KEY (session_id, seq)
) PARTITION BY HASH (session_id);
DO $$
BEGIN
  FOR part IN 0..7 LOOP
    EXECUTE format('CREATE TABLE vitrine.lines_%s PARTITION OF vitrine.lines FOR VALUES WITH (MODULUS 8, REMAINDER %s)', part, part);
  END LOOP;
END
$$;

-- What remains of a session that its owner withdrew or deleted.
CREATE TABLE vitrine.tombstones (
  session_id text PRIMARY KEY,
  owner text NOT NULL,
  reason text NOT NULL CHECK (reason IN ('withdrawn', 'deleted', 'retention')),
  at timestamptz NOT NULL DEFAULT clock_timestamp()
);

ALTER TABLE vitrine.members ENABLE ROW LEVEL SECURITY;
ALTER TABLE vitrine.sessions ENABLE ROW LEVEL SECURITY;
ALTER TABLE vitrine.lines ENABLE ROW LEVEL SECURITY;
ALTER TABLE vitrine.tombstones ENABLE ROW LEVEL SECURITY;

CREATE POLICY read_members ON vitrine.members FOR SELECT USING ((SELECT vitrine.role_of_login()) IS NOT NULL);
CREATE POLICY read_sessions ON vitrine.sessions FOR SELECT USING (
  (SELECT vitrine.role_of_login()) IS NOT NULL
  AND (owner = session_user OR requested_by = session_user OR share <> 'nothing')
);
CREATE POLICY read_lines ON vitrine.lines FOR SELECT USING (
  (SELECT vitrine.role_of_login()) IS NOT NULL
  AND EXISTS (
    SELECT FROM vitrine.sessions AS s
    WHERE s.session_id = lines.session_id
      AND (s.owner = session_user OR s.requested_by = session_user OR s.share = 'records')
  )
);
CREATE POLICY read_tombstones ON vitrine.tombstones FOR SELECT USING ((SELECT vitrine.role_of_login()) IS NOT NULL);

-- Tells listeners where to look. The tables are the truth: a lost notification loses nothing.
CREATE FUNCTION vitrine.hint(kind text, id text) RETURNS void
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  SELECT pg_notify('vitrine', json_build_object('kind', kind, 'id', id)::text)
$$;

CREATE FUNCTION vitrine.join_team() RETURNS text
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

-- Adds or updates a session of the caller. `again` shares one that was withdrawn.
CREATE FUNCTION vitrine.share_session(
  p_id text, p_share text, p_hostname text, p_summary json, p_updated timestamptz, p_again boolean
) RETURNS TABLE (lines bigint, head text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  found vitrine.sessions;
BEGIN
  PERFORM vitrine.require_member();
  IF p_again THEN
    DELETE FROM vitrine.tombstones AS t WHERE t.session_id = p_id AND t.owner = session_user AND t.reason = 'withdrawn';
  END IF;
  IF EXISTS (SELECT FROM vitrine.tombstones AS t WHERE t.session_id = p_id) THEN
    RAISE EXCEPTION 'The session % was withdrawn or deleted', p_id USING ERRCODE = 'VT001';
  END IF;
  INSERT INTO vitrine.sessions AS s (session_id, owner, share, hostname, summary, updated_at)
  VALUES (p_id, session_user, p_share, p_hostname, p_summary, p_updated)
  ON CONFLICT (session_id) DO UPDATE
    SET share = p_share, hostname = p_hostname, summary = p_summary, updated_at = p_updated
    WHERE s.owner = session_user
  RETURNING s.* INTO found;
  IF found.session_id IS NULL THEN
    RAISE EXCEPTION 'The session % belongs to another member', p_id USING ERRCODE = 'insufficient_privilege';
  END IF;
  PERFORM vitrine.hint('session', p_id);
  RETURN QUERY SELECT found.lines, found.head;
END
$$;

-- Appends lines of the caller's record, the first of them as line p_from. Lines that are there already are skipped;
-- each new one has to name the hash of the line before it. Returns how many lines there are now, and the last hash.
CREATE FUNCTION vitrine.append_lines(p_id text, p_from bigint, p_lines text[])
RETURNS TABLE (lines bigint, head text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  found vitrine.sessions;
  at bigint := p_from;
  entry text;
BEGIN
  PERFORM vitrine.require_member();
  SELECT s.* INTO found FROM vitrine.sessions AS s WHERE s.session_id = p_id AND s.owner = session_user FOR UPDATE;
  IF found.session_id IS NULL THEN
    RAISE EXCEPTION 'The session % is not shared', p_id USING ERRCODE = 'VT002';
  END IF;
  IF found.share <> 'records' AND found.requested_by IS NULL THEN
    RAISE EXCEPTION 'The records of session % are not shared', p_id USING ERRCODE = 'VT002';
  END IF;
  IF p_from > found.lines THEN
    RAISE EXCEPTION 'Session % has % lines; line % does not follow', p_id, found.lines, p_from USING ERRCODE = 'VT003';
  END IF;
  FOREACH entry IN ARRAY p_lines LOOP
    IF at >= found.lines THEN
      IF right(entry, 75) <> ',"prev":"' || found.head || '"}' THEN
        RAISE EXCEPTION 'Line % of session % does not name the line before it', at, p_id USING ERRCODE = 'VT003';
      END IF;
      found.head := encode(sha256(convert_to(entry, 'UTF8')), 'hex');
      found.lines := at + 1;
      INSERT INTO vitrine.lines (session_id, seq, line, hash) VALUES (p_id, at, entry, found.head);
    END IF;
    at := at + 1;
  END LOOP;
  UPDATE vitrine.sessions AS s SET lines = found.lines, head = found.head WHERE s.session_id = p_id;
  PERFORM vitrine.hint('lines', p_id);
  RETURN QUERY SELECT found.lines, found.head;
END
$$;

-- Deletes a session of the caller; a tombstone remains.
CREATE FUNCTION vitrine.withdraw_session(p_id text, p_reason text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM vitrine.require_member();
  DELETE FROM vitrine.sessions AS s WHERE s.session_id = p_id AND s.owner = session_user;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO vitrine.tombstones (session_id, owner, reason) VALUES (p_id, session_user, p_reason);
  PERFORM vitrine.hint('withdrawn', p_id);
  RETURN true;
END
$$;

-- Ends the membership. With p_delete, tombstones are all that remains of the caller's sessions. Returns how many there were.
CREATE FUNCTION vitrine.leave_team(p_delete boolean) RETURNS bigint
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

-- Deletes sessions whose last change is older; for the owner of the schema. Returns how many there were.
CREATE FUNCTION vitrine.delete_before(p_before timestamptz) RETURNS bigint
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

DO $$
DECLARE
  member text := quote_ident('vitrine_member_' || current_database());
  auditor text := quote_ident('vitrine_auditor_' || current_database());
BEGIN
  EXECUTE format('GRANT SELECT ON vitrine.members, vitrine.sessions, vitrine.lines, vitrine.tombstones, vitrine.migrations TO %s, %s', member, auditor);
  EXECUTE format('GRANT EXECUTE ON FUNCTION vitrine.role_of_login(), vitrine.join_team(), vitrine.leave_team(boolean) TO %s, %s', member, auditor);
  EXECUTE format('GRANT EXECUTE ON FUNCTION vitrine.share_session(text, text, text, json, timestamptz, boolean), vitrine.append_lines(text, bigint, text[]), vitrine.withdraw_session(text, text) TO %s', member);
END
$$;

-- Down Migration
DROP FUNCTION vitrine.delete_before(timestamptz);
DROP FUNCTION vitrine.leave_team(boolean);
DROP FUNCTION vitrine.withdraw_session(text, text);
DROP FUNCTION vitrine.append_lines(text, bigint, text[]);
DROP FUNCTION vitrine.share_session(text, text, text, json, timestamptz, boolean);
DROP FUNCTION vitrine.join_team();
DROP FUNCTION vitrine.hint(text, text);
DROP TABLE vitrine.tombstones, vitrine.lines, vitrine.sessions, vitrine.members;
DROP FUNCTION vitrine.require_member();
DROP FUNCTION vitrine.role_of_login();
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['vitrine_member_', 'vitrine_auditor_'] LOOP
    EXECUTE format('REVOKE ALL ON SCHEMA vitrine FROM %I', name || current_database());
    EXECUTE format('REVOKE ALL ON vitrine.migrations FROM %I', name || current_database());
    EXECUTE format('DROP ROLE %I', name || current_database());
  END LOOP;
END
$$;
