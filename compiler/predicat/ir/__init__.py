"""The intermediate representation: an untyped tree from languages, typed nodes for all that follows."""
