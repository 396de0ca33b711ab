"""The HTTP server: every command is durable before its response is sent, and then published to feeds."""
