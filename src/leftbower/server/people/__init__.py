"""People: guests, accounts, passwords, passkeys, names."""
