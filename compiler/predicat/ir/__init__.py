"""The intermediate representation: an untyped tree from front ends, typed nodes for passes and back ends."""
