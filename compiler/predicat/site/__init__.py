"""The catalog as a static web site that works from file:// and asks no other host for anything."""
