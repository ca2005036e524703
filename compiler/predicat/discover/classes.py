"""Numbers in classes that are joined step by step."""

from collections.abc import Iterable, Mapping


class Classes:
    """Classes of numbers. `members` has those of each class, by the number that stands for it."""

    def __init__(self, members: Mapping[int, Iterable[int]]) -> None:
        self.members = {number: list(members_) for number, members_ in members.items()}
        self.root = {number: number for number in members}

    def join(self, one: int, other: int) -> None:
        """Two classes are one."""
        first, second = self.find(one), self.find(other)
        if first != second:
            self.root[second] = first
            self.members[first] += self.members.pop(second)

    def find(self, number: int) -> int:
        """The representative of a class."""
        while self.root[number] != number:
            number = self.root[number]
        return number
