-- AdventureWorks, a maker of bicycles
CREATE DOMAIN "Flag" AS boolean NOT NULL;
CREATE DOMAIN "Name" AS varchar(50);
CREATE TABLE person (businessentityid int PRIMARY KEY, persontype char(2) NOT NULL, namestyle "Flag", title varchar(8), firstname "Name",
  middlename "Name", lastname "Name", suffix varchar(10), emailpromotion int, additionalcontactinfo xml, demographics xml, rowguid uuid, modifieddate timestamp);
CREATE TABLE employee (businessentityid int PRIMARY KEY, nationalidnumber varchar(15), loginid varchar(256), jobtitle varchar(50), birthdate date,
  maritalstatus char(1), gender char(1), hiredate date, salariedflag "Flag", vacationhours smallint, sickleavehours smallint, organizationnode varchar);
CREATE TABLE product (productid serial PRIMARY KEY, name "Name", productnumber varchar(25), makeflag "Flag", color varchar(15), safetystocklevel smallint,
  standardcost numeric, listprice numeric, size varchar(5), sizeunitmeasurecode char(3), weight decimal(8,2), class char(2), style char(2),
  sellstartdate timestamp, sellenddate timestamp, rowguid uuid, modifieddate timestamp);
CREATE TABLE salesorderheader (salesorderid serial PRIMARY KEY, revisionnumber smallint, orderdate timestamp, duedate timestamp, status smallint,
  onlineorderflag "Flag", purchaseordernumber varchar(25), customerid int, subtotal numeric, taxamt numeric, freight numeric, totaldue numeric, comment varchar(128));
CREATE TABLE address (addressid serial PRIMARY KEY, addressline1 varchar(60), city varchar(30), stateprovinceid int, postalcode varchar(15), spatiallocation bytea);
CREATE TABLE shift (shiftid serial PRIMARY KEY, name "Name", starttime time, endtime time, modifieddate timestamp);
