-- Odoo
CREATE TABLE res_partner (id serial PRIMARY KEY, company_id integer, create_date timestamp, name varchar, title integer, parent_id integer, user_id integer,
  lang varchar, tz varchar, vat varchar, active boolean, employee boolean, type varchar, street varchar, zip varchar, city varchar, partner_latitude numeric,
  partner_longitude numeric, email varchar, phone varchar, is_company boolean, color integer, commercial_partner_id integer, date date, comment text,
  write_date timestamp, properties jsonb, credit_limit jsonb);
CREATE TABLE sale_order (id serial PRIMARY KEY, name varchar NOT NULL, state varchar, date_order timestamp NOT NULL, partner_id integer REFERENCES res_partner,
  note text, amount_untaxed numeric, amount_tax numeric, amount_total numeric, currency_rate double precision, require_signature boolean, locked boolean,
  validity_date date, access_token varchar, signed_on timestamp, create_date timestamp);
CREATE TABLE ir_attachment (id serial PRIMARY KEY, res_id integer, file_size integer, name varchar, res_model varchar, type varchar, url varchar(1024),
  public boolean, db_datas bytea, checksum varchar(40), mimetype varchar, index_content text, create_date timestamp);
CREATE TABLE res_config (id serial PRIMARY KEY, key varchar, value jsonb, amount numeric(16,2));
