-- Zulip
CREATE TABLE zerver_realm (id serial PRIMARY KEY, name varchar(40), string_id varchar(40) NOT NULL, date_created timestamptz, deactivated boolean,
  emails_restricted_to_domains boolean, message_retention_days integer, uuid uuid, default_language varchar(50), org_type smallint, plan_type smallint,
  upload_quota_gb integer, digest_weekday smallint, enable_spectator_access boolean);
CREATE TABLE zerver_userprofile (id serial PRIMARY KEY, password varchar(128), last_login timestamptz, is_superuser boolean, delivery_email varchar(254), email varchar(254),
  realm_id integer REFERENCES zerver_realm, full_name varchar(100), date_joined timestamptz, is_active boolean, is_bot boolean, bot_type smallint, role smallint,
  timezone varchar(40), uuid uuid, avatar_version smallint, long_term_idle boolean, tutorial_status varchar(1));
CREATE TABLE zerver_message (id serial PRIMARY KEY, sender_id integer, recipient_id integer, realm_id integer, subject varchar(60), content text, rendered_content text,
  date_sent timestamptz, last_edit_time timestamptz, edit_history text, has_attachment boolean, search_tsvector tsvector);
CREATE TABLE zerver_usermessage (id bigserial PRIMARY KEY, user_profile_id integer, message_id integer, flags bigint NOT NULL);
CREATE TABLE zerver_reaction (id serial PRIMARY KEY, user_profile_id integer, message_id integer, emoji_name text, reaction_type varchar(30), emoji_code text);
