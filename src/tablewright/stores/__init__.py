"""Where operations are run: in process, on DynamoDB, or on anything that speaks its protocol."""
