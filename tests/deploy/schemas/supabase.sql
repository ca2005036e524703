-- Supabase: schemas auth and storage
CREATE TYPE aal_level AS ENUM ('aal1', 'aal2', 'aal3');
CREATE TYPE factor_type AS ENUM ('totp', 'webauthn', 'phone');
CREATE TYPE factor_status AS ENUM ('unverified', 'verified');
CREATE TABLE users (instance_id uuid, id uuid PRIMARY KEY, aud varchar(255), role varchar(255), email varchar(255),
  encrypted_password varchar(255), email_confirmed_at timestamptz, invited_at timestamptz, confirmation_token varchar(255),
  confirmation_sent_at timestamptz, recovery_token varchar(255), recovery_sent_at timestamptz, email_change varchar(255),
  last_sign_in_at timestamptz, raw_app_meta_data jsonb, raw_user_meta_data jsonb, is_super_admin boolean,
  created_at timestamptz, updated_at timestamptz, phone text UNIQUE, phone_confirmed_at timestamptz,
  confirmed_at timestamptz GENERATED ALWAYS AS (LEAST(email_confirmed_at, phone_confirmed_at)) STORED,
  email_change_confirm_status smallint, banned_until timestamptz, is_sso_user boolean NOT NULL, deleted_at timestamptz,
  is_anonymous boolean NOT NULL);
CREATE TABLE identities (provider_id text NOT NULL, user_id uuid NOT NULL REFERENCES users, identity_data jsonb NOT NULL,
  provider text NOT NULL, last_sign_in_at timestamptz, created_at timestamptz, updated_at timestamptz,
  email text GENERATED ALWAYS AS (lower(identity_data ->> 'email')) STORED, id uuid PRIMARY KEY);
CREATE TABLE sessions (id uuid PRIMARY KEY, user_id uuid NOT NULL REFERENCES users, created_at timestamptz, updated_at timestamptz,
  factor_id uuid, aal aal_level, not_after timestamptz, refreshed_at timestamp, user_agent text, ip inet, tag text);
CREATE TABLE mfa_factors (id uuid PRIMARY KEY, user_id uuid NOT NULL, friendly_name text, factor_type factor_type NOT NULL,
  status factor_status NOT NULL, created_at timestamptz NOT NULL, updated_at timestamptz NOT NULL, secret text, phone text,
  web_authn_credential jsonb, web_authn_aaguid uuid);
CREATE TABLE audit_log_entries (instance_id uuid, id uuid PRIMARY KEY, payload json, created_at timestamptz, ip_address varchar(64));
CREATE TABLE buckets (id text PRIMARY KEY, name text NOT NULL, owner uuid, created_at timestamptz, updated_at timestamptz,
  public boolean DEFAULT false, avif_autodetection boolean, file_size_limit bigint, allowed_mime_types text[], owner_id text);
CREATE TABLE objects (id uuid PRIMARY KEY, bucket_id text REFERENCES buckets, name text COLLATE "C", owner uuid, created_at timestamptz,
  last_accessed_at timestamptz, metadata jsonb, path_tokens text[] GENERATED ALWAYS AS (string_to_array(name, '/')) STORED,
  version text, owner_id text, user_metadata jsonb, level integer);
