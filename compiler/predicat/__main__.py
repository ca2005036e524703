"""`python -m predicat` is `predicat`."""

from predicat.cli.main import main

main()
