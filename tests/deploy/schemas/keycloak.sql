-- Keycloak
CREATE TABLE realm (id varchar(36) PRIMARY KEY, access_code_lifespan integer, user_action_lifespan integer, access_token_lifespan integer,
  account_theme varchar(255), enabled boolean NOT NULL, events_expiration bigint, name varchar(255), not_before integer, password_policy varchar(2550),
  registration_allowed boolean, ssl_required varchar(255), sso_idle_timeout integer, otp_policy_window integer, default_locale varchar(255));
CREATE TABLE user_entity (id varchar(36) PRIMARY KEY, email varchar(255), email_constraint varchar(255), email_verified boolean, enabled boolean,
  federation_link varchar(255), first_name varchar(255), last_name varchar(255), realm_id varchar(255), username varchar(255), created_timestamp bigint,
  service_account_client_link varchar(255), not_before integer);
CREATE TABLE client (id varchar(36) PRIMARY KEY, enabled boolean, full_scope_allowed boolean, client_id varchar(255), not_before integer, public_client boolean,
  secret varchar(255), base_url varchar(255), bearer_only boolean, protocol varchar(255), node_rereg_timeout integer, frontchannel_logout boolean);
CREATE TABLE event_entity (id varchar(36) PRIMARY KEY, client_id varchar(255), details_json varchar(2550), error varchar(255), ip_address varchar(255),
  realm_id varchar(255), session_id varchar(255), event_time bigint, type varchar(255), user_id varchar(255), details_json_long_value text);
CREATE TABLE credential (id varchar(36) PRIMARY KEY, salt bytea, type varchar(255), user_id varchar(36), created_date bigint, user_label varchar(255),
  secret_data text, credential_data text, priority integer);
