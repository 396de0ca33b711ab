"""Pages: the table in the browser, drawn from what the viewer may see."""
