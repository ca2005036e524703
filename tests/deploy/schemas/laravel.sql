-- Laravel: its starter, Telescope, Pulse, and every kind of column of its migrations for PostgreSQL
CREATE TABLE users (id bigserial PRIMARY KEY, name varchar(255), email varchar(255) UNIQUE, email_verified_at timestamp(0), password varchar(255), remember_token varchar(100),
  created_at timestamp(0), updated_at timestamp(0));
CREATE TABLE sessions (id varchar(255) PRIMARY KEY, user_id bigint, ip_address varchar(45), user_agent text, payload text, last_activity integer);
CREATE TABLE jobs (id bigserial PRIMARY KEY, queue varchar(255), payload text, attempts smallint, reserved_at integer, available_at integer, created_at integer);
CREATE TABLE telescope_entries (sequence bigserial PRIMARY KEY, uuid uuid, batch_id uuid, family_hash varchar(255), should_display_on_index boolean, type varchar(20), content text,
  created_at timestamp(0));
CREATE TABLE pulse_entries (id bigserial PRIMARY KEY, timestamp integer, type varchar(255), key text, key_hash uuid GENERATED ALWAYS AS (md5(key)::uuid) STORED, value bigint);
CREATE TABLE every_column (id bigserial PRIMARY KEY, data json, doc jsonb, code char(4), level varchar(255) CHECK (level IN ('easy', 'hard')), amount numeric(8,2), ratio real, day date,
  at_time time(0), at_time_zone time(0) with time zone, moment timestamp(0) with time zone, address inet, mac macaddr, photo bytea, number double precision, year integer, small smallint,
  ulid char(26), deleted_at timestamp(0));
