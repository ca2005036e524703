"""`python -m predicat` is `predicat`."""

from predicat.cli.main import main

if __name__ == "__main__":
    main()
