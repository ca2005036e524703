"""CEL, the Common Expression Language. Source: google/cel-spec, language definition."""
