{%- macro on_the_way(column) -%}
{{ column }} IN ('packed', 'sent')
{%- endmacro -%}
