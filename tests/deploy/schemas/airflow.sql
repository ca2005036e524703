-- Apache Airflow
CREATE TABLE dag (dag_id varchar(250) PRIMARY KEY, is_paused boolean, is_stale boolean, last_parsed_time timestamptz, fileloc varchar(2000), owners varchar(2000),
  description text, timetable_summary text, timetable_description varchar(1000), max_active_tasks integer NOT NULL, max_active_runs integer, has_import_errors boolean,
  next_dagrun timestamptz, next_dagrun_create_after timestamptz, bundle_name varchar(250));
CREATE TABLE dag_run (id serial PRIMARY KEY, dag_id varchar(250) NOT NULL REFERENCES dag, queued_at timestamptz, logical_date timestamptz, start_date timestamptz,
  end_date timestamptz, state varchar(50), run_id varchar(250), creating_job_id integer, run_type varchar(50), triggered_by varchar(50), conf jsonb, data_interval_start timestamptz,
  data_interval_end timestamptz, log_template_id integer, updated_at timestamptz, clear_number integer, backfill_id integer, created_dag_version_id uuid);
CREATE TABLE task_instance (id uuid PRIMARY KEY, task_id varchar(250), dag_id varchar(250), run_id varchar(250), map_index integer, start_date timestamptz, end_date timestamptz,
  duration double precision, state varchar(20), try_number integer, hostname varchar(1000), pool varchar(256), queue varchar(256), priority_weight integer, operator varchar(1000),
  executor_config bytea, pid integer, rendered_map_index varchar(250), next_kwargs jsonb);
CREATE TABLE xcom (dag_run_id integer, task_id varchar(250), map_index integer, key varchar(512), value jsonb, timestamp timestamptz, dag_id varchar(250), run_id varchar(250));
CREATE TABLE serialized_dag (id uuid PRIMARY KEY, dag_id varchar(250), data json, data_compressed bytea, created_at timestamptz, last_updated timestamptz, dag_hash varchar(32));
