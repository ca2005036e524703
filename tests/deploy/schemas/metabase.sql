-- Metabase
CREATE TABLE core_user (id serial PRIMARY KEY, email citext NOT NULL, first_name varchar(254), last_name varchar(254), password varchar(254), date_joined timestamptz,
  last_login timestamptz, is_superuser boolean, is_active boolean, reset_triggered bigint, sso_source varchar(254), locale varchar(5), settings text, entity_id char(21));
CREATE TABLE report_card (id serial PRIMARY KEY, created_at timestamptz, updated_at timestamptz, name varchar(254), description text, display varchar(254), dataset_query text,
  visualization_settings text, creator_id integer REFERENCES core_user, database_id integer, query_type varchar(16), archived boolean, collection_id integer, public_uuid char(36),
  enable_embedding boolean, cache_ttl integer, type varchar(16), view_count integer, last_used_at timestamptz);
CREATE TABLE query_execution (id serial PRIMARY KEY, hash bytea NOT NULL, started_at timestamptz, running_time integer, result_rows integer, native boolean, context varchar(32),
  error text, executor_id integer, card_id integer, database_id integer, cache_hit boolean, parameterized boolean, is_sandboxed boolean);
CREATE TABLE metabase_field (id serial PRIMARY KEY, created_at timestamptz, name varchar(254), base_type varchar(255), semantic_type varchar(255), active boolean, description text,
  position integer, table_id integer, visibility_type varchar(32), fingerprint text, has_field_values text, settings text, database_type text, json_unfolding boolean, nfc_path varchar(254));
