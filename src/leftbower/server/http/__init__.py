"""HTTP below the routes: middleware, protocol timeouts, SSE, rate limits, forms."""
