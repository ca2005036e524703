-- events.pull_created@1 (cel)
ce_type = 'com.github.pull.create'

-- events.eventing_pull@1 (cel)
ce_type = 'com.github.pull.create' AND ce_source = 'https://github.com/knative/eventing/pulls/123'

-- events.from_github@1 (cel)
ce_source LIKE 'https://github.com%'

-- events.from_github_glob@1 (cel)
ce_source LIKE 'https://github.com%'

-- events.from_github_regex@1 (cel)
ce_source ~ E'^https://github[^\\U0000000a]com[^\\U0000000a]*'

-- events.proposals@1 (cel)
ce_type = 'com.github.pull.create' OR ce_type = 'com.github.issue.create' AND ce_source LIKE '%proposals%'

-- events.repository_proposals@1 (cel)
ce_type = 'com.github.issue.create' AND properties ->> 'repository' = 'proposals'

-- events.dotted_repository@1 (cel)
properties ->> 'github.repository' = 'proposals'

-- events.slow_observation@1 (cel)
ce_type = 'dev.knative.observation' AND latency > 300 AND latency <> FLOAT8 'NaN'

-- events.region_eu@1 (pip)
properties ->> 'region' = 'EU'

-- events.regions@1 (pip)
properties ->> 'region' IN ('EU', 'US', 'APAC')

-- events.not_region_eu@1 (pip)
properties ->> 'region' <> 'EU'

-- events.after_tso@1 (pip)
CASE WHEN OCTET_LENGTH(properties ->> 'tso') BETWEEN 1 AND 18 AND TRANSLATE(properties ->> 'tso', '0123456789', '') = '' THEN (properties ->> 'tso')::bigint WHEN OCTET_LENGTH(properties ->> 'tso') BETWEEN 1 AND 18 AND TRANSLATE(properties ->> 'tso', '0123456789', '') = '-' AND properties ->> 'tso' <> '-' AND properties ->> 'tso' LIKE '-%' THEN (properties ->> 'tso')::bigint WHEN (properties ->> 'tso') ~ '^(?:-[0-9]{1,19}|[0-9]{1,20})$' THEN CASE WHEN (properties ->> 'tso')::numeric BETWEEN -9223372036854775808 AND 9223372036854775807 THEN (properties ->> 'tso')::numeric::bigint END END >= 420000

-- events.traced@1 (pip)
properties ->> 'trace' ILIKE 'req-%'

-- events.gtid_range@1 (pip)
event_time >= TIMESTAMPTZ '2025-01-01 03:00:00+00' AND event_time < TIMESTAMPTZ '2025-01-01 05:00:00+00' AND NOT (properties ->> 'region' LIKE '%AP%' OR properties ->> 'region' LIKE '%US%')

-- events.order_created@1 (sql)
properties ->> 'type' = 'order-created'

-- events.priority_order@1 (cel)
properties ->> 'type' = 'order-created' AND properties ->> 'priority' = 'HIGH' AND properties ->> 'region' = 'US'

-- events.published_late@1 (cel)
(CASE WHEN publish_time BETWEEN TIMESTAMPTZ '0001-01-01 00:00:00+00' AND TIMESTAMPTZ '9999-12-31 23:59:59.999999+00' THEN publish_time END - CASE WHEN event_time BETWEEN TIMESTAMPTZ '0001-01-01 00:00:00+00' AND TIMESTAMPTZ '9999-12-31 23:59:59.999999+00' THEN event_time END) > INTERVAL '01:00:00'

-- events.issue_created@1 (attributes)
(ce_type = 'com.github.issue.create') IS TRUE

-- events.pull_of_repository@1 (sourceAndType)
(ce_type = 'com.github.pull.create' AND ce_source = 'https://github.com/knative/eventing/pulls/123') IS TRUE

-- events.outside_github@1 (cloudevents)
(ce_type LIKE '%pull.create' OR ce_type = 'com.example.order') IS TRUE AND (ce_source LIKE 'https://github.com%') IS NOT TRUE

-- events.insecure_source@1 (cesql)
ce_source IS NOT NULL AND LOWER(ce_source) NOT LIKE 'https://%'

-- events.after_tso_wire@1 (pulsar)
CASE WHEN OCTET_LENGTH(properties ->> 'tso') BETWEEN 1 AND 18 AND TRANSLATE(properties ->> 'tso', '0123456789', '') = '' THEN (properties ->> 'tso')::bigint WHEN OCTET_LENGTH(properties ->> 'tso') BETWEEN 1 AND 18 AND TRANSLATE(properties ->> 'tso', '0123456789', '') = '-' AND properties ->> 'tso' <> '-' AND properties ->> 'tso' LIKE '-%' THEN (properties ->> 'tso')::bigint WHEN (properties ->> 'tso') ~ '^(?:-[0-9]{1,19}|[0-9]{1,20})$' THEN CASE WHEN (properties ->> 'tso')::numeric BETWEEN -9223372036854775808 AND 9223372036854775807 THEN (properties ->> 'tso')::numeric::bigint END END >= 420000

-- events.urgent_order@1 (headers)
(properties ->> 'type' = 'order-created' AND properties ->> 'priority' = 'HIGH' AND properties ->> 'region' <> 'EU') IS TRUE

-- events.small_region@1 (labels)
(properties ->> 'region' IN ('EU', 'eu')) IS NOT TRUE AND properties ->> 'type' IS NOT NULL

-- events.replay_window@1 (sns)
((properties ->> 'region' = 'EU' OR TRANSLATE(properties ->> 'region', 'SſU', 'ssu') = 'us') AND (SELECT __v1 >= 100000 AND __v1 <> FLOAT8 'NaN' AND __v1 < 420000 FROM (SELECT CASE WHEN OCTET_LENGTH(properties ->> 'tso') BETWEEN 1 AND 300 AND TRANSLATE(properties ->> 'tso', '0123456789', '') IN ('', '.') AND properties ->> 'tso' <> '.' THEN (properties ->> 'tso')::float8 WHEN OCTET_LENGTH(properties ->> 'tso') BETWEEN 1 AND 300 AND TRANSLATE(properties ->> 'tso', '0123456789', '') IN ('-', '-.') AND properties ->> 'tso' <> '-' AND properties ->> 'tso' <> '-.' AND properties ->> 'tso' LIKE '-%' THEN (properties ->> 'tso')::float8 WHEN OCTET_LENGTH(properties ->> 'tso') <= 600 AND (properties ->> 'tso') ~ '^[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]+)?$' THEN CASE WHEN (properties ->> 'tso') ~ '[eE][+-]?0*[1-9][0-9]{3}' THEN CASE WHEN (properties ->> 'tso') ~ '[eE]-|^[+-]?[0.]+[eE]' THEN 0::float8 END WHEN ABS((properties ->> 'tso')::numeric) < 2.4703282292062328e-324 THEN 0::float8 WHEN ABS((properties ->> 'tso')::numeric) < 1.7976931348623158e308 THEN (properties ->> 'tso')::numeric::float8 END WHEN (properties ->> 'tso') IN ('NaN', 'Infinity', '-Infinity') THEN (properties ->> 'tso')::float8 END AS __v1 OFFSET 0) AS __v1t)) IS TRUE

-- events.traced_requests@1 (pubsub)
(properties ->> 'trace' LIKE 'req-%') IS TRUE AND properties ->> 'priority' IS NULL

-- flights.cancelled@1 (sql)
dep_time IS NULL

-- flights.diverted@1 (sql)
dep_time IS NOT NULL AND arr_delay IS NULL

-- flights.early@1 (sql)
dep_delay < 0

-- flights.on_time@1 (sql)
dep_delay BETWEEN 0 AND 15

-- flights.late@1 (cel)
dep_delay > 15

-- flights.long_delay@1 (sql)
dep_delay > 30

-- flights.long_delay@2 (sql)
dep_delay >= :minutes

-- flights.late_united@1 (cel)
carrier = 'UA' AND dep_delay >= 60

-- flights.very_late@1 (sql)
dep_delay >= 180

-- flights.made_up_time@1 (sql)
dep_delay > 15 AND arr_delay <= 0

-- flights.gained_in_air@1 (sql)
CASE WHEN NOT (dep_delay BETWEEN -9007199254740992 AND 9007199254740991 AND arr_delay BETWEEN -9007199254740992 AND 9007199254740991) THEN (SELECT CASE WHEN __v1 BETWEEN -9223372036854775808 AND 9223372036854775807 THEN __v1::bigint END FROM (SELECT (CASE WHEN dep_delay::numeric - arr_delay::numeric BETWEEN -9223372036854775808 AND 9223372036854775807 THEN (dep_delay::numeric - arr_delay::numeric)::bigint END)::numeric * 5 AS __v1 OFFSET 0) AS __v1t) ELSE (dep_delay::bigint - arr_delay) * 5 END > air_time

-- flights.red_eye@1 (cel)
EXTRACT(HOUR FROM CASE WHEN time_hour BETWEEN TIMESTAMPTZ '0001-01-01 00:00:00+00' AND TIMESTAMPTZ '9999-12-31 23:59:59.999999+00' THEN time_hour END AT TIME ZONE 'America/New_York') >= 22 OR EXTRACT(HOUR FROM CASE WHEN time_hour BETWEEN TIMESTAMPTZ '0001-01-01 00:00:00+00' AND TIMESTAMPTZ '9999-12-31 23:59:59.999999+00' THEN time_hour END AT TIME ZONE 'America/New_York') < 5

-- flights.weekend@1 (sql)
EXTRACT(DOW FROM CASE WHEN time_hour BETWEEN TIMESTAMPTZ '0001-01-01 00:00:00+00' AND TIMESTAMPTZ '9999-12-31 23:59:59.999999+00' THEN time_hour END AT TIME ZONE 'America/New_York') IN (0, 6)

-- flights.independence_day@1 (cel)
time_hour >= TIMESTAMPTZ '2013-07-03 04:00:00+00' AND time_hour < TIMESTAMPTZ '2013-07-06 04:00:00+00'

-- flights.summer@1 (sql)
month IN (6, 7, 8)

-- flights.transcontinental@1 (sql)
dest IN ('LAX', 'SFO', 'SEA', 'PDX', 'SAN', 'SJC', 'OAK', 'LGB', 'SMF', 'BUR', 'SNA')

-- flights.long_haul@1 (cel)
distance >= 2000

-- flights.regional_carrier@1 (cel)
carrier IN ('9E', 'EV', 'MQ', 'OO', 'YV')

-- flights.registered_in_us@1 (cel)
tailnum ~ '^N[1-9][0-9]{0,4}[A-HJ-NP-Z]{0,2}$'

-- flights.jetblue_plane@1 (sql)
tailnum LIKE '%JB'

-- flights.unknown_plane@1 (sql)
tailnum IS NULL OR tailnum = ''

-- flights.fast@1 (sql)
distance::float8 / NULLIF(air_time, 0) > 8

-- flights.from_hub@1 (sql)
origin IN ('EWR', 'JFK', 'LGA')

-- flights.bad_day@1 (any)
dep_time IS NULL OR dep_time IS NOT NULL AND arr_delay IS NULL OR dep_delay >= 180

-- flights.good_flight@1 (all)
NOT (dep_time IS NULL OR dep_time IS NOT NULL AND arr_delay IS NULL OR dep_delay >= 180) AND dep_delay <= 15

-- flights.short_haul@1 (jms)
carrier IN ('EV', '9E', 'MQ') AND distance < 500

-- weather.freezing@1 (sql)
temp <= 32

-- weather.storm@1 (cel)
wind_speed >= 30 AND wind_speed <> FLOAT8 'NaN' OR wind_gust >= 45 AND wind_gust <> FLOAT8 'NaN'

-- weather.poor_visibility@1 (sql)
visib < :miles

-- weather.wet@1 (sql)
precip > 0

-- weather.icing@1 (all)
temp <= 32 AND precip > 0

-- weather.fog_risk@1 (sql)
ABS(CASE WHEN NOT (ABS(temp::float8) < FLOAT8 '1e290' OR ABS(dewp::float8) < FLOAT8 '1e290') THEN (SELECT (SELECT CASE WHEN __v1 IN (FLOAT8 'Infinity', FLOAT8 '-Infinity', FLOAT8 'NaN') OR __v2 IN (FLOAT8 'Infinity', FLOAT8 '-Infinity', FLOAT8 'NaN') OR ABS((__v1 / 2) - (__v2 / 2)) < FLOAT8 '8.98846567431158e+307' THEN __v1 - __v2 WHEN (__v1 / 2) - (__v2 / 2) > 0 THEN FLOAT8 'Infinity' WHEN (__v1 / 2) - (__v2 / 2) < 0 THEN FLOAT8 '-Infinity' END FROM (SELECT dewp::float8 AS __v2 OFFSET 0) AS __v2t) FROM (SELECT temp::float8 AS __v1 OFFSET 0) AS __v1t) ELSE temp::float8 - dewp END) <= 2 AND wind_speed < 6

-- weather.north_wind@1 (cel)
wind_dir >= 315 AND wind_dir <> FLOAT8 'NaN' OR wind_dir <= 45
