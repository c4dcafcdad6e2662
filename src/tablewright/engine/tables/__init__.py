"""Tables: schemas, indexes, descriptions, and the rules for creating and changing them."""
