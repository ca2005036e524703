-- Northwind, a wholesaler
CREATE TABLE categories (category_id smallint PRIMARY KEY, category_name varchar(15) NOT NULL, description text, picture bytea);
CREATE TABLE customers (customer_id varchar(5) PRIMARY KEY, company_name varchar(40) NOT NULL, contact_name varchar(30), contact_title varchar(30),
  address varchar(60), city varchar(15), region varchar(15), postal_code varchar(10), country varchar(15), phone varchar(24), fax varchar(24));
CREATE TABLE employees (employee_id smallint PRIMARY KEY, last_name varchar(20) NOT NULL, first_name varchar(10) NOT NULL, title varchar(30),
  title_of_courtesy varchar(25), birth_date date, hire_date date, photo bytea, notes text, reports_to smallint, photo_path varchar(255));
CREATE TABLE orders (order_id smallint PRIMARY KEY, customer_id varchar(5) REFERENCES customers, employee_id smallint, order_date date,
  required_date date, shipped_date date, ship_via smallint, freight real, ship_name varchar(40), ship_country varchar(15));
CREATE TABLE order_details (order_id smallint, product_id smallint, unit_price real NOT NULL, quantity smallint NOT NULL, discount real NOT NULL,
  PRIMARY KEY (order_id, product_id));
CREATE TABLE products (product_id smallint PRIMARY KEY, product_name varchar(40) NOT NULL, supplier_id smallint, category_id smallint,
  quantity_per_unit varchar(20), unit_price real, units_in_stock smallint, reorder_level smallint, discontinued integer NOT NULL);
CREATE TABLE customer_customer_demo (customer_id varchar(5), customer_type_id char(10));
