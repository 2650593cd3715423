-- Up Migration
-- Public keys of the members' machines.
CREATE TABLE vitrine.keys (
  -- SHA-256 of the key.
  fingerprint text PRIMARY KEY CHECK (fingerprint ~ '^[0-9a-f]{64}$'),
  member text NOT NULL,
  -- Ed25519, SPKI in DER, in base64.
  public_key text NOT NULL CHECK (length(public_key) <= 200),
  added_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX keys_of_member ON vitrine.keys (member);

-- The newest signature over the end of each record.
CREATE TABLE vitrine.signatures (
  session_id text PRIMARY KEY REFERENCES vitrine.sessions ON DELETE CASCADE,
  fingerprint text NOT NULL REFERENCES vitrine.keys ON DELETE CASCADE,
  lines bigint NOT NULL,
  head text NOT NULL,
  signature text NOT NULL CHECK (length(signature) <= 200),
  signed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX signatures_by_key ON vitrine.signatures (fingerprint);

ALTER TABLE vitrine.keys ENABLE ROW LEVEL SECURITY;
ALTER TABLE vitrine.signatures ENABLE ROW LEVEL SECURITY;
CREATE POLICY read_keys ON vitrine.keys FOR SELECT USING ((SELECT vitrine.role_of_login()) IS NOT NULL);
-- Of sessions that the login can see.
CREATE POLICY read_signatures ON vitrine.signatures FOR SELECT USING (
  EXISTS (SELECT FROM vitrine.sessions AS s WHERE s.session_id = signatures.session_id)
);

-- Stores the signature of the caller's machine over the end of the caller's record, which has to be as it was signed.
CREATE FUNCTION vitrine.sign_head(p_session text, p_lines bigint, p_head text, p_key text, p_signature text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  print text := encode(sha256(decode(p_key, 'base64')), 'hex');
BEGIN
  PERFORM vitrine.require_member();
  INSERT INTO vitrine.keys (fingerprint, member, public_key) VALUES (print, session_user, p_key) ON CONFLICT DO NOTHING;
  IF NOT EXISTS (SELECT FROM vitrine.keys AS k WHERE k.fingerprint = print AND k.member = session_user) THEN
    RAISE EXCEPTION 'The key belongs to another member' USING ERRCODE = 'VT002';
  END IF;
  INSERT INTO vitrine.signatures AS g (session_id, fingerprint, lines, head, signature)
    SELECT s.session_id, print, s.lines, s.head, p_signature FROM vitrine.sessions AS s
    WHERE s.session_id = p_session AND s.owner = session_user AND s.lines = p_lines AND s.head = p_head
    ON CONFLICT (session_id) DO UPDATE SET fingerprint = excluded.fingerprint, lines = excluded.lines,
      head = excluded.head, signature = excluded.signature, signed_at = clock_timestamp();
  IF NOT FOUND THEN
    RAISE EXCEPTION 'Session % does not end with line %', p_session, p_lines USING ERRCODE = 'VT003';
  END IF;
END
$$;

-- As before, with the keys of the member.
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
    DELETE FROM vitrine.keys AS k WHERE k.member = session_user;
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
  EXECUTE format('GRANT SELECT ON vitrine.keys, vitrine.signatures TO %s, %s', member, auditor);
  EXECUTE format('GRANT EXECUTE ON FUNCTION vitrine.sign_head(text, bigint, text, text, text) TO %s', member);
END
$$;

-- Down Migration
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
DROP FUNCTION vitrine.sign_head(text, bigint, text, text, text);
DROP TABLE vitrine.signatures, vitrine.keys;
