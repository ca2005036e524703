-- the version of these functions
CREATE OR REPLACE FUNCTION predicat.version() RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN 1;

-- a + b, NULL if it does not fit
CREATE OR REPLACE FUNCTION predicat.plus(a bigint, b bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE WHEN NOT (a::bigint BETWEEN -4611686018427387904 AND 4611686018427387903 AND b::bigint BETWEEN -4611686018427387904 AND 4611686018427387903) THEN CASE WHEN a::numeric + b::numeric BETWEEN -9223372036854775808 AND 9223372036854775807 THEN (a::numeric + b::numeric)::bigint END ELSE a::bigint + b::bigint END;

-- a - b, NULL if it does not fit
CREATE OR REPLACE FUNCTION predicat.minus(a bigint, b bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE WHEN NOT (a::bigint BETWEEN -4611686018427387904 AND 4611686018427387903 AND b::bigint BETWEEN -4611686018427387904 AND 4611686018427387903) THEN CASE WHEN a::numeric - b::numeric BETWEEN -9223372036854775808 AND 9223372036854775807 THEN (a::numeric - b::numeric)::bigint END ELSE a::bigint - b::bigint END;

-- a * b, NULL if it does not fit
CREATE OR REPLACE FUNCTION predicat.times(a bigint, b bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE WHEN NOT (a::bigint BETWEEN -2147483648 AND 2147483647 AND b::bigint BETWEEN -2147483648 AND 2147483647) THEN CASE WHEN a::numeric * b::numeric BETWEEN -9223372036854775808 AND 9223372036854775807 THEN (a::numeric * b::numeric)::bigint END ELSE a::bigint * b::bigint END;

-- a / b, NULL if b is 0, NULL if it does not fit
CREATE OR REPLACE FUNCTION predicat.div(a bigint, b bigint) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE WHEN a::bigint < -9223372036854775807 THEN CASE WHEN DIV(a::numeric, NULLIF(b::numeric, 0)) BETWEEN -9223372036854775808 AND 9223372036854775807 THEN DIV(a::numeric, NULLIF(b::numeric, 0))::bigint END ELSE a::bigint / NULLIF(b::bigint, 0) END;

-- a + b as in IEEE 754, without an error
CREATE OR REPLACE FUNCTION predicat.exact_add(a double precision, b double precision) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE WHEN NOT (ABS(a::float8) < FLOAT8 '1e290' OR ABS(b::float8) < FLOAT8 '1e290') THEN (SELECT (SELECT CASE WHEN __v1 IN (FLOAT8 'Infinity', FLOAT8 '-Infinity', FLOAT8 'NaN') OR __v2 IN (FLOAT8 'Infinity', FLOAT8 '-Infinity', FLOAT8 'NaN') OR ABS((__v1 / 2) + (__v2 / 2)) < FLOAT8 '8.98846567431158e+307' THEN __v1 + __v2 WHEN (__v1 / 2) + (__v2 / 2) > 0 THEN FLOAT8 'Infinity' WHEN (__v1 / 2) + (__v2 / 2) < 0 THEN FLOAT8 '-Infinity' END FROM (SELECT b::float8 AS __v2 OFFSET 0) AS __v2t) FROM (SELECT a::float8 AS __v1 OFFSET 0) AS __v1t) ELSE a::float8 + b END;

-- a + b as in IEEE 754, without an error
CREATE OR REPLACE FUNCTION predicat.add(a double precision, b double precision) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE WHEN NOT (ABS(a) < FLOAT8 '1e290' OR ABS(b) < FLOAT8 '1e290') THEN predicat.exact_add(a, b) ELSE a + b END;

-- a - b as in IEEE 754, without an error
CREATE OR REPLACE FUNCTION predicat.exact_subtract(a double precision, b double precision) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE WHEN NOT (ABS(a::float8) < FLOAT8 '1e290' OR ABS(b::float8) < FLOAT8 '1e290') THEN (SELECT (SELECT CASE WHEN __v1 IN (FLOAT8 'Infinity', FLOAT8 '-Infinity', FLOAT8 'NaN') OR __v2 IN (FLOAT8 'Infinity', FLOAT8 '-Infinity', FLOAT8 'NaN') OR ABS((__v1 / 2) - (__v2 / 2)) < FLOAT8 '8.98846567431158e+307' THEN __v1 - __v2 WHEN (__v1 / 2) - (__v2 / 2) > 0 THEN FLOAT8 'Infinity' WHEN (__v1 / 2) - (__v2 / 2) < 0 THEN FLOAT8 '-Infinity' END FROM (SELECT b::float8 AS __v2 OFFSET 0) AS __v2t) FROM (SELECT a::float8 AS __v1 OFFSET 0) AS __v1t) ELSE a::float8 - b END;

-- a - b as in IEEE 754, without an error
CREATE OR REPLACE FUNCTION predicat.subtract(a double precision, b double precision) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE WHEN NOT (ABS(a) < FLOAT8 '1e290' OR ABS(b) < FLOAT8 '1e290') THEN predicat.exact_subtract(a, b) ELSE a - b END;

-- a * b as in IEEE 754, without an error
CREATE OR REPLACE FUNCTION predicat.exact_multiply(a double precision, b double precision) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE WHEN NOT ((a::float8 BETWEEN FLOAT8 '1e-150' AND FLOAT8 '1e150' OR a::float8 BETWEEN -FLOAT8 '1e150' AND -FLOAT8 '1e-150' OR a::float8 = 0) AND (b::float8 BETWEEN FLOAT8 '1e-150' AND FLOAT8 '1e150' OR b::float8 BETWEEN -FLOAT8 '1e150' AND -FLOAT8 '1e-150' OR b::float8 = 0)) THEN (SELECT (SELECT CASE WHEN __v1 IN (FLOAT8 '0', FLOAT8 'Infinity', FLOAT8 '-Infinity', FLOAT8 'NaN') OR __v2 IN (FLOAT8 '0', FLOAT8 'Infinity', FLOAT8 '-Infinity', FLOAT8 'NaN') THEN __v1 * __v2 ELSE (SELECT CASE WHEN __v3 BETWEEN -744.4 AND 709.7 THEN __v1 * __v2 WHEN __v3 BETWEEN 709.7 AND 710 THEN CASE WHEN ABS((__v1 * FLOAT8 '5.421010862427522e-20') * __v2) < FLOAT8 '9.7453140114e+288' THEN __v1 * __v2 ELSE CASE WHEN (__v1 < 0) <> (__v2 < 0) THEN FLOAT8 '-Infinity' WHEN (__v1 < 0) = (__v2 < 0) THEN FLOAT8 'Infinity' END END WHEN __v3 BETWEEN -745.2 AND -744.4 THEN CASE WHEN ABS((__v1 * FLOAT8 '1.2676506002282294e+30') * __v2) > FLOAT8 '3.13151306251402e-294' THEN __v1 * __v2 ELSE CASE WHEN (__v1 < 0) <> (__v2 < 0) THEN FLOAT8 '-0' WHEN (__v1 < 0) = (__v2 < 0) THEN FLOAT8 '0' END END WHEN __v3 > 0 THEN CASE WHEN (__v1 < 0) <> (__v2 < 0) THEN FLOAT8 '-Infinity' WHEN (__v1 < 0) = (__v2 < 0) THEN FLOAT8 'Infinity' END WHEN __v3 < 0 THEN CASE WHEN (__v1 < 0) <> (__v2 < 0) THEN FLOAT8 '-0' WHEN (__v1 < 0) = (__v2 < 0) THEN FLOAT8 '0' END END FROM (SELECT LN(ABS(__v1)) + LN(ABS(__v2)) AS __v3 OFFSET 0) AS __v3t) END FROM (SELECT b::float8 AS __v2 OFFSET 0) AS __v2t) FROM (SELECT a::float8 AS __v1 OFFSET 0) AS __v1t) ELSE a::float8 * b END;

-- a * b as in IEEE 754, without an error
CREATE OR REPLACE FUNCTION predicat.multiply(a double precision, b double precision) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE WHEN NOT ((a BETWEEN FLOAT8 '1e-150' AND FLOAT8 '1e150' OR a BETWEEN -FLOAT8 '1e150' AND -FLOAT8 '1e-150' OR a = 0) AND (b BETWEEN FLOAT8 '1e-150' AND FLOAT8 '1e150' OR b BETWEEN -FLOAT8 '1e150' AND -FLOAT8 '1e-150' OR b = 0)) THEN predicat.exact_multiply(a, b) ELSE a * b END;

-- a / b, NULL if b is 0 as in IEEE 754, without an error
CREATE OR REPLACE FUNCTION predicat.exact_divide(a double precision, b double precision) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE WHEN NOT ((a::float8 BETWEEN FLOAT8 '1e-150' AND FLOAT8 '1e150' OR a::float8 BETWEEN -FLOAT8 '1e150' AND -FLOAT8 '1e-150' OR a::float8 = 0) AND (b::float8 BETWEEN FLOAT8 '1e-150' AND FLOAT8 '1e150' OR b::float8 BETWEEN -FLOAT8 '1e150' AND -FLOAT8 '1e-150' OR b::float8 = 0)) THEN (SELECT (SELECT CASE WHEN __v1 IN (FLOAT8 '0', FLOAT8 'Infinity', FLOAT8 '-Infinity', FLOAT8 'NaN') OR __v2 IN (FLOAT8 '0', FLOAT8 'NaN') THEN __v1 / NULLIF(__v2, 0) WHEN __v2 IN (FLOAT8 'Infinity', FLOAT8 '-Infinity') THEN CASE WHEN (__v1 < 0) <> (__v2 < 0) THEN FLOAT8 '-0' WHEN (__v1 < 0) = (__v2 < 0) THEN FLOAT8 '0' END ELSE (SELECT CASE WHEN __v3 BETWEEN -744.4 AND 709.7 THEN __v1 / NULLIF(__v2, 0) WHEN __v3 BETWEEN 709.7 AND 710 THEN CASE WHEN ABS((__v1 * FLOAT8 '5.421010862427522e-20') / __v2) < FLOAT8 '9.7453140114e+288' THEN __v1 / NULLIF(__v2, 0) ELSE CASE WHEN (__v1 < 0) <> (__v2 < 0) THEN FLOAT8 '-Infinity' WHEN (__v1 < 0) = (__v2 < 0) THEN FLOAT8 'Infinity' END END WHEN __v3 BETWEEN -745.2 AND -744.4 THEN CASE WHEN ABS((__v1 * FLOAT8 '1.2676506002282294e+30') / __v2) > FLOAT8 '3.13151306251402e-294' THEN __v1 / NULLIF(__v2, 0) ELSE CASE WHEN (__v1 < 0) <> (__v2 < 0) THEN FLOAT8 '-0' WHEN (__v1 < 0) = (__v2 < 0) THEN FLOAT8 '0' END END WHEN __v3 > 0 THEN CASE WHEN (__v1 < 0) <> (__v2 < 0) THEN FLOAT8 '-Infinity' WHEN (__v1 < 0) = (__v2 < 0) THEN FLOAT8 'Infinity' END WHEN __v3 < 0 THEN CASE WHEN (__v1 < 0) <> (__v2 < 0) THEN FLOAT8 '-0' WHEN (__v1 < 0) = (__v2 < 0) THEN FLOAT8 '0' END END FROM (SELECT LN(ABS(__v1)) - LN(ABS(__v2)) AS __v3 OFFSET 0) AS __v3t) END FROM (SELECT b::float8 AS __v2 OFFSET 0) AS __v2t) FROM (SELECT a::float8 AS __v1 OFFSET 0) AS __v1t) ELSE a::float8 / NULLIF(b, 0) END;

-- a / b, NULL if b is 0 as in IEEE 754, without an error
CREATE OR REPLACE FUNCTION predicat.divide(a double precision, b double precision) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE WHEN NOT ((a BETWEEN FLOAT8 '1e-150' AND FLOAT8 '1e150' OR a BETWEEN -FLOAT8 '1e150' AND -FLOAT8 '1e-150' OR a = 0) AND (b BETWEEN FLOAT8 '1e-150' AND FLOAT8 '1e150' OR b BETWEEN -FLOAT8 '1e150' AND -FLOAT8 '1e-150' OR b = 0)) THEN predicat.exact_divide(a, b) ELSE a / NULLIF(b, 0) END;

-- a / b, infinite or NaN if b is 0 as in IEEE 754, without an error
CREATE OR REPLACE FUNCTION predicat.exact_ieee_divide(a double precision, b double precision) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE WHEN b::float8 = 0 THEN CASE WHEN a::float8 = 0 OR a::float8 = FLOAT8 'NaN' THEN FLOAT8 'NaN' WHEN (a::float8 > 0) <> (b::float8::text = '-0') THEN FLOAT8 'Infinity' WHEN a::float8 IS NOT NULL THEN FLOAT8 '-Infinity' END WHEN b::float8 <> 0 THEN CASE WHEN NOT ((a::float8 BETWEEN FLOAT8 '1e-150' AND FLOAT8 '1e150' OR a::float8 BETWEEN -FLOAT8 '1e150' AND -FLOAT8 '1e-150' OR a::float8 = 0) AND (b::float8 BETWEEN FLOAT8 '1e-150' AND FLOAT8 '1e150' OR b::float8 BETWEEN -FLOAT8 '1e150' AND -FLOAT8 '1e-150' OR b::float8 = 0)) THEN (SELECT (SELECT CASE WHEN __v1 IN (FLOAT8 '0', FLOAT8 'Infinity', FLOAT8 '-Infinity', FLOAT8 'NaN') OR __v2 IN (FLOAT8 '0', FLOAT8 'NaN') THEN __v1 / NULLIF(__v2, 0) WHEN __v2 IN (FLOAT8 'Infinity', FLOAT8 '-Infinity') THEN CASE WHEN (__v1 < 0) <> (__v2 < 0) THEN FLOAT8 '-0' WHEN (__v1 < 0) = (__v2 < 0) THEN FLOAT8 '0' END ELSE (SELECT CASE WHEN __v3 BETWEEN -744.4 AND 709.7 THEN __v1 / NULLIF(__v2, 0) WHEN __v3 BETWEEN 709.7 AND 710 THEN CASE WHEN ABS((__v1 * FLOAT8 '5.421010862427522e-20') / __v2) < FLOAT8 '9.7453140114e+288' THEN __v1 / NULLIF(__v2, 0) ELSE CASE WHEN (__v1 < 0) <> (__v2 < 0) THEN FLOAT8 '-Infinity' WHEN (__v1 < 0) = (__v2 < 0) THEN FLOAT8 'Infinity' END END WHEN __v3 BETWEEN -745.2 AND -744.4 THEN CASE WHEN ABS((__v1 * FLOAT8 '1.2676506002282294e+30') / __v2) > FLOAT8 '3.13151306251402e-294' THEN __v1 / NULLIF(__v2, 0) ELSE CASE WHEN (__v1 < 0) <> (__v2 < 0) THEN FLOAT8 '-0' WHEN (__v1 < 0) = (__v2 < 0) THEN FLOAT8 '0' END END WHEN __v3 > 0 THEN CASE WHEN (__v1 < 0) <> (__v2 < 0) THEN FLOAT8 '-Infinity' WHEN (__v1 < 0) = (__v2 < 0) THEN FLOAT8 'Infinity' END WHEN __v3 < 0 THEN CASE WHEN (__v1 < 0) <> (__v2 < 0) THEN FLOAT8 '-0' WHEN (__v1 < 0) = (__v2 < 0) THEN FLOAT8 '0' END END FROM (SELECT LN(ABS(__v1)) - LN(ABS(__v2)) AS __v3 OFFSET 0) AS __v3t) END FROM (SELECT b::float8 AS __v2 OFFSET 0) AS __v2t) FROM (SELECT a::float8 AS __v1 OFFSET 0) AS __v1t) ELSE a::float8 / NULLIF(b, 0) END END;

-- a / b, infinite or NaN if b is 0 as in IEEE 754, without an error
CREATE OR REPLACE FUNCTION predicat.ieee_divide(a double precision, b double precision) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE WHEN NOT ((a BETWEEN FLOAT8 '1e-150' AND FLOAT8 '1e150' OR a BETWEEN -FLOAT8 '1e150' AND -FLOAT8 '1e-150' OR a = 0) AND (b BETWEEN FLOAT8 '1e-150' AND FLOAT8 '1e150' OR b BETWEEN -FLOAT8 '1e150' AND -FLOAT8 '1e-150' OR b = 0) AND b <> 0) THEN predicat.exact_ieee_divide(a, b) ELSE a / NULLIF(b, 0) END;

-- the days from b to a, NULL of infinity
CREATE OR REPLACE FUNCTION predicat.days_between(a date, b date) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (CASE WHEN ISFINITE(a) THEN a END - CASE WHEN ISFINITE(b) THEN b END)::bigint;

-- a - b, NULL unless both are within years 1 to 9999
CREATE OR REPLACE FUNCTION predicat.elapsed(a timestamp with time zone, b timestamp with time zone) RETURNS interval LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN (CASE WHEN a BETWEEN TIMESTAMPTZ '0001-01-01 00:00:00+00' AND TIMESTAMPTZ '9999-12-31 23:59:59.999999+00' THEN a END - CASE WHEN b BETWEEN TIMESTAMPTZ '0001-01-01 00:00:00+00' AND TIMESTAMPTZ '9999-12-31 23:59:59.999999+00' THEN b END);

-- the number of a JSON value as a double, NULL for any other value
CREATE OR REPLACE FUNCTION predicat.exact_number(j jsonb) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE WHEN JSONB_TYPEOF(j) = 'number' THEN CASE WHEN ABS(j::numeric) < 2.4703282292062328e-324 THEN 0::float8 WHEN ABS(j::numeric) < 1.7976931348623158e308 THEN j::numeric::float8 ELSE SIGN(j::numeric)::float8 * FLOAT8 'Infinity' END END;

-- the number of a JSON value as a double, NULL for any other value
CREATE OR REPLACE FUNCTION predicat.number(j jsonb) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE WHEN JSONB_TYPEOF(j) = 'number' THEN CASE WHEN OCTET_LENGTH(j::text) < 300 THEN (j::text)::float8 ELSE predicat.exact_number(j) END END;

-- the number of a JSON value as a double, NULL for any other value
CREATE OR REPLACE FUNCTION predicat.number(j jsonb, k text) RETURNS double precision LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE WHEN JSONB_TYPEOF(j -> k) = 'number' THEN CASE WHEN OCTET_LENGTH(j ->> k) < 300 THEN (j ->> k)::float8 ELSE predicat.exact_number(j -> k) END END;

-- CAST(s AS BIGINT), NULL if s is not an integer or does not fit
CREATE OR REPLACE FUNCTION predicat.to_bigint(s text) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE RETURN CAST(CASE WHEN pg_input_is_valid(s, 'bigint') AND (s COLLATE "C" >= '1' AND STRPOS(s, '_') = 0 OR BTRIM(s, E' \t\n\v\f\r') ~ '^(?:-[0-9]{1,19}|[0-9]{1,20})$') THEN s END AS bigint);

-- int(s) of CEL, NULL if s is not an integer or does not fit
CREATE OR REPLACE FUNCTION predicat.int(s text) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE RETURN CAST(CASE WHEN pg_input_is_valid(s, 'bigint') AND (s COLLATE "C" >= '1' AND s !~ '[^0-9]' OR s ~ '^(?:-[0-9]{1,19}|[0-9]{1,20})$') THEN s END AS bigint);

-- CAST(s AS DOUBLE), NULL if s is not a number or too large
CREATE OR REPLACE FUNCTION predicat.exact_to_double(s text) RETURNS float8 LANGUAGE sql STABLE PARALLEL SAFE RETURN CASE WHEN OCTET_LENGTH(BTRIM(s, ' 	
')) BETWEEN 1 AND 300 AND TRANSLATE(BTRIM(s, ' 	
'), '0123456789', '') IN ('', '.') AND BTRIM(s, ' 	
') <> '.' THEN BTRIM(s, ' 	
')::float8 WHEN OCTET_LENGTH(BTRIM(s, ' 	
')) BETWEEN 1 AND 300 AND TRANSLATE(BTRIM(s, ' 	
'), '0123456789', '') IN ('-', '-.') AND BTRIM(s, ' 	
') <> '-' AND BTRIM(s, ' 	
') <> '-.' AND BTRIM(s, ' 	
') LIKE '-%' THEN BTRIM(s, ' 	
')::float8 WHEN OCTET_LENGTH(BTRIM(s, ' 	
')) <= 600 AND BTRIM(s, ' 	
') ~ '^[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]+)?$' THEN CASE WHEN BTRIM(s, ' 	
') ~ '[eE][+-]?0*[1-9][0-9]{3}' THEN CASE WHEN BTRIM(s, ' 	
') ~ '[eE]-|^[+-]?[0.]+[eE]' THEN 0::float8 END WHEN ABS(BTRIM(s, ' 	
')::numeric) < 2.4703282292062328e-324 THEN 0::float8 WHEN ABS(BTRIM(s, ' 	
')::numeric) < 1.7976931348623158e308 THEN BTRIM(s, ' 	
')::numeric::float8 END WHEN BTRIM(s, ' 	
') IN ('NaN', 'Infinity', '-Infinity') THEN BTRIM(s, ' 	
')::float8 END;

-- CAST(s AS DOUBLE), NULL if s is not a number or too large
CREATE OR REPLACE FUNCTION predicat.to_double(s text) RETURNS float8 LANGUAGE sql STABLE PARALLEL SAFE RETURN COALESCE(CAST(CASE WHEN pg_input_is_valid(s, 'float8') AND ((s COLLATE "C" BETWEEN '0' AND '0A' OR s COLLATE "C" BETWEEN '1' AND ':') AND OCTET_LENGTH(s) <= 600 OR OCTET_LENGTH(BTRIM(s, E' \t\n\v\f\r')) <= 600 AND BTRIM(s, E' \t\n\v\f\r') ~ '^[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]+)?$' OR BTRIM(s, E' \t\n\v\f\r') IN ('NaN', 'Infinity', '-Infinity')) THEN s END AS float8), CASE WHEN OCTET_LENGTH(s) > 300 OR s ~ '[eE]-' THEN predicat.exact_to_double(s) END);

-- double(s) of CEL, NULL if s is not a number or too large
CREATE OR REPLACE FUNCTION predicat.exact_double(s text) RETURNS float8 LANGUAGE sql STABLE PARALLEL SAFE RETURN CASE WHEN OCTET_LENGTH(s) BETWEEN 1 AND 300 AND TRANSLATE(s, '0123456789', '') IN ('', '.') AND s <> '.' THEN s::float8 WHEN OCTET_LENGTH(s) BETWEEN 1 AND 300 AND TRANSLATE(s, '0123456789', '') IN ('-', '-.') AND s <> '-' AND s <> '-.' AND s LIKE '-%' THEN s::float8 WHEN OCTET_LENGTH(s) <= 600 AND s ~ '^[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]+)?$' THEN CASE WHEN s ~ '[eE][+-]?0*[1-9][0-9]{3}' THEN CASE WHEN s ~ '[eE]-|^[+-]?[0.]+[eE]' THEN 0::float8 END WHEN ABS(s::numeric) < 2.4703282292062328e-324 THEN 0::float8 WHEN ABS(s::numeric) < 1.7976931348623158e308 THEN s::numeric::float8 END WHEN s IN ('NaN', 'Infinity', '-Infinity') THEN s::float8 END;

-- double(s) of CEL, NULL if s is not a number or too large
CREATE OR REPLACE FUNCTION predicat.double(s text) RETURNS float8 LANGUAGE sql STABLE PARALLEL SAFE RETURN COALESCE(CAST(CASE WHEN pg_input_is_valid(s, 'float8') AND ((s COLLATE "C" BETWEEN '0' AND '0A' OR s COLLATE "C" BETWEEN '1' AND ':') AND OCTET_LENGTH(s) <= 600 AND RIGHT(s, 1) COLLATE "C" BETWEEN '.' AND '9' OR OCTET_LENGTH(s) <= 600 AND s ~ '^[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]+)?$' OR s IN ('NaN', 'Infinity', '-Infinity')) THEN s END AS float8), CASE WHEN OCTET_LENGTH(s) > 300 OR s ~ '[eE]-' THEN predicat.exact_double(s) END);

-- CAST(s AS DATE), NULL if s is not a date, with or without a time
CREATE OR REPLACE FUNCTION predicat.to_date(s text) RETURNS date LANGUAGE sql STABLE PARALLEL SAFE RETURN CAST(CASE WHEN s LIKE '____-__-__' AND s !~ '[^-0-9]' AND s NOT LIKE '%-%-%-%' AND pg_input_is_valid(s, 'date') THEN s WHEN LEFT(BTRIM(s, E' \t\n\v\f\r'), 10) LIKE '____-__-__' AND LEFT(BTRIM(s, E' \t\n\v\f\r'), 10) !~ '[^-0-9]' AND LEFT(BTRIM(s, E' \t\n\v\f\r'), 10) NOT LIKE '%-%-%-%' AND pg_input_is_valid(LEFT(BTRIM(s, E' \t\n\v\f\r'), 10), 'date') AND (OCTET_LENGTH(BTRIM(s, E' \t\n\v\f\r')) = 10 OR BTRIM(s, E' \t\n\v\f\r') ~ E'^[0-9]{4}\\-[0-9]{2}\\-[0-9]{2}[ Tt](?:[0-1][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]{1,9})?(?:[Zz]|[\\+\\-][0-9]{2}(?::[0-9]{2})?)?)?$') THEN LEFT(BTRIM(s, E' \t\n\v\f\r'), 10) END AS date);

-- timestamp(s) of CEL
CREATE OR REPLACE FUNCTION predicat.exact_timestamp(s text) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE RETURN CASE WHEN s LIKE '____-__-__T__:__:__Z' AND s NOT LIKE '0000%' AND s NOT LIKE '%-%-%-%' AND (s LIKE '_____0%' OR s LIKE '_____10%' OR s LIKE '_____11%' OR s LIKE '_____12%') AND s NOT LIKE '_____00%' AND (s LIKE '________0%' OR s LIKE '________1%' OR s LIKE '________2%') AND NOT (s LIKE '________00%' OR s LIKE '________29%') AND (s LIKE '___________0%' OR s LIKE '___________1%' OR s LIKE '___________20%' OR s LIKE '___________21%' OR s LIKE '___________22%' OR s LIKE '___________23%') AND s NOT LIKE '%:%:%:%' AND s NOT LIKE '%T%T%' AND s NOT LIKE '%Z%Z%' AND NOT (s ~ '[^-0-9:TZ]|:[6-9]') THEN s::timestamptz WHEN OCTET_LENGTH(s) <= 27 AND s LIKE '____-__-__%' AND s NOT LIKE '0000%' AND s NOT LIKE '0001-01-01%' AND s ~ '^[0-9]+-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]+)?(?:Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])$' THEN s::timestamptz WHEN s ~ '^(?!0000)(?:(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8])))|(?:(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29))[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]{1,9})?(?:[Zz]|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])$' THEN CASE WHEN REGEXP_REPLACE(s, '([.][0-9]{6})[0-9]+', E'\\1')::timestamptz BETWEEN TIMESTAMPTZ '0001-01-01 00:00:00+00' AND TIMESTAMPTZ '9999-12-31 23:59:59.999999+00' THEN REGEXP_REPLACE(s, '([.][0-9]{6})[0-9]+', E'\\1')::timestamptz END END;

-- timestamp(s) of CEL
CREATE OR REPLACE FUNCTION predicat.timestamp(s text) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE RETURN COALESCE(CAST(CASE WHEN s LIKE '____-__-__T__:__:__Z' AND s COLLATE "C" BETWEEN '0' AND '9~' AND s !~ '[^0-9]{2}' AND s NOT LIKE '___________24%' AND s NOT LIKE '_________________60%' AND pg_input_is_valid(s, 'timestamptz') THEN s WHEN s NOT LIKE '0001-01-01%' AND s NOT LIKE '9999-12-31%' AND s ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]{1,6})?(?:[Zz]|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])$' AND pg_input_is_valid(s, 'timestamptz') THEN s END AS timestamptz), CASE WHEN s ~ '[0-9]{4}-[0-9]{2}-[0-9]{2}' AND pg_input_is_valid(s, 'timestamptz') THEN predicat.exact_timestamp(s) END);

-- CAST(s AS TIMESTAMP), in UTC unless s names a zone, NULL if s is no moment
CREATE OR REPLACE FUNCTION predicat.exact_to_timestamp(s text) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE RETURN (SELECT CASE WHEN __v1 LIKE '____-__-__T__:__:__Z' AND __v1 NOT LIKE '0000%' AND __v1 NOT LIKE '%-%-%-%' AND (__v1 LIKE '_____0%' OR __v1 LIKE '_____10%' OR __v1 LIKE '_____11%' OR __v1 LIKE '_____12%') AND __v1 NOT LIKE '_____00%' AND (__v1 LIKE '________0%' OR __v1 LIKE '________1%' OR __v1 LIKE '________2%') AND NOT (__v1 LIKE '________00%' OR __v1 LIKE '________29%') AND (__v1 LIKE '___________0%' OR __v1 LIKE '___________1%' OR __v1 LIKE '___________20%' OR __v1 LIKE '___________21%' OR __v1 LIKE '___________22%' OR __v1 LIKE '___________23%') AND __v1 NOT LIKE '%:%:%:%' AND __v1 NOT LIKE '%T%T%' AND __v1 NOT LIKE '%Z%Z%' AND NOT (__v1 ~ '[^-0-9:TZ]|:[6-9]') THEN __v1::timestamptz WHEN OCTET_LENGTH(__v1) <= 27 AND __v1 LIKE '____-__-__%' AND __v1 NOT LIKE '0000%' AND __v1 NOT LIKE '0001-01-01%' AND __v1 ~ '^[0-9]+-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]+)?(?:Z|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])$' THEN __v1::timestamptz WHEN __v1 ~ '^(?!0000)(?:(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8])))|(?:(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29))[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]{1,9})?(?:[Zz]|[+-](?:0[0-9]|1[0-4]):[0-5][0-9])$' THEN CASE WHEN REGEXP_REPLACE(__v1, '([.][0-9]{6})[0-9]+', E'\\1')::timestamptz BETWEEN TIMESTAMPTZ '0001-01-01 00:00:00+00' AND TIMESTAMPTZ '9999-12-31 23:59:59.999999+00' THEN REGEXP_REPLACE(__v1, '([.][0-9]{6})[0-9]+', E'\\1')::timestamptz END END FROM (SELECT CASE BTRIM(s, ' 	
') ~ E'^[0-9]{4}\\-[0-9]{2}\\-[0-9]{2}$' WHEN TRUE THEN BTRIM(s, ' 	
') || 'T00:00:00Z' WHEN FALSE THEN CASE BTRIM(s, ' 	
') ~ E'^[0-9]{4}\\-[0-9]{2}\\-[0-9]{2}[ Tt][0-9]{2}:[0-9]{2}$' WHEN TRUE THEN SUBSTR(BTRIM(s, ' 	
'), 1, 10) || 'T' || SUBSTR(BTRIM(s, ' 	
'), 12) || ':00Z' WHEN FALSE THEN CASE BTRIM(s, ' 	
') ~ E'^[0-9]{4}\\-[0-9]{2}\\-[0-9]{2}[ Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]{1,9})?$' WHEN TRUE THEN SUBSTR(BTRIM(s, ' 	
'), 1, 10) || 'T' || SUBSTR(BTRIM(s, ' 	
'), 12) || 'Z' WHEN FALSE THEN CASE BTRIM(s, ' 	
') ~ E'^[0-9]{4}\\-[0-9]{2}\\-[0-9]{2}[ Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]{1,9})?[\\+\\-][0-9]{2}$' WHEN TRUE THEN SUBSTR(BTRIM(s, ' 	
'), 1, 10) || 'T' || SUBSTR(BTRIM(s, ' 	
'), 12) || ':00' WHEN FALSE THEN CASE WHEN BTRIM(s, ' 	
') ~ E'^[0-9]{4}\\-[0-9]{2}\\-[0-9]{2}[ Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\\.[0-9]{1,9})?(?:[Zz]|[\\+\\-][0-9]{2}:[0-9]{2})$' THEN SUBSTR(BTRIM(s, ' 	
'), 1, 10) || 'T' || SUBSTR(BTRIM(s, ' 	
'), 12) END END END END END AS __v1 OFFSET 0) AS __v1t);

-- CAST(s AS TIMESTAMP), in UTC unless s names a zone, NULL if s is no moment
CREATE OR REPLACE FUNCTION predicat.to_timestamp(s text) RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE RETURN COALESCE(CAST(CASE WHEN s LIKE '____-__-__T__:__:__Z' AND s COLLATE "C" BETWEEN '0' AND '9~' AND s !~ '[^0-9]{2}' AND s NOT LIKE '___________24%' AND s NOT LIKE '_________________60%' AND pg_input_is_valid(s, 'timestamptz') THEN s WHEN s LIKE '____-__-__ __:__:__' AND s COLLATE "C" BETWEEN '0' AND '9~' AND s !~ '[^0-9](?:[^0-9]|$)' AND s NOT LIKE '___________24%' AND s NOT LIKE '_________________60%' AND pg_input_is_valid(s || 'Z', 'timestamptz') THEN s || 'Z' WHEN s LIKE '____-__-__' AND s !~ '[^-0-9]' AND s NOT LIKE '%-%-%-%' AND pg_input_is_valid(s, 'date') THEN s || ' 00:00Z' WHEN s ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}[ Tt](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:[.][0-9]{1,6})?)?$' AND pg_input_is_valid(s || 'Z', 'timestamptz') THEN s || 'Z' WHEN s NOT LIKE '0001-01-01%' AND s NOT LIKE '9999-12-31%' AND s ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}[ Tt](?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:[.][0-9]{1,6})?(?:[Zz]|[+-](?:0[0-9]|1[0-4])(?::[0-5][0-9])?)$' AND pg_input_is_valid(s, 'timestamptz') THEN s END AS timestamptz), CASE WHEN s ~ '[0-9]{4}-[0-9]{2}-[0-9]{2}' AND pg_input_is_valid(s, 'timestamptz') THEN predicat.exact_to_timestamp(s) END);

-- CAST(s AS BOOLEAN), else NULL
CREATE OR REPLACE FUNCTION predicat.to_boolean(s text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN CASE LOWER(BTRIM(s, ' 	
')) IN ('t', 'true', 'y', 'yes', '1') WHEN TRUE THEN TRUE WHEN FALSE THEN CASE WHEN LOWER(BTRIM(s, ' 	
')) IN ('f', 'false', 'n', 'no', '0') THEN FALSE END END;

-- double(j) of CEL of a text or a number, else NULL
CREATE OR REPLACE FUNCTION predicat.double(j jsonb) RETURNS float8 LANGUAGE sql STABLE PARALLEL SAFE RETURN CASE JSONB_TYPEOF(j) WHEN 'string' THEN predicat.double((j #>> '{}')) ELSE predicat.number(j) END;

-- int(j) of CEL of a text or a number, else NULL
CREATE OR REPLACE FUNCTION predicat.int(j jsonb) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE RETURN CASE JSONB_TYPEOF(j) WHEN 'string' THEN predicat.int((j #>> '{}')) ELSE CASE WHEN predicat.number(j) > -9223372036854775808::float8 AND predicat.number(j) < 9223372036854775808::float8 THEN TRUNC(predicat.number(j))::bigint END END;

-- CAST(j AS BIGINT) of a text or a number, else NULL
CREATE OR REPLACE FUNCTION predicat.to_bigint(j jsonb) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE RETURN CASE JSONB_TYPEOF(j) WHEN 'string' THEN predicat.int((j #>> '{}')) ELSE CASE WHEN predicat.number(j) >= -9223372036854775808::float8 AND predicat.number(j) < 9223372036854775808::float8 THEN TRUNC(predicat.number(j))::bigint END END;

-- double(j) of CEL of a text or a number, else NULL
CREATE OR REPLACE FUNCTION predicat.double(j jsonb, k text) RETURNS float8 LANGUAGE sql STABLE PARALLEL SAFE RETURN CASE JSONB_TYPEOF(j -> k) WHEN 'string' THEN predicat.double(j ->> k) ELSE predicat.number(j, k) END;

-- int(j) of CEL of a text or a number, else NULL
CREATE OR REPLACE FUNCTION predicat.int(j jsonb, k text) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE RETURN CASE JSONB_TYPEOF(j -> k) WHEN 'string' THEN predicat.int(j ->> k) ELSE CASE WHEN predicat.number(j, k) > -9223372036854775808::float8 AND predicat.number(j, k) < 9223372036854775808::float8 THEN TRUNC(predicat.number(j, k))::bigint END END;

-- CAST(j AS BIGINT) of a text or a number, else NULL
CREATE OR REPLACE FUNCTION predicat.to_bigint(j jsonb, k text) RETURNS bigint LANGUAGE sql STABLE PARALLEL SAFE RETURN CASE JSONB_TYPEOF(j -> k) WHEN 'string' THEN predicat.int(j ->> k) ELSE CASE WHEN predicat.number(j, k) >= -9223372036854775808::float8 AND predicat.number(j, k) < 9223372036854775808::float8 THEN TRUNC(predicat.number(j, k))::bigint END END;

-- the JSON in s, NULL if s is no JSON
CREATE OR REPLACE FUNCTION predicat.exact_parse_json(s text) RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE RETURN CASE WHEN OCTET_LENGTH(s) <= 2000000 AND s !~ '[0-9][eE][-+]?[0-9]{5}|[0-9]{250}' AND 2 * OCTET_LENGTH(s) - OCTET_LENGTH(REPLACE(s, '[', '')) - OCTET_LENGTH(REPLACE(s, '{', '')) <= 2000 AND (OCTET_LENGTH(s) <= 50000 OR NOT EXISTS(SELECT 1 FROM (SELECT STRING_TO_ARRAY(REPLACE(REPLACE(s, E'\\\\', '..'), E'\\"', '..'), '"') AS __p OFFSET 0) AS __q, UNNEST(__p) WITH ORDINALITY AS __k(__t, __n) WHERE __n % 2 = 0 AND LENGTH(__t) > 50000 AND __p[__n + 1] ~ E'^[ \\t\\n\\r]*:')) THEN ( SELECT CASE WHEN NOT jsonb_path_exists(j, 'strict $.**{100} ? (@.type() == "array" || @.type() == "object")') THEN j END FROM (SELECT CAST(CASE WHEN pg_input_is_valid(s, 'jsonb') AND s IS JSON WITH UNIQUE KEYS THEN s END AS jsonb) AS j OFFSET 0) AS x ) ELSE (SELECT CASE WHEN LENGTH(REGEXP_REPLACE(s, E'"(?:[^"\\\\]|\\\\.)*"', '', 'g')) - LENGTH(REPLACE(REGEXP_REPLACE(s, E'"(?:[^"\\\\]|\\\\.)*"', '', 'g'), ':', '')) = LENGTH(REGEXP_REPLACE(__j::text, E'"(?:[^"\\\\]|\\\\.)*"', '', 'g')) - LENGTH(REPLACE(REGEXP_REPLACE(__j::text, E'"(?:[^"\\\\]|\\\\.)*"', '', 'g'), ':', '')) THEN __j END FROM (SELECT (CASE WHEN OCTET_LENGTH(s) <= 2000000 AND (OCTET_LENGTH(s) <= 50000 OR NOT EXISTS(SELECT 1 FROM (SELECT STRING_TO_ARRAY(REPLACE(REPLACE(s, E'\\\\', '..'), E'\\"', '..'), '"') AS __p OFFSET 0) AS __q, UNNEST(__p) WITH ORDINALITY AS __k(__t, __n) WHERE __n % 2 = 0 AND LENGTH(__t) > 50000 AND __p[__n + 1] ~ E'^[ \\t\\n\\r]*:')) AND (OCTET_LENGTH(s) <= 1000 OR NOT s ~ '[0-9]{250}' OR NOT REGEXP_REPLACE(s, E'"(?:[^"\\\\]|\\\\.)*"', '', 'g') ~ '(?:[-+.0-9eE]{200}){5}[-+.0-9eE]') THEN CASE WHEN POSITION(CHR(1) IN s) = 0 THEN CASE WHEN (WITH RECURSIVE __r(__t, __n) AS (SELECT REGEXP_REPLACE(REGEXP_REPLACE(REGEXP_REPLACE(s, E'"(?:[^"\\\\\\u0001-\\u001f]|\\\\["\\\\/bfnrt]|\\\\u(?:[1-9a-cefA-CEF][0-9a-fA-F]{3}|0[1-9a-fA-F][0-9a-fA-F]{2}|00[1-9a-fA-F][0-9a-fA-F]|000[1-9a-fA-F]|[dD][0-7][0-9a-fA-F]{2})|\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2})*"', CHR(1), 'g'), '-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?(?:[eE][-+]?[0-9]{1,4})?|true|false|null', '0', 'g'), E'[ \\t\\n\\r]+', '', 'g'), 0 UNION ALL SELECT REGEXP_REPLACE(__t, E'\\[(?:[0\\u0001](?:,[0\\u0001])*)?\\]|\\{(?:\\u0001:[0\\u0001](?:,\\u0001:[0\\u0001])*)?\\}', '0', 'g'), __n + 1 FROM __r WHERE __n < 100 AND __t ~ E'\\[(?:[0\\u0001](?:,[0\\u0001])*)?\\]|\\{(?:\\u0001:[0\\u0001](?:,\\u0001:[0\\u0001])*)?\\}') SELECT __t ~ E'^[0\\u0001]$' FROM __r ORDER BY __n DESC LIMIT 1) THEN s END END END)::jsonb AS __j OFFSET 0) AS __x) END;

-- the JSON in s, NULL if s is no JSON
CREATE OR REPLACE FUNCTION predicat.parse_json(s text) RETURNS jsonb LANGUAGE sql STABLE PARALLEL SAFE RETURN COALESCE(CAST(CASE WHEN  OCTET_LENGTH(s) <= 50000 AND s !~ '[0-9][eE][-+]?[0-9]{5}|[0-9]{250}' AND (OCTET_LENGTH(s) <= 2 * 100 OR 2 * OCTET_LENGTH(s) - OCTET_LENGTH(REPLACE(s, '[', '')) - OCTET_LENGTH(REPLACE(s, '{', '')) <= 100)  THEN CASE WHEN pg_input_is_valid(s, 'jsonb') AND s IS JSON WITH UNIQUE KEYS THEN s END END AS jsonb), CASE WHEN NOT ( OCTET_LENGTH(s) <= 50000 AND s !~ '[0-9][eE][-+]?[0-9]{5}|[0-9]{250}' AND (OCTET_LENGTH(s) <= 2 * 100 OR 2 * OCTET_LENGTH(s) - OCTET_LENGTH(REPLACE(s, '[', '')) - OCTET_LENGTH(REPLACE(s, '{', '')) <= 100) ) THEN predicat.exact_parse_json(s) END);

