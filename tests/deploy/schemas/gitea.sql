-- Gitea
CREATE TABLE "user" (id bigserial PRIMARY KEY, lower_name varchar(255), name varchar(255), full_name varchar(255), email varchar(255), keep_email_private boolean,
  passwd varchar(255), passwd_hash_algo varchar(255), must_change_password boolean, login_type integer, login_source bigint, type integer, location varchar(255),
  created_unix bigint, updated_unix bigint, last_login_unix bigint, is_active boolean, is_admin boolean, allow_git_hook boolean, num_followers integer);
CREATE TABLE repository (id bigserial PRIMARY KEY, owner_id bigint, lower_name varchar(255), name varchar(255), description text, website varchar(2048),
  default_branch varchar(255), num_watches integer, num_stars integer, is_private boolean, is_empty boolean, is_archived boolean, size bigint, git_size bigint,
  topics text, created_unix bigint, updated_unix bigint, archived_unix bigint);
CREATE TABLE action (id bigserial PRIMARY KEY, user_id bigint, op_type integer, act_user_id bigint, repo_id bigint, is_deleted boolean, ref_name varchar(255),
  is_private boolean, content text, created_unix bigint);
CREATE TABLE access_token (id bigserial PRIMARY KEY, uid bigint, name varchar(255), token_hash varchar(255), scope varchar(255), created_unix bigint);
CREATE TABLE session (key char(16) PRIMARY KEY, data bytea, expiry bigint);
