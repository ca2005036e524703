"""JMS message selectors."""
