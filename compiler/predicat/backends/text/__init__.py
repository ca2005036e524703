"""Back ends that write a predicate in another predicate language."""
