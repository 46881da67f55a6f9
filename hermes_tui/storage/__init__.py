"""The writing side: schema, writer, migration. Only cli and demo use it."""
