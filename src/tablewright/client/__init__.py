"""boto3's DynamoDB client, in process: the same methods, responses and errors, without HTTP."""
