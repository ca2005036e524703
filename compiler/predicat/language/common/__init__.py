"""Code that several languages share: data, tokens, tests of one key, policies."""
