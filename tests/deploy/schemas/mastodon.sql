-- Mastodon
CREATE TABLE accounts (id bigint PRIMARY KEY, username varchar DEFAULT '' NOT NULL, domain varchar, private_key text, public_key text,
  created_at timestamp NOT NULL, updated_at timestamp NOT NULL, note text, display_name varchar, uri varchar, url varchar,
  avatar_file_name varchar, avatar_file_size integer, avatar_updated_at timestamp, locked boolean, header_remote_url varchar,
  last_webfingered_at timestamp, protocol integer, memorial boolean, moved_to_account_id bigint, featured_collection_url varchar,
  fields jsonb, actor_type varchar, discoverable boolean, also_known_as varchar[], silenced_at timestamp, suspended_at timestamp,
  hide_collections boolean, sensitized_at timestamp, trendable boolean, requested_review_at timestamp, indexable boolean);
CREATE TABLE statuses (id bigint PRIMARY KEY, uri varchar, text text DEFAULT '' NOT NULL, created_at timestamp NOT NULL,
  updated_at timestamp NOT NULL, in_reply_to_id bigint, reblog_of_id bigint, url varchar, sensitive boolean, visibility integer,
  spoiler_text text, reply boolean, language varchar, conversation_id bigint, local boolean, account_id bigint REFERENCES accounts,
  application_id bigint, poll_id bigint, deleted_at timestamp, edited_at timestamp, ordered_media_attachment_ids bigint[]);
CREATE TABLE users (id bigserial PRIMARY KEY, email varchar NOT NULL, encrypted_password varchar, sign_in_count integer,
  current_sign_in_at timestamp, last_sign_in_at timestamp, confirmed_at timestamp, locale varchar, otp_backup_codes varchar[],
  account_id bigint NOT NULL REFERENCES accounts, disabled boolean, chosen_languages varchar[], approved boolean, sign_up_ip inet,
  settings text, time_zone varchar, age_verified_at timestamp);
CREATE TABLE ip_blocks (id bigserial PRIMARY KEY, created_at timestamp, updated_at timestamp, expires_at timestamp, ip inet NOT NULL,
  severity integer, comment text);
CREATE TABLE media_attachments (id bigint PRIMARY KEY, status_id bigint, file_file_name varchar, file_content_type varchar,
  file_file_size integer, remote_url varchar, shortcode varchar, type integer, file_meta json, account_id bigint, description text,
  blurhash varchar, processing integer);
CREATE TABLE polls (id bigserial PRIMARY KEY, account_id bigint, expires_at timestamp, options varchar[], cached_tallies bigint[],
  multiple boolean, hide_totals boolean, votes_count bigint, lock_version integer);
