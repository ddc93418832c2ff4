"""``python -m combpred``: see `combpred._cli.main`."""

from combpred._cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
