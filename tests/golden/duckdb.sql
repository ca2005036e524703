-- events.pull_created@1 (cel)
ce_type = 'com.github.pull.create'

-- events.eventing_pull@1 (cel)
ce_type = 'com.github.pull.create' AND ce_source = 'https://github.com/knative/eventing/pulls/123'

-- events.from_github@1 (cel)
ce_source LIKE 'https://github.com%'

-- events.from_github_glob@1 (cel)
ce_source LIKE 'https://github.com%'

-- events.from_github_regex@1 (cel)
REGEXP_MATCHES(ce_source, '^https://github.com.*')

-- events.proposals@1 (cel)
ce_type = 'com.github.pull.create' OR ce_type = 'com.github.issue.create' AND ce_source LIKE '%proposals%'

-- events.repository_proposals@1 (cel)
ce_type = 'com.github.issue.create' AND properties['repository'] = 'proposals'

-- events.dotted_repository@1 (cel)
properties['github.repository'] = 'proposals'

-- events.slow_observation@1 (cel)
ce_type = 'dev.knative.observation' AND latency > 300 AND NOT ISNAN(latency)

-- events.region_eu@1 (pip)
properties['region'] = 'EU'

-- events.regions@1 (pip)
properties['region'] IN ('EU', 'US', 'APAC')

-- events.not_region_eu@1 (pip)
properties['region'] <> 'EU'

-- events.after_tso@1 (pip)
CASE WHEN STRLEN(properties['tso']) <= 20 AND NOT (properties['tso'] GLOB '*[!0-9]*') OR REGEXP_MATCHES(properties['tso'], '^(?:-[0-9]{1,19}|[0-9]{1,20})$') THEN TRY_CAST(properties['tso'] AS BIGINT) END >= 420000

-- events.traced@1 (pip)
properties['trace'] ILIKE 'req-%'

-- events.gtid_range@1 (pip)
event_time >= TIMESTAMPTZ '2025-01-01T03:00:00Z' AND event_time < TIMESTAMPTZ '2025-01-01T05:00:00Z' AND NOT (properties['region'] LIKE '%AP%' OR properties['region'] LIKE '%US%')

-- events.order_created@1 (sql)
properties['type'] = 'order-created'

-- events.priority_order@1 (cel)
properties['type'] = 'order-created' AND properties['priority'] = 'HIGH' AND properties['region'] = 'US'

-- events.published_late@1 (cel)
TRY(EPOCH_US(publish_time) - EPOCH_US(event_time)) > 3600000000

-- events.issue_created@1 (attributes)
(ce_type = 'com.github.issue.create') IS TRUE

-- events.pull_of_repository@1 (sourceAndType)
(ce_type = 'com.github.pull.create' AND ce_source = 'https://github.com/knative/eventing/pulls/123') IS TRUE

-- events.outside_github@1 (cloudevents)
(ce_type LIKE '%pull.create' OR ce_type = 'com.example.order') IS TRUE AND (ce_source LIKE 'https://github.com%') IS NOT TRUE

-- events.insecure_source@1 (cesql)
ce_source IS NOT NULL AND LOWER(ce_source) NOT LIKE 'https://%'

-- events.after_tso_wire@1 (pulsar)
CASE WHEN STRLEN(properties['tso']) <= 20 AND NOT (properties['tso'] GLOB '*[!0-9]*') OR REGEXP_MATCHES(properties['tso'], '^(?:-[0-9]{1,19}|[0-9]{1,20})$') THEN TRY_CAST(properties['tso'] AS BIGINT) END >= 420000

-- events.urgent_order@1 (headers)
(properties['type'] = 'order-created' AND properties['priority'] = 'HIGH' AND properties['region'] <> 'EU') IS TRUE

-- events.small_region@1 (labels)
(properties['region'] IN ('EU', 'eu')) IS NOT TRUE AND properties['type'] IS NOT NULL

-- events.replay_window@1 (sns)
((properties['region'] = 'EU' OR TRANSLATE(properties['region'], 'SſU', 'ssu') = 'us') AND LIST_EXTRACT(LIST_TRANSFORM(LIST_VALUE(CASE WHEN STRLEN(properties['tso']) <= 300 AND NOT (properties['tso'] GLOB '*[!0-9.]*') THEN TRY_CAST(properties['tso'] AS DOUBLE) WHEN STRLEN(properties['tso']) <= 600 AND REGEXP_MATCHES(properties['tso'], '^[+-]?(?:[0-9]+(?:[.][0-9]*)?|[.][0-9]+)(?:[eE][+-]?[0-9]+)?$') THEN NULLIF(NULLIF(TRY_CAST(properties['tso'] AS DOUBLE), CAST('Infinity' AS DOUBLE)), CAST('-Infinity' AS DOUBLE)) WHEN properties['tso'] IN ('NaN', 'Infinity', '-Infinity') THEN TRY_CAST(properties['tso'] AS DOUBLE) END), LAMBDA __v1 : __v1 >= 100000 AND NOT ISNAN(__v1) AND __v1 < 420000), 1)) IS TRUE

-- events.traced_requests@1 (pubsub)
(properties['trace'] LIKE 'req-%') IS TRUE AND properties['priority'] IS NULL

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
TRY(TRY(CAST(dep_delay AS BIGINT) - arr_delay) * 5) > air_time

-- flights.red_eye@1 (cel)
HOUR((CAST(time_hour AS TIMESTAMPTZ) AT TIME ZONE 'America/New_York')) >= 22 OR HOUR((CAST(time_hour AS TIMESTAMPTZ) AT TIME ZONE 'America/New_York')) < 5

-- flights.weekend@1 (sql)
DAYOFWEEK((CAST(time_hour AS TIMESTAMPTZ) AT TIME ZONE 'America/New_York')) IN (0, 6)

-- flights.independence_day@1 (cel)
time_hour >= TIMESTAMPTZ '2013-07-03T04:00:00Z' AND time_hour < TIMESTAMPTZ '2013-07-06T04:00:00Z'

-- flights.summer@1 (sql)
month IN (6, 7, 8)

-- flights.transcontinental@1 (sql)
dest IN ('LAX', 'SFO', 'SEA', 'PDX', 'SAN', 'SJC', 'OAK', 'LGB', 'SMF', 'BUR', 'SNA')

-- flights.long_haul@1 (cel)
distance >= 2000

-- flights.regional_carrier@1 (cel)
carrier IN ('9E', 'EV', 'MQ', 'OO', 'YV')

-- flights.registered_in_us@1 (cel)
REGEXP_MATCHES(tailnum, '^N[1-9][0-9]{0,4}[A-HJ-NP-Z]{0,2}$')

-- flights.jetblue_plane@1 (sql)
tailnum LIKE '%JB'

-- flights.unknown_plane@1 (sql)
tailnum IS NULL OR tailnum = ''

-- flights.fast@1 (sql)
CAST(distance AS DOUBLE) / NULLIF(air_time, 0) > 8

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
wind_speed >= 30 AND NOT ISNAN(wind_speed) OR wind_gust >= 45 AND NOT ISNAN(wind_gust)

-- weather.poor_visibility@1 (sql)
visib < :miles

-- weather.wet@1 (sql)
precip > 0

-- weather.icing@1 (all)
temp <= 32 AND precip > 0

-- weather.fog_risk@1 (sql)
ABS(CAST(temp AS DOUBLE) - dewp) <= 2 AND wind_speed < 6

-- weather.north_wind@1 (cel)
wind_dir >= 315 AND NOT ISNAN(wind_dir) OR wind_dir <= 45
