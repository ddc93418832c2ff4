"""``python -m combpred``: see `combpred._cli`."""

from combpred._cli import main

if __name__ == "__main__":
    raise SystemExit(main())
