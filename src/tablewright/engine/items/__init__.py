"""Items: keys, reads, writes, capacity and expiry. Every operation on items goes through here."""
