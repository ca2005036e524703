-- Discourse
CREATE TABLE users (id serial PRIMARY KEY, username varchar(60) NOT NULL, created_at timestamp NOT NULL, name varchar, last_posted_at timestamp,
  active boolean, username_lower varchar(60), last_seen_at timestamp, admin boolean, trust_level integer, approved boolean, date_of_birth date,
  ip_address inet, moderator boolean, registration_ip_address inet, staged boolean, silenced_till timestamp, required_fields_version integer);
CREATE TABLE topics (id serial PRIMARY KEY, title varchar NOT NULL, last_posted_at timestamp, created_at timestamp, views integer, posts_count integer,
  user_id integer REFERENCES users, reply_count integer, deleted_at timestamp, has_summary boolean, archetype varchar, visible boolean, closed boolean,
  score double precision, percent_rank double precision, slug varchar, excerpt varchar, bumped_at timestamp, category_id integer, pinned_until timestamp);
CREATE TABLE posts (id serial PRIMARY KEY, user_id integer, topic_id integer REFERENCES topics, post_number integer, raw text, cooked text,
  created_at timestamp, reads integer, score double precision, hidden boolean, raw_email text, outbound_message_id varchar, locale varchar(20));
CREATE TABLE post_search_data (post_id integer PRIMARY KEY, search_data tsvector, raw_data text, locale varchar, version integer, private_message boolean);
CREATE TABLE screened_ip_addresses (id serial PRIMARY KEY, ip_address inet NOT NULL, action_type integer, match_count integer, last_match_at timestamp);
CREATE TABLE user_histories (id serial PRIMARY KEY, action integer, acting_user_id integer, details text, created_at timestamp, context varchar,
  ip_address varchar, custom boolean, previous_value text, new_value text, custom_type varchar);
CREATE TABLE directory_items (id serial PRIMARY KEY, period_type integer, user_id integer, likes_received integer, created_at timestamp);
