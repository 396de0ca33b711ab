"""The HTTP server: every command is durable before its response, and published to feeds after it."""
