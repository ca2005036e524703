-- Nextcloud
CREATE TABLE oc_filecache (fileid bigserial PRIMARY KEY, storage bigint, path varchar(4000), path_hash varchar(32), parent bigint, name varchar(250), mimetype bigint, mimepart bigint,
  size bigint, mtime bigint, storage_mtime bigint, encrypted integer, unencrypted_size bigint, etag varchar(40), permissions integer, checksum varchar(255));
CREATE TABLE oc_share (id bigserial PRIMARY KEY, share_type smallint, share_with varchar(255), password varchar(255), uid_owner varchar(64), parent bigint, item_type varchar(64),
  item_source varchar(255), file_target varchar(512), permissions smallint, stime bigint, accepted smallint, expiration timestamp, token varchar(32), mail_send smallint, hide_download smallint,
  label varchar(255), attributes json, note text);
CREATE TABLE oc_calendarobjects (id bigserial PRIMARY KEY, calendardata bytea, uri varchar(255), calendarid bigint, lastmodified bigint, etag varchar(32), size bigint, componenttype varchar(8),
  firstoccurence bigint, lastoccurence bigint, uid varchar(255), classification integer, deleted_at integer);
CREATE TABLE oc_jobs (id bigserial PRIMARY KEY, class varchar(255), argument varchar(4000), last_run integer, last_checked integer, reserved_at integer, execution_duration integer, argument_hash varchar(32),
  time_sensitive smallint);
CREATE TABLE oc_comments (id bigserial PRIMARY KEY, parent_id bigint, actor_type varchar(64), actor_id varchar(64), message text, verb varchar(64), creation_timestamp timestamp,
  latest_child_timestamp timestamp, object_type varchar(64), reactions varchar(4000), expire_date timestamp, meta_data text);
