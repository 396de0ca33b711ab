"""Server-rendered pages: tables, events, rules, lessons and accounts, built from what each viewer may see."""
