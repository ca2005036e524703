-- Ruby on Rails: Active Storage, Action Text, Action Mailbox, Solid Queue, and a usual application
CREATE TABLE active_storage_blobs (id bigserial PRIMARY KEY, key varchar NOT NULL, filename varchar NOT NULL,
  content_type varchar, metadata text, service_name varchar NOT NULL, byte_size bigint NOT NULL, checksum varchar,
  created_at timestamp(6) NOT NULL);
CREATE TABLE active_storage_attachments (id bigserial PRIMARY KEY, name varchar NOT NULL, record_type varchar NOT NULL,
  record_id bigint NOT NULL, blob_id bigint NOT NULL REFERENCES active_storage_blobs, created_at timestamp(6) NOT NULL);
CREATE TABLE action_text_rich_texts (id bigserial PRIMARY KEY, name varchar NOT NULL, body text,
  record_type varchar NOT NULL, record_id bigint NOT NULL, created_at timestamp(6), updated_at timestamp(6));
CREATE TABLE action_mailbox_inbound_emails (id bigserial PRIMARY KEY, status integer DEFAULT 0 NOT NULL,
  message_id varchar NOT NULL, message_checksum varchar NOT NULL, created_at timestamp(6), updated_at timestamp(6));
CREATE TABLE solid_queue_jobs (id bigserial PRIMARY KEY, queue_name varchar NOT NULL, class_name varchar NOT NULL,
  arguments text, priority integer DEFAULT 0 NOT NULL, active_job_id varchar, scheduled_at timestamp(6),
  finished_at timestamp(6), concurrency_key varchar, created_at timestamp(6) NOT NULL, updated_at timestamp(6));
CREATE TABLE users (id bigserial PRIMARY KEY, email citext NOT NULL, encrypted_password varchar DEFAULT '' NOT NULL,
  reset_password_token varchar, reset_password_sent_at timestamp, sign_in_count integer DEFAULT 0, current_sign_in_ip inet,
  last_sign_in_ip inet, confirmed boolean DEFAULT false, settings jsonb DEFAULT '{}', birthday date, balance numeric(10,2),
  created_at timestamp(6) NOT NULL, updated_at timestamp(6) NOT NULL);
CREATE TABLE schema_migrations (version varchar PRIMARY KEY);
CREATE TABLE ar_internal_metadata (key varchar PRIMARY KEY, value varchar, created_at timestamp(6), updated_at timestamp(6));
