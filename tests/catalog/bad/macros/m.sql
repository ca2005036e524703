{%- macro twice(x) -%}{{ x }} * 2{%- endmacro -%}
