"""The system behind a design: permissions, OpenAPI, requests as another person."""
