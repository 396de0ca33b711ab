"""The JSON API: routes by subject, request and response models, errors, OpenAPI."""
