"""What row policies mean: the rows that a role may see and write."""
