"""The intermediate representation: the untyped tree of the front ends, and the typed nodes of later steps."""
