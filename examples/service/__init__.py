"""A web service that decides with the filters of a catalog."""
