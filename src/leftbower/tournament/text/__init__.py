"""Text in and out: parsing, display, CSV, exports, duration estimates."""
