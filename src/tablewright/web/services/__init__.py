"""What systems use besides the store: blobs, mail, the assistant, rate limits, the clock."""
