-- Sentry
CREATE TABLE sentry_organization (id bigserial PRIMARY KEY, name varchar(64), slug varchar(50), status integer, date_added timestamptz, default_role varchar(32),
  flags bigint NOT NULL, is_test boolean);
CREATE TABLE sentry_groupedmessage (id bigserial PRIMARY KEY, project_id bigint, logger varchar(64), level integer, message text, view varchar(200), status integer,
  substatus integer, times_seen integer, last_seen timestamptz, first_seen timestamptz, resolved_at timestamptz, active_at timestamptz, platform varchar(64),
  num_comments integer, data text, short_id bigint, type integer, priority smallint, priority_locked_at timestamptz);
CREATE TABLE sentry_rule (id bigserial PRIMARY KEY, project_id bigint, label varchar(64), data text, status integer, date_added timestamptz, source integer, owner_team_id bigint);
CREATE TABLE sentry_monitorcheckin (id bigserial PRIMARY KEY, guid uuid, project_id bigint, monitor_id bigint, status integer, duration integer, date_added timestamptz,
  expected_time timestamptz, monitor_config jsonb, trace_id uuid);
CREATE TABLE sentry_activity (id bigserial PRIMARY KEY, project_id bigint, type integer, ident varchar(64), user_id bigint, datetime timestamptz, data jsonb);
