"""Live tables: what is asked is durable before it is answered, and answered before it is told to others."""
