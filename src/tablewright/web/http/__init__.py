"""HTTP as the contract has it: routes, problems, lists, versions, idempotency, OpenAPI."""
