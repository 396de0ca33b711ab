"""Pages before play: my events, the plan's form, sign-up and the door."""
