-- GitLab
CREATE TABLE projects (id bigserial PRIMARY KEY, name varchar, path varchar, description text, created_at timestamp, updated_at timestamp,
  creator_id bigint, namespace_id bigint NOT NULL, last_activity_at timestamp, import_url varchar, visibility_level integer,
  archived boolean, avatar varchar, star_count integer, merge_requests_rebase_enabled boolean, runners_token_encrypted varchar,
  build_timeout integer, repository_storage varchar, storage_version smallint, hidden boolean, marked_for_deletion_at date);
CREATE TABLE issues (id bigserial PRIMARY KEY, title varchar, author_id bigint, project_id bigint REFERENCES projects, created_at timestamptz,
  updated_at timestamptz, description text, iid integer, updated_by_id bigint, weight integer, confidential boolean, due_date date,
  lock_version integer, title_html text, time_estimate integer, relative_position integer, state_id smallint, health_status smallint,
  start_date date, namespace_id bigint, correct_work_item_type_id bigint, tmp_epic_id bigint);
CREATE TABLE issue_search_data (project_id bigint, issue_id bigint, created_at timestamptz, updated_at timestamptz, search_vector tsvector,
  namespace_id bigint);
CREATE TABLE ci_builds (id bigint PRIMARY KEY, status varchar, finished_at timestamp, created_at timestamp, started_at timestamp,
  coverage double precision, name varchar, options text, allow_failure boolean, stage_idx integer, tag boolean, ref varchar, type varchar,
  partition_id bigint, queued_at timestamp, token_encrypted varchar, protected boolean, failure_reason integer, retried boolean,
  scheduled_at timestamptz, timeout integer, timeout_source smallint, runner_id bigint, project_id bigint);
CREATE TABLE merge_request_diff_commits (authored_date timestamptz, committed_date timestamptz, merge_request_diff_id bigint, relative_order integer,
  sha bytea NOT NULL, message text, trailers jsonb, commit_author_id bigint);
CREATE TABLE namespaces (id bigint PRIMARY KEY, name varchar, path varchar, owner_id bigint, type varchar, traversal_ids bigint[],
  ldap_sync_status varchar, shared_runners_minutes_limit integer, push_rule_id bigint, emails_enabled boolean, organization_id bigint);
CREATE TABLE security_findings (id bigint PRIMARY KEY, scan_id bigint, scanner_id bigint, severity smallint, uuid uuid, overridden_uuid uuid,
  partition_number integer, finding_data jsonb, deduplicated boolean);
CREATE TABLE audit_events (id bigint, author_id bigint, entity_id bigint, entity_type varchar, details text, ip_address inet, author_name text,
  entity_path text, target_details text, created_at timestamp, target_type text, target_id bigint);
