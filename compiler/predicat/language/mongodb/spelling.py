"""The spelling of operators in query documents."""

# Comparisons, which compare only values of one type.
ORDERS = {"lt": "$lt", "le": "$lte", "gt": "$gt", "ge": "$gte"}
