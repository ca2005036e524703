-- Pagila, a shop of films
CREATE TYPE mpaa_rating AS ENUM ('G', 'PG', 'PG-13', 'R', 'NC-17');
CREATE DOMAIN year AS integer CHECK (VALUE BETWEEN 1901 AND 2155);
CREATE DOMAIN bigyear AS text;
CREATE TABLE film (film_id serial PRIMARY KEY, title text NOT NULL, description text, release_year year, language_id smallint NOT NULL,
  rental_duration smallint, rental_rate numeric(4,2), length smallint, replacement_cost numeric(5,2), rating mpaa_rating DEFAULT 'G',
  last_update timestamptz NOT NULL, special_features text[], fulltext tsvector NOT NULL);
CREATE TABLE actor (actor_id serial PRIMARY KEY, first_name text NOT NULL, last_name text NOT NULL, last_update timestamptz);
CREATE TABLE customer (customer_id serial PRIMARY KEY, store_id int, first_name text, last_name text, email text, address_id int, activebool boolean,
  create_date date, last_update timestamptz, active integer);
CREATE TABLE payment (payment_id int, customer_id int REFERENCES customer, staff_id int, rental_id int, amount numeric(5,2), payment_date timestamptz);
CREATE TABLE rental (rental_id serial PRIMARY KEY, rental_date timestamptz, inventory_id int, customer_id int, return_date timestamptz, staff_id int,
  period tsrange);
CREATE TABLE staff (staff_id serial PRIMARY KEY, first_name text, email text, active boolean, username text, password text, picture bytea);
CREATE TABLE language (language_id serial PRIMARY KEY, name character(20) NOT NULL, last_update timestamptz);
