"""boto3's DynamoDB client, in process: the same methods, answers and errors, without HTTP."""
