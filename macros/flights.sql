{#- Miles a minute; UNKNOWN without a time in the air. -#}
{%- macro speed(distance, minutes) -%}
CAST({{ distance }} AS double) / {{ minutes }}
{%- endmacro -%}

{#- Texts as a list of SQL constants. -#}
{%- macro quoted(texts) -%}
{%- for text in texts -%}'{{ text | replace("'", "''") }}'{{ ", " if not loop.last }}{%- endfor -%}
{%- endmacro -%}
