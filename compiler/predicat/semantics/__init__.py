"""What operators mean: the reference evaluator, regular expressions, case folding, LIKE patterns."""
